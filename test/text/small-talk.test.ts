import { describe, expect, it } from 'vitest';
import { mentionsPerson, type SmallTalkKind, smallTalkIn, withoutSmallTalk } from '../../src/text/small-talk.ts';
import cases from './small-talk.json' with { type: 'json' };

const KINDS = ['thanks', 'person', 'greeting', 'goodbye'] as const satisfies SmallTalkKind[];

/** The messages of which a kind, and of those a language, is not the expected one. */
const mistakes = (messages: readonly string[], kind: SmallTalkKind | undefined, language?: string): string[] =>
  messages.filter((message) => {
    const result = smallTalkIn(message);
    return result?.kind !== kind || (language !== undefined && result?.language !== language);
  });

describe('smallTalkIn()', () => {
  it('recognises at least 97 % of small talk', () => {
    const messages = KINDS.flatMap((kind) => cases[kind]);
    const wrong = KINDS.flatMap((kind) => mistakes(cases[kind], kind));
    expect(wrong.length / messages.length, wrong.join(' | ')).toBeLessThanOrEqual(0.03);
  });
  it('recognises at least 95 % in its sixteen languages, with the language', () => {
    const languages = Object.entries(cases.byLanguage);
    const wrong = languages.flatMap(([language, messages]) =>
      KINDS.flatMap((kind, at) => mistakes(messages.slice(at, at + 1), kind, language)),
    );
    expect(languages).toHaveLength(16);
    expect(wrong.length / (languages.length * KINDS.length), wrong.join(' | ')).toBeLessThanOrEqual(0.05);
  });
  it('leaves at least 98 % of what looks similar to be answered', () => {
    const messages = [...cases.question, ...Object.values(cases.nearMisses).flat()];
    const wrong = mistakes(messages, undefined);
    expect(wrong.length / messages.length, wrong.join(' | ')).toBeLessThanOrEqual(0.02);
  });
  it.each(['Danke', 'thanks', 'gracias', '谢谢'])('takes %j with a question mark for a question', (message) => {
    expect(smallTalkIn(message)?.kind).toBe('thanks');
    expect(smallTalkIn(`${message}?`)).toBeUndefined();
  });
  it.each(['THANKS!!!', 'thaaanks', 'thanks 👍', ' thanks . '])('reads %j like "thanks"', (message) => {
    expect(smallTalkIn(message)).toEqual(smallTalkIn('thanks'));
  });
  it.each(['', ' ', '…', '12', `thanks ${'and thanks '.repeat(30)}`, 'x'.repeat(200)])(
    'finds nothing in %j',
    (message) => {
      expect(smallTalkIn(message)).toBeUndefined();
    },
  );
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
