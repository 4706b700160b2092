import { describe, expect, it } from 'vitest';
import { mentionsPerson, type SmallTalkKind, smallTalkIn, withoutSmallTalk } from '../../src/text/small-talk.ts';
import cases from './small-talk.json' with { type: 'json' };

const KINDS = ['thanks', 'person', 'greeting', 'goodbye'] as const satisfies SmallTalkKind[];

describe('smallTalkIn()', () => {
  for (const kind of KINDS)
    it.each(cases[kind])(`recognises that %j is ${kind}`, (message) => {
      expect(smallTalkIn(message)?.kind).toBe(kind);
    });
  it.each(cases.question)('leaves %j to be answered', (message) => {
    expect(smallTalkIn(message)).toBeUndefined();
  });
  describe.each(Object.entries(cases.byLanguage))('in %s', (language, messages) => {
    it.each(messages.map((message, at) => [message, KINDS[at]]))('recognises %j as %s', (message, kind) => {
      expect(smallTalkIn(message)).toEqual({ kind, language });
    });
    it.each(cases.nearMisses[language as keyof typeof cases.nearMisses])('leaves %j to be answered', (message) => {
      expect(smallTalkIn(message)).toBeUndefined();
    });
  });
  it('takes the language of a word that several have from the message before', () => {
    expect(smallTalkIn('super')?.language).toBe('en');
    expect(smallTalkIn('super', 'Wie lange dauert der Versand nach Kanada?')?.language).toBe('de');
  });
});
it.each(cases.withoutSmallTalk)('withoutSmallTalk() reads %j as %j', (message, question) => {
  expect(withoutSmallTalk(message ?? '')).toBe(question);
});
it.each(cases.mentionsPerson)('mentionsPerson() finds that %j asks for a person', (message) => {
  expect(mentionsPerson(message)).toBe(true);
});
it.each(cases.mentionsNone)('mentionsPerson() finds no such wish in %j', (message) => {
  expect(mentionsPerson(message)).toBe(false);
});
