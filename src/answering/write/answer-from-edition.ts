import { PARTIAL_BELOW } from '../../contract/core/confidence-level.ts';
import { escapeText } from '../../documents/markdown/escape-html.ts';
import {
  cachedChunk,
  type Edition,
  type EditionArticle,
} from '../../knowledge/edition/open-edition.ts';
import type { Turn } from '../../knowledge/search/analyse-query.ts';
import {
  confidenceFeatures,
  type SearchOutcome,
  searchEdition,
} from '../../knowledge/search/search-edition.ts';
import { completedQuestion } from '../../language/complete-question.ts';
import { lastOf } from '../../language/refers-back.ts';
import {
  type AnswerPassage,
  CLOSE_SECOND,
  DECLINED_BELOW,
  type FindOptions,
  type FoundAnswer,
  findAnswer,
} from '../passages/find-answer.ts';
import { excerptsOf } from '../passages/render-passage.ts';
import { hiddenIn, isNamedByInjection, overlaps } from '../passages/shown-passages.ts';
import type { Unit } from '../passages/units.ts';
import type { TextVectors } from '../understand/parse-question.ts';
import { conflictsWith, otherReadings } from './alternatives.ts';
import { type AnswerPhrases, answerPhrases, filled, languageOfAsker } from './answer-phrases.ts';
import { closestOf, oneLine, rounded } from './cite-sources.ts';
import { compareWithOthers } from './compare-sources.ts';
import { composeAnswer } from './compose-answer.ts';
import { assess, factorIf, type Rating } from './confidence.ts';
import { decline, spokenLanguage } from './decline.ts';
import {
  type ChosenHits,
  type ClosestArticle,
  chooseHits,
  type NavigatorAnswer,
} from './navigator-answer.ts';
import { passageText, showPassages } from './show-passages.ts';

export interface AnswerOptions {
  /** The previous turns, oldest first; only for a question that refers back. */
  history?: readonly Turn[] | undefined;
  /** Devices that the user is known to have. */
  devices?: readonly string[] | undefined;
  /** Result of a search for this exact question, as `inFull` writes it, if already done; best with `HITS` hits. */
  outcome?: SearchOutcome | undefined;
  /** Word vectors; words are compared by form alone when absent. */
  vectors?: TextVectors | undefined;
  /** Excludes prompt injections, as from the passages that a model reads; false when absent: only people read the quotes. */
  isScreened?: boolean | undefined;
  /** The language of who asks (BCP 47); detected in the question and the previous ones when absent. */
  language?: string | undefined;
  /** What a model says of the question, which is then declined: it is off topic, or no passage answers, and these are related. */
  reading?: 'off_topic' | { related: readonly ClosestArticle[] } | undefined;
  /** The questions that this one asks at once, each with its own search; none for a single question. */
  parts?: FindOptions['parts'];
}

/** Hits whose articles are considered. */
export const HITS = 50;
/**
 * Share of the probability that is left to a follow-up: what it stands for is a guess. Of 65 follow-ups whose question in full is written
 * beside them (test/conversation/follow-ups.json) none is surer with it.
 */
export const FOLLOW_UP_SHARE = 0.7;

/**
 * A follow-up as a question that stands alone, and the earlier questions as long as it lacks words of theirs. The answers are dropped:
 * with them, ten fewer of 65 follow-ups began with the passage of their question in full. 59 do now.
 */
export function inFull(
  question: string,
  history: readonly Turn[],
): { question: string; history: Turn[] } {
  const completed = completedQuestion(question, lastOf(history));
  const isComplete = completed !== question;
  return {
    question: completed,
    history: isComplete ? [] : history.filter(({ speaker }) => speaker === 'user'),
  };
}

/**
 * Answers a question from one edition without a model: quotes the passages that most probably answer under their headings, cites them, and
 * states its confidence with a reason; or declines and links the closest articles. Pure and deterministic.
 *
 * The contract's rules that ask whether what it states stands in the articles are not applied here: it is cut out of them, and a test
 * applies them to the answers to all questions of several knowledge bases. The navigator applies all others (`answerQuestion`).
 */
