import { type AnswerFailure, writeCheckedAnswer } from '../../answering/check/checked-answer.ts';
import type { Passage } from '../../answering/model/answer-prompt.ts';
import { startModelCalls } from '../../answering/model/model-calls.ts';
import { type AnswerPhrases, answerPhrases, filled } from '../../answering/write/answer-phrases.ts';
import type { AIClient } from '../../contract/core/librarian.ts';
import { escapeMarkdown, joinStatements, markdownLink } from '../agents/format/markdown.ts';
import {
  type Comparison,
  type NamedProduct,
  type Product,
  perCentOf,
} from './product-catalogue.ts';
import { cleanUrl, type Price, type WebResult, writeCents } from './web-search.ts';

/** Everything that an answer can be made from. */
export interface Findings {
  results: readonly WebResult[];
  product?: Product | undefined;
  comparison?: Comparison | undefined;
  /** Whether the question is about prices. */
  isAboutPrice: boolean;
}

/** The answer without a model, in Markdown: our price, the cheapest and the difference; otherwise the top results. */
export function answerExtractively(
  findings: Findings,
  phrases: AnswerPhrases = answerPhrases('en'),
): string {
  const { results, comparison } = findings;
  const ours = oursIn(findings, phrases);
  if (ours !== undefined && comparison !== undefined) return ours;
  if (results.length > 0) return withList(ours, phrases.foundOnWeb, results.slice(0, 5));
  return [ours, phrases.nothing].filter(Boolean).join('\n\n');
}

/** Our price with the comparison; `undefined` when the question is not about the price of a product of ours. */
const oursIn = (
  { product, comparison, isAboutPrice }: Findings,
  phrases: AnswerPhrases,
): string | undefined => {
  if (!isAboutPrice || product === undefined) return undefined;
  const others = comparison?.others.slice(0, 3) ?? [];
  return withList(priceAnswer(product, { comparison, phrases }), phrases.alsoCompared, others);
};

/** Names the product whose price was looked up when the question names several. */
export function onlyOneNote(
  product: NamedProduct | undefined,
  { onlyOne }: AnswerPhrases,
): string | undefined {
  if (product === undefined || product.alsoNamed.length === 0) return undefined;
  const others = product.alsoNamed.slice(0, 5).map(escapeMarkdown).join(', ');
  return filled(onlyOne, { product: escapeMarkdown(product.name), others });
}

const withList = (
  text: string | undefined,
  heading: string,
  results: readonly WebResult[],
): string => {
  const list =
    results.length === 0 ? undefined : `${heading}:\n\n${results.map(resultLine).join('\n')}`;
  return [text, list].filter(Boolean).join('\n\n');
};

const priceAnswer = (
  { name, priceCents: cents, currency }: Product,
  { comparison, phrases }: { comparison: Comparison | undefined; phrases: AnswerPhrases },
): string => {
  const ours = filled(phrases.ourPrice, {
    product: escapeMarkdown(name),
    price: money({ cents, currency }),
  });
  if (comparison === undefined) return `${ours} ${phrases.noOffer}`;
  return `${ours} ${cheapestSentence(comparison, phrases)} ${countSentence(comparison, phrases)}`;
};

const cheapestSentence = (
  { cheapest, cheapestCents, internalCents, currency }: Comparison,
  phrases: AnswerPhrases,
): string => {
  const cents = cheapestCents - internalCents;
  const amount = money({ cents: Math.abs(cents), currency });
  const share = Math.abs(perCentOf(cents, internalCents)).toFixed(1);
  const against = cents < 0 ? phrases.lessThanOurs : phrases.moreThanOurs;
  return filled(phrases.cheapest, {
    price: money({ cents: cheapestCents, currency }),
    offer: markdownLink(cheapest.title, cheapest.url),
    difference: cents === 0 ? phrases.sameAsOurs : filled(against, { amount, share }),
  });
};

const countSentence = ({ others, notCompared }: Comparison, phrases: AnswerPhrases): string => {
  const compared = filled(phrases.compared, { count: String(others.length + 1) });
  if (notCompared === 0) return compared;
  return `${compared} ${filled(phrases.notCompared, { count: String(notCompared) })}`;
};

const resultLine = ({ title, url, price, shop, snippet }: WebResult): string => {
  const name = markdownLink(title, url);
  const notes = [price === undefined ? '' : money(price), escapeMarkdown(shop ?? '')].filter(
    (note) => note !== '',
  );
  const quote = snippet === '' ? '' : `: “${escapeMarkdown(snippet)}”`;
  return `- ${name}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}${quote}`;
};

