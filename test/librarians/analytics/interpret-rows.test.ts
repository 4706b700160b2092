import { expect, it } from 'vitest';
import type { Reading } from '../../../src/librarians/analytics/catalogue.ts';
import { interpretRows } from '../../../src/librarians/analytics/run-sql.ts';
import { SHOP_CATALOGUE } from '../../../tools/sample/shop/shop-catalogue.ts';

const readingOf = (name: string) => {
  const reading = SHOP_CATALOGUE.questions.find((question) => question.name === name)?.reading;
  if (reading === undefined) throw new Error(`${name} is not a named question`);
  return reading;
};

const priced = {
  columns: ['product_id', 'name', 'category', 'price_cents', 'currency'],
  rows: [
    { product_id: 1, name: 'Apollo III', category: 'Miners', price_cents: 129900, currency: 'EUR' },
  ],
  truncated: false,
};

const LISTED = {
  text: 'Found[ of {category}] {row_count:count product}:',
  each: '{name}[ of {category}]',
  none: '-',
};
const COUNTED = {
  text: 'All[ {row_count:count product}]',
  none: 'None[, {row_count:count product}]',
};
const DEAREST = readingOf('most_expensive');
const [SAYS, AT] = ['The most expensive product', 'is the Apollo III at 1,299.00 EUR.'];
it.each<[string, Reading, Record<string, string>, string]>([
  [
    'fills a part in brackets with its parameter',
    DEAREST,
    { category: 'Miners' },
    `${SAYS} in Miners ${AT}`,
  ],
  ['omits a part in brackets when only a column has its name', DEAREST, {}, `${SAYS} ${AT}`],
  ['omits it in each line too', LISTED, {}, 'Found 1 product: Apollo III.'],
  ['counts rows inside brackets', COUNTED, {}, 'All 1 product'],
])('%s', (_, reading, labels, text) =>
  expect(interpretRows(priced, { reading, labels })).toBe(text),
);
