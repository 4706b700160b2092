import { Link } from '../contract/names.ts';
import { PARTIAL_BELOW } from '../contract/navigator-response.ts';
import { type AnswerPassage, type FoundAnswer, findAnswer } from '../grounding/find-answer.ts';
import { questionWithTurn, type TextVectors } from '../grounding/parse-question.ts';
import { isInjectionName } from '../grounding/prompt-injection.ts';
import { chunkFrom, excerptsOf, passageMarkdown } from '../grounding/render-passage.ts';
import { hiddenIn, isNamedByInjection, overlaps } from '../grounding/shown-passages.ts';
import type { Unit } from '../grounding/units.ts';
import { type AnswerPhrases, answerPhrases, languageOfAsker } from '../runtime/answer-phrases.ts';
import { oncePer } from '../runtime/once-per.ts';
import type { Turn } from '../search/analyse-query.ts';
import { type AnsweringModel, answeringModelOf } from '../search/answering-model.ts';
import {
  type CachedChunk,
  cachedArticle,
  cachedChunk,
  type Edition,
  type EditionArticle,
} from '../search/open-edition.ts';
import { confidenceFeatures, type SearchOptions, type SearchOutcome, searchEdition } from '../search/search-edition.ts';
import { titleOfPath } from '../text/title-of-path.ts';
import { alternativesOf, compareWithOthers, withoutFaultyAlternatives } from './alternatives.ts';
import { assembleAnswer, assessConfidence, relatedTopics, strategyOf } from './assemble-answer.ts';
import { citeSources, composeAnswer, oneLine, type PlacedQuote, statementOf } from './compose-answer.ts';
import { decline, spokenLanguage } from './decline.ts';
import {
  type AnswerViolation,
  type ChosenHits,
  type ClosestArticle,
  chooseHits,
  type NavigatorAnswer,
} from './navigator-answer.ts';
import {
  type CitableArticle,
  type CitableKnowledge,
  type Violation,
  validateNavigatorResponse,
} from './validate-navigator-response.ts';

export interface AnswerOptions {
  filter?: SearchOptions['filter'];
  /** The previous turns, oldest first; only for a question that refers back. */
  history?: readonly Turn[] | undefined;
  /** Upper bound of the probability, 0 to 1: a follow-up is never surer than the same question asked in full. */
  atMost?: number | undefined;
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
  /** The language of who asks (BCP 47); detected in the question and the previous ones when absent. */
  language?: string | undefined;
  /** What a model says of the question, which is then declined: it is off topic, or no passage answers, and these are related. */
  reading?: 'off_topic' | { related: readonly ClosestArticle[] } | undefined;
  /** What the answer is validated against; the edition when absent. */
  knowledge?: CitableKnowledge | undefined;
}

/** Hits whose articles are considered. */
export const HITS = 50;
/** Upper bound of the probability without an answer. */
const UNANSWERED_LIMIT = 0.2;
/**
 * Less probable answers are not shown; the closest articles are linked. Within one standard error of the best threshold on the training
 * questions, four answerable ones to one that is not, by cross-validation; on knowledge bases that took no part it declines two of three
 * questions without an answer (docs/answers.md).
 */
export const DECLINED_BELOW = 0.22;

/**
 * Answers a question from one edition without a model: quotes the passages that most probably answer under their headings, cites them, and
 * states its confidence with a reason; or declines and links the closest articles. Passages that break a rule of the contract are left out.
 * Pure and deterministic.
 */
