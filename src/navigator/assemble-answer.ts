import type { NavigatorResponse } from '../contract/navigator-response.ts';
import type { Edition } from '../search/open-edition.ts';
import type { SearchOutcome } from '../search/search-edition.ts';
import type { Assessment } from './assess-confidence.ts';
import type { ChosenHits } from './choose-hits.ts';
import { citeSources, type PlacedQuote } from './compose-answer.ts';
import type { NavigatorAnswer } from './navigator-answer.ts';
import { relatedTopics } from './related-topics.ts';

export interface AnswerParts {
  edition: Edition;
  /** The answer in words, safe to show as HTML. */
  text: string;
  outcome: SearchOutcome;
  chosen: ChosenHits;
  quotes: readonly PlacedQuote[];
  assessed: Assessment;
}

/** An answer that is given, whoever worded it: its sources and related topics are told from what it quotes. */
export const assembleAnswer = (parts: AnswerParts): Omit<NavigatorAnswer, 'closest'> => {
  const { edition, text, outcome, chosen, quotes, assessed } = parts;
  const response: NavigatorResponse = {
    answer: text,
    sources: citeSources(quotes, edition.id),
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

/** For each of the cited sources: how a reader finds it, and how probably it answers. */
const readersSources = ({ sources }: NavigatorResponse, quotes: readonly PlacedQuote[]): NavigatorAnswer['sources'] =>
  sources.map(({ file }) => {
    const own = quotes.filter(({ article }) => article.id === file);
    const relevance = Math.max(0, ...own.map((quote) => quote.relevance));
    return { title: own[0]?.article.title || file, url: own[0]?.article.url ?? '', relevance };
  });
