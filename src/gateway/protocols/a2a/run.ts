import { Role, type StreamResponse, type Task, TaskState, type TaskStatus } from '@a2a-js/sdk';
import type { SpokenTurn } from '../../../answering/understand/recent-turns.ts';
import { languageOfAsker } from '../../../answering/write/answer-phrases.ts';
import type { Progress } from '../../../contract/core/ask.ts';
import type { ErrorInfo } from '../../../contract/core/error-info.ts';
import type { LibrarianResponse } from '../../../contract/core/response.ts';
import { errorInfo, errorInfoOf } from '../../../platform/context/error-info-of.ts';
import { logLine } from '../../../platform/log.ts';
import { citedText } from '../cited-text.ts';
import { type AskReporting, RouteFailed } from '../gateway-routes.ts';
import {
  agentMessage,
  artifactOf,
  endParts,
  evidenceOf,
  failureParts,
  textPart,
  textParts,
  type Wanted,
} from './parts.ts';
import type { ReadMessage } from './read-message.ts';
import type { StoredTask } from './task-store.ts';

/** A question with its conversation. */
export interface Question extends ReadMessage {
  contextId: string;
  /** Whether the message itself names the context, and so takes part in a conversation that its caller knows. */
  namesContext: boolean;
  /** What was said before, oldest first. */
  turns: readonly SpokenTurn[];
}

/** Asks the gateway. Throws `RouteFailed` for a question that it refuses. */
export type Ask = (question: Question, reporting: AskReporting) => Promise<LibrarianResponse>;

/** The work on one task. */
export interface Run {
  /** The task as it is now. */
  readonly stored: StoredTask;
  /** Number of streams that follow it. */
  readonly followers: number;
  /** Resolves when the question was taken, at the latest when the work has ended. Never rejects, nor does `ended`. */
  readonly begun: Promise<void>;
  readonly ended: Promise<void>;
  /** What happens from now on, or from the beginning, up to the event that ends the work, or until the follower has gone. */
  events(
    from: 'now' | 'beginning',
    gone: AbortSignal,
  ): AsyncGenerator<StreamResponse, void, undefined>;
  /** Stops the work; the task is canceled. */
  cancel(): Task;
  /** Stops the work without a trace: the task is erased. */
  drop(): void;
}

interface RunParts {
  stored: StoredTask;
  ask: Ask;
  /** Whether what is answered may be followed while it is made. */
  isLive: boolean;
  wanted: Wanted;
  timestamp: () => string;
  save: (stored: StoredTask) => void;
}

