import { expect, it } from 'vitest';
import { namesProduct, productsNamedIn } from '../../../src/agents/web-search/product-catalogue.ts';
import CASES from './product-names.json' with { type: 'json' };

const PRODUCTS = ['iPhone 17', 'iPhone 17 Pro', 'Apollo', 'Apollo II', 'Apollo III', 'Apollo II Power Supply'];
const namedIn = (query: string, products = PRODUCTS) =>
  productsNamedIn(
    query,
    products.map((name) => ({ name })),
  ).map(({ name }) => name);

it.each(CASES.named)('finds in "%s" first the %s', (query, name) => expect(namedIn(query)[0]).toBe(name));

it.each(CASES.all as [string, string[]][])(
  'finds in "%s" each product once and in the order of the question: %j',
  (query, names) => expect(namedIn(query)).toEqual(names),
);

it.each(CASES.others as [string, string[], string | null][])(
  'matches numbers and models exactly, and prefers an exact spelling: %s of %j is %s',
  (query, products, name) => expect(namedIn(query, products)[0]).toBe(name ?? undefined),
);

it.each(CASES.titles as [string, { name: string; category?: string }, boolean][])(
  'decides whether the title %s is of %j: %s',
  (title, product, is) => expect(namesProduct(title, product)).toBe(is),
);
