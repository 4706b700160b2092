import type { NavigatorResponse } from '../contract/navigator-response.ts';
import { answeringModelOf, relevanceOfHits } from '../knowledge/answers/answering-model.ts';
import { type Decision, decideAnswer } from '../knowledge/answers/decide-answer.ts';
import { quotePassages } from '../knowledge/answers/quote-passages.ts';
import { type ChunkAtHand, chunkAtHand, readingOf } from '../knowledge/edition/chunks-at-hand.ts';
import { oncePer } from '../knowledge/edition/once-per.ts';
import type { Edition } from '../knowledge/edition/open-edition.ts';
import type { Turn } from '../knowledge/search/analyse-query.ts';
import { type SearchOptions, type SearchOutcome, searchEdition } from '../knowledge/search/search-edition.ts';
import { assessConfidence } from './assess-confidence.ts';
import { type ArticleHit, type ChosenHits, chooseHits } from './choose-hits.ts';
import { type Comparison, comparableText, sourceComparer } from './compare-sources.ts';
import { citationOf, citeSources, composeAnswer, oneLine, type PlacedQuote } from './compose-answer.ts';
import { decline } from './decline.ts';
import { HEDGE } from './hedge.ts';
import { type Cue, cueText, questionCues } from './question-cues.ts';
import { relatedTopics } from './related-topics.ts';

export interface AnswerOptions {
  filter?: SearchOptions['filter'];
  /** The turns before the question, oldest first. */
  history?: readonly Turn[] | undefined;
  /** Devices the asker is known to have. */
  devices?: readonly string[] | undefined;
}

/** An answer in the dialect of seed 004, and what a caller needs beyond it. */
export interface NavigatorAnswer {
  response: NavigatorResponse;
  verdict: Decision['verdict'];
  /** That the answer is right, 0 to 1; of a declination, that declining is right. */
  probability: number;
  /** That the best chunk holds the answer, 0 to 1, whether it was given or not; before cues and other sources count. */
  evidence: number;
  /** For each of `response.sources`: how a reader finds the article, and how probably it answers, 0 to 1. */
  sources: { title: string; url: string; relevance: number }[];
}

/** Hits looked at: three are quoted, the others compared and offered as related. */
const HITS = 10;
const QUOTED_HITS = 3;
/** Below this an answer says first that it is no direct one (seed 004, pattern 3). */
const HEDGED_BELOW = 0.3;

/**
 * Answers a question from one edition without a model: quotes the best sentences or blocks word by word, cites them, and
 * says how sure it is and why; or declines. Pure, and the same for the same edition and question.
 */
export const answerFromEdition = (edition: Edition, question: string, options: AnswerOptions = {}): NavigatorAnswer => {
  const model = answeringModelOf(edition);
  const outcome = searchEdition(edition, question, { ...options, limit: HITS });
  const chosen = chooseHits(edition, question, outcome.hits);
  const decision = decideAnswer(outcome, model, { question, named: chosen.named });
  const shared = { edition: edition.id, searchStrategy: strategyOf(outcome) };
  const quotes = decision.verdict === 'answer' ? placeQuotes(edition, { question, outcome, hits: chosen.hits }) : [];
  if (quotes.length === 0) {
    const verdict = decision.verdict === 'answer' ? 'no-information' : decision.verdict;
    const related = relatedTopics(edition, chosen.hits, []);
    const declined = decline({
      question,
      outcome,
      decision: { ...decision, verdict },
      model,
      articleCount: edition.articleCount,
      related,
    });
    const { probability, ...said } = declined;
    return {
      response: { ...said, sources: [], ...shared },
      verdict,
      probability,
      evidence: decision.answer,
      sources: [],
    };
  }
  const comparisons = compareWithOthers(edition, quotes, chosen);
  const cues = cuesOf({ question, quotes, chosen });
  const assessed = assessConfidence({ outcome, decision, quotes, cues, comparisons });
  const response: NavigatorResponse = {
    answer: composeAnswer(quotes, framing({ probability: assessed.probability, quotes, chosen })),
    sources: citeSources(quotes, edition.id),
    confidence: assessed.confidence,
    confidenceReason: assessed.confidenceReason,
    relatedTopics: relatedTopics(edition, chosen.hits, quotes),
    outOfDomain: false,
    confidenceComponents: assessed.components,
    ...shared,
  };
  return {
    response,
    verdict: 'answer',
    probability: assessed.probability,
    evidence: decision.answer,
    sources: readersSources(response, quotes),
  };
};

