import { describe, expect, it } from 'vitest';
import { referenceIn, refersBack, turnsFor } from '../../src/language/refers-back.ts';
import PAIRS from './follow-up-pairs.json' with { type: 'json' };
import cases from './refers-back.json' with { type: 'json' };

const LANGUAGES = Object.keys(cases.refersBack) as (keyof typeof cases.refersBack)[];

/** Questions without one before them, in sixteen languages. */
describe('refersBack()', () => {
  it.each(LANGUAGES)('finds all references but one at most in %s', (language) => {
    expect(
      cases.refersBack[language].filter((question) => !refersBack(question)).length,
    ).toBeLessThanOrEqual(1);
  });
  it.each(LANGUAGES)(
    'reads all questions with a subject alone but one at most in %s',
    (language) => {
      expect(
        cases.standsAlone[language].filter((question) => refersBack(question)).length,
      ).toBeLessThanOrEqual(1);
    },
  );
  it('decides at least 97 % of them as people do', () => {
    const sets = [
      Object.values(cases.refersBack).flat(),
      Object.values(cases.standsAlone).flat(),
    ] as const;
    const right = sets[0].filter((question) => refersBack(question)).length;
    const alone = sets[1].filter((question) => !refersBack(question)).length;
    expect((right + alone) / (sets[0].length + sets[1].length)).toBeGreaterThanOrEqual(0.97);
  });
  it('decides at least 54 of 60 questions after another one as people do, to which no word or rule was fitted', () => {
    const right = PAIRS.filter(({ before, question, refersBack: expected }) => {
      return refersBack(question, { question: before }) === expected;
    });
    expect(right.length).toBeGreaterThanOrEqual(54);
    expect(
      PAIRS.filter(
        ({ before, question, refersBack: expected }) =>
          !expected && refersBack(question, { question: before }),
      ),
    ).toEqual([]);
  });
  it.each([
    ['Hebrew', 'למה?', true],
    ['Ukrainian', 'Як скинути пароль на панелі керування пристрою?', false],
    ['Thai', 'จะรีเซ็ตรหัสผ่านได้อย่างไร', false],
  ])('reads a question in %s, of which it knows only the stop words', (_, question, expected) => {
    expect(refersBack(question)).toBe(expected);
  });
});

describe('referenceIn()', () => {
  it.each([
    ['Is it covered by the warranty?', 'thing'],
    ['Can I return it within thirty days?', 'thing'],
    ['How long does it last?', 'question'],
    ['And in Canada?', 'question'],
    ['What about the warranty?', 'question'],
  ])('tells whether %j asks something of its own', (question, reference) => {
    expect(referenceIn(question)).toBe(reference);
  });
  it('reads what is said when a question was asked back as its reply', () => {
    const before = { question: 'It does not work', answer: 'Which device is it about?' };
    expect(referenceIn('The Apollo II', before)).toBe('question');
    expect(referenceIn('What does the warranty cover?', before)).toBe('nothing');
    expect(referenceIn('The Apollo II', { ...before, answer: 'Restart it.' })).toBe('nothing');
  });
});

describe('turnsFor()', () => {
  const turn = (speaker: 'user' | 'assistant', text: string) => ({ speaker, text });
  const asked = [turn('user', 'How loud is it?'), turn('assistant', '45 dBA.')];
  it('gives no turns to a question that stands alone', () => {
    expect(turnsFor('How do I reset the password?', asked)).toEqual([]);
    expect(turnsFor('And in Eco?', [])).toEqual([]);
  });
  it('leaves out thanks with their replies', () => {
    const thanked = [
      ...asked,
      turn('user', 'Thanks!'),
      turn('assistant', 'You are welcome. Anything else?'),
    ];
    expect(turnsFor('And in Eco?', thanked)).toEqual(asked);
  });
});
