import { WORD_VECTORS_MODEL, type WordVectors } from '../ai/embeddings/word-vectors.ts';
import type { Reranker } from '../ai/reranker.ts';
import type { AIClient } from '../contract/librarian.ts';
import { questionWithTurn } from '../grounding/parse-question.ts';
import { escapeText } from '../runtime/escape-html.ts';
import { oncePer } from '../runtime/once-per.ts';
import type { WaitUntil } from '../runtime/wait-until.ts';
import { vectorsOf } from '../search/edition-vectors.ts';
import type { Edition } from '../search/open-edition.ts';
import type { Retriever } from '../search/retrieve.ts';
import { searchEdition } from '../search/search-edition.ts';
import { type AnswerOptions, answerFromEdition, HITS } from './answer-from-edition.ts';
import { answerWithModel, MODEL_HITS, type ModelAccount } from './answer-with-model.ts';
import { oneLine } from './compose-answer.ts';
import type { NavigatorAnswer } from './navigator-answer.ts';

export interface QuestionOptions extends Pick<AnswerOptions, 'history' | 'devices'> {
  /** Milliseconds left for the answer, at any moment. */
  timeLeftMs: () => number;
  signal?: AbortSignal | undefined;
  waitUntil?: WaitUntil | undefined;
  ai?: AIClient | undefined;
  /** Orders the passages for the model; their order in the search stays when absent. */
  reranker?: Reranker | undefined;
  /** The edition's own search when absent. */
  retrieve?: Retriever | undefined;
  /** Compares words by their meaning; words alone count when absent. */
  wordVectors?: (() => WordVectors) | undefined;
}

/** What is told beside an answer; empty without a model and where nothing failed. */
export interface AnswerMetadata {
  answered_by?: ModelAccount['answeredBy'];
  model?: string;
  model_refused?: NonNullable<ModelAccount['refused']>;
  /** What was out of order, so that the answer may be worse than another time. */
  degraded?: ('embeddings' | 'model')[];
  usage?: { calls: number; input_tokens: number; output_tokens: number; cost_usd?: number };
  /** Milliseconds that the model took, all calls together. */
  model_ms?: number;
  /** Queries that the model proposed because the first search was weak. */
  queries?: readonly string[];
  /** Statements of the model that did not go out, each shortened, and why. */
  removed?: readonly { text: string; reason: string }[];
  [more: string]: unknown;
}

/**
 * The one way from a question to an answer, for all routes: finds passages, has the model answer where there is one, quotes
 * otherwise. Quotes are remembered by the edition, unless the semantic side was late or failed: the next time it may not be.
 * A model's answers are not: they depend on what is left of time and budget.
 */
export const answerQuestion = async (
  edition: Edition,
  question: string,
  options: QuestionOptions,
): Promise<{ answer: NavigatorAnswer; metadata: AnswerMetadata }> => {
  const { ai, reranker, retrieve, history = [], devices, timeLeftMs, signal, waitUntil, wordVectors } = options;
  const asked = { history, devices };
  const vectors = wordVectors?.();
  if (ai === undefined && retrieve === undefined)
    return { answer: answerAtHand(edition, question, { ...asked, vectors }), metadata: {} };
  const memory = ai === undefined ? memoryOf(edition, question, asked, 'retrieved') : undefined;
  if (memory?.known !== undefined) return { answer: memory.known, metadata: {} };
  const limit = ai === undefined ? HITS : MODEL_HITS;
  const find = async (query: string, about: Pick<AnswerOptions, 'history' | 'devices'>) =>
    retrieve
      ? retrieve(edition, query, { ...about, limit, signal, waitUntil, timeLeftMs: timeLeftMs() })
      : ({ outcome: searchEdition(edition, query, { ...about, limit }), semantic: 'absent' } as const);
  const { outcome, semantic } = await find(question, asked);
  const whole = questionWithTurn(question, history);
  const outcomeWithTurn = whole === question ? undefined : (await find(whole, { devices })).outcome;
  const lacksEmbeddings = semantic === 'late' || semantic === 'failed';
  if (ai === undefined) {
    const answer = answerFromEdition(edition, question, { ...asked, outcome, outcomeWithTurn, vectors });
    if (lacksEmbeddings) return { answer, metadata: { degraded: ['embeddings'] } };
    return { answer: memory?.keep(answer) ?? answer, metadata: {} };
  }
  const { account, ...answer } = await answerWithModel(edition, question, {
    ...{ ...asked, outcome, outcomeWithTurn, vectors, ai, reranker, signal, timeLeftMs: timeLeftMs() },
    // An embedding service keeps what it is asked, and what a model made of a question would outlive the erased conversation.
    search: async (query) =>
      vectorsOf(edition)?.space.model === WORD_VECTORS_MODEL
        ? (await find(query, { devices })).outcome
        : searchEdition(edition, query, { devices, limit }),
  });
  return { answer, metadata: metadataOf(account, lacksEmbeddings) };
};

