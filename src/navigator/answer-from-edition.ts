import { Link } from '../contract/names.ts';
import { PARTIAL_BELOW } from '../contract/navigator-response.ts';
import { type AnswerPassage, type FoundAnswer, findAnswer } from '../grounding/find-answer.ts';
import { questionWithTurn, type TextVectors } from '../grounding/parse-question.ts';
import { excerptsOf, passageMarkdown } from '../grounding/render-passage.ts';
import type { Turn } from '../search/analyse-query.ts';
import { answeringModelOf } from '../search/answering-model.ts';
import type { Edition } from '../search/open-edition.ts';
import { allowedChunks, type SearchOptions, type SearchOutcome, searchEdition } from '../search/search-edition.ts';
import { alternativesOf, withoutFaultyAlternatives } from './alternatives.ts';
import { assembleAnswer, assessConfidence, relatedTopics, strategyOf } from './assemble-answer.ts';
import { compareWithOthers } from './compare-sources.ts';
import { citeSources, composeAnswer, oneLine, type PlacedQuote, statementOf } from './compose-answer.ts';
import { decline } from './decline.ts';
import { knowledgeIn } from './edition-knowledge.ts';
import { type AnswerViolation, type ChosenHits, chooseHits, type NavigatorAnswer } from './navigator-answer.ts';
import { type Screen, unscreened } from './screen.ts';
import { type CitableKnowledge, type Violation, validateNavigatorResponse } from './validate-navigator-response.ts';

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
  /** What the answer is validated against; the edition when absent. */
  knowledge?: CitableKnowledge | undefined;
}

/** Hits whose articles are considered. */
export const HITS = 50;
/** Upper bound of the probability without an answer. */
const UNANSWERED_LIMIT = 0.2;
/**
 * Less probable answers are not shown; the closest articles are linked. The best threshold on the training questions, four answerable ones
 * to one that is not, by cross-validation (docs/answers.md).
 */
export const DECLINED_BELOW = 0.18;

/**
 * Answers a question from one edition without a model: quotes the passages that most probably answer under their headings, cites them, and
 * states its confidence with a reason; or declines and links the closest articles. Passages that break a rule of the contract are left out.
 * Pure and deterministic.
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
  const rules = {
    query: question,
    vouched: answeringModelOf(edition).topics.join(' '),
    knowledge: options.knowledge ?? knowledgeIn(edition),
  };
  const declining = (violations: readonly AnswerViolation[] = []): NavigatorAnswer | undefined => {
    const declined = decline({
      ...{ edition, outcome, found, closest, model },
      question: screen.repeatable(question),
      ...{ isAnswered, isWithheld: violations.length > 0 },
    });
    if (declined === undefined) return undefined;
    const { verdict, closest: linked, ...said } = declined;
    const common = {
      ...{ sources: [], edition: edition.id, searchStrategy: strategyOf(outcome) },
      relatedTopics: relatedTopics(edition, chosen.hits, []),
    };
    const answer: NavigatorAnswer = {
      response: { ...said, ...common },
      verdict,
      probability: Math.min(found.probability, UNANSWERED_LIMIT),
      sources: [],
      closest: [...linked],
    };
    const broken = [...violations, ...rulesOf(violationsOf(answer, rules)).map(abstained)];
    if (broken.length === violations.length) return withViolations(answer, broken);
    return withViolations({ ...answer, response: { ...answer.response, answer: NOTHING_TO_SAY }, closest: [] }, broken);
  };
  const declined = declining();
  if (declined !== undefined) return declined;
  const broken: AnswerViolation[] = [];
  for (let { passages } = found; passages.length > 0; ) {
    const answer = quoteAnswer({ ...found, ...shareOf(found, passages) }, { edition, outcome, chosen });
    const { answer: rest, violations, dropped } = withoutFaultyAlternatives(answer, violationsOf(answer, rules));
    broken.push(...dropped);
    if (violations.length === 0) return withViolations(rest, broken);
    const kept = passages.filter((passage) => !isFaulty(passage, violations));
    passages = kept.length < passages.length ? kept : [];
    broken.push(
      ...violations.map(({ rule }) => (passages.length > 0 ? { rule, outcome: 'dropped' as const } : abstained(rule))),
    );
  }
  // What is withheld is always declined.
  return declining(broken) as NavigatorAnswer;
};

/** Each once. */
const rulesOf = (violations: readonly Violation[]): string[] => [...new Set(violations.map(({ rule }) => rule))];

const abstained = (rule: string): AnswerViolation => ({ rule, outcome: 'abstained' });

const withViolations = (answer: NavigatorAnswer, violations: readonly AnswerViolation[]): NavigatorAnswer =>
  violations.length === 0 ? answer : { ...answer, violations };

/** Said when even the sentence that declines breaks a rule. */
const NOTHING_TO_SAY = "I don't have information about this in my knowledge base.";

const violationsOf = (
  { response, closest }: NavigatorAnswer,
  { knowledge, query, vouched }: { knowledge: CitableKnowledge; query: string; vouched: string },
): Violation[] => validateNavigatorResponse(response, knowledge, { query, vouched, closest });

/** Whether a violation is about words of a passage, or about its article as a whole. */
const isFaulty = ({ source, unit }: AnswerPassage, violations: readonly Violation[]): boolean => {
  const text = oneLine(passageMarkdown(unit), Number.POSITIVE_INFINITY);
  return violations.some(({ file, words }) =>
    words === undefined ? file === source.id : text.includes(oneLine(words, Number.POSITIVE_INFINITY)),
  );
};

/** Some of the passages, with their share of the probability. */
const shareOf = (
  { passages: all, probability }: FoundAnswer,
  passages: AnswerPassage[],
): Pick<FoundAnswer, 'passages' | 'probability'> => {
  const sum = (those: readonly AnswerPassage[]) => those.reduce((total, { share }) => total + share, 0);
  return passages.length === all.length
    ? { passages, probability }
    : { passages, probability: (probability * sum(passages)) / Math.max(Number.EPSILON, sum(all)) };
};

/** An answer of the passages of `found`. */
const quoteAnswer = (
  found: FoundAnswer,
  { edition, outcome, chosen }: { edition: Edition; outcome: SearchOutcome; chosen: ChosenHits },
): NavigatorAnswer => {
  const quotesIn = (passages: readonly AnswerPassage[]) =>
    passages.flatMap((passage) => quotesOf(edition, passage, found));
  const comparisons = compareWithOthers(edition, quotesIn(found.passages), chosen);
  const assessed = assessConfidence({ outcome, found, comparisons });
  const isDoubtful = assessed.probability < PARTIAL_BELOW;
  const isPicked = ({ index }: { index: number }) => found.passages.some(({ source }) => source.index === index);
  const others = closestOf(found.closest.filter(({ source }) => !isPicked(source)));
  const { text, shown } = composeAnswer(found, { isDoubtful, closest: isDoubtful ? others : [] });
  const statements = shown.map((each) => statementOf(each, { question: found.question, quotes: quotesIn([each]) }));
  const quotes = quotesIn(shown);
  const alternatives = alternativesOf({
    ...{ edition: edition.id, probability: assessed.probability, comparisons },
    sources: citeSources(quotes, edition.id),
    readings: { found, quotesIn },
  });
  return {
    ...assembleAnswer({ edition, outcome, chosen, assessed, text, quotes, statements, alternatives }),
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
