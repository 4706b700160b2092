import * as z from 'zod';
import { readAs } from '../../contract/core/error-info.ts';
import { DataSourceError } from '../../platform/http/coded-error.ts';
import {
  providerJson,
  type WebResult,
  type WebSearch,
  type WebSearchOptions,
  webResult,
} from './web-search.ts';

export interface ProviderSettings {
  key: string;
  /** Without a path: `https://serpapi.com`. */
  url: string;
  fetch: typeof fetch;
  now: () => number;
}

/** Google through SerpApi: the engine `google_shopping` for offers, `google` for pages (serpapi.com/search-api). */
export function serpApi({ key, url, fetch, now }: ProviderSettings): WebSearch {
  return {
    provider: 'serpapi',
    search: async (query, options) => {
      const address = addressOf(url, query, options);
      address.searchParams.set('api_key', key);
      const { signal, timeoutMs } = options;
      const json = await providerJson({
        url: address,
        secret: 'SERPAPI_KEY',
        fetch,
        signal,
        timeoutMs,
        now,
      });
      const reply = readAs(Reply, json);
      if (!reply.ok)
        throw new DataSourceError(
          'Cannot read the search provider: its answer is no search result',
        );
      const { search_metadata, shopping_results = [], organic_results = [] } = reply.value;
      if (search_metadata?.status === 'Error')
        throw new DataSourceError('Cannot read the search provider: the search failed there');
      // A page of Google has its offers beside the pages; a page of offers has nothing else.
      const found = [
        ...read(Offer, shopping_results).map(offerOf),
        ...read(Page, organic_results).map(pageOf),
      ];
      return found
        .map((raw) => webResult(raw, options.country))
        .filter((result): result is WebResult => result !== undefined)
        .slice(0, options.limit);
    },
  };
}

const addressOf = (
  base: string,
  query: string,
  { limit, country, language, offers }: WebSearchOptions,
): URL => {
  const url = new URL('/search.json', base);
  const asked = {
    engine: offers ? 'google_shopping' : 'google',
    q: query,
    ...(country === undefined ? {} : { gl: country }),
    ...(language === undefined ? {} : { hl: language }),
    // Without it the newer shopping pages link to Google alone.
    ...(offers ? { direct_link: 'true' } : { num: String(limit) }),
  };
  for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value);
  return url;
};

const Text = z.string().max(8000);
/** A field that does not fit is dropped, and its result stays. */
const optionalText = Text.nullish().catch(undefined);
const amount = z.number().nullish().catch(undefined);

const Reply = z.object({
  search_metadata: z.object({ status: optionalText }).optional().catch(undefined),
  shopping_results: z.array(z.unknown()).optional().catch(undefined),
  organic_results: z.array(z.unknown()).optional().catch(undefined),
});

const Offer = z.object({
  title: Text,
  link: optionalText,
  product_link: optionalText,
  source: optionalText,
  price: optionalText,
  extracted_price: amount,
  second_hand_condition: optionalText,
  snippet: optionalText,
});

const Page = z.object({
  title: Text,
  link: optionalText,
  source: optionalText,
  snippet: optionalText,
  rich_snippet: z
    .object({ bottom: z.object({ extensions: z.array(z.unknown()).optional().catch(undefined) }) })
    .optional()
    .catch(undefined),
});

const offerOf = (offer: z.infer<typeof Offer>) => ({
  title: offer.title,
  url: offer.link ?? offer.product_link ?? undefined,
  shop: offer.source ?? undefined,
  price: offer.price ?? undefined,
  amount: offer.extracted_price ?? undefined,
  condition: offer.second_hand_condition ?? undefined,
  snippet: offer.snippet ?? undefined,
});

const pageOf = ({ title, link, source, snippet, rich_snippet }: z.infer<typeof Page>) => ({
  title,
  url: link ?? undefined,
  shop: source ?? undefined,
  snippet: snippet ?? undefined,
  // Free words of the page, one of which may be a price: "$949.99", "In stock", "4.6(1,204)".
  price: rich_snippet?.bottom.extensions
    ?.filter((word) => typeof word === 'string')
    .find((word) => /[$€£¥₹]|\b[A-Z]{3}\b/.test(word)),
});

/** No provider sends more than this on one page. */
const MAX_READ = 100;

const read = <Schema extends z.ZodType>(
  schema: Schema,
  values: readonly unknown[],
): z.output<Schema>[] =>
  values.slice(0, MAX_READ).flatMap((value) => {
    const result = readAs(schema, value);
    return result.ok ? [result.value] : [];
  });
