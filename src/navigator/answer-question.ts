import type { AIClient } from '../contract/librarian.ts';
import type { WaitUntil } from '../runtime/wait-until.ts';
import type { Edition } from '../search/open-edition.ts';
import type { Retriever } from '../search/retrieve.ts';
import { searchEdition } from '../search/search-edition.ts';
import { type AnswerOptions, answerFromEdition, HITS } from './answer-from-edition.ts';
import { answerWithModel, type ModelAccount } from './answer-with-model.ts';
import { answerAtHand, memoryOf } from './answers-at-hand.ts';
import type { NavigatorAnswer } from './assemble-answer.ts';

export interface QuestionOptions extends Pick<AnswerOptions, 'history' | 'devices'> {
  /** Milliseconds left for the answer, at any moment. */
  timeLeftMs: () => number;
  signal?: AbortSignal | undefined;
  waitUntil?: WaitUntil | undefined;
  ai?: AIClient | undefined;
  /** The edition's own search when absent. */
  retrieve?: Retriever | undefined;
}

/** What is told beside an answer; empty without a model and where nothing failed. */
export interface AnswerMetadata {
  answered_by?: ModelAccount['answeredBy'];
  model?: string;
  model_refused?: NonNullable<ModelAccount['refused']>;
  /** What was out of order, so that the answer may be worse than another time. */
  degraded?: ('embeddings' | 'model')[];
  usage?: { calls: number; input_tokens: number; output_tokens: number; cost_usd?: number };
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
  const { ai, retrieve, history, devices, timeLeftMs, signal, waitUntil } = options;
  const asked = { history, devices };
  if (ai === undefined && retrieve === undefined)
    return { answer: answerAtHand(edition, question, asked), metadata: {} };
  const memory = ai === undefined ? memoryOf(edition, question, asked, 'retrieved') : undefined;
  if (memory?.known !== undefined) return { answer: memory.known, metadata: {} };
  const search = { ...asked, limit: HITS };
  const { outcome, semantic } = retrieve
    ? await retrieve(edition, question, { ...search, signal, waitUntil, timeLeftMs: timeLeftMs() })
    : ({ outcome: searchEdition(edition, question, search), semantic: 'absent' } as const);
  const lacksEmbeddings = semantic === 'late' || semantic === 'failed';
  if (ai === undefined) {
    const answer = answerFromEdition(edition, question, { ...asked, outcome });
    if (lacksEmbeddings) return { answer, metadata: { degraded: ['embeddings'] } };
    return { answer: memory?.keep(answer) ?? answer, metadata: {} };
  }
  const { account, ...answer } = await answerWithModel(edition, question, {
    ...{ ...asked, outcome, ai, signal, timeLeftMs: timeLeftMs() },
  });
  return { answer, metadata: metadataOf(account, lacksEmbeddings) };
};

const metadataOf = ({ answeredBy, model, refused, usage }: ModelAccount, lacksEmbeddings: boolean): AnswerMetadata => {
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
  };
};