const placeQuotes = (
  edition: Edition,
  { question, outcome, hits }: { question: string; outcome: SearchOutcome; hits: readonly ArticleHit[] },
): PlacedQuote[] => {
  const quoted = hits.slice(0, QUOTED_HITS).map((hit) => ({ hit, chunk: chunkAtHand(edition, hit.chunk) }));
  const relevances = relevanceOfHits(outcome, answeringModelOf(edition));
  const passages = quoted.map(({ hit, chunk }) => ({
    text: chunk.text,
    title: hit.source.title,
    headingPath: chunk.headingPath,
    score: hit.score,
    reading: readingOf(chunk),
  }));
  return quotePassages({ text: question, query: outcome.query }, passages).flatMap((quote) => {
    const found = quoted[quote.passage];
    if (!found) return [];
    const place = outcome.hits.findIndex(({ chunk }) => chunk === found.hit.chunk);
    const matched = found.hit.matched
      .map((term) => outcome.query.terms[term]?.word ?? '')
      .filter((word) => word !== '');
    return [{ quote, chunk: found.chunk, article: found.hit.source, relevance: relevances[place] ?? 0, matched }];
  });
};

/** Other articles this close to the best are asked whether they say the same. */
const COMPARED_FROM = 0.6;
const COMPARED_HITS = 2;

const compareWithOthers = (
  edition: Edition,
  quotes: readonly PlacedQuote[],
  { hits }: ChosenHits,
): { comparison: Comparison; citation: string }[] => {
  const [first] = quotes;
  const top = hits[0]?.score ?? 0;
  if (!first) return [];
  const further = quotes.slice(1).filter(({ quote }) => quote.continues);
  const compare = sourceComparer(
    comparableOf(first.chunk),
    [first, ...further].map(({ quote }) => quote),
  );
  return hits
    .filter(
      ({ source, score }) =>
        source.id !== first.article.id && score >= COMPARED_FROM * top && !isSiblingOf(source, first),
    )
    .slice(0, COMPARED_HITS)
    .map((hit) => {
      const chunk = chunkAtHand(edition, hit.chunk);
      return { comparison: compare(comparableOf(chunk)), chunk };
    })
    .filter(({ comparison }) => comparison.verdict !== 'silent')
    .map(({ comparison, chunk }) => ({ comparison, citation: citationOf({ chunk, article: chunk.source }) }));
};

const comparableOf = oncePer((chunk: ChunkAtHand) => comparableText(chunk.text, readingOf(chunk).units));

/** About another device only: what differs there is no conflict. */
const isSiblingOf = ({ devices }: ArticleHit['source'], { article }: PlacedQuote): boolean =>
  devices.length > 0 && article.devices.length > 0 && !devices.some((device) => article.devices.includes(device));

const cuesOf = ({
  question,
  quotes,
  chosen,
}: {
  question: string;
  quotes: readonly PlacedQuote[];
  chosen: ChosenHits;
}): Cue[] => {
  const cues = questionCues(
    question,
    quotes.map(({ chunk }) => cueTextOf(chunk)),
  );
  const [best] = quotes;
  if (chosen.isOtherDevice && best) {
    cues.push({
      reason: `the source is about ${best.article.devices.join(', ')}, not about ${chosen.named.join(', ')}`,
      factor: 0.5,
    });
  } else if (chosen.named.length === 0 && best && siblingsOf(best, chosen).length > 0) {
    cues.push({ reason: 'the question names no device, and other devices have articles of their own', factor: 0.85 });
  }
  return cues;
};

const cueTextOf = oncePer(({ source, headingPath, text }: ChunkAtHand) =>
  cueText([source.title, ...headingPath, text, ...source.devices].join('\n')),
);

/** Articles that fit about as well and speak for other devices. */
const siblingsOf = (best: PlacedQuote, { hits }: ChosenHits): ArticleHit[] => {
  const own = hits.find(({ source }) => source.id === best.article.id)?.score ?? 0;
  return hits.filter(({ source, score }) => score >= 0.8 * own && isSiblingOf(source, best));
};

/** What stands around the quotes: that they are no direct answer, or for which devices they hold. */
const framing = ({
  probability,
  quotes,
  chosen,
}: {
  probability: number;
  quotes: readonly PlacedQuote[];
  chosen: ChosenHits;
}): { prefix?: string; namesDevices?: boolean } => {
  const [best] = quotes;
  if (chosen.isOtherDevice) {
    return {
      prefix: `I don't have information about this for ${oneLine(chosen.named.join(' or '))}.`,
      namesDevices: true,
    };
  }
  const namesDevices = best !== undefined && chosen.named.length === 0 && siblingsOf(best, chosen).length > 0;
  if (probability >= HEDGED_BELOW) return { namesDevices };
  return { prefix: HEDGE, namesDevices };
};

const strategyOf = ({ query, hits }: SearchOutcome): NonNullable<NavigatorResponse['searchStrategy']> => ({
  terms: query.terms.map(({ word }) => word).slice(0, 64),
  corrections: query.terms
    .flatMap(({ word, corrections: [read] }) => (read === undefined ? [] : [{ typed: word, read }]))
    .slice(0, 64),
  candidates: hits.length,
});

const readersSources = ({ sources }: NavigatorResponse, quotes: readonly PlacedQuote[]): NavigatorAnswer['sources'] =>
  sources.map(({ file }) => {
    const own = quotes.filter(({ article }) => article.id === file);
    const relevance = Math.max(0, ...own.map((quote) => quote.relevance));
    return { title: own[0]?.article.title || file, url: own[0]?.article.url ?? '', relevance };
  });