const money = ({ cents, currency }: Price): string =>
  `${writeCents(cents)}${currency === undefined ? '' : ` ${currency}`}`;

const OURS = 'Our own price and the comparison';
const MAX_RESULTS = 10;
const MAX_TOKENS = 1200;

/** A summary by a model, or why there is none. */
export interface ResultSummary {
  summary?: string;
  failure?: AnswerFailure;
}

/**
 * A summary by a model; without one when the model fails or finds no answer: the extractive answer is then used.
 *
 * The results are untrusted text: each statement of the summary is checked against the passages that it cites
 * (`writeCheckedAnswer`), and the summary is used only when it states the comparison with our price, if there is one, has no
 * HTML and no images and links to nothing but the results.
 */
export async function summariseResults(
  query: string,
  findings: Findings,
  { ai, signal, timeMs }: { ai: AIClient; signal: AbortSignal; timeMs: number },
): Promise<ResultSummary> {
  const calls = startModelCalls({ ai, signal, timeMs });
  try {
    const request = { question: query, history: [], passages: passagesOf(findings) };
    const written = await writeCheckedAnswer(request, { calls, maxTokens: MAX_TOKENS });
    if ('failure' in written) return { failure: written.failure };
    const used = written.statements.flatMap(({ quotes }) =>
      quotes.map(({ passage }) => passage.title),
    );
    if (findings.comparison !== undefined && findings.isAboutPrice && !used.includes(OURS))
      return {};
    const urls = findings.results.flatMap(({ url }) => (url === undefined ? [] : [url]));
    const summary = joinStatements(written.statements.map(({ text }) => text));
    return isInert(summary, urls) ? { summary } : {};
  } finally {
    calls.end();
  }
}

/** Our own price first, with the comparison; then one passage for each result. */
const passagesOf = (findings: Findings): Passage[] => {
  const { results } = findings;
  const ours = oursIn(findings, answerPhrases('en'));
  return [
    ...(ours === undefined ? [] : [{ title: OURS, text: ours }]),
    ...results.slice(0, MAX_RESULTS).map(({ title, snippet, url, shop, price, condition }) => ({
      title,
      text: [
        snippet,
        price &&
          `It costs ${writeCents(price.cents)} ${price.currency ?? '(currency unknown)'} at ${shop ?? title}.`,
        condition && `Condition: ${condition}.`,
        url && `Address: ${url}`,
      ]
        .filter(Boolean)
        .join('\n\n'),
    })),
  ].map((passage, at) => ({ ...passage, id: `p${at + 1}`, headings: [] }));
};

/** Text without HTML and images that names no address but those of the results. */
const isInert = (summary: string, urls: readonly string[]): boolean => {
  if (summary === '' || summary.length > MAX_LENGTH) return false;
  if (
    /<[a-z/!?]|!\[|\]:|&#|&\w+;|\p{Cf}/iu.test(summary) ||
    /\p{Cc}/u.test(summary.replace(/[\n\t]/g, ''))
  )
    return false;
  const addresses = summary.match(ADDRESS) ?? [];
  if (!addresses.every((address) => urls.includes(cleanUrl(address.replace(CLOSING, '')) ?? '')))
    return false;
  // The rest of the text must not link or name a host by other means.
  const prose = summary.replace(ADDRESS, (address) => CLOSING.exec(address)?.[0] ?? '');
  if (/\]\((?!\))|\]\[|\b(?:javascript|data|mailto|www)[:.]\S|@[\w-]+\.\w/i.test(prose))
    return false;
  const hosts = urls.map((url) => new URL(url).hostname);
  const isFound = (name: string) =>
    hosts.some((host) => host === name || host.endsWith(`.${name}`));
  return (prose.match(HOST) ?? []).every((name) => isFound(name.toLowerCase()));
};

const MAX_LENGTH = 3000;
const ADDRESS = /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s<>"“”]+/gi;
/** Characters behind an address in a sentence or a link that are not part of it. */
const CLOSING = /[.,;:!?)\]*_]+$/;
const HOST =
  /\b(?:[a-z0-9-]+\.)+(?:com|org|net|io|dev|app|shop|store|info|biz|co|xyz|de|ch|at|uk|fr|eu|ru|cn|example|test)\b/gi;
