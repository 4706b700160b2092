import { PARTIAL_BELOW } from '../contract/confidence.ts';
import { type Decision, decideAnswer } from '../grounding/decide-answer.ts';
import { nearChunks } from '../grounding/near-chunks.ts';
import { quotePassages } from '../grounding/quote-passages.ts';
import type { Turn } from '../search/analyse-query.ts';
import { answeringModelOf, relevanceOfHits } from '../search/answering-model.ts';
import { chunkAtHand } from '../search/chunks-at-hand.ts';
import type { Edition } from '../search/open-edition.ts';
import { type SearchOptions, type SearchOutcome, searchEdition } from '../search/search-edition.ts';
import { assembleAnswer, type NavigatorAnswer, strategyOf } from './assemble-answer.ts';
import { assessConfidence } from './assess-confidence.ts';
import { type ArticleHit, chooseHits } from './choose-hits.ts';
import { composeAnswer, type PlacedQuote } from './compose-answer.ts';
import { decline } from './decline.ts';
import { relatedTopics } from './related-topics.ts';
import { type Screen, unscreened } from './screen.ts';
import { compareWithOthers, cuesOf, framing } from './weigh-evidence.ts';

export interface AnswerOptions {
  filter?: SearchOptions['filter'];
  /** The turns before the question, oldest first. */
  history?: readonly Turn[] | undefined;
  /** Devices the asker is known to have. */
  devices?: readonly string[] | undefined;
  /** What a search for exactly this found, where it was done elsewhere. */
  outcome?: SearchOutcome | undefined;
  /** What is left out of the answer; nothing when absent. */
  screen?: Screen | undefined;
  /**
   * What a model said that read the passages and found no answer: `doubts` leaves the answer low confidence, `declines` none
   * at all.
   */
  reading?: 'doubts' | 'declines' | undefined;
}

/** Hits looked at: three are quoted, the others compared and offered as related. */
export const HITS = 10;
const QUOTED_HITS = 3;
/** The most that is left of an answer which a model could not find in the passages: low. */
const DOUBTED = PARTIAL_BELOW - 0.01;

/**
 * Answers a question from one edition without a model: quotes the best sentences or blocks word by word, cites them, and
 * says how sure it is and why; or declines. Pure, and the same for the same edition and question.
 */
export const answerFromEdition = (edition: Edition, question: string, options: AnswerOptions = {}): NavigatorAnswer => {
  const model = answeringModelOf(edition);
  const { screen = unscreened } = options;
  const outcome = screen.outcome(
    edition,
    options.outcome ?? searchEdition(edition, question, { ...options, limit: HITS }),
  );
  const chosen = chooseHits(edition, question, outcome.hits);
  const first = decideAnswer(outcome, model, { question, named: chosen.named });
  const quotes =
    first.verdict === 'answer' && options.reading !== 'declines'
      ? placeQuotes(edition, { question, outcome, hits: answeringHits(outcome, chosen.hits, first), screen })
      : [];
  const quoted = quotes.map(({ chunk }) => chunk.index);
  const decision =
    quotes.length === 0 ? first : decideAnswer(outcome, model, { question, named: chosen.named, quoted });
  if (quotes.length === 0 || decision.verdict !== 'answer') {
    const verdict = decision.verdict === 'answer' ? 'no-information' : decision.verdict;
    const related = relatedTopics(edition, chosen.hits, []);
    const declined = decline({
      question: screen.told(question),
      outcome,
      decision: { ...decision, verdict },
      model: screen.model(model),
      articleCount: edition.articleCount,
      related,
    });
    const { probability, ...said } = declined;
    return {
      response: { ...said, sources: [], edition: edition.id, searchStrategy: strategyOf(outcome) },
      verdict,
      probability,
      evidence: decision.answer,
      sources: [],
    };
  }
  const comparisons = compareWithOthers(edition, quotes, chosen);
  const cues = cuesOf({ question, quotes, chosen });
  const ceiling = options.reading === 'doubts' ? DOUBTED : 1;
  const assessed = assessConfidence({ outcome, decision, quotes, cues, comparisons, ceiling });
  const text = composeAnswer(quotes, framing({ probability: assessed.probability, quotes, chosen }));
  return assembleAnswer({ edition, text, outcome, chosen, quotes, decision, assessed });
};

/** Where meaning carries the decision, what means the same is quoted, and not what shares a word. */
const answeringHits = (
  outcome: SearchOutcome,
  hits: readonly ArticleHit[],
  { isByMeaning = false }: Decision,
): readonly ArticleHit[] => {
  if (!isByMeaning) return hits;
  const near = nearChunks(outcome);
  const meant = hits.filter(({ chunk }) => near.has(chunk));
  return meant.length > 0 ? meant : hits;
};

const placeQuotes = (
  edition: Edition,
  {
    question,
    outcome,
    hits,
    screen,
  }: { question: string; outcome: SearchOutcome; hits: readonly ArticleHit[]; screen: Screen },
): PlacedQuote[] => {
  const quoted = hits.slice(0, QUOTED_HITS).map((hit) => ({ hit, chunk: chunkAtHand(edition, hit.chunk) }));
  const relevances = relevanceOfHits(outcome, answeringModelOf(edition));
  const near = nearChunks(outcome);
  const passages = quoted.map(({ hit, chunk }) => ({
    text: chunk.text,
    title: hit.source.title,
    headingPath: chunk.headingPath,
    score: hit.score,
    reading: screen.reading(chunk),
    isNear: near.has(hit.chunk),
  }));
  return quotePassages({ text: question, query: outcome.query }, passages).flatMap((quote) => {
    const found = quoted[quote.passage];
    if (!found) return [];
    return [placeQuote(quote, { hit: found.hit, chunk: found.chunk, outcome, relevances })];
  });
};

/** A quote with all that is told about it. */
export const placeQuote = (
  quote: PlacedQuote['quote'],
  {
    hit,
    chunk,
    outcome,
    relevances,
  }: { hit: ArticleHit; chunk: PlacedQuote['chunk']; outcome: SearchOutcome; relevances: readonly number[] },
): PlacedQuote => {
  const place = outcome.hits.findIndex(({ chunk: index }) => index === hit.chunk);
  const matched = hit.matched.map((term) => outcome.query.terms[term]?.word ?? '').filter((word) => word !== '');
  return { quote, chunk, article: hit.source, relevance: relevances[place] ?? 0, matched };
};
