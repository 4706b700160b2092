import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  comparePrices,
  isPriceQuestion,
  perCentOf,
  priceComparisonOf,
} from '../../../src/agents/web-search/product-catalogue.ts';
import { type WebResult, webResult } from '../../../src/agents/web-search/web-search.ts';
import CASES from './compare-prices.json' with { type: 'json' };
import { IPHONE } from './shop.ts';

const offer = (price: string, { title = 'iPhone 17', condition }: { title?: string; condition?: string } = {}) =>
  webResult({ title, price, condition, url: 'https://shop.example/p' }, 'us') as WebResult; // the title is not empty
const compared = (results: WebResult[], product = IPHONE) => priceComparisonOf(comparePrices(product, results));

describe('comparePrices()', () => {
  it('returns the example of the agent contract', () => {
    expect(compared([offer('$949.99', { title: 'iPhone 17 on Amazon' })])).toEqual({
      ...{ internal_price: 999.99, cheapest_external: 949.99, difference: -50, percentage: -5, currency: 'USD' },
      ...{ compared: 1, not_compared: 0, cheapest_url: 'https://shop.example/p' },
    });
  });

  it.each([
    [99999, '$999.99', 0, 0],
    [99999, '$1,049.99', 50, 5],
    [10000, '$100.05', 0.05, 0.1],
    [10000, '$99.96', -0.04, 0],
    [10000, '$99.95', -0.05, -0.1],
    [30000, '$399.99', 99.99, 33.3],
    [110, '$1.21', 0.11, 10],
    [1, '$0.02', 0.01, 100],
  ])('computes from %i cents and %s a difference of %d, %d %%', (priceCents, price, difference, percentage) => {
    expect(compared([offer(price)], { ...IPHONE, priceCents })).toMatchObject({ difference, percentage });
  });

  it('finds the cheapest offer in the currency of our price, and counts offers that are not compared', () => {
    const results = [offer('$979.00'), offer('949,99 €'), offer('£800'), offer('950.00'), offer('$959.00')];
    expect(compared(results)).toMatchObject({ cheapest_external: 959, currency: 'USD', compared: 2, not_compared: 3 });
  });

  it('ignores other products, accessories, used ones and bait', () => {
    const results = [
      offer('$899.00', { title: 'iPhone 17 Pro' }),
      offer('$500.00', { title: 'iPhone 17 case' }),
      offer('$719.00', { title: 'iPhone 17 - Refurbished' }),
      offer('$720.00', { condition: 'pre-owned' }),
      offer('$41.67'),
      offer('$989.00', { condition: 'New' }),
    ];
    expect(compared(results)).toMatchObject({ cheapest_external: 989, compared: 1, not_compared: 5 });
  });

  it('is empty when nothing can be compared', () => {
    expect(compared([])).toEqual({});
    expect(compared([offer('949,99 €')])).toEqual({});
    expect(compared([offer('see site')])).toEqual({});
    expect(compared([offer('$949.99')], { ...IPHONE, priceCents: 0 })).toEqual({});
  });

  it('does not compare a bare currency sign without a country', () => {
    for (const price of ['$949.99', '¥949', '949 kr']) {
      const result = webResult({ title: 'iPhone 17', price }) as WebResult; // has a title
      expect([result.price?.cents, compared([result])]).toEqual([expect.any(Number), {}]);
    }
  });

  it('does not compare an amount that the provider reads differently', () => {
    const result = webResult({ title: 'iPhone 17', price: '$949.99', amount: 94.99 }, 'us') as WebResult; // has a title
    expect(compared([result])).toEqual({});
  });

  it('computes the difference of the written amounts to the cent', () => {
    const cents = fc.integer({ min: 1, max: 50_000_000 });
    fc.assert(
      fc.property(cents, fc.double({ min: 0.25, max: 4, noNaN: true }), (internal, share) => {
        const external = Math.max(1, Math.ceil(internal * share));
        const price = `$${Math.floor(external / 100)}.${String(external % 100).padStart(2, '0')}`;
        const wire = compared([offer(price)], { ...IPHONE, priceCents: internal });
        const { difference = Number.NaN, percentage = Number.NaN } = wire as Record<string, number | undefined>;
        const digits = difference.toFixed(2).replace('.', '');
        expect(digits.replace(/^-?0*(?=\d)/, '')).toBe(String(Math.abs(external - internal)));
        expect(String(difference)).toMatch(/^-?\d+(?:\.\d{1,2})?$/);
        expect(String(percentage)).toMatch(/^-?\d+(?:\.\d)?$/);
        expect(Math.abs(percentage - ((external - internal) * 100) / internal)).toBeLessThanOrEqual(0.0500001);
      }),
    );
  });
});

describe('perCentOf()', () => {
  it('rounds halves away from zero and never returns negative zero', () => {
    expect([perCentOf(5, 10_000), perCentOf(-5, 10_000), perCentOf(-4, 10_000)]).toEqual([0.1, -0.1, 0]);
    expect(perCentOf(1, 3)).toBe(33.3);
  });
});

describe('isPriceQuestion()', () => {
  it.each(CASES.accepted)('accepts "%s"', (query) => {
    expect(isPriceQuestion(query)).toBe(true);
  });

  it.each(CASES.rejected)('rejects "%s"', (query) => {
    expect(isPriceQuestion(query)).toBe(false);
  });
});
