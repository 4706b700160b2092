import { describe, expect, it } from 'vitest';
import {
  smallTalkIn,
  unansweredSmallTalk,
  withoutSmallTalk,
} from '../../src/language/small-talk.ts';
import cases from './small-talk.json' with { type: 'json' };

const KINDS = ['thanks', 'person', 'greeting', 'goodbye'] as const;

const shareOf = (texts: readonly string[], holds: (text: string) => boolean): number =>
  texts.filter(holds).length / texts.length;

/** None of these messages is fitted. */
describe('smallTalkIn()', () => {
  it.each(KINDS)('recognises most messages that are %s', (kind) => {
    expect(
      shareOf(cases[kind], (message) => smallTalkIn(message)?.kind === kind),
    ).toBeGreaterThanOrEqual(0.8);
  });
  it('recognises each kind in sixteen languages', () => {
    const misread = Object.values(cases.byLanguage).flatMap((messages) =>
      messages.filter((message, at) => smallTalkIn(message)?.kind !== KINDS[at]),
    );
    expect(misread.length).toBeLessThanOrEqual(2);
  });
  it('leaves most short questions that have its words to be answered', () => {
    const questions = [...cases.question, ...Object.values(cases.nearMisses).flat()];
    expect(
      shareOf(questions, (message) => smallTalkIn(message) === undefined),
    ).toBeGreaterThanOrEqual(0.85);
  });
  it.each([
    'Thanks for nothing, it still does not work',
    'Thanks, but how?',
    'hi how do I reset my password',
    'What is the phone number of support?',
    'Danke, aber wie?',
    'hat nicht geklappt',
    'funktioniert nicht',
    'Merci mais ça ne marche pas',
    'no funciona',
    'non funziona',
    'Was kostet der Versand?',
    'That did not help',
  ])('leaves %j to be answered', (message) => expect(smallTalkIn(message)).toBeUndefined());
  it.each(['👍', '❤️👍', 'Thanks 😊'])('takes %j for thanks', (message) => {
    expect(smallTalkIn(message)?.kind).toBe('thanks');
  });
  it('takes no long message for small talk', () => {
    expect(smallTalkIn('thank you very much '.repeat(11))).toBeUndefined();
  });
  it('tells the language, that of the message before where the words do not', () => {
    expect(smallTalkIn('vielen Dank, es geht wieder')?.language).toBe('de');
    expect(smallTalkIn('super')?.language).toBe('en');
    expect(smallTalkIn('super', 'Wie lange dauert der Versand nach Kanada?')?.language).toBe('de');
  });
});
it.each(cases.withoutSmallTalk)('withoutSmallTalk() reads %j as %j', (message, question) => {
  expect(withoutSmallTalk(message ?? '')).toBe(question);
});
/** What the articles do not answer. None of these messages is fitted. */
describe('unansweredSmallTalk()', () => {
  it('finds most questions about how a person is reached', () => {
    const isPerson = (message: string) => unansweredSmallTalk(message)?.kind === 'person';
    expect(shareOf(cases.mentionsPerson, isPerson)).toBeGreaterThanOrEqual(0.75);
    for (const question of cases.mentionsNone)
      expect(unansweredSmallTalk(question)).toBeUndefined();
  });
  it('finds thanks in longer words, and their language', () => {
    expect(unansweredSmallTalk('Thanks, you have been a great help!')).toEqual({
      kind: 'thanks',
      language: 'en',
    });
  });
  it('leaves most near misses alone', () => {
    const questions = [...cases.question, ...Object.values(cases.nearMisses).flat()];
    expect(
      shareOf(questions, (message) => unansweredSmallTalk(message) === undefined),
    ).toBeGreaterThanOrEqual(0.79);
  });
  it.each([
    'What is the capital of Mongolia?',
    'Is this all, thanks?',
    'thank you very much '.repeat(11),
  ])('leaves %j declined', (message) => expect(unansweredSmallTalk(message)).toBeUndefined());
});
