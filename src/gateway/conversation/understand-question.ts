import { isWithin } from '../../contract/json-object.ts';
import type { AIClient } from '../../contract/librarian.ts';
import type { Turn } from '../../search/analyse-query.ts';
import type { PastTurn } from './conversations.ts';
import { standaloneQuestion } from './standalone-question.ts';
import { understandByModel } from './understand-by-model.ts';

/** A question with its conversation in view. */
export interface UnderstoodQuestion {
  /** As librarians are asked. */
  query: string;
  /** What was said before, where it can help to find the answer; oldest first. */
  history: Turn[];
}

/** Of the time that there is, what a model may take to complete the question. */
const MODEL_SHARE = 0.2;
const MODEL_TIMEOUT_MS = 2000;

/**
 * Reads a question behind the turns before it: completed by a model, where there is one that keeps to their words, or else by rule.
 * A question that was completed from a fragment says everything itself; every other is searched with its history in view.
 */
export const understandQuestion = async (
  question: string,
  turns: readonly PastTurn[],
  { ai, timeLeftMs, signal }: { ai?: AIClient | undefined; timeLeftMs: number; signal: AbortSignal },
): Promise<UnderstoodQuestion> => {
  const last = turns.at(-1);
  if (last === undefined) return { query: question, history: [] };
  const timeoutMs = Math.min(MODEL_TIMEOUT_MS, timeLeftMs * MODEL_SHARE);
  const written = ai === undefined ? undefined : await understandByModel(ai, question, { turns, timeoutMs, signal });
  if (written !== undefined && written !== question) return { query: written, history: [] };
  const { text, from } = standaloneQuestion(question, last.understoodAs ?? last.question);
  return { query: text, history: from === 'fragment' ? [] : historyOf(turns) };
};

/** The end of an answer says less of its subject than its beginning. In UTF-16 units. */
const MAX_SAID = 1500;

const historyOf = (turns: readonly PastTurn[]): Turn[] =>
  turns.slice(-2).flatMap(({ question, understoodAs = question, answer }) => [
    { speaker: 'user' as const, text: understoodAs.slice(0, MAX_SAID) },
    { speaker: 'assistant' as const, text: answer.slice(0, MAX_SAID) },
  ]);

/** What one librarian may send another (contract, `RequestMetadata`). */
const LIMITS = { maxDepth: 8, maxLength: 16_000 };

/** The metadata that goes along with a question; what the caller itself sent as history comes first. */
export const withHistory = (
  metadata: Readonly<Record<string, unknown>> | undefined,
  history: readonly Turn[],
): Readonly<Record<string, unknown>> | undefined => {
  if (history.length === 0 || metadata?.history !== undefined) return metadata;
  const extended = { ...metadata, history: [...history] };
  return isWithin(extended, LIMITS) ? extended : metadata;
};
