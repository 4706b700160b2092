import { cleanUrl } from './clean-url.ts';
import { centsOfNumber, type Price, parsePrice } from './parse-price.ts';
import { plainText } from './plain-text.ts';
import type { WebResult } from './web-search.ts';

/** A result as a provider sends it. */
export interface RawResult {
  title: string;
  snippet?: string | undefined;
  url?: string | undefined;
  shop?: string | undefined;
  /** As shown: `$949.99`. */
  price?: string | undefined;
  /** What the provider made of it: 949.99. */
  amount?: number | undefined;
  condition?: string | undefined;
}

/** Makes a result safe to hand on; `undefined` when no title is left of it. */
export const webResult = (raw: RawResult, country?: string | undefined): WebResult | undefined => {
  const title = plainText(raw.title, 300);
  if (title === '') return undefined;
  return {
    title,
    snippet: plainText(raw.snippet ?? '', 500),
    url: raw.url === undefined ? undefined : cleanUrl(raw.url),
    shop: plainText(raw.shop ?? '', 100) || undefined,
    price: priceOf(raw, country),
    condition: plainText(raw.condition ?? '', 60) || undefined,
  };
};

/** Two readings that differ are no reading: the amount is shown then, but has no currency to be compared in. */
const priceOf = ({ price, amount }: RawResult, country: string | undefined): Price | undefined => {
  const cents = amount === undefined ? undefined : centsOfNumber(amount);
  if (price === undefined) return cents === undefined ? undefined : { cents, currency: undefined };
  const read = parsePrice(price, country);
  if (read === undefined || cents === undefined || read.cents === cents) return read;
  return { cents: read.cents, currency: undefined };
};
