import { expect, it } from 'vitest';
import { findNames, similarNames } from '../../../src/librarians/analytics/find-names.ts';
import { wordsOfQuestion } from '../../../src/librarians/analytics/question-words.ts';
import CASES from './find-names.json' with { type: 'json' };

it.each(CASES.reads as [string, object[]][])('reads %s', (question, expected) => {
  const found = findNames(wordsOfQuestion(question), CASES.lists);
  expect(found.map(({ names }) => names)).toEqual(expected);
});

const SIZED = CASES.sized.found as [string, { beginning?: string }[]][];
it.each(SIZED)(
  'matches the beginning of a name only when just its size is missing: %s',
  (question, expected) => {
    const found = findNames(wordsOfQuestion(question), { products: CASES.sized.products });
    expect(found).toMatchObject(expected);
    expect(found.map(({ beginning }) => beginning)).toEqual(
      expected.map(({ beginning }) => beginning),
    );
  },
);
it.each([
  ['many names with the same prefix', 'Apollo Series '.repeat(5000)],
  ['words similar to names', 'Apolla Serias Apolko '.repeat(5000)],
])('reads %s before the test times out', (_what, question) => {
  const products = Array.from(
    { length: 500 },
    (_each, place) => `Apollo Series ${place} Cable ${place} m`,
  );
  const words = wordsOfQuestion(question);
  expect(words).toHaveLength(200);
  expect(findNames(words, { products })).toEqual([]);
  expect(similarNames(words, products).names).toHaveLength(question.startsWith('Apollo') ? 500 : 0);
});
it('suggests similar names', () => {
  const { names } = similarNames(wordsOfQuestion('the iPhone please'), CASES.lists.products);
  expect(names).toEqual(['iPhone 17', 'iPhone 17 Pro']);
});
