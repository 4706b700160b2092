import { readAs } from '../../contract/error-info.ts';
import { WebUrl } from '../../contract/names.ts';
import { decodeEntities } from '../../markup/decode-entities.ts';
import { centsOfNumber, type Price, parsePrice } from './parse-price.ts';
import type { WebResult } from './web-search.ts';

/** A result as a provider sends it. */
export interface RawResult {
  title: string;
  snippet?: string | undefined;
  url?: string | undefined;
  shop?: string | undefined;
  /** As the page shows it: `$949.99`. */
  price?: string | undefined;
  /** The same as a number, read by the provider: 949.99. */
  amount?: number | undefined;
  condition?: string | undefined;
}

/** Makes a result safe to return; `undefined` when no title is left of it. */
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

/** When the two readings differ, the amount is shown without a currency, so that it is not compared. */
const priceOf = ({ price, amount }: RawResult, country: string | undefined): Price | undefined => {
  const cents = amount === undefined ? undefined : centsOfNumber(amount);
  if (price === undefined) return cents === undefined ? undefined : { cents, currency: undefined };
  const read = parsePrice(price, country);
  if (read === undefined || cents === undefined || read.cents === cents) return read;
  return { cents: read.cents, currency: undefined };
};

/**
 * The address of a result without tracking parameters: an absolute http(s) address of at most 2,048
 * characters. `undefined` for any other, and for one that holds credentials, since `https://shop@other.example` shows
 * one host and leads to another.
 */
export const cleanUrl = (text: string): string | undefined => {
  const read = readAs(WebUrl, text.trim());
  if (!read.ok || !URL.canParse(read.value)) return undefined;
  const url = new URL(read.value);
  if (url.username !== '' || url.password !== '' || url.hostname === '') return undefined;
  for (const name of [...url.searchParams.keys()].filter(isTracking)) url.searchParams.delete(name);
  if (url.hash.startsWith('#:~:')) url.hash = '';
  const clean = readAs(WebUrl, url.href);
  return clean.ok ? clean.value : undefined;
};

/** Without duplicates, in order, at most `limit`. */
export const uniqueUrls = (urls: readonly (string | undefined)[], limit: number): string[] =>
  [...new Set(urls.filter((url) => url !== undefined))].slice(0, limit);

const isTracking = (name: string): boolean => TRACKING.test(name);

/** Campaign and click ids that shops and networks add; none of them chooses what a page shows. */
const TRACKING =
  /^(?:utm_\w+|utm|gclid|gclsrc|dclid|gbraid|wbraid|gad_\w+|srsltid|fbclid|msclkid|yclid|twclid|ttclid|li_fat_id|igshid|igsh|mc_cid|mc_eid|_hsenc|_hsmi|_gl|_ga|vero_id|oly_\w+_id|wickedid|rb_clickid|s_cid|mkt_tok|epik|irclickid|cjevent)$/i;

/**
 * The title or snippet of an external page as one line of plain text: without tags, character references, control,
 * bidirectional and invisible characters, and without anything that a program might turn into a link by itself.
 *
 * @param limit In UTF-16 units; what is longer ends in `…`.
 */
export const plainText = (text: string, limit: number): string => {
  const visible = decodeEntities(withoutTags(text.slice(0, MAX_READ)))
    .normalize('NFC')
    .replace(/[\t-\r\u0085\u2028\u2029]/g, ' ')
    .replace(INVISIBLE, '');
  // Again, as a reference may have stood for a sign of a tag, or an invisible one within it.
  return shortened(withoutTags(visible).replace(ADDRESS, '…').replace(/\s+/g, ' ').trim(), limit);
};

/** Characters of a title or snippet that are read. */
const MAX_READ = 2000;

const withoutTags = (text: string): string => {
  let rest = text.replace(ACTIVE, ' ');
  // A tag may appear when another is taken out of it; of those nested deeper than this the first sign goes, below.
  for (let round = 0; round < MAX_NESTED && TAG.test(rest); round++) rest = rest.replaceAll(TAGS, '');
  return rest.replace(OPEN_TAG, '').replace(OPENING, (signs, next: string) => (next === '' ? signs : next));
};

const MAX_NESTED = 4;

/** Elements whose content is no text. */
const ACTIVE = /<(script|style|template|noscript|svg|iframe)\b[^<>]*>[^<]{0,4000}<\/\1\s*>/gi;
const TAG = /<[a-z/!?][^<>]*>/i;
const TAGS = new RegExp(TAG, 'gi');
/** A tag that the provider's limit has cut. */
const OPEN_TAG = /<[a-z/!?][^<>]*$/gi;
const OPENING = /<+([a-z/!?]?)/gi;

/** Controls, bidirectional marks, what has no width or no picture, and halves of characters. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Default_Ignorable_Code_Point}]/gu;

/** Addresses of any scheme, hosts with www, and mail addresses: many Markdown renderers link them automatically. */
const ADDRESS =
  /\b[a-z][a-z0-9+.-]{1,20}:\/\/\S*|\b(?:javascript|data|vbscript|file|mailto|tel|xmpp|blob|www(?=\.))[:.]\S+|[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+/gi;

const shortened = (text: string, limit: number): string => {
  if (text.length <= limit) return text;
  // Not within a character.
  return `${text
    .slice(0, limit - 1)
    .replace(/[\ud800-\udbff]$/, '')
    .trimEnd()}…`;
};
