import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { markWords } from '../../src/console/answers/matched-words.ts';

const textsOf = (language: string): Record<string, string> =>
  JSON.parse(readFileSync(new URL(`../../src/console/texts/${language}.json`, import.meta.url), 'utf8'));
const valuesIn = (text: string | undefined): string[] => (text?.match(/\{\w+\}/g) ?? []).sort();

describe('the texts of the console', () => {
  it('exist in every language, with the same values', () => {
    const [english, german] = [textsOf('en'), textsOf('de')];
    expect(Object.keys(german).sort()).toEqual(Object.keys(english).sort());
    for (const [key, text] of Object.entries(english))
      expect([key, valuesIn(german[key])]).toEqual([key, valuesIn(text)]);
    for (const key of Object.keys(english).filter((each) => each.endsWith('.one')))
      expect(english).toHaveProperty([key.replace(/\.one$/, '.other')]);
  });
});

describe('markWords()', () => {
  it('marks forms of the words, joins neighbours, and leaves short words and the rest as they are', () => {
    const parts = markWords('Resetting the password: a password reset at 88 °C.', ['reset the password at 88']);
    expect(parts.map(({ text }) => text).join('')).toBe('Resetting the password: a password reset at 88 °C.');
    expect(parts.filter(({ isMarked }) => isMarked).map(({ text }) => text)).toEqual([
      ...['Resetting', 'password', 'password reset', '88'],
    ]);
  });
});
