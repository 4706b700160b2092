import { WORD_VECTORS_MODEL, type WordVectors } from '../../ai/embeddings/word-vectors.ts';
import type { RemovedStatement } from '../../answering/check/decide-statements.ts';
import type { CallUsage } from '../../answering/model/model-calls.ts';
import {
  type AnswerOptions,
  answerFromEdition,
  HITS,
  inFull,
  languageOf,
} from '../../answering/write/answer-from-edition.ts';
import {
  answerWithModel,
  type ModelAccount,
  type ModelAnswerOptions,
} from '../../answering/write/answer-with-model.ts';
import { oneLine } from '../../answering/write/cite-sources.ts';
import { spokenLanguage } from '../../answering/write/decline.ts';
import { explainAnswer } from '../../answering/write/explain-answer.ts';
import type { AnswerViolation, NavigatorAnswer } from '../../answering/write/navigator-answer.ts';
import { validAnswer } from '../../answering/write/valid-answer.ts';
import type { AIClient } from '../../contract/core/librarian.ts';
import { escapeText } from '../../documents/markdown/escape-html.ts';
import { readPages } from '../../knowledge/edition/chunk-texts.ts';
import type { SearchToDo } from '../../knowledge/edition/current-edition.ts';
import { vectorsOf } from '../../knowledge/edition/edition-vectors.ts';
import type { Edition } from '../../knowledge/edition/open-edition.ts';
import type { Turn } from '../../knowledge/search/analyse-query.ts';
import { devicesOwned } from '../../knowledge/search/devices-named-in.ts';
import type { Retriever } from '../../knowledge/search/retrieve.ts';
import { type SearchOptions, searchEdition } from '../../knowledge/search/search-edition.ts';
import { turnsFor } from '../../language/refers-back.ts';
import { questionPartsIn } from '../../language/split-questions.ts';
import type { WaitUntil } from '../../platform/concurrency.ts';
import { lruCache } from '../../platform/lru-cache.ts';
import { oncePer } from '../../platform/once-per.ts';
import { type OtherLibrarians, withWhomToAsk } from './whom-to-ask.ts';

type Retrieved = Awaited<ReturnType<Retriever>>;

export interface QuestionOptions
  extends Pick<AnswerOptions, 'history' | 'devices' | 'language'>,
    Partial<Pick<ModelAnswerOptions, 'facts' | 'progress' | 'reranker' | 'signal'>> {
  /** Librarians that may be named as the ones to ask. */
  others?: OtherLibrarians | undefined;
  /** Gets the rules that the answer broke before it was mended. */
  onViolations?: ((violations: readonly AnswerViolation[]) => void) | undefined;
  /** Milliseconds left for the answer at the time of the call. */
  timeLeftMs: () => number;
  waitUntil?: WaitUntil | undefined;
  ai?: AIClient | undefined;
  /** The edition's own search when absent. */
  retrieve?: Retriever | undefined;
  /** Word vectors; words are compared by form alone when absent. */
  wordVectors?: (() => WordVectors) | undefined;
  /** Whether `metadata.explain` says why the passages were chosen. Such an answer is not taken from the cache. */
  explain?: boolean | undefined;
}

/** Metadata of an answer; empty without a model and without failures. */
export interface AnswerMetadata {
  /** Whether the answer to the same question on the same edition was reused. */
  cached?: true;
  answered_by?: ModelAccount['answeredBy'];
  model?: string;
  model_refused?: NonNullable<ModelAccount['refused']>;
  /** Components that failed, so that a later answer may be better. */
  degraded?: ('embeddings' | 'freshness' | 'model' | 'texts')[];
  usage?: { calls: number; input_tokens: number; output_tokens: number; cost_usd?: number };
  /** Milliseconds of all model calls together. */
  model_ms?: number;
  /** Queries that the model proposed because the first search was weak. */
  queries?: readonly string[];
  /** Rules that the answer broke before it was mended, each once. */
  violations?: readonly AnswerViolation[];
  /** Removed statements of the model, each shortened, with the reason. */
  removed?: readonly { text: string; reason: string }[];
  [more: string]: unknown;
}

