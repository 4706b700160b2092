import { describe, expect, it } from 'vitest';
import { findNames, similarNames, wordsOfQuestion } from '../../../src/agents/analytics/find-names.ts';
import CASES from './find-names.json' with { type: 'json' };

const LISTS = CASES.lists;

const namesIn = (question: string) => findNames(wordsOfQuestion(question), LISTS).map(({ names }) => names);

describe('findNames()', () => {
  it.each(Object.entries(CASES.reads))('reads %s', (question, expected) => {
    expect(namesIn(question)).toEqual([expected]);
  });

  it('finds several names in order', () => {
    expect(namesIn('Apollo II or iPhone 17 in Lyon')).toEqual([
      { products: 'Apollo II' },
      { products: 'iPhone 17' },
      { places: 'Lyon', warehouses: 'Lyon' },
    ]);
  });

  it.each(['iPhone', 'iPhone 18', 'a lion', 'York'])('finds no name in: %s', (question) => {
    expect(namesIn(question)).toEqual([]);
  });

  it('matches the beginning of a name only when just its size is missing', () => {
    const products = [
      ...['Apollo III Fan 120 mm', 'Recovery Card 32 GB', 'Star Tab 9', 'Long Cable 2 m', 'Long Cable 5 m'],
      ...['Short Cable 1.5 m', 'Wide Board 2.5 x 3,5 m'],
    ];
    const found = (question: string) => findNames(wordsOfQuestion(question), { products });
    expect(found('the Apollo III fan')).toMatchObject([
      { names: { products: 'Apollo III Fan 120 mm' }, beginning: 'Apollo III Fan' },
    ]);
    expect(found('the short cable')).toMatchObject([{ beginning: 'Short Cable' }]);
    expect(found('Short Cable 1.5 m')).toMatchObject([{ beginning: undefined }]);
    expect(found('a wide board')).toMatchObject([{ beginning: 'Wide Board' }]);
    expect(found('a recovery card')).toMatchObject([{ beginning: 'Recovery Card' }]);
    expect(found('Recovery Card 32 GB')).toMatchObject([{ beginning: undefined }]);
    for (const other of ['Apollo III', 'Star Tab', 'Long Cable', 'Recovery']) expect(found(other)).toEqual([]);
  });

  it.each([
    ['many names with the same prefix', 'Apollo Series '.repeat(5000)],
    ['words similar to names', 'Apolla Serias Apolko '.repeat(5000)],
  ])('reads %s before the test times out', (_what, question) => {
    const products = Array.from({ length: 500 }, (_each, place) => `Apollo Series ${place} Cable ${place} m`);
    const words = wordsOfQuestion(question);
    expect(words).toHaveLength(200);
    expect(findNames(words, { products })).toEqual([]);
    expect(similarNames(words, products).names).toHaveLength(question.startsWith('Apollo') ? 500 : 0);
  });

  it('suggests similar names', () => {
    expect(similarNames(wordsOfQuestion('the iPhone please'), LISTS.products).names).toEqual([
      'iPhone 17',
      'iPhone 17 Pro',
    ]);
  });
});
