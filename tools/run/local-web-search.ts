import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { wordsOf } from '../../src/librarians/web-search/product-catalogue.ts';

export interface LocalWebSearch {
  /** Address to be given to the web search as `SERPAPI_URL`; any key will do. */
  url: string;
  close(): Promise<void>;
}

interface Shop {
  name: string;
  /** Below example.com, which is reserved for documentation. */
  host: string;
  currency: 'USD' | 'EUR';
}

interface Offer {
  shop: string;
  title: string;
  cents: number;
  condition?: string;
}

interface Page {
  title: string;
  url: string;
  snippet: string;
}

interface Web {
  shops: Record<string, Shop>;
  offers: Offer[];
  pages: Page[];
}

/**
 * A web of invented shops behind SerpApi's interface (serpapi.com/search-api) on the loopback interface, for trying the
 * web search out without an account: the engines `google_shopping` and `google`, errors included.
 */
export async function serveLocalWebSearch(): Promise<LocalWebSearch> {
  // Written by hand beside this file.
  const web = JSON.parse(
    readFileSync(new URL('./local-web-search.json', import.meta.url), 'utf8'),
  ) as Web;
  const server = createServer((request, response) => {
    const { status, body } = replyTo(web, request.url ?? '/');
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen(0, '127.0.0.1', resolve),
  );
  const { port } = server.address() as AddressInfo; // a TCP server that listens has an address with a port
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** `//` and the like stand in request lines that no client of ours sends, and are no path. */
const replyTo = (web: Web, path: string): ReturnType<typeof reply> =>
  URL.canParse(path, LOCAL)
    ? reply(web, new URL(path, LOCAL))
    : { status: 400, body: { error: 'The address cannot be read.' } };

const LOCAL = 'http://localhost';

const reply = (web: Web, url: URL): { status: number; body: Record<string, unknown> } => {
  const asked = Object.fromEntries(url.searchParams);
  if (url.pathname !== '/search.json') return { status: 404, body: { error: 'Not found.' } };
  if (!asked.api_key) return { status: 401, body: { error: 'Invalid API key.' } };
  if (!asked.q) return { status: 400, body: { error: 'Missing query `q` parameter.' } };
  if (asked.engine !== 'google' && asked.engine !== 'google_shopping')
    return { status: 400, body: { error: 'Unsupported `engine`.' } };
  const isShopping = asked.engine === 'google_shopping';
  const results = isShopping
    ? {
        shopping_results: matching(web.offers, asked.q, ({ title }) => title).map(
          offerReply(web, asked.gl),
        ),
      }
    : {
        organic_results: matching(
          pagesOf(web, asked.gl),
          asked.q,
          ({ title, snippet }) => `${title} ${snippet}`,
        ).map(pageReply),
      };
  const isEmpty = Object.values(results).every((list) => list.length === 0);
  const body = {
    search_metadata: { status: 'Success' },
    search_parameters: { engine: asked.engine, q: asked.q },
    ...results,
    ...(isEmpty ? { error: "Google hasn't returned any results for this query." } : {}),
  };
  return { status: 200, body };
};

/** Those that hold at least half of the query's words of weight, most first. */
const matching = <Entry>(
  entries: readonly Entry[],
  query: string,
  textOf: (entry: Entry) => string,
): Entry[] => {
  const asked = [...new Set(wordsOf(query))].filter((word) => !SMALL_WORDS.has(word));
  return entries
    .map((entry) => {
      const words = new Set(wordsOf(textOf(entry)));
      return { entry, found: asked.filter((word) => words.has(word)).length };
    })
    .filter(({ found }) => found > 0 && found * 2 >= asked.length)
    .toSorted((a, b) => b.found - a.found)
    .map(({ entry }) => entry);
};

const SMALL_WORDS = new Set(
  'a an the of for to in on at by is are was it its what which where who how does do did we our can one and or with from online web internet search find look up latest'.split(
    ' ',
  ),
);

const offerReply =
  ({ shops }: Web, country: string | undefined) =>
  ({ shop, title, cents, condition }: Offer, at: number) => {
    const { name = shop, host = 'www.example.com', currency = 'USD' } = shops[shop] ?? {};
    return {
      position: at + 1,
      title,
      link: addressOf(host, title),
      product_link: 'https://www.google.com/shopping/product/1',
      source: name,
      price: priceText(cents, currency, country),
      extracted_price: cents / 100,
      ...(condition === undefined ? {} : { second_hand_condition: condition }),
    };
  };

/** Offers have a page each, beside the pages that are only read. */
const pagesOf = ({ pages, offers, shops }: Web, country: string | undefined): Page[] => [
  ...pages,
  ...offers.map(({ shop, title, cents }) => {
    const { name = shop, host = 'www.example.com', currency = 'USD' } = shops[shop] ?? {};
    return {
      title,
      url: addressOf(host, title),
      snippet: `${title} for ${priceText(cents, currency, country)} at ${name}.`,
    };
  }),
];

const pageReply = ({ title, url, snippet }: Page, at: number) => ({
  position: at + 1,
  title,
  link: url,
  snippet,
});

const addressOf = (host: string, title: string): string =>
  `https://${host}/p/${wordsOf(title).join('-')}?utm_source=google`;

/** As Google writes prices: a bare `$` is the dollar of the country of the search, others say which they are. */
const priceText = (
  cents: number,
  currency: Shop['currency'],
  country: string | undefined,
): string =>
  currency === 'USD'
    ? new Intl.NumberFormat(country === 'us' ? 'en-US' : 'en-CA', {
        style: 'currency',
        currency,
      }).format(cents / 100)
    : new Intl.NumberFormat('de-DE', { style: 'currency', currency }).format(cents / 100);
