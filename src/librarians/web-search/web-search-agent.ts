import { answerPhrases } from '../../answering/write/answer-phrases.ts';
import { AGENT_OPTIONS } from '../../contract/wire/agent-response.ts';
import { errorInfoOf } from '../../platform/context/error-info-of.ts';
import { CodedError } from '../../platform/http/coded-error.ts';
import { type Log, logLine } from '../../platform/log.ts';
import {
  environmentSettings,
  readSettings,
  type SettingsSchema,
  type Variables,
} from '../../platform/settings/settings.ts';
import { address, text, token } from '../../platform/settings/values.ts';
import {
  type Agent,
  type AgentCall,
  type AgentProfile,
  degradedMetadata,
  isModelLost,
  readOptions,
} from '../agents/agent.ts';
import { AgentResponse } from '../agents/agent-response.ts';
import { linkOf } from '../agents/librarian-response.ts';
import { type AgentServeOptions, serveAgent } from '../agents/serve-agent.ts';
import {
  answerExtractively,
  type Findings,
  onlyOneNote,
  type ResultSummary,
  summariseResults,
} from './answer.ts';
import { braveSearch } from './brave-search.ts';
import {
  comparePrices,
  isPriceQuestion,
  type NamedProduct,
  type Product,
  type ProductCatalogue,
  priceComparisonOf,
} from './product-catalogue.ts';
import examples from './question-examples.json' with { type: 'json' };
import { serpApi } from './serp-api.ts';
import { type SearchCache, uniqueUrls, type WebResult, type WebSearch } from './web-search.ts';

interface WebSearchParts {
  /** Absent when no provider is set up. */
  search?: { provider: string; cache: SearchCache } | undefined;
  /** The products of one workspace, which other workspaces never see. */
  shop?: { workspace: string; catalogue: ProductCatalogue } | undefined;
  /** Used when the options name none. */
  country?: string | undefined;
  language?: string | undefined;
  log?: Log | undefined;
  now?: (() => number) | undefined;
}

/**
 * Searches the web, and compares what our own product costs there. The answer in words
 * is `metadata.answer`, Markdown. Fails with SERVICE_UNAVAILABLE when no provider is set up.
 *
 * When a question names several products, the first is looked up; the answer states this, and `metadata.not_looked_up`
 * names the others.
 *
 * Options that it reads: `limit` (1 to 20 results), `country` and `language` (two letters).
 */
const createWebSearchAgent =
  (parts: WebSearchParts): Agent =>
  async (query, call) => {
    const { search, now = Date.now } = parts;
    const deadlineMs = now() + call.timeoutMs;
    const options = readOptions(AGENT_OPTIONS.web_search, call.options);
    if (search === undefined) throw noProvider();
    call.progress?.({ type: 'searching' });
    const isAboutPrice = isPriceQuestion(query);
    const { product, isReadable } = await productFor(query, call, parts);
    const isForOffers = isAboutPrice && product !== undefined;
    const { results, isCached } = await search.cache.search(isForOffers ? product.name : query, {
      limit: options.limit ?? 10,
      country: options.country ?? parts.country,
      language: options.language ?? parts.language,
      offers: isForOffers,
      workspace: call.scope.context.workspace,
      timeoutMs: deadlineMs - now(),
      signal: call.signal,
    });
    call.progress?.({ type: 'passages', passages: results.map(placeOf) });
    // Without a price in question the whole question was searched for, whatever it names.
    const omitted = isForOffers ? product.alsoNamed : [];
    const comparison = product && comparePrices(product, results);
    const findings: Findings = { results, product, comparison, isAboutPrice };
    const { summary, failure } = await summaryOf(query, findings, {
      ...call,
      leftMs: deadlineMs - now(),
    });
    const phrases = answerPhrases(call.language);
    const urls = uniqueUrls([comparison?.cheapest.url, ...results.map(({ url }) => url)], MAX_URLS);
    return AgentResponse.success('web_search', query)
      .setResult({
        product_info: productInfoOf(product),
        external_results: results.map(externalResultOf),
        price_comparison: priceComparisonOf(comparison),
        urls,
      })
      .setSourceAttribution(
        AgentResponse.createWebSearchSourceAttribution(urls.length, confidenceIn(findings)),
      )
      .setMetadata({
        answer: [
          omitted.length === 0 ? undefined : onlyOneNote(product, phrases),
          summary ?? answerExtractively(findings, phrases),
        ]
          .filter(Boolean)
          .join('\n\n'),
        answered_by: summary === undefined ? 'extract' : (call.ai?.model ?? 'model'),
        provider: search.provider,
        cache_hit: isCached,
        classification_reasoning: reasonsFor(product, isAboutPrice),
        ...(product?.alsoNamed.length === 0
          ? { entity_id: product.productId, entity_type: 'product' }
          : {}),
        ...(omitted.length === 0 ? {} : { not_looked_up: omitted }),
        ...(omitted.length === 0 ? {} : { partial: true }),
        ...degradedMetadata([
          ...(isReadable ? [] : ['catalogue']),
          ...(isModelLost(failure) ? ['model'] : []),
        ]),
      })
      .toArray();
  };

