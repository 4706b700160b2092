import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { centsOfNumber, parsePrice, writeCents } from '../../../src/agents/web-search/web-search.ts';
import CASES from './parse-price.json' with { type: 'json' };

describe('parsePrice()', () => {
  it.each(CASES.reads as [string, number, string][])('reads %s', (text, cents, currency) => {
    expect(parsePrice(text, 'us')).toEqual({ cents, currency });
  });

  it('reads no currency from a bare number, an ambiguous sign, or two signs that differ', () => {
    expect(parsePrice('949.99')).toEqual({ cents: 94999, currency: undefined });
    for (const text of ['9 490 kr', '$9,490.00', '9490,00 $', '¥9,490', '9490元'])
      expect(parsePrice(text)).toEqual({ cents: 949000, currency: undefined });
    expect(parsePrice('€949.99 USD')).toEqual({ cents: 94999, currency: undefined });
  });

  it.each([
    ['$949.99', 'ca:CAD au:AUD us:USD de:'],
    ['¥9,490', 'jp:JPY cn:CNY us:'],
    ['9 490 kr', 'se:SEK dk:DKK'],
    ['$949.99 CAD', 'us:CAD :CAD'],
  ])('reads the currency of %s by the country: %s', (text, currencies) => {
    const read = currencies.split(' ').map((each) => each.split(':')[0] ?? '');
    const found = read.map((country) => `${country}:${parsePrice(text, country || undefined)?.currency ?? ''}`);
    expect(found.join(' ')).toBe(currencies);
  });

  it.each(CASES.rejects)('reads no price in %j', (text) => {
    expect(parsePrice(text)).toBeUndefined();
  });

  it('parses every amount that it writes, in any grouping', () => {
    const places = { 'en-US': 'USD', 'de-DE': 'EUR', 'de-CH': 'CHF', 'fr-FR': 'EUR' };
    const groupings = [
      (cents: number) => `$${writeCents(cents)}`,
      (cents: number) => `${writeCents(cents).replace('.', ',')} €`,
      ...Object.entries(places)
        .map(([locale, currency]) => new Intl.NumberFormat(locale, { style: 'currency', currency }))
        .map((format) => (cents: number) => format.format(cents / 100)),
    ];
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100_000_000 }), fc.constantFrom(...groupings), (cents, write) => {
        expect(parsePrice(write(cents))?.cents).toBe(cents);
      }),
    );
  });

  it('never throws and never returns a fraction of a cent', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (text) => {
        const price = parsePrice(text);
        expect(price === undefined || (Number.isSafeInteger(price.cents) && price.cents > 0)).toBe(true);
      }),
    );
  });
});

describe('centsOfNumber()', () => {
  it('returns whole cents for every amount with two decimals', () => {
    expect([949.99, 0.29, 1.005, 8.41, 1299].map(centsOfNumber)).toEqual([94999, 29, 100, 841, 129900]);
  });

  it('returns undefined for an amount that is not a price', () => {
    expect([0, -1, Number.NaN, Number.POSITIVE_INFINITY, 1e12].map(centsOfNumber)).toEqual(Array(5).fill(undefined));
  });
});
