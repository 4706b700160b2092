import { decodeHTML } from 'entities';
import { readAs } from '../../contract/core/error-info.ts';
import { WebUrl } from '../../contract/core/names.ts';
import { CodedError, DataSourceError } from '../../platform/http/coded-error.ts';
import { fetchJson, HttpFailure, retryAfterMs } from '../../platform/http/fetch-json.ts';
import { lruCache } from '../../platform/lru-cache.ts';
import currencies from './currencies.json' with { type: 'json' };

/** Finds pages and offers on the web. */
export interface WebSearch {
  /** `serpapi`, `brave`: for cache keys and metadata. */
  readonly provider: string;
  /**
   * Best first, at most `limit`; empty when nothing matches.
   *
   * @throws {CodedError} RATE_LIMITED, TIMEOUT, SERVICE_UNAVAILABLE (the key is refused) or DATA_SOURCE_ERROR, with
   *   sentences of our own; never with the key or the address in it.
   */
  search(query: string, options: WebSearchOptions): Promise<WebResult[]>;
}

export interface WebSearchOptions {
  /** 1 to 20. */
  limit: number;
  /** Two letters, lower case: where the results should come from. */
  country?: string | undefined;
  /** Two letters, lower case. */
  language?: string | undefined;
  /** Prefers offers with prices to pages, if the provider distinguishes them. */
  offers?: boolean | undefined;
  /** Milliseconds left, which decide whether a second attempt is worth it. */
  timeoutMs?: number | undefined;
  signal: AbortSignal;
}

/**
 * One result, made safe by `webResult`: text is plain and bounded, the address absolute http(s). What the text says
 * remains untrusted.
 */
export interface WebResult {
  title: string;
  snippet: string;
  url: string | undefined;
  /** The name of the shop or site, from the provider. */
  shop: string | undefined;
  price: Price | undefined;
  /** `used`, `refurbished`, in the provider's words; `undefined` for new or unknown. */
  condition: string | undefined;
}

/** Results of a provider, cached in the isolate. */
export interface SearchCache {
  /** The results, and whether they came from the cache. A failure is not cached. */
  search(
    query: string,
    options: WebSearchOptions & { workspace: string },
  ): Promise<{ results: WebResult[]; isCached: boolean }>;
}

/**
 * Caches the results of a search for five minutes, 200 searches at most. Workspaces share
 * nothing, so that response times do not reveal searches of other workspaces.
 */
export function searchCache(
  search: WebSearch,
  {
    now,
    limit = 200,
    maxAgeMs = 300_000,
  }: { now: () => number; limit?: number; maxAgeMs?: number },
): SearchCache {
  const cached = lruCache<string, WebResult[]>({ max: limit, ttlMs: maxAgeMs, now });
  return {
    search: async (query, { workspace, ...options }) => {
      const { limit: most, country, language, offers = false } = options;
      const key = JSON.stringify([
        workspace,
        search.provider,
        query,
        most,
        country,
        language,
        offers,
      ]);
      const known = cached.get(key);
      if (known !== undefined) return { results: known, isCached: true };
      const results = await search.search(query, options);
      cached.set(key, results);
      return { results, isCached: false };
    },
  };
}

interface ProviderRequest {
  /** May carry the key: neither it nor an error of `fetch`, which may quote it, reaches a message or a log. */
  url: URL;
  headers?: Readonly<Record<string, string>> | undefined;
  /** Name of the secret, for those who have to set it right. */
  secret: string;
  fetch: typeof fetch;
  /** Milliseconds that are left; 8,000 are taken at most. */
  timeoutMs?: number | undefined;
  signal: AbortSignal;
  now: () => number;
}

/** Longest wait for a provider, both attempts together. */
const PROVIDER_TIMEOUT_MS = 8000;
const MAX_BYTES = 2_097_152;

/**
 * Asks a provider for JSON: one deadline for all of it, no redirects, a limit on the body, and a second attempt after a lost
 * connection or a status of 5xx.
 *
 * @throws {CodedError} RATE_LIMITED, TIMEOUT, SERVICE_UNAVAILABLE (the key is refused), DATA_SOURCE_ERROR.
 */
export async function providerJson({
  url,
  headers,
  secret,
  fetch,
  timeoutMs,
  signal,
  now,
}: ProviderRequest) {
  try {
    const { json } = await fetchJson(url, {
      fetch,
      signal,
      now,
      headers: { Accept: 'application/json', 'User-Agent': 'constellation-web-search', ...headers },
      timeoutMs: Math.min(PROVIDER_TIMEOUT_MS, timeoutMs ?? PROVIDER_TIMEOUT_MS),
      maxBytes: MAX_BYTES,
      retries: 1,
    });
    return json;
  } catch (error) {
    throw error instanceof HttpFailure ? providerErrorOf(error, { secret, now: now() }) : error;
  }
}

