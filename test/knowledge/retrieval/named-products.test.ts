import { describe, expect, it } from 'vitest';
import { namedProducts } from '../../../src/knowledge/retrieval/named-products.ts';
import cases from './named-products.json' with { type: 'json' };

const DEVICES = ['apollo', 'apollo ii', 'apollo iii'];
const named = (text: string, product?: string, products?: string[]) =>
  namedProducts(text, { product, devices: DEVICES, products });

describe('namedProducts()', () => {
  it.each(cases.read as [string, string | null, string[]][])(
    'understands %j of a ticket on %j',
    (text, product, known) => {
      expect(named(text, product ?? undefined)).toEqual({ known, unknown: [] });
    },
  );

  it.each(cases.unknown as [string, string | null, string][])(
    'takes an unknown product for no other: %j of a ticket on %j',
    (text, product, unknown) => {
      expect(named(text, product ?? undefined)).toEqual({ known: [], unknown: [unknown] });
    },
  );

  it.each(cases.working as [string, string | null, string[]][])(
    'leaves out what only is said to work: %j of a ticket on %j',
    (text, product, known) => {
      expect(named(text, product ?? undefined)).toEqual({ known, unknown: [] });
    },
  );

  it('knows products by name of which nothing is written', () => {
    expect(named('The hyperion 9 hums', undefined, ['Hyperion 9'])).toEqual({ known: [], unknown: ['Hyperion 9'] });
  });
  it('takes names with the signs of patterns for what they are', () => {
    const devices = ['a+ (b)', 'c*'];
    expect(namedProducts('My a+ (b) hums', { product: 'C*', devices }).known).toEqual(['c*', 'a+ (b)']);
  });
});