/**
 * Answers a question, for all routes: finds passages, has the model answer if there is one, and quotes otherwise. Quotes are cached per
 * edition, unless something was missing. Answers of a model are not cached, as they depend on the time and budget left.
 */
export async function answerQuestion(
  edition: Edition,
  question: string,
  options: QuestionOptions,
): Promise<{ answer: NavigatorAnswer; metadata: AnswerMetadata }> {
  const { facts = [], others, onViolations, progress } = options;
  progress?.({ type: 'searching', edition: edition.id });
  const history = turnsFor(question, options.history ?? []);
  // Without a model, only the devices that the asker owns are read from the facts.
  const devices = options.devices?.length
    ? options.devices
    : devicesOwned(facts, edition.devices());
  // What is not about a question of before may still be in its language.
  const language = languageOf(question, { language: options.language, history });
  const result = await findAnswer(edition, question, { ...options, history, devices, language });
  const answer = validAnswer(
    others === undefined
      ? result.answer
      : withWhomToAsk(result.answer, question, others, spokenLanguage(edition, question, language)),
  );
  const { violations = [] } = answer;
  if (violations.length === 0) return { answer, metadata: result.metadata };
  onViolations?.(violations);
  return { answer, metadata: { ...result.metadata, violations } };
}

/** The searches that answering a question does: for an edition in large mode, which has what they find. */
export function searchesFor(question: string, history: readonly Turn[] = []): SearchToDo[] {
  const standalone = inFull(question, turnsFor(question, history));
  const parts = standalone.history.length > 0 ? [] : questionPartsIn(question);
  return [
    standalone,
    ...parts.flatMap(({ text, context }) => [
      { question: text },
      { question: text, history: [{ speaker: 'user' as const, text: context }] },
    ]),
  ];
}

const findAnswer = async (
  edition: Edition,
  question: string,
  options: QuestionOptions,
): Promise<{ answer: NavigatorAnswer; metadata: AnswerMetadata }> => {
  const { ai, retrieve, explain, signal, waitUntil, timeLeftMs, devices, language } = options;
  const entry = ai === undefined && !explain ? cacheEntryOf(edition, question, options) : undefined;
  if (entry?.cached !== undefined) return { answer: entry.cached, metadata: { cached: true } };
  const byWords = async (query: string, about: SearchOptions): Promise<Retrieved> => {
    const work = () => searchEdition(edition, query, about);
    return { outcome: (await readPages(edition, work)).value, semantic: 'absent' };
  };
  const find = (query: string, history?: readonly Turn[]): Promise<Retrieved> => {
    const about = { history, devices, language, limit: HITS };
    return retrieve === undefined
      ? byWords(query, about)
      : retrieve(edition, query, { ...about, signal, waitUntil, timeLeftMs: timeLeftMs() });
  };
  const standalone = inFull(question, options.history ?? []);
  const { outcome, semantic, lacksTexts } = await find(standalone.question, standalone.history);
  const vectors = options.wordVectors?.();
  // A model reads the whole question and names its parts itself.
  const isWhole = ai !== undefined || standalone.history.length > 0;
  const parts = await Promise.all(
    (isWhole ? [] : questionPartsIn(question)).map(async (part) => ({
      ...part,
      searches: [
        (await find(part.text)).outcome,
        (await find(part.text, [{ speaker: 'user', text: part.context }])).outcome,
      ],
    })),
  );
  const request = { ...options, outcome, vectors, parts };
  const lacks: Lack[] = [
    ...(semantic === 'late' || semantic === 'failed' ? (['embeddings'] as const) : []),
    ...(lacksTexts === true ? (['texts'] as const) : []),
  ];
  const result =
    ai === undefined
      ? await quoted(edition, entry, lacks, () => answerFromEdition(edition, question, request))
      : await byModel(edition, question, lacks, {
          ...request,
          ai,
          timeLeftMs: timeLeftMs(),
          // Embedding services cache their inputs, and a model's rewording of a question would outlive the erased conversation.
          search: async (query) => {
            const isLocal = vectorsOf(edition)?.space.model === WORD_VECTORS_MODEL;
            const about = { devices, language, limit: HITS };
            return (isLocal ? await find(query) : await byWords(query, about)).outcome;
          },
        });
  if (!explain) return result;
  const explanation = await readPages(edition, () =>
    explainAnswer(edition, standalone.question, { answer: result.answer, outcome, semantic }),
  );
  return { ...result, metadata: { ...result.metadata, explain: explanation.value } };
};

