import * as z from 'zod';
import { readAs } from '../../contract/core/error-info.ts';
import { DataSourceError } from '../../platform/http/coded-error.ts';
import type { ProviderSettings } from './serp-api.ts';
import {
  providerJson,
  type WebResult,
  type WebSearch,
  type WebSearchOptions,
  webResult,
} from './web-search.ts';

/**
 * Brave's own index (api-dashboard.search.brave.com, Web Search). Prices come with pages that mark up their product.
 */
export function braveSearch({ key, url, fetch, now }: ProviderSettings): WebSearch {
  return {
    provider: 'brave',
    search: async (query, options) => {
      const json = await providerJson({
        url: addressOf(url, query, options),
        headers: { 'X-Subscription-Token': key },
        secret: 'BRAVE_SEARCH_KEY',
        fetch,
        signal: options.signal,
        timeoutMs: options.timeoutMs,
        now,
      });
      const reply = readAs(Reply, json);
      if (!reply.ok)
        throw new DataSourceError(
          'Cannot read the search provider: its answer is no search result',
        );
      return (reply.value.web?.results ?? [])
        .slice(0, options.limit)
        .flatMap((value) => {
          const page = readAs(Page, value);
          return page.ok ? [webResult(rawOf(page.value), options.country)] : [];
        })
        .filter((result): result is WebResult => result !== undefined);
    },
  };
}

/** Brave accepts queries of at most 400 characters and 50 words. */
const shortQuery = (query: string): string =>
  query
    .split(/\s+/)
    .slice(0, 50)
    .join(' ')
    .slice(0, 400)
    .replace(/[\ud800-\udbff]$/, '');

const addressOf = (
  base: string,
  query: string,
  { limit, country, language }: WebSearchOptions,
): URL => {
  const url = new URL('/res/v1/web/search', base);
  const asked = {
    q: shortQuery(query),
    count: String(Math.min(limit, 20)),
    result_filter: 'web',
    // Without the <strong> around the words that were searched for.
    text_decorations: 'false',
    ...(country === undefined ? {} : { country: country.toUpperCase() }),
    ...(language === undefined ? {} : { search_lang: language }),
  };
  for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value);
  return url;
};

const Text = z.string().max(8000);
const optionalText = Text.nullish().catch(undefined);
const priceText = z
  .union([Text, z.number().transform(String)])
  .nullish()
  .catch(undefined);

const Reply = z.object({
  web: z.object({ results: z.array(z.unknown()).optional().catch(undefined) }).nullish(),
});

const Offer = z.object({ price: priceText, priceCurrency: optionalText });

const Page = z.object({
  title: Text,
  url: optionalText,
  description: optionalText,
  profile: z.object({ name: optionalText }).nullish().catch(undefined),
  product: z
    .object({ price: priceText, offers: z.array(Offer.catch({})).nullish().catch(undefined) })
    .nullish()
    .catch(undefined),
});

const rawOf = ({ title, url, description, profile, product }: z.infer<typeof Page>) => ({
  title,
  url: url ?? undefined,
  snippet: description ?? undefined,
  shop: profile?.name ?? undefined,
  price: priceOf(product),
});

/** `undefined` for a page with several offers, such as sizes: none of them is the price of the page. */
const priceOf = (product: z.infer<typeof Page>['product']): string | undefined => {
  const [offer, ...others] = product?.offers ?? [];
  if (others.length > 0) return undefined;
  const price = offer?.price ?? product?.price ?? undefined;
  if (price === undefined || !/^[\d.,' ]+$/.test(price)) return price;
  // Schema.org writes the amount and its currency apart.
  return `${offer?.priceCurrency ?? ''} ${price}`.trim();
};