export function answerFromEdition(
  edition: Edition,
  question: string,
  options: AnswerOptions = {},
): NavigatorAnswer {
  const {
    history: turns = [],
    devices,
    vectors,
    isScreened = false,
    reading,
    parts = [],
  } = options;
  const asker = languageOf(question, options);
  const standalone = inFull(question, turns);
  const search = { devices, limit: HITS, history: standalone.history, language: asker };
  const results = options.outcome ?? searchEdition(edition, standalone.question, search);
  const outcome = isScreened ? withoutInjections(edition, results) : results;
  const ranked = findAnswer(edition, standalone.question, {
    history: standalone.history,
    devices,
    vectors,
    searches: [outcome],
    parts: parts.map((part) => ({
      ...part,
      searches: isScreened
        ? part.searches.map((search) => withoutInjections(edition, search))
        : part.searches,
    })),
    isShown: isScreened ? isFreeOfInjections(edition) : undefined,
  });
  const share = turns.length > 0 ? FOLLOW_UP_SHARE : 1;
  const result = { ...ranked, probability: share * ranked.probability };
  const chosen = chooseHits(edition, standalone.question, outcome.hits);
  const language = spokenLanguage(edition, standalone.question, asker, result);
  const phrases = answerPhrases(language);
  const input = {
    edition,
    outcome,
    result,
    language,
    hits: chosen.hits,
    closest: typeof reading === 'object' ? reading.related : closestIn(result),
    isFollowUp: turns.length > 0,
    isAnswered:
      (result.probability >= DECLINED_BELOW || result.open.length < parts.length) &&
      result.passages.length > 0 &&
      reading === undefined,
    isOffTopic: reading === 'off_topic',
    isChosen: typeof reading === 'object',
  };
  return decline(input) ?? quoteAnswer(result, { edition, outcome, chosen, phrases });
}

/** The language of who asks: the given one, else that of the question, else that of an earlier question. */
export function languageOf(
  question: string,
  { language, history = [] }: Pick<AnswerOptions, 'language' | 'history'>,
): string | undefined {
  const before = history.flatMap(({ speaker, text }) => (speaker === 'user' ? [text] : []));
  return language ?? languageOfAsker({ question, before });
}

interface Quoting {
  edition: Edition;
  outcome: SearchOutcome;
  chosen: ChosenHits;
  phrases: AnswerPhrases;
}

/** An answer of the passages of `result`. */
const quoteAnswer = (
  result: FoundAnswer,
  { edition, outcome, chosen, phrases }: Quoting,
): NavigatorAnswer => {
  const { question, passages } = result;
  const places = passages.flatMap(({ unit }) => excerptsOf(edition, unit));
  const comparisons = compareWithOthers(edition, places, chosen);
  const assessment = assess(ratingOf(result, { outcome, phrases }), {
    comparisons,
    isOtherDevice: passages.every(({ isOtherDevice }) => isOtherDevice),
    phrases,
  });
  const isDoubtful = assessment.probability < PARTIAL_BELOW;
  const isShown = ({ index }: EditionArticle) =>
    passages.some(({ source }) => source.index === index);
  const closest = closestIn({ closest: result.closest.filter(({ source }) => !isShown(source)) });
  const { text, frame, shown } = showPassages(result, {
    isDoubtful,
    closest: isDoubtful ? closest : [],
    open: result.open,
    phrases,
  });
  const statements = shown.map((passage) => ({
    text: passageText(passage, { question, phrases }),
    places: excerptsOf(edition, passage.unit),
    support: 1,
    relevance: result.probability * passage.share,
    reason: reasonFor(passage, question),
  }));
  const other = { comparisons, edition, probability: assessment.probability, phrases };
  return composeAnswer({
    edition,
    outcome,
    chosen,
    statements,
    removed: 0,
    assessment,
    alternatives: [...conflictsWith(places, other), ...otherReadings(result, other)],
    closest,
    text,
    frame,
  });
};

