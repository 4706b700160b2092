import { PARTIAL_BELOW } from '../contract/navigator-response.ts';
import { type AnswerPassage, type FoundAnswer, findAnswer } from '../grounding/find-answer.ts';
import { questionWithTurn, type TextVectors } from '../grounding/parse-question.ts';
import { excerptsOf } from '../grounding/render-passage.ts';
import type { Turn } from '../search/analyse-query.ts';
import { answeringModelOf } from '../search/answering-model.ts';
import type { Edition } from '../search/open-edition.ts';
import { allowedChunks, type SearchOptions, type SearchOutcome, searchEdition } from '../search/search-edition.ts';
import { assembleAnswer, assessConfidence, relatedTopics, strategyOf } from './assemble-answer.ts';
import { compareWithOthers } from './compare-sources.ts';
import { composeAnswer, type PlacedQuote } from './compose-answer.ts';
import { decline } from './decline.ts';
import type { NavigatorAnswer } from './navigator-answer.ts';
import { chooseHits } from './navigator-answer.ts';
import { type Screen, unscreened } from './screen.ts';

export interface AnswerOptions {
  filter?: SearchOptions['filter'];
  /** The turns before the question, oldest first. */
  history?: readonly Turn[] | undefined;
  /** Devices the asker is known to have. */
  devices?: readonly string[] | undefined;
  /** What a search for exactly this found, where it was done elsewhere; best with `HITS` hits. */
  outcome?: SearchOutcome | undefined;
  /** The same for the question together with the turn before it (`questionWithTurn`). */
  outcomeWithTurn?: SearchOutcome | undefined;
  /** Compares words by their meaning; words alone count when absent. */
  vectors?: TextVectors | undefined;
  /** What is left out of the answer; nothing when absent. */
  screen?: Screen | undefined;
  /** A model that read the passages found no answer in them: nothing is quoted. */
  reading?: 'declines' | undefined;
}

/** Hits whose articles are looked at. */
export const HITS = 50;
/** Without an answer the probability that it answers is low, whatever could have been shown. */
const UNANSWERED_LIMIT = 0.2;
/** Less probable answers are not shown; the closest articles are. Chosen by cross-validation (docs/answers.md). */
const DECLINED_BELOW = 0.18;

/**
 * Answers a question from one edition without a model: shows the passages that most probably answer, word by word and each under its
 * heading, cites them, and says how sure it is and why; or declines and names the closest articles. Pure, and the same for the same
 * edition and question.
 */
export const answerFromEdition = (edition: Edition, question: string, options: AnswerOptions = {}): NavigatorAnswer => {
  const { screen = unscreened, history = [], filter = {}, devices, vectors } = options;
  const search = (text: string, turns: readonly Turn[]) =>
    searchEdition(edition, text, { filter, devices, limit: HITS, history: turns });
  const outcome = screen.outcome(edition, options.outcome ?? search(question, history));
  const whole = questionWithTurn(question, history);
  const withTurn = whole === question ? [] : [options.outcomeWithTurn ?? search(whole, [])];
  const found = findAnswer(edition, question, {
    ...{ history, devices, vectors },
    searches: [outcome, ...withTurn.map((each) => screen.outcome(edition, each))],
    isAllowed: allowedChunks(edition, filter),
    isShown: screen.isShown(edition),
  });
  const closest = closestOf(found.closest);
  const chosen = chooseHits(edition, question, outcome.hits);
  const isAnswered = found.probability >= DECLINED_BELOW && found.passages.length > 0 && options.reading !== 'declines';
  const model = screen.model(answeringModelOf(edition));
  const declined = decline({ edition, question: screen.told(question), outcome, found, closest, model, isAnswered });
  if (declined !== undefined) {
    const { verdict, ...said } = declined;
    return {
      response: {
        ...said,
        sources: [],
        relatedTopics: relatedTopics(edition, chosen.hits, []),
        edition: edition.id,
        searchStrategy: strategyOf(outcome),
      },
      verdict,
      probability: Math.min(found.probability, UNANSWERED_LIMIT),
      sources: [],
      // What is about something else has no close article.
      closest: verdict === 'out-of-domain' ? [] : closest,
    };
  }
  const quotesIn = (passages: readonly AnswerPassage[]) =>
    passages.flatMap((passage) => quotesOf(edition, passage, found));
  const comparisons = compareWithOthers(edition, quotesIn(found.passages), chosen);
  const assessed = assessConfidence({ outcome, found, comparisons });
  const isDoubtful = assessed.probability < PARTIAL_BELOW;
  const isPicked = ({ index }: { index: number }) => found.passages.some(({ source }) => source.index === index);
  const others = closestOf(found.closest.filter(({ source }) => !isPicked(source)));
  const { text, shown } = composeAnswer(found, { isDoubtful, closest: isDoubtful ? others : [] });
  return { ...assembleAnswer({ edition, outcome, chosen, assessed, text, quotes: quotesIn(shown) }), closest: others };
};

/** Exactly the words that are shown, by chunk. */
const quotesOf = (
  edition: Edition,
  { source, unit, share }: AnswerPassage,
  { question, probability }: FoundAnswer,
): PlacedQuote[] =>
  excerptsOf(edition, unit).map(({ chunk, start, end }) => ({
    ...{ chunk, start, end, article: source },
    text: chunk.text.slice(start, end),
    relevance: probability * share,
    matched: question.terms
      .filter(
        ({ weight, forms }) =>
          weight === 1 &&
          unit.parts.some(({ pieces }) => pieces.some(({ stems }) => stems.some((stem) => forms.has(stem)))),
      )
      .map(({ word }) => word),
  }));

/** Articles that are named beside an answer, or in its place. */
const NAMED = 3;

const closestOf = (closest: FoundAnswer['closest']): NavigatorAnswer['closest'] =>
  closest.slice(0, NAMED).map(({ source, heading }) => ({
    title: (source.title || source.id).slice(0, 500),
    file: source.id.slice(0, 500),
    ...(source.url === '' ? {} : { url: source.url.slice(0, 2000) }),
    ...(heading === undefined ? {} : { heading: heading.slice(0, 500) }),
  }));
