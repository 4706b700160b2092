import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { centsOfNumber, parsePrice, writeCents } from '../../../src/agents/web-search/parse-price.ts';

describe('parsePrice()', () => {
  it.each([
    ['$949.99', 94999, 'USD'],
    ['949,99 €', 94999, 'EUR'],
    ['949,99\u00a0€', 94999, 'EUR'],
    ['EUR 949.99', 94999, 'EUR'],
    ['949.99 EUR', 94999, 'EUR'],
    ['1.299,00 €', 129900, 'EUR'],
    ['€1.299', 129900, 'EUR'],
    ['1 299,00 €', 129900, 'EUR'],
    ['1\u202f299,00 €', 129900, 'EUR'],
    ['£849', 84900, 'GBP'],
    ['£1,049.50', 104950, 'GBP'],
    ["CHF 1'299.–", 129900, 'CHF'],
    ['CHF 1’299.95', 129995, 'CHF'],
    ['Fr. 899.-', 89900, 'CHF'],
    ['899,- €', 89900, 'EUR'],
    ['US$1,299.00', 129900, 'USD'],
    ['CA$1,299.00', 129900, 'CAD'],
    ['$1,299.00 USD', 129900, 'USD'],
    ['$1,299.00 CAD', 129900, 'CAD'],
    ['$1,234,567.89', 123456789, 'USD'],
    ['4.599,00 zł', 459900, 'PLN'],
    ['24 990 Kč', 2499000, 'CZK'],
    ['₹79,900', 7990000, 'INR'],
    ['¥149,800 JPY', 14980000, 'JPY'],
    ['$949.9', 94990, 'USD'],
    ['$949.99*', 94999, 'USD'],
    ['0,99 €', 99, 'EUR'],
  ])('reads %s', (text, cents, currency) => {
    expect(parsePrice(text, 'us')).toEqual({ cents, currency });
  });

  it('reads no currency from a bare number, an ambiguous sign, or two signs that differ', () => {
    expect(parsePrice('949.99')).toEqual({ cents: 94999, currency: undefined });
    for (const text of ['9 490 kr', '$9,490.00', '9490,00 $', '¥9,490', '9490元'])
      expect(parsePrice(text)).toEqual({ cents: 949000, currency: undefined });
    expect(parsePrice('€949.99 USD')).toEqual({ cents: 94999, currency: undefined });
  });

  it('reads a bare sign by the country', () => {
    expect(parsePrice('$949.99', 'ca')?.currency).toBe('CAD');
    expect(parsePrice('$949.99', 'au')?.currency).toBe('AUD');
    expect(parsePrice('$949.99', 'us')?.currency).toBe('USD');
    expect(parsePrice('$949.99', 'de')?.currency).toBeUndefined();
    expect(parsePrice('¥9,490', 'jp')?.currency).toBe('JPY');
    expect(parsePrice('¥9,490', 'cn')?.currency).toBe('CNY');
    expect(parsePrice('¥9,490', 'us')?.currency).toBeUndefined();
    expect(parsePrice('9 490 kr', 'se')?.currency).toBe('SEK');
    expect(parsePrice('$949.99 CAD', 'us')?.currency).toBe('CAD');
    expect(parsePrice('$949.99 CAD')?.currency).toBe('CAD');
    expect(parsePrice('9 490 kr', 'dk')?.currency).toBe('DKK');
  });

  it.each([
    '',
    'free',
    '$0.00',
    '-$5.00',
    '$10.00 - $20.00',
    '$10–$20',
    'from $20.79',
    'From 20 €',
    '$20.79/mo',
    '$20.79 per month',
    '24 x $39.58',
    '$949.99 $999.99',
    'now $949.99 was $999.99',
    '$949.99 + $19 shipping',
    '949,999,99 €',
    '1,29,00 €',
    '$1.299.5.0',
    '0.299 €',
    '$99999999999999',
    'In stock',
    '4.6(1,204)',
    '\u0000',
    `$${'9'.repeat(5000)}`,
  ])('reads no price in %j', (text) => {
    expect(parsePrice(text)).toBeUndefined();
  });

  it('reads back every amount that it writes, however it is grouped', () => {
    const groupings = [
      (cents: number) => `$${writeCents(cents)}`,
      (cents: number) => `${writeCents(cents).replace('.', ',')} €`,
      (cents: number) => new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' }).format(cents / 100),
      (cents: number) => new Intl.NumberFormat('de-DE', { style: 'currency', currency: 'EUR' }).format(cents / 100),
      (cents: number) => new Intl.NumberFormat('de-CH', { style: 'currency', currency: 'CHF' }).format(cents / 100),
      (cents: number) => new Intl.NumberFormat('fr-FR', { style: 'currency', currency: 'EUR' }).format(cents / 100),
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
