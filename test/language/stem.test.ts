import { expect, it } from 'vitest';
import { stem } from '../../src/language/stem.ts';
import cases from './stem.json' with { type: 'json' };

// The examples of each step in the paper, with the result of the whole algorithm, and words of support articles.
it.each(Object.entries(cases.stems))('reduces %s to %s', (word, expected) =>
  expect(stem(word)).toBe(expected),
);
it('maps the forms of a word to one stem', () => {
  const forms = ['connect', 'connected', 'connecting', 'connection', 'connections'];
  expect(new Set(forms.map(stem))).toEqual(new Set(['connect']));
});
it.each(['as', 'x', '', 'mp3s', 'größen', '机器', '0x80070005', "isn't"])(
  'leaves %j unchanged',
  (word) => {
    expect(stem(word)).toBe(word);
  },
);
