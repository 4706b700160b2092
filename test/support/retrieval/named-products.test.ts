import { expect, it } from 'vitest';
import { namedProducts } from '../../../src/support/retrieval/named-products.ts';
import cases from './named-products.json' with { type: 'json' };

const DEVICES = ['apollo', 'apollo ii', 'apollo iii'];
const named = (text: string, product?: string, products?: string[]) =>
  namedProducts(text, { product, devices: DEVICES, products });

it.each(cases.read as [string, string | null, string[]][])(
  'understands %j of a ticket on %j',
  (text, product, known) =>
    expect(named(text, product ?? undefined)).toEqual({ known, unknown: [] }),
);
it.each(cases.unknown as [string, string | null, string][])(
  'reports an unknown product as unknown: %j of a ticket on %j',
  (text, product, unknown) =>
    expect(named(text, product ?? undefined)).toEqual({ known: [], unknown: [unknown] }),
);
it('finds configured products without any article', () => {
  expect(named('The hyperion 9 hums', undefined, ['Hyperion 9'])).toEqual({
    known: [],
    unknown: ['Hyperion 9'],
  });
});
it('takes a product of the ticket for another when a word that no article has follows the name', () => {
  const isWord = (word: string) => word === 'miner';
  const readProduct = (product: string) =>
    namedProducts('It hums', { product, devices: DEVICES, isWord });
  expect(readProduct('Apollo II miner')).toEqual({ known: ['apollo ii'], unknown: [] });
  expect(readProduct('Apollo II Gamma')).toEqual({ known: [], unknown: ['Apollo II Gamma'] });
});
it('treats regular expression syntax in names as text', () => {
  const devices = ['a+ (b)', 'c*'];
  expect(namedProducts('My a+ (b) hums', { product: 'C*', devices }).known).toEqual([
    'c*',
    'a+ (b)',
  ]);
});
