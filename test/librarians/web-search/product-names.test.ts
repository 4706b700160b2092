import { expect, it } from 'vitest';
import {
  namesProduct,
  productsNamedIn,
} from '../../../src/librarians/web-search/product-catalogue.ts';
import CASES from './product-names.json' with { type: 'json' };

const PRODUCTS = [
  'iPhone 17',
  'iPhone 17 Pro',
  'Apollo',
  'Apollo II',
  'Apollo III',
  'Apollo II Power Supply',
];
const namedIn = (query: string, products = PRODUCTS) =>
  productsNamedIn(
    query,
    products.map((name) => ({ name })),
  ).map(({ name }) => name);

it.each(CASES.named)('finds in "%s" first the %s', (query, name) =>
  expect(namedIn(query)[0]).toBe(name),
);

const ALL = CASES.all as [string, string[]][];
it.each(ALL)(
  'finds in "%s" each product once and in the order of the question: %j',
  (query, names) => {
    expect(namedIn(query)).toEqual(names);
  },
);

const OTHERS = CASES.others as [string, string[], string | null][];
it.each(OTHERS)(
  'matches numbers and models exactly, exact spellings first: %s of %j is %s',
  (query, products, name) => expect(namedIn(query, products)[0]).toBe(name ?? undefined),
);

const TITLES = CASES.titles as [string, { name: string; category?: string }, boolean][];
it.each(TITLES)('decides whether the title %s is of %j: %s', (title, product, is) => {
  expect(namesProduct(title, product)).toBe(is);
});