const MAX_REMOVED = 6;

const metadataOf = (
  { answeredBy, model, refused, usage, modelMs, queries, removed }: ModelAccount,
  lacksEmbeddings: boolean,
): AnswerMetadata => {
  const degraded: AnswerMetadata['degraded'] = [
    ...(lacksEmbeddings ? (['embeddings'] as const) : []),
    ...(refused === 'unavailable' || refused === 'timeout' ? (['model'] as const) : []),
  ];
  return {
    answered_by: answeredBy,
    model: model.slice(0, 200),
    ...(refused === undefined ? {} : { model_refused: refused }),
    ...(degraded.length > 0 ? { degraded } : {}),
    ...(usage === undefined
      ? {}
      : {
          usage: {
            calls: usage.calls,
            input_tokens: usage.inputTokens,
            output_tokens: usage.outputTokens,
            ...(usage.costUsd === undefined ? {} : { cost_usd: usage.costUsd }),
          },
        }),
    ...(modelMs === undefined ? {} : { model_ms: modelMs }),
    ...(queries.length > 0 ? { queries } : {}),
    ...(removed.length > 0
      ? {
          removed: removed.slice(0, MAX_REMOVED).map(({ text, reason }) => ({
            text: escapeText(oneLine(text, 120), 160),
            reason: escapeText(oneLine(reason, 160), 200),
          })),
        }
      : {}),
  };
};

/** Answers kept of one edition; some 2 kB each. */
const MAX_ANSWERS = 256;
/** What was asked in so many UTF-16 units is hardly asked again. */
const MAX_KEY_LENGTH = 1000;

/**
 * `answerFromEdition`, remembered: on a support desk most questions have been asked before, and an edition never changes,
 * so the same question with the same options has the same answer until a new edition takes its place.
 *
 * @returns Shared by all who ask the same, hence frozen through and through.
 */
export const answerAtHand = (edition: Edition, question: string, options: AnswerOptions = {}): NavigatorAnswer => {
  const memory = memoryOf(edition, question, options);
  return memory.known ?? memory.keep(answerFromEdition(edition, question, options));
};

/** What is remembered of one question. */
interface AnswerMemory {
  known: NavigatorAnswer | undefined;
  /** Freezes and remembers an answer. */
  keep(answer: NavigatorAnswer): NavigatorAnswer;
}

/** @param by Who finds passages: another search may have found others. */
const memoryOf = (
  edition: Edition,
  question: string,
  { filter = {}, history = [], devices = [] }: AnswerOptions,
  by = '',
): AnswerMemory => {
  const key = JSON.stringify([question, filter, history, devices, by]);
  const answers = answersOf(edition);
  const known = answers.get(key);
  if (known !== undefined) {
    answers.delete(key);
    answers.set(key, known);
  }
  return {
    known,
    keep: (answer) => {
      freeze(answer);
      if (key.length > MAX_KEY_LENGTH) return answer;
      if (answers.size >= MAX_ANSWERS) {
        const [oldest] = answers.keys();
        if (oldest !== undefined) answers.delete(oldest);
      }
      answers.set(key, answer);
      return answer;
    },
  };
};

const answersOf = oncePer((_: Edition) => new Map<string, NavigatorAnswer>());

/** Freezes plain data in place. */
const freeze = <T>(value: T): T => {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) freeze(part);
  return Object.freeze(value);
};