/** Asks a question, and brings its task to an end. */
export function startRun(
  question: Question,
  { stored, ask, isLive, wanted, timestamp, save }: RunParts,
): Run {
  const { id: taskId, contextId } = stored.task;
  const abort = new AbortController();
  const begun = Promise.withResolvers<void>();
  const events: StreamResponse[] = [];
  let changed = Promise.withResolvers<void>();
  let followers = 0;
  let isOver = false;
  let current = stored;
  const emit = (payload: StreamResponse['payload']): void => {
    events.push({ payload });
    changed.resolve();
    changed = Promise.withResolvers();
  };
  const follow = async function* (
    from: number,
    gone: AbortSignal,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    followers += 1;
    const left = new Promise<void>((resolve) => {
      gone.addEventListener('abort', () => resolve(), { once: true });
    });
    try {
      for (let at = from; !gone.aborted; at += 1) {
        while (events[at] === undefined && !gone.aborted)
          await Promise.race([changed.promise, left]);
        const event = events[at];
        if (event !== undefined) yield event;
        if (event?.payload?.$case === 'statusUpdate') return;
      }
    } finally {
      followers -= 1;
    }
  };
  const emitParts = (parts: Task['artifacts'][number]['parts'], last?: LibrarianResponse): void => {
    if (parts.length === 0 && last === undefined) return;
    const append = current.task.artifacts.length > 0;
    const artifact = artifactOf(parts, last && evidenceOf(last, wanted));
    // Whoever follows from now on gets what was said so far with the task.
    current = {
      ...current,
      task: { ...current.task, artifacts: [artifactOf(textParts(cited.content(), wanted))] },
    };
    emit({
      $case: 'artifactUpdate',
      value: {
        taskId,
        contextId,
        artifact,
        append,
        lastChunk: last !== undefined,
        metadata: undefined,
      },
    });
  };
  const end = (status: Omit<TaskStatus, 'timestamp'>, artifacts: Task['artifacts'] = []): Task => {
    isOver = true;
    const full = { ...status, timestamp: timestamp() };
    const { message } = status;
    const history = [...current.task.history, ...(message === undefined ? [] : [message])];
    current = { ...current, task: { ...current.task, status: full, artifacts, history } };
    save(current);
    emit({
      $case: 'statusUpdate',
      value: { taskId, contextId, status: full, metadata: undefined },
    });
    return current.task;
  };
  const fail = (error: ErrorInfo): void => {
    const { parts, metadata } = failureParts(error);
    const message = agentMessage(parts, { taskId, contextId, metadata });
    end({ state: TaskState.TASK_STATE_FAILED, message });
  };
  const before = question.turns.flatMap(({ speaker, text }) => (speaker === 'user' ? [text] : []));
  const language = languageOfAsker({ question: question.query, before });
  const cited = citedText({ listsSources: false, language });
  const progress: Progress = (event) => {
    begun.resolve();
    // An answer without evidence may still turn out to be a question back.
    const isBare =
      event.type === 'statement' && event.check === 'reported' && event.sources.length === 0;
    if (!isOver && !isBare) emitParts(textParts(cited.add(event), wanted));
  };
  const finish = (response: LibrarianResponse): void => {
    const { answer, error, metadata } = response;
    if (answer === undefined) {
      fail(error ?? errorInfo('INTERNAL_ERROR'));
      return;
    }
    if (metadata?.clarifying === true) {
      const message = agentMessage([textPart(answer)], { taskId, contextId });
      end({ state: TaskState.TASK_STATE_INPUT_REQUIRED, message });
      return;
    }
    const rest = cited.end(response);
    emitParts([...textParts(rest, wanted), ...endParts(response, wanted)], response);
    const parts = [...textParts(cited.content(), wanted), ...endParts(response, wanted)];
    const artifact = artifactOf(parts, evidenceOf(response, wanted));
    end({ state: TaskState.TASK_STATE_COMPLETED, message: undefined }, [artifact]);
  };
  const work = async (): Promise<void> => {
    try {
      const response = await ask(question, { signal: abort.signal, progress, isLive });
      if (!isOver) finish(response);
    } catch (error) {
      // What was cancelled fails in its own way.
      if (isOver) return;
      fail(
        error instanceof RouteFailed
          ? error.info
          : errorInfoOf(error, { librarian: 'a2a', where: 'task', log: logLine, now: Date.now() }),
      );
    } finally {
      begun.resolve();
    }
  };
  const stop = (): void => {
    isOver = true;
    abort.abort(new DOMException('the task was cancelled', 'AbortError'));
  };
  return {
    get stored() {
      return current;
    },
    get followers() {
      return followers;
    },
    begun: begun.promise,
    ended: work(),
    events: (from, gone) => follow(from === 'now' ? events.length : 0, gone),
    cancel: () => {
      const task = end({ state: TaskState.TASK_STATE_CANCELED, message: undefined });
      stop();
      return task;
    },
    drop: () => {
      stop();
      emit({
        $case: 'statusUpdate',
        value: {
          taskId,
          contextId,
          status: {
            state: TaskState.TASK_STATE_CANCELED,
            message: undefined,
            timestamp: timestamp(),
          },
          metadata: undefined,
        },
      });
    },
  };
}

/** Members that may repeat what the user wrote: always, and in what has no sources. */
const REPEATS_QUESTION = ['query', 'understood_as'];
const MAY_REPEAT_QUESTION = [
  ...REPEATS_QUESTION,
  'value',
  'answer',
  'text',
  'message',
  'confidenceReason',
];

/**
 * A task as it is stored: what the user wrote is masked wherever it is repeated. An answer with sources quotes articles and stays as it is;
 * one without may repeat the question.
 */
export function forStorage(task: Task, mask: (text: string) => string): Task {
  const maskedMember = (value: unknown, members: readonly string[], name?: string): unknown => {
    if (typeof value === 'string')
      return name !== undefined && members.includes(name) ? mask(value) : value;
    if (Array.isArray(value)) return value.map((each) => maskedMember(each, members));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key, maskedMember(member, members, key)]),
    );
  };
  // The same shape: only texts are replaced.
  const masked = <T>(value: T, members: readonly string[]): T => maskedMember(value, members) as T;
  const hasSources = ({ parts }: Task['artifacts'][number]): boolean =>
    parts.some(({ content }) => content?.$case === 'url');
  return {
    ...task,
    status: task.status && masked(task.status, MAY_REPEAT_QUESTION),
    // What the user said was masked when the task began.
    history: task.history.map((said) =>
      said.role === Role.ROLE_USER ? said : masked(said, MAY_REPEAT_QUESTION),
    ),
    artifacts: task.artifacts.map((artifact) =>
      masked(artifact, hasSources(artifact) ? REPEATS_QUESTION : MAY_REPEAT_QUESTION),
    ),
  };
}