const placeOf = ({ title, url }: WebResult) => ({ name: title.slice(0, 500), ...linkOf(url) });

const MAX_URLS = 20;

const reasonsFor = (product: NamedProduct | undefined, isAboutPrice: boolean): string[] => {
  const about = isAboutPrice
    ? 'The question is about a price'
    : 'The question is not about a price';
  if (product === undefined) return [about];
  return [about, `It names a product of the shop: ${product.name}`];
};

const noProvider = () =>
  new CodedError('SERVICE_UNAVAILABLE', 'neither SERPAPI_KEY nor BRAVE_SEARCH_KEY is set', {
    reported: {
      message: 'Cannot search the web: no search provider is set up',
      suggestion: 'Set the secret SERPAPI_KEY or BRAVE_SEARCH_KEY of the web-search function',
      recoverable: false,
    },
  });

/**
 * The product that the question names. The web can be searched without the shop: a failure to read it only makes the
 * answer partial.
 */
const productFor = async (
  query: string,
  { scope }: AgentCall,
  { shop, log = logLine, now = Date.now }: WebSearchParts,
): Promise<{ product?: NamedProduct | undefined; isReadable: boolean }> => {
  if (shop === undefined || shop.workspace !== scope.context.workspace) return { isReadable: true };
  try {
    return { product: await shop.catalogue.find(query), isReadable: true };
  } catch (error) {
    const { traceId } = scope.context;
    errorInfoOf(error, {
      librarian: 'web-search',
      where: 'product lookup',
      log,
      now: now(),
      traceId,
    });
    return { isReadable: false };
  }
};

/** Leaves enough time to answer without the model. */
const summaryOf = async (
  query: string,
  findings: Findings,
  { ai, signal, leftMs }: AgentCall & { leftMs: number },
): Promise<ResultSummary> => {
  if (ai === undefined || findings.results.length === 0 || leftMs < 2 * ANSWER_RESERVE_MS)
    return {};
  return summariseResults(query, findings, { ai, signal, timeMs: leftMs - ANSWER_RESERVE_MS });
};

const ANSWER_RESERVE_MS = 100;

const confidenceIn = ({ results, comparison }: Findings): number => {
  if (results.length === 0) return 0.2;
  return comparison === undefined ? 0.7 : 0.8;
};

const productInfoOf = (product: Product | undefined) =>
  product === undefined
    ? {}
    : {
        product_id: product.productId,
        name: product.name,
        price: product.priceCents / 100,
        currency: product.currency,
        ...(product.sku === '' ? {} : { sku: product.sku }),
        ...(product.category === '' ? {} : { category: product.category }),
      };

const externalResultOf = ({ title, url, price, shop, snippet, condition }: WebResult) => ({
  title,
  ...(price === undefined ? {} : { price: price.cents / 100 }),
  ...(price?.currency === undefined ? {} : { currency: price.currency }),
  ...(url === undefined ? {} : { url }),
  ...(shop === undefined ? {} : { shop }),
  ...(snippet === '' ? {} : { snippet }),
  ...(condition === undefined ? {} : { condition }),
});

