import type { Contradiction } from '../../contract/joined-answer.ts';
import type { AnsweredPart, Part } from './part.ts';
import { SOURCES } from './source-type.ts';

/**
 * Where the shop database and the web search state another price of our own for the same product: one of them does
 * not hold today's. Prices of other shops are no contradiction.
 */
export const priceConflicts = (parts: readonly Part[]): Contradiction[] => {
  const answered = parts.filter((part): part is AnsweredPart => part.ok);
  const priced = answered.filter(({ type }) => type === 'analytics').flatMap(rowPrices);
  const known = answered.filter(({ type }) => type === 'web_search').flatMap(productPrice);
  return known.flatMap((ours) => {
    const other = priced.filter((price) => isSameProduct(price, ours));
    const [first] = other;
    if (first === undefined || other.some(({ cents }) => cents === ours.cents)) return [];
    return [contradictionOf(first, ours)];
  });
};

const isSameProduct = (one: StatedPrice, other: StatedPrice): boolean =>
  one.name.toLowerCase() === other.name.toLowerCase() && one.currency === other.currency;

interface StatedPrice {
  librarian: string;
  name: string;
  cents: number;
  /** Empty where none is stated. */
  currency: string;
}

const rowPrices = ({ result }: AnsweredPart): StatedPrice[] => {
  const rows: unknown[] = Array.isArray(result.rows) ? result.rows.slice(0, 200) : [];
  return rows.flatMap((row) => {
    if (typeof row !== 'object' || row === null) return [];
    const cells: Record<string, unknown> = { ...row };
    const cents = cells.price_cents ?? inCents(cells.price);
    const name = cells.name ?? cells.product ?? cells.product_name;
    if (typeof cents !== 'number' || typeof name !== 'string') return [];
    return [{ librarian: SOURCES.analytics.librarian, name, cents, currency: currencyIn(cells) }];
  });
};

const productPrice = ({ result }: AnsweredPart): StatedPrice[] => {
  const product: Record<string, unknown> =
    typeof result.product_info === 'object' && result.product_info !== null ? { ...result.product_info } : {};
  const cents = inCents(product.price);
  if (cents === undefined || typeof product.name !== 'string') return [];
  const { librarian } = SOURCES.web_search;
  return [{ librarian, name: product.name, cents, currency: currencyIn(product) }];
};

const inCents = (price: unknown): number | undefined =>
  typeof price === 'number' ? Math.round(price * 100) : undefined;

const currencyIn = ({ currency }: Record<string, unknown>): string => (typeof currency === 'string' ? currency : '');

const contradictionOf = (one: StatedPrice, other: StatedPrice): Contradiction => ({
  statements: [one, other].map((price) => ({
    librarian: price.librarian,
    text: `Our price for ${price.name.slice(0, 300)} is ${written(price)}.`,
  })),
  values: [one, other].map(written),
});

const written = ({ cents, currency }: StatedPrice): string =>
  `${(cents / 100).toFixed(2)} ${currency.slice(0, 12)}`.trim();
