import type { Statement } from '../contract/ask-events.ts';
import type { ConfidenceComponents, NavigatorResponse } from '../contract/navigator-response.ts';
import { levelOf, PARTIAL_BELOW } from '../contract/navigator-response.ts';
import type { FoundAnswer } from '../grounding/find-answer.ts';
import { stemsOf } from '../grounding/sections.ts';
import { escapeText } from '../runtime/escape-html.ts';
import { oncePer } from '../runtime/once-per.ts';
import { type CachedChunk, cachedChunk } from '../search/chunk-cache.ts';
import type { Edition } from '../search/open-edition.ts';
import type { SearchOutcome } from '../search/search-edition.ts';
import type { Comparison } from './compare-sources.ts';
import { citeSources, listOf, oneLine, type PlacedQuote, sectionOf } from './compose-answer.ts';
import type { ArticleHit, ChosenHits, NavigatorAnswer } from './navigator-answer.ts';

export interface AnswerParts {
  edition: Edition;
  /** Markdown, safe to render as HTML. */
  text: string;
  outcome: SearchOutcome;
  chosen: ChosenHits;
  quotes: readonly PlacedQuote[];
  statements: Statement[];
  assessed: Assessment;
}

/** Builds an answer, quoted or written by a model; its sources and related topics come from its quotes. */
export const assembleAnswer = (parts: AnswerParts): Omit<NavigatorAnswer, 'closest'> => {
  const { edition, text, outcome, chosen, quotes, statements, assessed } = parts;
  const response: NavigatorResponse = {
    answer: text,
    sources: citeSources(quotes, edition.id),
    statements,
    confidence: assessed.confidence,
    confidenceReason: assessed.confidenceReason,
    relatedTopics: relatedTopics(edition, chosen.hits, quotes),
    outOfDomain: false,
    confidenceComponents: assessed.components,
    edition: edition.id,
    searchStrategy: strategyOf(outcome),
  };
  return {
    response,
    verdict: 'answer',
    probability: assessed.probability,
    sources: readersSources(response, quotes),
  };
};

export const strategyOf = ({ query, hits }: SearchOutcome): NonNullable<NavigatorResponse['searchStrategy']> => ({
  terms: query.terms.map(({ word }) => word).slice(0, 64),
  corrections: query.terms
    .flatMap(({ word, corrections: [read] }) => (read === undefined ? [] : [{ typed: word, read }]))
    .slice(0, 64),
  candidates: hits.length,
});

/** For each cited source: title, address and relevance. */
const readersSources = ({ sources }: NavigatorResponse, quotes: readonly PlacedQuote[]): NavigatorAnswer['sources'] =>
  sources.map(({ file }) => {
    const own = quotes.filter(({ article }) => article.id === file);
    const relevance = Math.max(0, ...own.map((quote) => quote.relevance));
    return { title: own[0]?.article.title || file, url: own[0]?.article.url ?? '', relevance };
  });

interface ConfidenceEvidence {
  outcome: SearchOutcome;
  found: FoundAnswer;
  /** What other sources state about the passages. */
  comparisons: readonly Comparison[];
}

export interface Assessment extends Pick<NavigatorResponse, 'confidence' | 'confidenceReason'> {
  /** 0 to 1; `confidence` is derived from it. */
  probability: number;
  components: ConfidenceComponents;
}

/** Upper bound when sources contradict each other: `low`, as the contract requires (docs/contract.md#navigator). */
const CONFLICT_LIMIT = 0.55;
/** Share of the remaining doubt that a second, agreeing source removes. */
const AGREEMENT_GAIN = 0.3;
/** Factor for passages about devices that the question does not name. */
const OTHER_DEVICE_FACTOR = 0.5;
/** From this share of the best article's probability on, another article fits almost as well. */
const CLOSE_SECOND = 0.7;

/**
 * The probability that the passages answer, and the reason: how much of the question they cover, whether other sources agree, and what else
 * fits.
 */
