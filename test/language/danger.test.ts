import { describe, expect, it } from 'vitest';
import messages from '../../research/eval/danger-messages.json' with { type: 'json' };
import PHRASES from '../../src/answering/write/answer-phrases.json' with { type: 'json' };
import { dangerIn, withoutDeniedDanger } from '../../src/language/danger.ts';
import WORDS from '../../src/language/lists/danger.json' with { type: 'json' };
import cases from './danger.json' with { type: 'json' };
import languages from './danger-languages.json' with { type: 'json' };

it.each(cases as [string, string | null][])('dangerIn() finds in %j: %j', (text, words) => {
  expect(dangerIn(text)?.words).toBe(words ?? undefined);
});

describe.each(Object.entries(messages))(
  'messages that customers write, %s',
  (_, { danger, harmless }) => {
    it.each(Object.entries(danger))('are recognised as danger: %s', (_language, texts) => {
      expect(texts.filter((text) => dangerIn(text) === undefined)).toEqual([]);
    });
    it.each(Object.entries(harmless))(
      'are no danger where they only have its words: %s',
      (_language, texts) => {
        expect(texts.filter((text) => dangerIn(text) !== undefined)).toEqual([]);
      },
    );
  },
);

it('has words for every language that the product speaks', () => {
  expect(Object.keys(WORDS).toSorted()).toEqual(Object.keys(PHRASES).toSorted());
});
it.each(Object.entries(languages.danger))(
  'recognises danger in %s, and its language',
  (language, texts) => {
    expect(texts.map((text) => [text, dangerIn(text)?.language])).toEqual(
      texts.map((text) => [text, language]),
    );
  },
);
it.each(Object.entries(languages.asked))(
  'takes a question of what to do in danger for danger, in %s',
  (_, texts) => {
    expect(texts.filter((text) => dangerIn(text) === undefined)).toEqual([]);
  },
);
it('has questions of what to do in every language', () => {
  expect(Object.keys(languages.asked).toSorted()).toEqual(Object.keys(WORDS).toSorted());
});
it.each(languages.harmless)('finds no danger in %j', (text) =>
  expect(dangerIn(text)).toBeUndefined(),
);

it('tells the language of the words', () => {
  expect(dangerIn('Il fume !')?.language).toBe('fr');
  expect(dangerIn('Der Akku ist aufgebläht')?.language).toBe('de');
});

it('gives the words as they are written, with typographic apostrophes and composed or decomposed letters', () => {
  expect(dangerIn('Ça sent le brûlé'.normalize('NFD'))?.words).toBe('sent le brûlé');
  expect(dangerIn('I can’t touch it')?.words).toBe("can't touch");
});

it.each([
  '!smell of '.repeat(10_000),
  'A'.repeat(100_000),
  'water '.repeat(20_000),
  `${'no '.repeat(9000)}smoke`,
])('finds nothing beyond its length, or in endless repetition (%#)', (text) =>
  expect(dangerIn(text)).toBeUndefined(),
);

it.each([
  [
    'I live in a smoke-free home and want to return the unit',
    'I live in a home and want to return the unit',
  ],
  ['No smoke.\nIt does not smell burnt. The fan is loud.', 'No .\nIt does not . The fan is loud.'],
  ['There is smoke', 'There is smoke'],
  ['Vivo en una casa libre de humo y quiero devolverlo', 'Vivo en una casa y quiero devolverlo'],
])('takes denied words of danger out of %j', (text, left) =>
  expect(withoutDeniedDanger(text)).toBe(left),
);
