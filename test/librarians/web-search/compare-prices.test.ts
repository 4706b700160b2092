import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  comparePrices,
  isPriceQuestion,
  perCentOf,
  priceComparisonOf,
} from '../../../src/librarians/web-search/product-catalogue.ts';
import { type WebResult, webResult } from '../../../src/librarians/web-search/web-search.ts';
import CASES from './compare-prices.json' with { type: 'json' };
import { IPHONE } from './shop.ts';

type RawResult = Parameters<typeof webResult>[0];

const offer = (price: string, more: Partial<RawResult> = {}, country: string | undefined = 'us') =>
  webResult(
    { title: 'iPhone 17', price, url: 'https://shop.example/p', ...more },
    country || undefined,
  ) as WebResult; // has a title
const compared = (results: WebResult[], product = IPHONE) =>
  priceComparisonOf(comparePrices(product, results));

describe('comparePrices()', () => {
  it.each(CASES.differences as [number, string, number, number][])(
    'computes from %i cents and %s a difference of %d, %d %%',
    (priceCents, price, difference, percentage) => {
      expect(compared([offer(price)], { ...IPHONE, priceCents })).toMatchObject({
        difference,
        percentage,
      });
    },
  );

  const OFFERS = Object.entries(
    CASES.offers as unknown as Record<string, [Partial<RawResult>[], object]>,
  );
  it.each(OFFERS)('compares %s', (_, [offers, expected]) => {
    expect(compared(offers.map((each) => offer(each.price ?? '', each)))).toMatchObject(expected);
  });
  it.each<[string, WebResult[], number?]>([
    ['there is no offer', []],
    ['it is in another currency', [offer('949,99 €')]],
    ['it has no price', [offer('see site')]],
    ['our price is 0', [offer('$949.99')], 0],
    ...['$949.99', '¥949', '949 kr'].map((price): [string, WebResult[]] => [
      `the sign of ${price} has no country`,
      [offer(price, {}, '')],
    ]),
    ['the provider reads another amount', [offer('$949.99', { amount: 94.99 })]],
  ])('compares nothing when %s', (_, results, priceCents = IPHONE.priceCents) => {
    expect(compared(results, { ...IPHONE, priceCents })).toEqual({});
  });
  it('computes the difference of the written amounts to the cent', () => {
    const cents = fc.integer({ min: 1, max: 50_000_000 });
    fc.assert(
      fc.property(cents, fc.double({ min: 0.25, max: 4, noNaN: true }), (internal, share) => {
        const external = Math.max(1, Math.ceil(internal * share));
        const price = `$${Math.floor(external / 100)}.${String(external % 100).padStart(2, '0')}`;
        const wire = compared([offer(price)], { ...IPHONE, priceCents: internal });
        const { difference = Number.NaN, percentage = Number.NaN } = wire as Record<
          string,
          number | undefined
        >;
        const digits = difference.toFixed(2).replace('.', '');
        expect(digits.replace(/^-?0*(?=\d)/, '')).toBe(String(Math.abs(external - internal)));
        expect(String(difference)).toMatch(/^-?\d+(?:\.\d{1,2})?$/);
        expect(String(percentage)).toMatch(/^-?\d+(?:\.\d)?$/);
        expect(Math.abs(percentage - ((external - internal) * 100) / internal)).toBeLessThanOrEqual(
          0.0500001,
        );
      }),
    );
  });
});
it('rounds halves of a percentage away from zero and never returns negative zero', () => {
  expect([perCentOf(5, 10_000), perCentOf(-5, 10_000), perCentOf(-4, 10_000)]).toEqual([
    0.1, -0.1, 0,
  ]);
  expect(perCentOf(1, 3)).toBe(33.3);
});

const QUESTIONS = [
  ...CASES.accepted.map((query) => [query, true]),
  ...CASES.rejected.map((query) => [query, false]),
];
it.each(QUESTIONS)('recognises whether "%s" asks for a price: %s', (query, is) => {
  expect(isPriceQuestion(String(query))).toBe(is);
});