export const assessConfidence = ({ outcome, found, comparisons }: ConfidenceEvidence): Assessment => {
  const agreeing = comparisons.find(({ verdict }) => verdict === 'agrees');
  const conflicting = comparisons.find(({ verdict }) => verdict === 'conflicts');
  const isOtherDevice = found.passages.every((passage) => passage.isOtherDevice);
  let probability = found.probability * (isOtherDevice ? OTHER_DEVICE_FACTOR : 1);
  if (conflicting) probability = Math.min(probability, CONFLICT_LIMIT);
  else if (agreeing && probability >= PARTIAL_BELOW) probability = 1 - (1 - probability) * (1 - AGREEMENT_GAIN);
  const coverage = coverageOf(found);
  const confidence = levelOf(probability);
  const [best, second] = found.articles;
  const reasons = [
    coverage.reason,
    ...(best && second && second.share >= CLOSE_SECOND * best.share ? ['Another article fits almost as well'] : []),
    `Of test questions that were judged like this one about ${Math.round(10 * found.probability) * 10} % were answered`,
    ...(isOtherDevice ? ['But the passages are about other devices than the one that the question names'] : []),
    ...(conflicting ? [`But sources conflict (${conflicting.citation}: ${conflicting.difference})`] : []),
    ...(agreeing && !conflicting ? [`${agreeing.citation} says the same`] : []),
  ];
  return {
    confidence,
    confidenceReason: escapeText(
      `${confidence[0]?.toUpperCase()}${confidence.slice(1)} confidence: ${reasons.join('. ')}.`,
      1000,
    ),
    probability,
    components: {
      probability: rounded(probability),
      coverage: rounded(coverage.share),
      margin: rounded(outcome.margin),
      agreement: conflicting ? 0 : agreeing ? 1 : 0.5,
      domain: rounded(found.domain),
    },
  };
};

const coverageOf = ({ question, passages }: FoundAnswer): { share: number; reason: string } => {
  const words = new Set(
    passages.flatMap(({ source, unit }) => [
      ...stemsOf(source.title),
      ...unit.parts.flatMap(({ section, pieces }) => [
        ...stemsOf(section.path.join('\n')),
        ...pieces.flatMap(({ stems }) => stems),
      ]),
    ]),
  );
  const own = question.terms.filter(({ weight }) => weight === 1);
  const missing = own.filter(({ forms }) => ![...forms].some((form) => words.has(form)));
  const total = own.reduce((sum, { idf }) => sum + idf, 0);
  const share = total > 0 ? 1 - missing.reduce((sum, { idf }) => sum + idf, 0) / total : 0;
  if (missing.length === 0) return { share, reason: 'The passages shown hold every informative word of the question' };
  const rarest = missing.toSorted((left, right) => right.idf - left.idf).slice(0, 3);
  const named = listOf(
    rarest.map(({ word }) => `"${oneLine(word, 40)}"`),
    'and',
  );
  const held = `The passages shown hold ${own.length - missing.length} of ${own.length} informative words of the question`;
  return { share, reason: `${held}; ${named} ${missing.length === 1 ? 'is' : 'are'} missing` };
};

const rounded = (value: number): number => Math.round(Math.min(1, Math.max(0, value)) * 1000) / 1000;

const MAX_TOPICS = 5;

/** Headings that many articles share, which are no topics by themselves. */
const COMMON_HEADINGS = new Set(
  'summary symptoms symptom cause causes resolution solution workaround status more information introduction overview references notes note example examples steps see also details background prerequisites requirements'.split(
    ' ',
  ),
);

/** Related topics: headings or titles of matching passages that were not quoted. Without duplicates, and without cited sections. */
export const relatedTopics = (
  edition: Edition,
  hits: readonly ArticleHit[],
  quotes: readonly PlacedQuote[],
): string[] => {
  const topics = new Map<string, string>();
  const taken = new Set(quotes.flatMap(({ chunk }) => subjectOf(chunk).keys));
  for (const hit of hits) {
    const { topic, key: own } = subjectOf(cachedChunk(edition, hit.chunk));
    if (topic !== '' && !taken.has(own) && !topics.has(own)) topics.set(own, topic);
    if (topics.size === MAX_TOPICS) break;
  }
  return [...topics.values()].map((topic) => escapeText(topic, 200));
};

/** The topic of a chunk, and the section that makes it superfluous when quoted. */
const subjectOf = oncePer((chunk: CachedChunk) => {
  const section = sectionOf(chunk, chunk.source);
  const topic = oneLine(isTelling(section) ? section : chunk.source.title, 200);
  return { topic, key: key(topic), keys: [key(section), key(chunk.source.title)] };
});

const isTelling = (heading: string): boolean =>
  !/^\p{L}*\s?\d*$/u.test(heading) &&
  !heading
    .toLowerCase()
    .match(/[a-z]+/g)
    ?.every((word) => COMMON_HEADINGS.has(word));

const key = (topic: string) =>
  topic
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