export const answerFromEdition = (edition: Edition, question: string, options: AnswerOptions = {}): NavigatorAnswer => {
  const { screen = unscreened, history = [], filter = {}, devices, vectors, atMost = 1 } = options;
  const asker = languageOf(question, options);
  const search = (text: string, turns: readonly Turn[]) =>
    searchEdition(edition, text, { filter, devices, limit: HITS, history: turns, language: asker });
  const outcome = screen.outcome(edition, options.outcome ?? search(question, history));
  const whole = questionWithTurn(question, history);
  const withTurn = whole === question ? [] : [options.outcomeWithTurn ?? search(whole, [])];
  const answered = findAnswer(edition, question, {
    history,
    devices,
    vectors,
    searches: [outcome, ...withTurn.map((each) => screen.outcome(edition, each))],
    filter,
    language: asker,
    isShown: screen.isShown(edition),
  });
  const found = { ...answered, probability: Math.min(answered.probability, atMost) };
  const { reading } = options;
  const closest = typeof reading === 'object' ? reading.related : closestOf(found.closest);
  const chosen = chooseHits(edition, question, outcome.hits);
  const isAnswered = found.probability >= DECLINED_BELOW && found.passages.length > 0 && reading === undefined;
  const model = screen.model(answeringModelOf(edition));
  const language = spokenLanguage(edition, question, asker, found);
  const phrases = answerPhrases(language);
  const rules = {
    phrases,
    query: question,
    vouched: answeringModelOf(edition).topics.join(' '),
    knowledge: options.knowledge ?? knowledgeIn(edition),
  };
  const declining = (violations: readonly AnswerViolation[] = []): NavigatorAnswer | undefined => {
    const declined = decline({
      ...{ edition, outcome, found, closest, model, language },
      ...{ isFollowUp: history.length > 0, isAnswered, isWithheld: violations.length > 0 },
      isOffTopic: reading === 'off_topic',
      isChosen: typeof reading === 'object',
    });
    if (declined === undefined) return undefined;
    const { verdict, closest: linked, ...said } = declined;
    const named = new Set(linked.map(({ file }) => file));
    const common = {
      ...{ sources: [], edition: edition.id, searchStrategy: strategyOf(outcome) },
      // Only of the articles that the answer names: the others have nothing to do with an off-topic question.
      relatedTopics: relatedTopics(
        edition,
        chosen.hits.filter(({ source }) => named.has(source.id)),
        [],
      ),
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
    return withViolations({ ...answer, response: { ...answer.response, answer: phrases.lack }, closest: [] }, broken);
  };
  const declined = declining();
  if (declined !== undefined) return declined;
  const broken: AnswerViolation[] = [];
  for (let { passages } = found; passages.length > 0; ) {
    const answer = quoteAnswer({ ...found, ...shareOf(found, passages) }, { edition, outcome, chosen, phrases });
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

/** The language of who asks: the given one, else that of the question, else that of an earlier question. */
export const languageOf = (
  question: string,
  { language, history = [] }: Pick<AnswerOptions, 'language' | 'history'>,
): string | undefined => {
  const before = history.flatMap(({ speaker, text }) => (speaker === 'user' ? [text] : []));
  return language ?? languageOfAsker({ question, before });
};

const violationsOf = (
  { response, closest }: NavigatorAnswer,
  { knowledge, ...options }: { knowledge: CitableKnowledge; query: string; vouched: string; phrases: AnswerPhrases },
): Violation[] => validateNavigatorResponse(response, knowledge, { ...options, closest });

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
  {
    edition,
    outcome,
    chosen,
    phrases,
  }: { edition: Edition; outcome: SearchOutcome; chosen: ChosenHits; phrases: AnswerPhrases },
): NavigatorAnswer => {
  const quotesIn = (passages: readonly AnswerPassage[]) =>
    passages.flatMap((passage) => quotesOf(edition, passage, found));
  const comparisons = compareWithOthers(edition, quotesIn(found.passages), chosen);
  const assessed = assessConfidence({ outcome, found, comparisons, phrases });
  const isDoubtful = assessed.probability < PARTIAL_BELOW;
  const isPicked = ({ index }: { index: number }) => found.passages.some(({ source }) => source.index === index);
  const others = closestOf(found.closest.filter(({ source }) => !isPicked(source)));
  const { text, shown } = composeAnswer(found, { isDoubtful, closest: isDoubtful ? others : [], phrases });
  const statements = shown.map((each) =>
    statementOf(each, { question: found.question, phrases, quotes: quotesIn([each]) }),
  );
  const quotes = quotesIn(shown);
  const alternatives = alternativesOf({
    ...{ edition: edition.id, probability: assessed.probability, comparisons, phrases },
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
    title: (source.title || titleOfPath(source.id)).slice(0, 500),
    file: source.id.slice(0, 500),
    ...(Link.safeParse(source.url).success ? { url: source.url } : {}),
    ...(heading === undefined ? {} : { heading: heading.slice(0, 500) }),
  }));

/** Articles whose analysis is cached per edition. */
const MAX_ARTICLES = 32;
/** Length of the text that the rules about words read, in UTF-16 units. Quotes may be anywhere in a longer article. */
const MAX_TEXT = 200_000;

/** The articles of an edition, as the rules of a response read them. Texts are decoded when a rule asks for them. */
export const knowledgeIn: (edition: Edition) => CitableKnowledge = oncePer((edition: Edition) => {
  const known = new Map<string, CitableArticle>();
  return {
    edition: edition.id,
    article: (file) => {
      const cached = known.get(file);
      if (cached !== undefined) return cached;
      const index = edition.findArticle(file);
      if (index < 0) return undefined;
      const article = readArticle(edition, cachedArticle(edition, index));
      const [oldest] = known.keys();
      if (known.size >= MAX_ARTICLES && oldest !== undefined) known.delete(oldest);
      known.set(file, article);
      return article;
    },
  };
});

const readArticle = (edition: Edition, source: EditionArticle): CitableArticle => {
  const { id, title, url, firstChunk, endChunk } = source;
  const chunks = function* (): Generator<CachedChunk> {
    for (let index = firstChunk; index < endChunk; index++) yield cachedChunk(edition, index);
  };
  const slice = (start: number, end: number): string => {
    let text = '';
    for (let index = chunkFrom(edition, source, start); index < endChunk; index++) {
      const chunk = cachedChunk(edition, index);
      if (chunk.start >= end) break;
      const from = start + text.length;
      // Headings lie between chunks; the lines in their place are empty.
      text += '\n'.repeat(Math.max(0, Math.min(end, chunk.start) - from));
      text += chunk.text.slice(Math.max(0, start + text.length - chunk.start), Math.max(0, end - chunk.start));
    }
    return text + '\n'.repeat(Math.max(0, end - start - text.length));
  };
  let text: string | undefined;
  let headings: string[] | undefined;
  return {
    ...{ id, title, url, slice },
    get text() {
      text ??= slice(0, Math.min(MAX_TEXT, cachedChunk(edition, endChunk - 1).end));
      return text;
    },
    get headings() {
      headings ??= [...new Set([...chunks()].flatMap(({ headingPath }) => headingPath))];
      return headings;
    },
  };
};

/** Excludes content before a question is answered, with or without a model. */
interface Screen {
  /** Drops hits whose article or heading is excluded, and recomputes the confidence features from the rest. */
  outcome(edition: Edition, outcome: SearchOutcome): SearchOutcome;
  /** Decides which units may be shown; all when undefined. */
  isShown(edition: Edition): ((unit: Unit) => boolean) | undefined;
  /** The topics of the knowledge base that may be named. */
  model(model: AnsweringModel): AnsweringModel;
}

/** Excludes nothing: only people read the quotes. */
const unscreened: Screen = {
  outcome: (_, outcome) => outcome,
  isShown: () => undefined,
  model: (model) => model,
};

/**
 * Excludes prompt injections: articles by their names, sections by their headings, and everything in a chunk from the first injection on,
 * since its payload mostly follows. The quotes that replace a model's answer are filtered in the same way.
 */
export const promptInjectionScreen: Screen = {
  outcome: (edition, outcome) => {
    const hits = outcome.hits.filter(({ chunk }) => !isNamedByInjection(cachedChunk(edition, chunk)));
    return hits.length === outcome.hits.length
      ? outcome
      : { ...outcome, hits, ...confidenceFeatures(outcome.query, hits) };
  },
  isShown: (edition) => (unit) =>
    excerptsOf(edition, unit).every(
      ({ chunk, start, end }) => !isNamedByInjection(chunk) && !overlaps(hiddenIn(chunk), { start, end }),
    ),
  model: (model) => ({ ...model, topics: model.topics.filter((topic) => !isInjectionName(topic)) }),
};
