import { isDeniedBy, prepareGrounds } from '../../grounding/literals/check-grounding.ts';
import { prepareSource } from '../../grounding/support/prepare-source.ts';
import { checkSupport, SUPPORTED_FROM } from '../../grounding/support-check.ts';
import { answerExtractively, type Findings } from './answer-extractively.ts';
import { writeCents } from './parse-price.ts';

/** Results that a summary may rest on. */
const MAX_RESULTS = 10;
/** Characters of a summary without its addresses; of each source a little more than a search engine sends. */
const MAX_SOURCE = 4000;

/**
 * Whether the findings say every sentence of a summary, addresses left out, which are checked elsewhere. What the question names
 * counts as said, since results leave it out; what one result says of its own product does not hold for another's.
 */
export const isBorneByFindings = (summary: string, query: string, findings: Findings): boolean => {
  const { results, product, comparison } = findings;
  const ours = { text: withoutAddresses(answerExtractively({ ...findings, results: [] })), title: query };
  const found = results.slice(0, MAX_RESULTS).map(({ title, snippet, shop, price, condition }) => {
    const offer = price && `It costs ${writeCents(price.cents)} ${price.currency ?? ''} at ${shop ?? title}.`;
    return { text: [title, snippet, condition, offer].filter(Boolean).join('.\n\n'), title: `${query}\n${title}` };
  });
  const priced = product !== undefined || comparison !== undefined ? [ours] : [];
  const texts = [...priced, ...found].map(({ text, title }) => ({
    text: text.slice(0, MAX_SOURCE),
    title: title.slice(0, MAX_SOURCE),
  }));
  const said = withoutAddresses(summary);
  const { sentences } = checkSupport(said, texts.map(prepareSource));
  if (!sentences.every(({ probability }) => probability >= SUPPORTED_FROM)) return false;
  const grounds = prepareGrounds(texts.map(({ text, title }) => ({ text, headings: title.split('\n') })));
  // Strangers tell the same thing in several places: what counts is that none that fits best denies it.
  return !isDeniedBy(said, grounds);
};

/** Links as their texts; bare addresses and hosts gone. */
const withoutAddresses = (text: string): string =>
  text
    .replace(/\[([^\]\n]{0,300})\]\([^)\s]{0,2000}\)/g, '$1')
    .replace(/\b(?:[a-z][a-z0-9+.-]{1,20}:\/\/|www\.)\S{1,2000}/gi, '')
    .replace(/\b(?:[a-z0-9-]{1,63}\.){1,5}[a-z]{2,18}\b/g, '');
