import { describe, expect, it } from 'vitest';
import { interpretRows } from '../../../src/agents/analytics/run-sql.ts';
import { SHOP_CATALOGUE } from '../../../src/dev/sample/shop/shop-catalogue.ts';

const readingOf = (name: string) => {
  const reading = SHOP_CATALOGUE.questions.find((question) => question.name === name)?.reading;
  if (reading === undefined) throw new Error(`${name} is not a named question`);
  return reading;
};

const priced = {
  columns: ['product_id', 'name', 'category', 'price_cents', 'currency'],
  rows: [{ product_id: 1, name: 'Apollo III', category: 'Miners', price_cents: 129900, currency: 'EUR' }],
  truncated: false,
};

describe('interpretRows()', () => {
  it('fills a part in brackets when the question has its parameter', () => {
    expect(interpretRows(priced, { reading: readingOf('most_expensive'), labels: { category: 'Miners' } })).toBe(
      'The most expensive product in Miners is the Apollo III at 1,299.00 EUR.',
    );
  });

  it('omits a part in brackets when only a column has its name', () => {
    expect(interpretRows(priced, { reading: readingOf('most_expensive'), labels: {} })).toBe(
      'The most expensive product is the Apollo III at 1,299.00 EUR.',
    );
    const reading = {
      text: 'Found[ of {category}] {row_count:count product}:',
      each: '{name}[ of {category}]',
      none: '-',
    };
    expect(interpretRows(priced, { reading, labels: {} })).toBe('Found 1 product: Apollo III.');
  });

  it('counts rows inside brackets', () => {
    const reading = { text: 'All[ {row_count:count product}]', none: 'None[, {row_count:count product}]' };
    expect(interpretRows(priced, { reading, labels: {} })).toBe('All 1 product');
  });
});
