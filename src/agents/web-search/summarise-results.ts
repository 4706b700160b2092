import type { AIClient } from '../../contract/librarian.ts';
import type { Passage } from '../../grounding/answer-prompt.ts';
import { writeCheckedAnswer } from '../../grounding/checked-answer.ts';
import { startModelCalls } from '../../grounding/model-calls.ts';
import { answerExtractively, type Findings } from './answer-extractively.ts';
import { cleanUrl } from './clean-url.ts';
import { writeCents } from './parse-price.ts';

const MAX_RESULTS = 10;
const MAX_TOKENS = 1200;

/**
 * A summary by a model; `undefined` when the model fails or finds no answer, and the extractive answer has to do.
 *
 * The results are unknown authors' text: to the model they are passages as any other, each statement of the summary is checked
 * against those that it names (`writeCheckedAnswer`), and the whole is kept only when it is text without HTML and images that links
 * nowhere but to the results.
 */
export const summariseResults = async (
  query: string,
  findings: Findings,
  { ai, signal, timeMs }: { ai: AIClient; signal: AbortSignal; timeMs: number },
): Promise<string | undefined> => {
  const calls = startModelCalls({ ai, signal, timeMs });
  try {
    const request = { question: query, history: [], passages: passagesOf(findings) };
    const written = await writeCheckedAnswer(request, { calls, maxTokens: MAX_TOKENS });
    if ('failure' in written) return undefined;
    const urls = findings.results.flatMap(({ url }) => (url === undefined ? [] : [url]));
    const summary = joined(written.statements);
    return isInert(summary, urls) ? summary : undefined;
  } finally {
    calls.end();
  }
};

/** Our own price first, with the comparison; then one passage for each result. */
const passagesOf = (findings: Findings): Passage[] => {
  const { results, product, comparison } = findings;
  const ours = answerExtractively({ ...findings, results: [] });
  const hasOurs = product !== undefined || comparison !== undefined;
  return [
    ...(hasOurs ? [{ title: 'Our own price and the comparison', text: ours }] : []),
    ...results.slice(0, MAX_RESULTS).map(({ title, snippet, url, shop, price, condition }) => ({
      title,
      text: [
        snippet,
        price && `It costs ${writeCents(price.cents)} ${price.currency ?? '(currency unknown)'} at ${shop ?? title}.`,
        condition && `Condition: ${condition}.`,
        url && `Address: ${url}`,
      ]
        .filter(Boolean)
        .join('\n\n'),
    })),
  ].map((passage, at) => ({ ...passage, id: `p${at + 1}`, headings: [] }));
};

/** Sentences in one paragraph; lists and tables stand apart. */
const joined = (statements: readonly { text: string }[]): string =>
  statements
    .map(({ text }) => text)
    .reduce((all, text) => {
      const isApart = all === '' || /\n|^[-*+|>#\d]/.test(text) || all.endsWith(':') || /\n[^\n]*$/.test(all);
      return all === '' ? text : `${all}${isApart ? '\n\n' : ' '}${text}`;
    }, '');

/** Text without HTML and images that names no address but those of the results. */
const isInert = (summary: string, urls: readonly string[]): boolean => {
  if (summary === '' || summary.length > MAX_LENGTH) return false;
  if (/<[a-z/!?]|!\[|\]:|&#|&\w+;|\p{Cf}/iu.test(summary) || /\p{Cc}/u.test(summary.replace(/[\n\t]/g, '')))
    return false;
  const addresses = summary.match(ADDRESS) ?? [];
  if (!addresses.every((address) => urls.includes(cleanUrl(address.replace(CLOSING, '')) ?? ''))) return false;
  // What is left without its addresses must not link or name a host by other means.
  const prose = summary.replace(ADDRESS, (address) => CLOSING.exec(address)?.[0] ?? '');
  if (/\]\((?!\))|\]\[|\b(?:javascript|data|mailto|www)[:.]\S|@[\w-]+\.\w/i.test(prose)) return false;
  const hosts = urls.map((url) => new URL(url).hostname);
  const isFound = (name: string) => hosts.some((host) => host === name || host.endsWith(`.${name}`));
  return (prose.match(HOST) ?? []).every((name) => isFound(name.toLowerCase()));
};

const MAX_LENGTH = 3000;
const ADDRESS = /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s<>"“”]+/gi;
/** What stands behind an address in a sentence or a link, and is not a part of it. */
const CLOSING = /[.,;:!?)\]*_]+$/;
const HOST =
  /\b(?:[a-z0-9-]+\.)+(?:com|org|net|io|dev|app|shop|store|info|biz|co|xyz|de|ch|at|uk|fr|eu|ru|cn|example|test)\b/gi;