/** Without its cause: what `fetch` throws may quote the address, and with it the key. */
const providerErrorOf = (
  { kind, status, headers, message }: HttpFailure,
  { secret, now }: { secret: string; now: number },
): CodedError => {
  if (kind === 'timeout') return tooSlow();
  if (status === 401 || status === 403) return keyRefused(status, secret);
  if (status === 429) return tooMany(retryAfterMs(headers, now));
  const isRedirect = status >= 300 && status < 400;
  return new DataSourceError(
    `Cannot read the search provider: ${isRedirect ? 'it redirects, which is not followed' : message}`,
  );
};

const keyRefused = (status: number, secret: string) =>
  new CodedError(
    'SERVICE_UNAVAILABLE',
    `the search provider refuses the key: status is ${status}`,
    {
      reported: {
        message: 'Cannot search the web: the search provider does not accept the key',
        suggestion: `Set the secret ${secret} of the web-search function to a valid key`,
        recoverable: false,
      },
    },
  );

const MAX_WAIT_SECONDS = 86_400;

const tooMany = (waitMs: number | undefined) => {
  const seconds =
    waitMs === undefined ? undefined : Math.min(Math.ceil(waitMs / 1000), MAX_WAIT_SECONDS);
  return new CodedError('RATE_LIMITED', 'the search provider takes no more requests', {
    reported: {
      message: 'Cannot search the web right now: the search provider takes no more requests',
      suggestion:
        seconds === undefined
          ? 'Try again in a minute; if it stays, the plan of the search provider is used up'
          : `Try again in ${seconds} seconds`,
      ...(seconds === undefined ? {} : { details: { retry_after_seconds: seconds } }),
    },
  });
};

const tooSlow = () =>
  new CodedError('TIMEOUT', 'the search provider did not answer in time', {
    reported: { message: 'Cannot search the web in the time that was left' },
  });

