import { describe, expect, it } from 'vitest';
import { findNames, similarNames } from '../../../src/agents/analytics/find-names.ts';
import { wordsOfQuestion } from '../../../src/agents/analytics/words-of-question.ts';

const LISTS = {
  products: [
    'Apollo',
    'Apollo II',
    'Apollo III',
    'Apollo II Fan 120 mm',
    'Apollo Fan 92 mm',
    'iPhone 17',
    'iPhone 17 Pro',
  ],
  categories: ['Phones', 'Power Supplies'],
  places: ['Lyon', 'New York'],
  warehouses: ['Lyon'],
};

const namesIn = (question: string) => findNames(wordsOfQuestion(question), LISTS).map(({ names }) => names);

describe('findNames()', () => {
  it.each([
    ['How many Apollo are there?', { products: 'Apollo' }],
    ['How many Apollo II are there?', { products: 'Apollo II' }],
    ['how many apollo 3 are there', { products: 'Apollo III' }],
    ['APOLLO III?', { products: 'Apollo III' }],
    ['iphone17', { products: 'iPhone 17' }],
    ['the iPhone 17 Pro', { products: 'iPhone 17 Pro' }],
    ['apolo ii', { products: 'Apollo II' }],
    ['iphnoe 17', { products: 'iPhone 17' }],
    ['an Apollo II fan', { products: 'Apollo II Fan 120 mm' }],
    ['the power supply', { categories: 'Power Supplies' }],
    ['a phone', { categories: 'Phones' }],
    ['customers in New York', { places: 'New York' }],
    ['stock in Lyon', { places: 'Lyon', warehouses: 'Lyon' }],
  ])('reads %s', (question, expected) => {
    expect(namesIn(question)).toEqual([expected]);
  });

  it('finds several, each once, in order', () => {
    expect(namesIn('Apollo II or iPhone 17 in Lyon')).toEqual([
      { products: 'Apollo II' },
      { products: 'iPhone 17' },
      { places: 'Lyon', warehouses: 'Lyon' },
    ]);
  });

  it.each(['iPhone', 'iPhone 18', 'a lion', 'York'])('takes %s for none of them', (question) => {
    expect(namesIn(question)).toEqual([]);
  });

  it('tells what may have been meant', () => {
    expect(similarNames(wordsOfQuestion('the iPhone please'), LISTS.products).names).toEqual([
      'iPhone 17',
      'iPhone 17 Pro',
    ]);
  });
});
