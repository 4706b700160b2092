import type * as z from 'zod';
import { ErrorCode, readAs } from '../../../contract/core/error-info.ts';
import {
  AnalyticsResult,
  type DisplayBlock,
  type DocumentsBlock,
  type ErrorBlock,
  HybridResult,
  type LinksBlock,
  type PriceComparisonBlock,
  SemanticResult,
  type TableBlock,
  WebSearchResult,
} from '../../../contract/wire/agent-response.ts';
import { oneLine, plainText, proseOf, webLink } from './markdown.ts';
import { cellOf, chartBlock, tableBlock } from './table-blocks.ts';

/** Levels of hybrid answers within hybrid answers that are shown. */
const MAX_DEPTH = 2;
const MAX_TEXT = 8000;
/** Shown for a result without content. */
export const NOTHING_FOUND = 'Nothing was found.';

/** The blocks of a result, even when it does not have the form of its type; never empty. */
export function resultBlocks(type: string, result: unknown, depth = 0): DisplayBlock[] {
  const blocks = knownBlocks(type, result, depth);
  if (blocks !== undefined && blocks.length > 0) return blocks;
  const text = stringProperty(result, 'synthesis', 'summary', 'interpretation', 'answer');
  if (text !== undefined) return textBlocks(proseOf(text, MAX_TEXT));
  return textBlocks(
    blocks === undefined ? 'The result has a form that cannot be shown.' : NOTHING_FOUND,
  );
}

/** `undefined` when the result does not have the form of its type. */
const knownBlocks = (type: string, result: unknown, depth: number): DisplayBlock[] | undefined => {
  switch (type) {
    case 'analytics':
      return shaped(AnalyticsResult, result, analyticsBlocks);
    case 'semantic':
      return shaped(SemanticResult, result, semanticBlocks);
    case 'web_search':
      return shaped(WebSearchResult, result, webBlocks);
    case 'hybrid':
      return shaped(HybridResult, result, (hybrid) => hybridBlocks(hybrid, depth));
    default:
      return undefined;
  }
};

const shaped = <Schema extends z.ZodType>(
  schema: Schema,
  result: unknown,
  blocksOf: (result: z.output<Schema>) => (DisplayBlock | undefined)[],
): DisplayBlock[] | undefined => {
  const read = readAs(schema, result);
  return read.ok ? blocksOf(read.value).filter((block) => block !== undefined) : undefined;
};

const textBlocks = (text: string): DisplayBlock[] => (text === '' ? [] : [{ kind: 'text', text }]);

const analyticsBlocks = (result: AnalyticsResult): (DisplayBlock | undefined)[] => [
  ...textBlocks(plainText(result.interpretation, MAX_TEXT)),
  chartBlock(result),
  result.rows.length > 0 ? tableBlock(result) : undefined,
];

const semanticBlocks = (result: SemanticResult): (DisplayBlock | undefined)[] => [
  ...textBlocks(plainText(result.summary, MAX_TEXT)),
  result.documents.length > 0 ? documentsBlock(result) : undefined,
];

const documentsBlock = ({ documents, document_count }: SemanticResult): DocumentsBlock => ({
  kind: 'documents',
  documents: documents.slice(0, 20).map(({ content, score, metadata }, at) => {
    const heading = oneLine(stringProperty(metadata, 'heading', 'section') ?? '', 300);
    const updated = oneLine(stringProperty(metadata, 'last_updated') ?? '', 64);
    const url = webLink(ownProperty(metadata, 'url'));
    return {
      title:
        oneLine(stringProperty(metadata, 'title', 'source') ?? '', 300) || `Document ${at + 1}`,
      ...(url === undefined ? {} : { url }),
      ...(heading === '' ? {} : { section: heading }),
      excerpt: proseOf(content, 600),
      score,
      ...(updated === '' ? {} : { last_updated: updated }),
    };
  }),
  document_count,
});

const webBlocks = (result: WebSearchResult): (DisplayBlock | undefined)[] => [
  priceComparisonBlock(result.price_comparison, result.product_info),
  productBlock(result.product_info),
  linksBlock(result),
];

/** Our price against the cheapest on the web; `undefined` when neither is known. */
const priceComparisonBlock = (
  comparison: unknown,
  product: unknown,
): PriceComparisonBlock | undefined => {
  const [internal, external, difference, percentage] = [
    'internal_price',
    'cheapest_external',
    'difference',
    'percentage',
  ].map((name) => numberProperty(comparison, name));
  if (internal === undefined && external === undefined) return undefined;
  const currency = currencyOf(comparison) ?? currencyOf(product);
  const name = stringProperty(product, 'name', 'title');
  return {
    kind: 'price_comparison',
    ...(name === undefined ? {} : { product: oneLine(name, 300) }),
    ...(internal === undefined ? {} : { internal_price: internal }),
    ...(external === undefined ? {} : { cheapest_external: external }),
    ...(difference === undefined ? {} : { difference }),
    ...(percentage === undefined ? {} : { percentage }),
    ...(currency === undefined ? {} : { currency }),
    verdict: verdictOf({ internal, external, difference, percentage, currency }),
  };
};

/** "999.99 EUR"; without a currency the number alone. */
const moneyOf = (amount: number, currency: string | undefined): string => {
  const number = Math.abs(amount) < 1e15 ? amount.toFixed(2) : String(amount);
  return currency === undefined ? number : `${number} ${currency}`;
};

/** The currency code of an object; `undefined` when it has none. */
const currencyOf = (value: unknown): string | undefined => {
  const code = stringProperty(value, 'currency')?.trim().toUpperCase();
  return code !== undefined && /^[A-Z]{3}$/.test(code) ? code : undefined;
};