/** The description of the web search for people and librarians. */
const WEB_SEARCH: AgentProfile = {
  type: 'web_search',
  info: {
    id: 'web-search',
    name: 'Web search',
    description:
      'Searches the public web for what is not in house: current market prices, deals and second-hand offers of other shops, online stores, marketplaces, rivals and competitors, compared with our own price (is it cheaper elsewhere), and news, press, rumours, reviews, opinions in forums, trends and announcements of products, companies and the market.',
    capabilities: ['web:search'],
    examples,
  },
};

type WebSearchAppOptions = Omit<AgentServeOptions, 'unavailable'> &
  Pick<WebSearchParts, 'search' | 'shop' | 'country' | 'language'>;

/** `POST /librarians/web-search/ask`, `GET /librarians/web-search` and `POST /v1/agents/web_search`. */
export function createApp({ search, shop, country, language, ...options }: WebSearchAppOptions) {
  const agent = createWebSearchAgent({
    search,
    shop,
    country,
    language,
    log: options.log,
    now: options.now,
  });
  const unavailable = async () =>
    search === undefined ? 'No search provider is set up' : undefined;
  return serveAgent(agent, WEB_SEARCH, { ...options, unavailable });
}

const COUNTRY = { pattern: /^[a-z]{2}$/i, allowed: 'two letters' };
/** As the provider names it, with a region where it has one: `pt-br`, `zh-hans`. */
const LANGUAGE = {
  pattern: /^[a-z]{2,3}(-[a-z]{2,4})?$/i,
  allowed: 'a language, such as `en` or `pt-br`',
};

/** The search provider, and what it is asked for. SerpApi wins when both keys are set: it knows offers with prices. */
export const searchSettings = {
  ...environmentSettings,
  SERPAPI_KEY: token({ what: 'Key of SerpApi ([web search](web-search.md))' }),
  BRAVE_SEARCH_KEY: token({ what: 'Key of Brave Search' }),
  SEARCH_COUNTRY: text({
    ...COUNTRY,
    what: 'Where results should come from: `us`',
    otherwise: "the provider's",
  }),
  SEARCH_LANGUAGE: text({
    ...LANGUAGE,
    what: 'Language of the results: `en`',
    otherwise: "the provider's",
  }),
} satisfies SettingsSchema;

/** The address of each provider, which is read with its key alone. */
export const serpApiSettings = {
  SERPAPI_URL: address({
    what: 'One that speaks as SerpApi does',
    otherwise: '`https://serpapi.com`',
  }),
} satisfies SettingsSchema;
export const braveSettings = {
  BRAVE_SEARCH_URL: address({
    what: 'One that speaks as Brave Search does',
    otherwise: '`https://api.search.brave.com`',
  }),
} satisfies SettingsSchema;
type ProviderVariables = Variables<
  typeof searchSettings & typeof serpApiSettings & typeof braveSettings
>;

/**
 * The provider whose key is set; `undefined` without one.
 *
 * @throws {SettingRefused} When its address is not https, or its host is not a public name, such as an IP address; in
 *   development the loopback interface is allowed, over http too.
 */
export function chooseProvider(
  variables: ProviderVariables,
  tools: { fetch: typeof fetch; now: () => number },
): WebSearch | undefined {
  const { SERPAPI_KEY, BRAVE_SEARCH_KEY } = readSettings(searchSettings, variables);
  if (SERPAPI_KEY !== undefined) {
    const { SERPAPI_URL: url = 'https://serpapi.com' } = readSettings(serpApiSettings, variables);
    return serpApi({ ...tools, key: SERPAPI_KEY, url });
  }
  if (BRAVE_SEARCH_KEY === undefined) return undefined;
  const { BRAVE_SEARCH_URL: url = 'https://api.search.brave.com' } = readSettings(
    braveSettings,
    variables,
  );
  return braveSearch({ ...tools, key: BRAVE_SEARCH_KEY, url });
}
