import {
  type AnswerReply,
  type AnswerRequest,
  answerPrompt,
  answerSchema,
  type Passage,
  readAnswerReply,
  readStatements,
} from '../model/answer-prompt.ts';
import type { CallFailure, ModelCalls } from '../model/model-calls.ts';
import { hasPromptInjection, isInjectionName } from '../model/prompt-injection.ts';
import { type AnsweredPart, missingOf, partsAfter } from './answered-parts.ts';
import {
  type CheckedStatement,
  type RemovedStatement,
  startChecking,
} from './decide-statements.ts';
import type { PlacedQuote } from './quote-evidence.ts';

/** Why a model gave no answer. */
export type AnswerFailure = CallFailure | 'empty' | 'malformed' | 'no_answer' | 'unsupported';

export interface CheckedAnswer<P extends Passage = Passage> {
  statements: CheckedStatement<P>[];
  removed: RemovedStatement[];
  /** Quotes of the removed statements. */
  removedQuotes: PlacedQuote<P>[];
  parts: AnsweredPart[];
  /** What the model says the passages leave open; empty when it says nothing that can be confirmed. */
  missing: string;
  /** Passages to read on where a part is open. */
  related: P[];
  /** Whether the judge decided on every statement. */
  isJudged: boolean;
  /** The model's reading of a ticket, for `task.isTicket`. */
  ticket: Pick<AnswerReply, 'kind' | 'conflict' | 'ask'>;
}

export interface FailedAnswer<P extends Passage = Passage> {
  failure: AnswerFailure;
  removed: RemovedStatement[];
  /** Passages that the model holds related; for `unsupported`, those that it names as answers. */
  related?: P[] | undefined;
  /** For `unsupported`: whether the judge decided so, with all passages in view. */
  isJudged?: boolean | undefined;
  ticket?: CheckedAnswer['ticket'] | undefined;
}

interface AnswerOptions<P extends Passage = Passage> {
  calls: ModelCalls;
  /** Token limit of the reply, including quotes. */
  maxTokens?: number | undefined;
  /** Prompt injections are already removed from the passages; otherwise passages with one are dropped. */
  isScreened?: boolean | undefined;
  /**
   * Gets each statement as soon as it is checked, while the model still writes. The judge is then asked in up to three calls, and what has
   * been passed on is no part of the answer when that fails as a whole.
   */
  onStatement?: ((statement: CheckedStatement<P>) => void) | undefined;
  onRemoved?: ((removed: RemovedStatement) => void) | undefined;
}

const MAX_TOKENS = 2400;

/**
 * Has a model answer from passages, and keeps the statements that a judge finds in them; without the judge, the sentences that they quote.
 * Never throws.
 *
 * @returns The statements that passed, or the reason why none did; the removed ones in both cases.
 */
export async function writeCheckedAnswer<P extends Passage>(
  request: Omit<AnswerRequest, 'passages'> & { passages: readonly P[] },
  { calls, maxTokens = MAX_TOKENS, isScreened = false, onStatement, onRemoved }: AnswerOptions<P>,
): Promise<CheckedAnswer<P> | FailedAnswer<P>> {
  const passages = isScreened ? request.passages : request.passages.filter(isReadable);
  if (passages.length === 0) return { failure: 'no_answer', removed: [] };
  const statements: CheckedStatement<P>[] = [];
  const removed: RemovedStatement[] = [];
  const removedQuotes: PlacedQuote<P>[] = [];
  const repeatedParts = new Set<number>();
  const { question, task } = request;
  const isTicket = task?.isTicket === true;
  const checking = startChecking<P>(
    { question, passages, calls, batches: onStatement === undefined ? 1 : MAX_BATCHES, isTicket },
    {
      onKept: (statement) => {
        statements.push(statement);
        onStatement?.(statement);
      },
      onRemoved: (each, quotes) => {
        removed.push(each);
        removedQuotes.push(...quotes);
        onRemoved?.(each);
      },
      onRepeated: (part) => {
        repeatedParts.add(part);
      },
    },
  );
  const reading =
    onStatement && readStatements((statement, parts) => checking.add(statement, parts));
  const result = await calls.ask(answerPrompt({ ...request, passages }), {
    maxTokens,
    schema: answerSchema(passages, { isTicket }),
    onText: reading,
  });
  const reply = result.ok ? readAnswerReply(result.text) : result.failure;
  if (typeof reply === 'string') {
    checking.stop();
    return { failure: reply, removed: [] };
  }
  const { kind, conflict, ask } = reply;
  const ticket = { kind, conflict, ask };
  const isAnswered = reply.parts.some(({ answered }) => answered !== 'no');
  const related = passages.filter(({ id }) => reply.related.includes(id)).slice(0, MAX_RELATED);
  if (!isAnswered && (reply.parts.length > 0 || reply.statements.length === 0)) {
    checking.stop();
    return { failure: 'no_answer', removed: [], related, ticket };
  }
  if (reply.statements.length === 0) {
    checking.stop();
    return { failure: 'empty', removed: [], ticket };
  }
  for (const statement of reply.statements.slice(checking.count()))
    checking.add(statement, reply.parts);
  const lacking = missingOf(reply, { question, passages, related });
  const { isJudged, isMissingStated } = await checking.end(lacking);
  if (statements.length === 0) {
    const named = passages.filter(({ id }) =>
      reply.parts.some((part) => part.passages.includes(id)),
    );
    return {
      failure: 'unsupported',
      removed,
      related: named.slice(0, MAX_RELATED),
      ticket,
      isJudged,
    };
  }
  const answered = new Set([...statements.map(({ part }) => part), ...repeatedParts]);
  const parts = partsAfter(reply, { answered, request });
  const isOpen = parts.some(({ state }) => state !== 'answered');
  // What is missing beside statements that are removed is not all that is missing.
  const isWhole = !parts.some(
    ({ isLost }, at) => isLost && reply.parts[at]?.answered === 'in_part',
  );
  return {
    statements,
    removed,
    removedQuotes,
    parts,
    isJudged,
    ticket,
    missing: isOpen && isWhole && isMissingStated && lacking !== undefined ? lacking.text : '',
    related: isOpen ? related : [],
  };
}

const MAX_RELATED = 3;
/** Calls of the judge for an answer that is passed on while it is written. */
const MAX_BATCHES = 3;

/** Whether a passage is free of prompt injections. */
const isReadable = ({ title, headings, text }: Passage): boolean =>
  ![title, ...headings].some(isInjectionName) && !hasPromptInjection(text);
