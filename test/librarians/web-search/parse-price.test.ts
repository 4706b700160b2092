import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { webResult, writeCents } from '../../../src/librarians/web-search/web-search.ts';
import CASES from './parse-price.json' with { type: 'json' };

const parsePrice = (price: string, country?: string) =>
  webResult({ title: 'Offer', price }, country)?.price;
const centsOfNumber = (amount: number) => webResult({ title: 'Offer', amount })?.price?.cents;

describe('parsePrice()', () => {
  it.each(CASES.reads as [string, number, string][])('reads %s', (text, cents, currency) => {
    expect(parsePrice(text, 'us')).toEqual({ cents, currency });
  });

  const CURRENCIES = CASES.currencies as [string, number, string][];
  it.each(CURRENCIES)(
    'reads %s as %i, an open currency by the country: %s',
    (text, cents, currencies) => {
      for (const [country = '', currency] of currencies.split(' ').map((each) => each.split(':')))
        expect(parsePrice(text, country || undefined)).toEqual({
          cents,
          currency: currency || undefined,
        });
    },
  );
  it.each(CASES.rejects)('reads no price in %j', (text) =>
    expect(parsePrice(text)).toBeUndefined(),
  );
  it('parses every amount that it writes, in any grouping', () => {
    const formats = [
      ['en-US', 'USD'],
      ['de-DE', 'EUR'],
      ['de-CH', 'CHF'],
      ['fr-FR', 'EUR'],
    ].map(
      ([locale, currency = '']) => new Intl.NumberFormat(locale, { style: 'currency', currency }),
    );
    const groupings = [
      (cents: number) => `$${writeCents(cents)}`,
      (cents: number) => `${writeCents(cents).replace('.', ',')} €`,
      ...formats.map((format) => (cents: number) => format.format(cents / 100)),
    ];
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100_000_000 }),
        fc.constantFrom(...groupings),
        (cents, write) => {
          expect(parsePrice(write(cents))?.cents).toBe(cents);
        },
      ),
    );
  });
  it('never throws and never returns a fraction of a cent', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (text) => {
        const { cents } = parsePrice(text) ?? { cents: 1 };
        expect(Number.isSafeInteger(cents) && cents > 0).toBe(true);
      }),
    );
  });
});
it('reads a number as whole cents when it can be a price', () => {
  expect([949.99, 0.29, 1.005, 8.41, 1299].map(centsOfNumber)).toEqual([
    94999, 29, 100, 841, 129900,
  ]);
  expect([0, -1, Number.NaN, Number.POSITIVE_INFINITY, 1e12].map(centsOfNumber)).toEqual(
    Array(5).fill(undefined),
  );
});