interface Prices {
  internal: number | undefined;
  external: number | undefined;
  difference: number | undefined;
  percentage: number | undefined;
  currency: string | undefined;
}

const verdictOf = ({ internal, external, difference, percentage, currency }: Prices): string => {
  if (internal === undefined)
    return `The cheapest price found is ${moneyOf(external ?? 0, currency)}.`;
  const ours = `Our price is ${moneyOf(internal, currency)}`;
  if (external === undefined) return `${ours}; no comparable price was found.`;
  const theirs = `${ours}, the cheapest found is ${moneyOf(external, currency)}`;
  if (difference === undefined) return `${theirs}.`;
  if (difference === 0) return `${theirs}: the same.`;
  const share = percentage === undefined ? '' : ` (${Math.abs(percentage).toFixed(1)} %)`;
  const by = `${moneyOf(Math.abs(difference), currency)}${share}`;
  return `${theirs}: ${by} ${difference < 0 ? 'less' : 'more'} than ours.`;
};

/** The product's fields that are not nested; its price in its currency. */
const productBlock = (product: Record<string, unknown>): TableBlock | undefined => {
  const { price, currency, ...others } = product;
  const money = typeof price === 'number' && currencyOf(product) !== undefined;
  const shown = money ? { ...others, price: moneyOf(price, currencyOf(product)) } : product;
  const facts = Object.entries(shown).filter(
    ([, value]) => value !== null && typeof value !== 'object',
  );
  if (facts.length === 0) return undefined;
  return {
    kind: 'table',
    heading: 'Product',
    columns: [
      { label: 'Field', align: 'left' },
      { label: 'Value', align: 'left' },
    ],
    rows: facts
      .slice(0, 12)
      .map(([name, value]) => [cellOf(name.replaceAll('_', ' ')), cellOf(value)]),
    row_count: facts.length,
    hidden_columns: 0,
  };
};

const linksBlock = ({ external_results, urls }: WebSearchResult): LinksBlock | undefined => {
  const results = external_results.map((result) => {
    const url = webLink(result.url);
    const snippet = oneLine(stringProperty(result, 'snippet') ?? '', 300);
    return {
      title: oneLine(result.title, 300) || hostOf(url) || 'Without a title',
      ...(url === undefined ? {} : { url }),
      ...(typeof result.price === 'number'
        ? { price: moneyOf(result.price, currencyOf(result)) }
        : {}),
      ...(snippet === '' ? {} : { snippet }),
    };
  });
  const shown = new Set(results.map(({ url }) => url));
  const further = urls.map(webLink).filter((url) => url !== undefined && !shown.has(url));
  const links = [
    ...results,
    ...further.map((url) => ({
      title: hostOf(url) || 'A page',
      ...(url === undefined ? {} : { url }),
    })),
  ];
  return links.length === 0
    ? undefined
    : { kind: 'links', links: links.slice(0, 20), link_count: links.length };
};

const hostOf = (url: string | undefined): string =>
  url !== undefined && URL.canParse(url) ? oneLine(new URL(url).hostname, 300) : '';

const hybridBlocks = ({ synthesis, sub_queries }: HybridResult, depth: number): DisplayBlock[] => {
  const text = proseOf(synthesis, MAX_TEXT);
  const parts = depth < MAX_DEPTH ? sub_queries : [];
  return [
    ...textBlocks(text),
    ...parts.flatMap((part) => partBlocks(part, { depth: depth + 1, said: wordsIn(text) })),
  ];
};

const wordsIn = (text: string): string => ` ${text.match(/[\p{L}\p{N}]+/gu)?.join(' ') ?? ''} `;

/** A part of a hybrid answer, under its question, without the texts that the synthesis has already. */
const partBlocks = (
  part: HybridResult['sub_queries'][number],
  { depth, said }: { depth: number; said: string },
): DisplayBlock[] => {
  const heading = oneLine(part.query, 300) || part.type;
  const failure = stringProperty(part, 'error');
  const isCoded = ownProperty(part, 'error_code') !== undefined;
  const isFailed = ownProperty(part, 'success') === false || failure !== undefined;
  const [first, ...rest] = isFailed
    ? [errorBlock(failure, isCoded ? part : ownProperty(part, 'metadata'))]
    : resultBlocks(part.type, part.result, depth).filter(
        (block) => block.kind !== 'text' || !said.includes(wordsIn(block.text)),
      );
  return first === undefined ? [] : [{ ...first, heading }, ...rest];
};

/** The reason why there is no answer. Message and suggestion are shown as plain text. */
export function errorBlock(message: string | undefined, metadata: unknown): ErrorBlock {
  const code = ErrorCode.safeParse(ownProperty(metadata, 'error_code'));
  const suggestion = stringProperty(metadata, 'suggestion');
  const recoverable = ownProperty(metadata, 'recoverable');
  return {
    kind: 'error',
    message: oneLine(message ?? '', 2000) || 'This part could not be answered.',
    ...(code.success ? { code: code.data } : {}),
    ...(suggestion === undefined ? {} : { suggestion: oneLine(suggestion, 1000) }),
    ...(typeof recoverable === 'boolean' ? { recoverable } : {}),
  };
}

/** An own property of a value of unknown shape; `undefined` where there is none. */
export function ownProperty(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name] // an object; what it holds stays unknown
    : undefined;
}

/** The first of these properties that is a non-blank string. */
export function stringProperty(value: unknown, ...names: string[]): string | undefined {
  for (const name of names) {
    const property = ownProperty(value, name);
    if (typeof property === 'string' && /\S/.test(property)) return property;
  }
  return undefined;
}

/** A property that is a finite number. */
export function numberProperty(value: unknown, name: string): number | undefined {
  const property = ownProperty(value, name);
  return typeof property === 'number' && Number.isFinite(property) ? property : undefined;
}