const WORDS_NAMED = 6;

/** Why a passage is cited: the words of the question that it holds. */
const reasonFor = ({ unit }: AnswerPassage, { terms }: FoundAnswer['question']): string => {
  const stems = new Set(unit.parts.flatMap(({ pieces }) => pieces.flatMap((piece) => piece.stems)));
  const words = terms
    .filter(({ weight, forms }) => weight === 1 && [...forms].some((form) => stems.has(form)))
    .slice(0, WORDS_NAMED)
    .map(({ word }) => `"${escapeText(word, 100)}"`);
  const last = words.pop();
  const list = words.length > 0 ? `${words.join(', ')} and ${last}` : last;
  return list === undefined
    ? 'Holds the passage shown'
    : `Holds the passage shown, which speaks of ${list}`;
};

/** How much of the question the passages cover, and what else fits. */
const ratingOf = (
  result: FoundAnswer,
  { outcome, phrases }: { outcome: SearchOutcome; phrases: AnswerPhrases },
): Rating => {
  const coverage = coverageOf(result, phrases);
  const [best, second] = result.articles;
  const isClose =
    best !== undefined && second !== undefined && second.share >= CLOSE_SECOND * best.share;
  const percent = String(Math.round(10 * result.probability) * 10);
  return {
    probability: result.probability,
    factors: [
      {
        name: 'coverage',
        effect: coverage.share < 1 ? 'lowers' : 'raises',
        explanation: coverage.reason,
      },
      ...factorIf(result.open.length > 0, {
        name: 'parts',
        effect: 'lowers',
        explanation: phrases.partOpen.replace(/[.。]$/u, ''),
      }),
      ...factorIf(isClose, {
        name: 'close_second',
        effect: 'lowers',
        explanation: phrases.closeSecond,
      }),
      {
        name: 'calibration',
        effect: 'sets',
        explanation: filled(phrases.calibration, { percent }),
      },
    ],
    components: {
      coverage: rounded(coverage.share),
      margin: rounded(outcome.margin),
      domain: rounded(result.domain),
    },
  };
};

const coverageOf = (
  { held }: FoundAnswer,
  phrases: AnswerPhrases,
): { share: number; reason: string } => {
  const own = held.filter(({ weight }) => weight === 1);
  const missing = own.filter(({ closeness }) => closeness < 1);
  const sum = (terms: typeof own) => terms.reduce((total, { idf }) => total + idf, 0);
  const share = sum(own) > 0 ? 1 - sum(missing) / sum(own) : 0;
  if (missing.length === 0) return { share, reason: phrases.heldAll };
  const rarest = missing.toSorted((left, right) => right.idf - left.idf).slice(0, 3);
  const reason = filled(phrases.heldSome, {
    held: String(own.length - missing.length),
    total: String(own.length),
    words: rarest.map(({ word }) => `"${oneLine(word, 40)}"`).join(', '),
  });
  return { share, reason };
};

/** Maximum number of articles linked after an answer or a declination. */
const NAMED = 3;

const closestIn = ({ closest }: Pick<FoundAnswer, 'closest'>): ClosestArticle[] =>
  closest.slice(0, NAMED).map(({ source, heading }) => closestOf(source, heading));

/** Without articles and sections that are prompt injections by their names; the confidence features are those of the rest. */
export function withoutInjections(edition: Edition, outcome: SearchOutcome): SearchOutcome {
  const hits = outcome.hits.filter(({ chunk }) => !isNamedByInjection(cachedChunk(edition, chunk)));
  return hits.length === outcome.hits.length
    ? outcome
    : { ...outcome, hits, ...confidenceFeatures(outcome.query, hits) };
}

/** Hides everything in a chunk from the first injection on, since its payload mostly follows. */
const isFreeOfInjections =
  (edition: Edition) =>
  (unit: Unit): boolean =>
    excerptsOf(edition, unit).every(
      ({ chunk, start, end }) =>
        !isNamedByInjection(chunk) && !overlaps(hiddenIn(chunk), { start, end }),
    );