type Lack = NonNullable<AnswerMetadata['degraded']>[number];

/** An answer of quotes; cached unless something was missing. */
const quoted = async (
  edition: Edition,
  entry: CacheEntry | undefined,
  lacks: readonly Lack[],
  work: () => NavigatorAnswer,
): Promise<{ answer: NavigatorAnswer; metadata: AnswerMetadata }> => {
  const { value, isComplete } = await readPages(edition, work);
  const isCut = !isComplete && !lacks.includes('texts');
  const degraded = isCut ? [...lacks, 'texts' as const] : [...lacks];
  if (degraded.length > 0) return { answer: value, metadata: { degraded } };
  return { answer: entry?.store(value) ?? value, metadata: {} };
};

const byModel = async (
  edition: Edition,
  question: string,
  lacks: readonly Lack[],
  options: ModelAnswerOptions,
): Promise<{ answer: NavigatorAnswer; metadata: AnswerMetadata }> => {
  const { account, ...answer } = await answerWithModel(edition, question, options);
  return { answer, metadata: metadataOf(account, lacks) };
};

const MAX_REMOVED = 6;

const metadataOf = (
  { answeredBy, model, refused, usage, modelMs, queries, removed }: ModelAccount,
  lacks: readonly Lack[],
): AnswerMetadata => {
  const hasFailed = refused === 'unavailable' || refused === 'timeout';
  const degraded = hasFailed ? [...lacks, 'model' as const] : [...lacks];
  return {
    answered_by: answeredBy,
    model: model.slice(0, 200),
    ...(refused === undefined ? {} : { model_refused: refused }),
    ...(degraded.length > 0 ? { degraded } : {}),
    ...(usage === undefined ? {} : { usage: usageOf(usage) }),
    ...(modelMs === undefined ? {} : { model_ms: modelMs }),
    ...(queries.length > 0 ? { queries } : {}),
    ...(removed.length > 0 ? { removed: removed.slice(0, MAX_REMOVED).map(shortRemoval) } : {}),
  };
};

const usageOf = ({ calls, inputTokens, outputTokens, costUsd }: CallUsage) => ({
  calls,
  input_tokens: inputTokens,
  output_tokens: outputTokens,
  ...(costUsd === undefined ? {} : { cost_usd: costUsd }),
});

const shortRemoval = ({ text, reason }: RemovedStatement) => ({
  text: escapeText(oneLine(text, 120), 160),
  reason: escapeText(oneLine(reason, 160), 200),
});

/** Cached answers per edition; some 2 kB each. */
const MAX_ANSWERS = 256;
/** In UTF-16 units. Longer questions are rarely repeated. */
const MAX_KEY_LENGTH = 1000;

/** The cache entry of one question. */
interface CacheEntry {
  cached: NavigatorAnswer | undefined;
  /** Freezes and caches an answer: an edition never changes, so the same question with the same options has the same answer. */
  store(answer: NavigatorAnswer): NavigatorAnswer;
}

/** Another source of the search results may find other passages. */
const cacheEntryOf = (
  edition: Edition,
  question: string,
  { history = [], devices = [], language, retrieve }: QuestionOptions,
): CacheEntry => {
  const key = JSON.stringify([question, history, devices, language, retrieve !== undefined]);
  const answers = answersOf(edition);
  return {
    cached: answers.get(key),
    store: (answer) => {
      freeze(answer);
      if (key.length <= MAX_KEY_LENGTH) answers.set(key, answer);
      return answer;
    },
  };
};

const answersOf = oncePer((_: Edition) => lruCache<string, NavigatorAnswer>({ max: MAX_ANSWERS }));

/** Freezes plain data in place. */
const freeze = <T>(value: T): T => {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) freeze(part);
  return Object.freeze(value);
};
