import { escapeMarkdown, markdownLink } from '../format/escape-markdown.ts';
import { type Comparison, perCentOf } from './compare-prices.ts';
import { type Price, writeCents } from './parse-price.ts';
import type { NamedProduct, Product } from './product-catalogue.ts';
import type { WebResult } from './web-search.ts';

/** What there is to answer from. */
export interface Findings {
  results: readonly WebResult[];
  product?: Product | undefined;
  comparison?: Comparison | undefined;
  /** Whether the question is about prices. */
  isAboutPrice: boolean;
}

/** The answer without a model, in Markdown: for prices ours, the cheapest and the difference; else the top results. */
export const answerExtractively = ({ results, product, comparison, isAboutPrice }: Findings): string => {
  const ours = isAboutPrice && product !== undefined ? priceAnswer(product, comparison) : undefined;
  if (ours !== undefined && comparison !== undefined)
    return withList(ours, 'Also compared', comparison.others.slice(0, 3));
  if (results.length > 0) return withList(ours, 'Found on the web', results.slice(0, 5));
  return [ours, 'The web search found nothing for this question.'].filter(Boolean).join('\n\n');
};

/** Which product an answer is about, where the question names several. */
export const onlyOneNote = (product: NamedProduct | undefined): string | undefined => {
  if (product === undefined || product.alsoNamed.length === 0) return undefined;
  const others = product.alsoNamed.slice(0, 5).map(escapeMarkdown).join(', ');
  return `Only ${escapeMarkdown(product.name)} was looked up, the first product of the question; ask separately about ${others}.`;
};

const withList = (text: string | undefined, heading: string, results: readonly WebResult[]): string => {
  const list = results.length === 0 ? undefined : `${heading}:\n\n${results.map(resultLine).join('\n')}`;
  return [text, list].filter(Boolean).join('\n\n');
};

const priceAnswer = (product: Product, comparison: Comparison | undefined): string => {
  const ours = `Our price for ${escapeMarkdown(product.name)} is ${money({ cents: product.priceCents, currency: product.currency })}.`;
  if (comparison === undefined) return `${ours} No offer was found that can be compared with it.`;
  return `${ours} ${cheapestSentence(comparison)} ${countSentence(comparison)}`;
};

const cheapestSentence = ({ cheapest, cheapestCents, internalCents, currency }: Comparison): string => {
  const at = markdownLink(cheapest.title, cheapest.url);
  const difference = cheapestCents - internalCents;
  const share = Math.abs(perCentOf(difference, internalCents)).toFixed(1);
  const against =
    difference === 0
      ? 'the same as ours'
      : `${money({ cents: Math.abs(difference), currency })} (${share} %) ${difference < 0 ? 'less' : 'more'} than ours`;
  return `The cheapest comparable offer found is ${money({ cents: cheapestCents, currency })}: ${at}, ${against}.`;
};

const countSentence = ({ others, notCompared }: Comparison): string => {
  const compared = others.length + 1;
  const offers = `${compared} ${compared === 1 ? 'offer was' : 'offers were'} compared`;
  if (notCompared === 0) return `${offers}.`;
  return `${offers}; ${notCompared} ${notCompared === 1 ? 'was' : 'were'} not, being of another currency, product or condition.`;
};

const resultLine = ({ title, url, price, shop, snippet }: WebResult): string => {
  const name = markdownLink(title, url);
  const notes = [price === undefined ? '' : money(price), escapeMarkdown(shop ?? '')].filter((note) => note !== '');
  const said = snippet === '' ? '' : `: “${escapeMarkdown(snippet)}”`;
  return `- ${name}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}${said}`;
};

const money = ({ cents, currency }: Price): string =>
  `${writeCents(cents)}${currency === undefined ? '' : ` ${currency}`}`;