/** A result as a provider sends it. */
interface RawResult {
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
export function webResult(raw: RawResult, country?: string | undefined): WebResult | undefined {
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
}

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
export function cleanUrl(text: string): string | undefined {
  const read = readAs(WebUrl, text.trim());
  if (!read.ok || !URL.canParse(read.value)) return undefined;
  const url = new URL(read.value);
  if (url.username !== '' || url.password !== '' || url.hostname === '') return undefined;
  for (const name of [...url.searchParams.keys()].filter(isTracking)) url.searchParams.delete(name);
  if (url.hash.startsWith('#:~:')) url.hash = '';
  const clean = readAs(WebUrl, url.href);
  return clean.ok ? clean.value : undefined;
}

/** Without duplicates, in order, at most `limit`. */
export function uniqueUrls(urls: readonly (string | undefined)[], limit: number): string[] {
  return [...new Set(urls.filter((url) => url !== undefined))].slice(0, limit);
}

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
function plainText(text: string, limit: number): string {
  const visible = decodeHTML(withoutTags(text.slice(0, MAX_READ)))
    .normalize('NFC')
    .replace(/[\t-\r\u0085\u2028\u2029]/g, ' ')
    .replace(INVISIBLE, '');
  // Again, as a reference may have stood for a sign of a tag, or an invisible one within it.
  return shortened(withoutTags(visible).replace(ADDRESS, '…').replace(/\s+/g, ' ').trim(), limit);
}

/** Characters of a title or snippet that are read. */
const MAX_READ = 2000;

const withoutTags = (text: string): string => {
  let rest = text.replace(ACTIVE, ' ');
  // A tag may appear when another is taken out of it; of those nested deeper than this the first sign goes, below.
  for (let round = 0; round < MAX_NESTED && TAG.test(rest); round++)
    rest = rest.replaceAll(TAGS, '');
  return rest
    .replace(OPEN_TAG, '')
    .replace(OPENING, (signs, next: string) => (next === '' ? signs : next));
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

/** An amount of money; without a currency it can be shown, but not compared. */
export interface Price {
  /** Hundredths of the unit, whole, 1 to 100,000,000,000. */
  cents: number;
  /** ISO 4217: `USD`. */
  currency: string | undefined;
}

/**
 * Reads a price as shops write it: `$949.99`, `949,99 €`, `EUR 949.99`, `1.299,00 €`, `CHF 1'299.–`. Digits become
 * whole cents without a float in between.
 *
 * @param country Two letters, lower case: decides which dollar, krone, yen or yuan a bare sign means. Without it such
 *   a sign is no currency.
 * @returns `undefined` for what is not one whole price: a range, "from", an instalment, several amounts, zero.
 */
function parsePrice(text: string, country?: string | undefined): Price | undefined {
  const [, before = '', digits = '', after = ''] = WHOLE.exec(normalised(text)) ?? [];
  const cents = centsOf(digits);
  if (cents === undefined) return undefined;
  const second = after === '' ? undefined : currencyOf(after, country);
  const first = before === '' ? undefined : currencyOf(before, country);
  // A word that is no currency changes what the amount means: `from`, `/mo`, `each`.
  if ((before !== '' && first === undefined) || (after !== '' && second === undefined))
    return undefined;
  // "$949.99 CAD": the code says which dollar it is.
  if (second !== undefined && meaningsOf(before).includes(second))
    return { cents, currency: second };
  const isUnclear = first !== undefined && second !== undefined && first !== second;
  const known = isUnclear ? undefined : (first ?? second);
  return { cents, currency: known === UNKNOWN ? undefined : known };
}

/** The same for a number as JSON has it, such as 949.99: no more than two decimals count. */
function centsOfNumber(amount: number): number | undefined {
  const cents = Math.round(amount * 100);
  return Number.isSafeInteger(cents) && cents > 0 && cents <= MAX_CENTS ? cents : undefined;
}

/** `949.99`, for people and without a float. */
export function writeCents(cents: number): string {
  const digits = String(Math.abs(cents)).padStart(3, '0');
  return `${cents < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

const MAX_CENTS = 100_000_000_000;

const normalised = (text: string): string =>
  text
    .slice(0, 60)
    .normalize('NFKC')
    .replace(/\s+/g, ' ')
    .replace(/[’ʼ´`]/g, "'")
    .replace(/[–—−‐‑]/g, '-')
    .replace(/\*+ *$/, '')
    .trim();

const WHOLE =
  /^([^\d\s+-][^\d+-]{0,11}?)? ?(\d[\d.,' ]{0,20}?(?:[.,]-{1,2})?) ?([^\d\s.,'+-][^\d+-]{0,11})?$/;

/** `1'299.-`, `1 299,00`, `1,299.00`, `949.9`, `1.299`: three digits after a lone sign are thousands. */
const centsOf = (digits: string): number | undefined => {
  const plain = digits.replace(/[.,]-{1,2}$/, '').trim();
  const [, whole = '', decimals = ''] = /^(.*?)(?:[.,](\d{1,2}))?$/.exec(plain) ?? [];
  const decimalSign = plain.charAt(whole.length);
  const groups = whole.split(/[.,' ]/);
  const [sign, ...others] = new Set(whole.match(/[.,' ]/g) ?? []);
  const isGrouped =
    groups.length === 1 ||
    (/^[1-9]\d{0,2}$/.test(groups[0] ?? '') && groups.slice(1).every(isThree));
  if (!isGrouped || others.length > 0 || (sign !== undefined && sign === decimalSign))
    return undefined;
  const joined = groups.join('');
  if (!/^\d{1,10}$/.test(joined)) return undefined;
  const cents = Number(joined) * 100 + Number(decimals.padEnd(2, '0'));
  return cents > 0 && cents <= MAX_CENTS ? cents : undefined;
};

const isThree = (group: string): boolean => /^\d{3}$/.test(group);

/** A sign of several currencies without a country that decides which. */
const UNKNOWN = 'unknown';

const currencyOf = (sign: string, country: string | undefined): string | undefined => {
  const name = nameOf(sign);
  const shared = SHARED_SIGNS.get(name);
  if (shared !== undefined) return shared[country ?? ''] ?? UNKNOWN;
  return SIGNS.get(name) ?? (CODES.has(name) ? name : undefined);
};

const meaningsOf = (sign: string): string[] => Object.values(SHARED_SIGNS.get(nameOf(sign)) ?? {});

const nameOf = (sign: string): string => sign.trim().replace(/\.$/, '').toUpperCase();

/** Signs of several currencies, with the one that each country means by it. */
const SHARED_SIGNS: ReadonlyMap<string, Readonly<Record<string, string>>> = new Map(
  Object.entries(currencies.sharedSigns),
);
const SIGNS: ReadonlyMap<string, string> = new Map(Object.entries(currencies.signs));
const CODES: ReadonlySet<string> = new Set(currencies.codes);
