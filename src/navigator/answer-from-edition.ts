import { Link } from '../contract/names.ts';
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
import { composeAnswer, type PlacedQuote, statementOf } from './compose-answer.ts';
import { decline } from './decline.ts';
import type { NavigatorAnswer } from './navigator-answer.ts';
import { chooseHits } from './navigator-answer.ts';
import { type Screen, unscreened } from './screen.ts';

export interface AnswerOptions {
  filter?: SearchOptions['filter'];
  /** The previous turns, oldest first. */
  history?: readonly Turn[] | undefined;
  /** Devices that the user is known to have. */
  devices?: readonly string[] | undefined;
  /** Result of a search for this exact question, if already done; best with `HITS` hits. */
  outcome?: SearchOutcome | undefined;
  /** The same for the question together with the previous turn (`questionWithTurn`). */
  outcomeWithTurn?: SearchOutcome | undefined;
  /** Word vectors; words are compared by form alone when absent. */
  vectors?: TextVectors | undefined;
  /** Excludes parts of the answer; nothing when absent. */
  screen?: Screen | undefined;
  /** A model found no answer in the passages: nothing is quoted. */
  reading?: 'declines' | undefined;
}

/** Hits whose articles are considered. */
export const HITS = 50;
/** Upper bound of the probability without an answer. */
const UNANSWERED_LIMIT = 0.2;
/** Less probable answers are not shown; the closest articles are linked. Chosen by cross-validation (docs/answers.md). */
const DECLINED_BELOW = 0.18;

/**
 * Answers a question from one edition without a model: quotes the passages that most probably answer under their headings, cites them, and
 * states its confidence with a reason; or declines and links the closest articles. Pure and deterministic.
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
  const declined = decline({
    edition,
    question: screen.repeatable(question),
    outcome,
    found,
    closest,
    model,
    isAnswered,
  });
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
      // An out-of-domain question has no close article.
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
  const statements = shown.map((each) => statementOf(each, { question: found.question, quotes: quotesIn([each]) }));
  return {
    ...assembleAnswer({ edition, outcome, chosen, assessed, text, quotes: quotesIn(shown), statements }),
    closest: others,
  };
};

/** The exact words that are shown, by chunk. */
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

/** Maximum number of articles linked after an answer or a declination. */
const NAMED = 3;

const closestOf = (closest: FoundAnswer['closest']): NavigatorAnswer['closest'] =>
  closest.slice(0, NAMED).map(({ source, heading }) => ({
    title: (source.title || source.id).slice(0, 500),
    file: source.id.slice(0, 500),
    ...(Link.safeParse(source.url).success ? { url: source.url } : {}),
    ...(heading === undefined ? {} : { heading: heading.slice(0, 500) }),
  }));
