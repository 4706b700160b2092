import {
  type ListTasksRequest,
  type ListTasksResponse,
  type Message,
  Role,
  type SendMessageRequest,
  type StreamResponse,
  type Task,
  TaskState,
} from '@a2a-js/sdk';
import {
  A2AError,
  PushNotificationNotSupportedError,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors';
import type { JsonRpcTransportHandler, ServerCallContext } from '@a2a-js/sdk/server';
import { recentTurns, type SpokenTurn } from '../../../answering/understand/recent-turns.ts';
import { EVIDENCE_EXTENSION } from '../../../contract/wire/a2a.ts';
import { errorInfo, errorInfoOf } from '../../../platform/context/error-info-of.ts';
import { decodeBase64url, encodeBase64url, sha256, utf8 } from '../../../platform/encoding.ts';
import { logLine } from '../../../platform/log.ts';
import { readStored } from '../../../platform/storage/sql.ts';
import { agentMessage, checkModes, failureParts, textPart } from './parts.ts';
import { malformed, type ReadMessage, readMessage, withoutParameters } from './read-message.ts';
import { type Ask, forStorage, type Run, startRun } from './run.ts';
import { PageCursor, type StoredTask, type TaskStore } from './task-store.ts';

/** What answers the operations of the protocol; the library calls it. */
export type A2aHandler = ConstructorParameters<typeof JsonRpcTransportHandler>[0];

interface TasksParts {
  store: TaskStore;
  /** Removes personal data and secrets from what is stored. */
  mask: (text: string) => string;
  /** Called after a task was stored. */
  onStored?: (() => void) | undefined;
  now?: (() => number) | undefined;
  newId?: (() => string) | undefined;
}

/** The caller of one request. */
export interface TaskCaller {
  owner: string;
  ask: Ask;
  /** The card for callers with credentials. */
  card: () => ReturnType<A2aHandler['getAgentCard']>;
  /** Aborts when the caller has closed its stream. */
  gone: AbortSignal;
}

/** Tasks of one owner, and of a workspace, that may run at once. */
const MAX_RUNNING = { perOwner: 16, perWorkspace: 128 };
const MAX_STREAMS = 16;
const PAGE = { default: 50, most: 100, withArtifacts: 20 };
/** A task that is answered within this time is written once, at its end. */
const FIRST_WRITE_MS = 20;
/** Previous tasks of a context whose turns are read. */
const READ_TASKS = 6;

interface Unwritten {
  stored: StoredTask;
  isNew: boolean;
  /** The message that has begun or continued it. */
  message?: { id: string; hash: string } | undefined;
}

/**
 * The tasks of one workspace, and the work on them: both live in one Durable Object, so that a task can be followed and cancelled by
 * other requests than the one that began it. A task is visible to its owner only.
 */
export function createTasks(parts: TasksParts) {
  const { store, mask, onStored, now = Date.now, newId = () => crypto.randomUUID() } = parts;
  const running = new Map<string, Run>();
  const timestamp = (): string => new Date(now()).toISOString();
  for (const stored of store.findInterrupted()) {
    store.save(interrupted(stored, timestamp()));
    onStored?.();
  }

  const unwritten = new Map<string, Unwritten>();
  const writeOne = (id: string, { stored, isNew, message }: Unwritten): void => {
    unwritten.delete(id);
    const masked = { ...stored, task: forStorage(stored.task, mask) };
    if (isNew) store.add(masked);
    else store.save(masked);
    if (message !== undefined)
      store.addMessage(stored.owner, message.id, { taskId: id, hash: message.hash });
    onStored?.();
  };
  /** Writes what waits for it. What cannot be written is logged: the request that happens to write it is about something else. */
  const write = (): void => {
    for (const [id, waiting] of unwritten) {
      try {
        writeOne(id, waiting);
      } catch (error) {
        errorInfoOf(error, { librarian: 'a2a', where: 'write', log: logLine, now: now() });
      }
    }
  };
  const save = (stored: StoredTask): void => {
    unwritten.set(stored.task.id, { isNew: false, ...unwritten.get(stored.task.id), stored });
  };
  /** The store with everything written, for whatever reads it. */
  const written = (): TaskStore => {
    write();
    return store;
  };

  const find = (id: string, owner: string): StoredTask => {
    if (id === '') throw malformed('id: is missing');
    const run = running.get(id);
    const stored = run?.stored.owner === owner ? run.stored : written().find(id, owner);
    if (stored === undefined) throw new TaskNotFoundError('Cannot find the task: none has this id');
    return stored;
  };

  const turnsOf = (contextId: string, owner: string, current: Task | undefined): SpokenTurn[] => {
    const page = { limit: READ_TASKS, from: undefined, withArtifacts: true };
    const { tasks } = written().list(owner, { contextId }, page);
    const before = tasks.filter(({ id }) => id !== current?.id).toReversed();
    return recentTurns([...before, ...(current === undefined ? [] : [current])].flatMap(turnsIn));
  };

  /** The task that a message continues; undefined when it begins one. */
  const continued = ({ taskId, contextId }: ReadMessage, owner: string): StoredTask | undefined => {
    if (taskId === undefined) return undefined;
    const stored = find(taskId, owner);
    if (contextId !== undefined && contextId !== stored.task.contextId)
      throw malformed('contextId: is not the context of the task');
    if (stored.task.status?.state !== TaskState.TASK_STATE_INPUT_REQUIRED) {
      throw new UnsupportedOperationError(
        'Cannot continue the task: it is not waiting for input. Send the message without taskId, in the same contextId',
      );
    }
    return stored;
  };

  /** Begins or continues a task, or finds the one that the same message has begun. */
  const start = async (
    request: SendMessageRequest,
    { owner, ask }: TaskCaller,
    { context, isLive }: { context: ServerCallContext; isLive: boolean },
  ) => {
    refuseTenant(request.tenant);
    const read = readMessage(request);
    const wanted = {
      modes: (request.configuration?.acceptedOutputModes ?? []).map(withoutParameters),
      evidence: context.requestedExtensions?.includes(EVIDENCE_EXTENSION) === true,
    };
    checkModes(wanted);
    if (request.configuration?.taskPushNotificationConfig !== undefined)
      throw new PushNotificationNotSupportedError();
    if (wanted.evidence) context.addActivatedExtension(EVIDENCE_EXTENSION);
    const hash = await sha256(
      utf8(JSON.stringify([read.taskId, read.contextId, read.query, read.librarian])),
    );
    const known = written().findMessage(owner, read.messageId);
    if (known !== undefined) {
      if (known.hash !== hash) throw malformed('messageId: is already used by a different message');
      return { stored: find(known.taskId, owner), run: running.get(known.taskId) };
    }
    const before = continued(read, owner);
    checkRunningLimits(running, owner);
    const id = before?.task.id ?? newId();
    const contextId = before?.task.contextId ?? read.contextId ?? newId();
    const isNewContext = before === undefined && read.contextId === undefined;
    const turns = isNewContext ? [] : turnsOf(contextId, owner, before?.task);
    const stored: StoredTask = {
      owner,
      personId: read.personId ?? before?.personId,
      task: {
        id,
        contextId,
        status: { state: TaskState.TASK_STATE_WORKING, message: undefined, timestamp: timestamp() },
        artifacts: [],
        history: [...(before?.task.history ?? []), userMessage(read, { id, contextId, mask })],
        metadata: undefined,
      },
    };
    const question = { ...read, contextId, turns, namesContext: read.contextId !== undefined };
    // Asked first: what leaves a Durable Object after a write waits until the write is on disk.
    const saveRun = (changed: StoredTask): void => {
      save(changed);
      if (isLive) write();
      else setTimeout(write, 0);
    };
    const run = startRun(question, { stored, ask, isLive, wanted, timestamp, save: saveRun });
    running.set(id, run);
    void run.ended.finally(() => running.delete(id));
    const first = { stored, isNew: before === undefined, message: { id: read.messageId, hash } };
    unwritten.set(id, first);
    // Whoever waits for the answer learns the id of the task with it.
    if (!isLive) setTimeout(write, FIRST_WRITE_MS);
    try {
      if (isLive) writeOne(id, first);
    } catch (error) {
      run.drop();
      throw error;
    }
    return { stored, run };
  };

  /** Cancels a task. */
  const cancel = (id: string, owner: string): Task => {
    const { task } = find(id, owner);
    const run = running.get(id);
    const state = task.status?.state;
    if (state === TaskState.TASK_STATE_CANCELED) return task;
    if (run !== undefined) {
      const canceled = run.cancel();
      write();
      return canceled;
    }
    if (state !== TaskState.TASK_STATE_INPUT_REQUIRED)
      throw new TaskNotCancelableError('Cannot cancel the task: it has ended');
    const canceled = {
      ...task,
      status: { state: TaskState.TASK_STATE_CANCELED, message: undefined, timestamp: timestamp() },
    };
    save({ ...find(id, owner), task: canceled });
    write();
    return canceled;
  };

  /** The operations for one caller. */
  const handlerFor = (caller: TaskCaller): A2aHandler => {
    const { owner, gone } = caller;
    const noPush = async (): Promise<never> => {
      throw new PushNotificationNotSupportedError(
        'Cannot send notifications: push notifications are not supported. Use SubscribeToTask',
      );
    };
    return {
      getAgentCard: caller.card,
      getAuthenticatedExtendedAgentCard: caller.card,
      sendMessage: async (request, context) => {
        const { historyLength, returnImmediately } = bounded(request.configuration);
        // A caller that waits for the final answer needs no intermediate events.
        const { stored, run } = await start(request, caller, {
          context,
          isLive: returnImmediately === true,
        });
        await (returnImmediately ? run?.begun : run?.ended);
        return withHistory((run?.stored ?? stored).task, historyLength);
      },
      sendMessageStream: async function* (request, context) {
        const { historyLength } = bounded(request.configuration);
        const { stored, run } = await start(request, caller, { context, isLive: true });
        yield* follow(stored.task, run, { from: 'beginning', gone, historyLength });
      },
      getTask: async ({ tenant, id, historyLength }) => {
        refuseTenant(tenant);
        return withHistory(find(id, owner).task, bounded({ historyLength }).historyLength);
      },
      listTasks: async (request) => listTasks(written(), owner, request),
      cancelTask: async ({ tenant, id }) => {
        refuseTenant(tenant);
        return cancel(id, owner);
      },
      resubscribe: async function* ({ tenant, id }) {
        refuseTenant(tenant);
        const { task } = find(id, owner);
        const { state = TaskState.TASK_STATE_UNSPECIFIED } = task.status ?? {};
        // The work on a task that was cancelled may go on for a while.
        if (![TaskState.TASK_STATE_WORKING, TaskState.TASK_STATE_INPUT_REQUIRED].includes(state))
          throw new UnsupportedOperationError(
            'Cannot follow the task: it has ended. GetTask has its answer',
          );
        yield* follow(task, running.get(id), { from: 'now', gone });
      },
      createTaskPushNotificationConfig: noPush,
      getTaskPushNotificationConfig: noPush,
      listTaskPushNotificationConfigs: noPush,
      deleteTaskPushNotificationConfig: noPush,
    };
  };

  return {
    handlerFor,
    /**
     * Erases the tasks of a conversation or a person, including running ones, whoever owns them; returns how many of them the owner has,
     * as others are not visible to it.
     */
    erase: (by: 'context' | 'person', value: string, owner: string): number => {
      const erased = written().erase(by, value);
      for (const { id } of erased) {
        running.get(id)?.drop();
        running.delete(id);
      }
      return erased.filter((task) => task.owner === owner).length;
    },
  };
}

/** The task as it was or is, then its events until its work has ended. */
const follow = async function* (
  task: Task,
  run: Run | undefined,
  {
    from,
    gone,
    historyLength,
  }: { from: 'now' | 'beginning'; gone: AbortSignal; historyLength?: number | undefined },
): AsyncGenerator<StreamResponse, void, undefined> {
  if (run !== undefined && run.followers >= MAX_STREAMS)
    throw tooMany('the task is followed by too many streams');
  const events = run?.events(from, gone);
  yield { payload: { $case: 'task', value: withHistory(task, historyLength) } };
  if (events !== undefined) yield* events;
};

const listTasks = (
  store: TaskStore,
  owner: string,
  request: ListTasksRequest,
): ListTasksResponse => {
  const {
    tenant,
    contextId,
    status,
    pageToken,
    statusTimestampAfter: after,
    includeArtifacts = false,
  } = request;
  refuseTenant(tenant);
  const { pageSize = PAGE.default } = request;
  if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > PAGE.most)
    throw malformed(`pageSize: is not 1 to ${PAGE.most}`);
  if (status === TaskState.UNRECOGNIZED) throw malformed('status: is not a task state');
  if (after !== undefined && Number.isNaN(Date.parse(after)))
    throw malformed('statusTimestampAfter: is not a timestamp');
  const from = pageToken === '' ? undefined : decodePageToken(pageToken);
  const { historyLength } = bounded(request);
  const filter = {
    contextId: contextId === '' ? undefined : contextId,
    state: status === TaskState.TASK_STATE_UNSPECIFIED ? undefined : status,
    after: after === undefined ? undefined : Date.parse(after),
  };
  // A page of whole answers is large.
  const limit = includeArtifacts ? Math.min(pageSize, PAGE.withArtifacts) : pageSize;
  const { tasks, total, next } = store.list(owner, filter, {
    limit,
    from,
    withArtifacts: includeArtifacts,
  });
  return {
    tasks: tasks.map((task) => withHistory(task, historyLength)),
    totalSize: total,
    pageSize: limit,
    nextPageToken: next === undefined ? '' : encodeBase64url(utf8(JSON.stringify(next))),
  };
};

const decodePageToken = (token: string): PageCursor => {
  const bytes = token.length > 300 ? undefined : decodeBase64url(token);
  const place = bytes && readStored(PageCursor, new TextDecoder().decode(bytes));
  if (place === undefined) throw malformed('pageToken: is invalid');
  return place;
};

const refuseTenant = (tenant: string): void => {
  if (tenant !== '')
    throw malformed(
      'tenant: there are none; a workspace is chosen by ?workspace_id= in the address',
    );
};

/** Checks that `historyLength` is a non-negative integer. */
const bounded = <T extends { historyLength?: number | undefined }>(
  given: T | undefined,
): Partial<T> & { historyLength?: number | undefined } => {
  const length = given?.historyLength;
  if (length !== undefined && (!Number.isInteger(length) || length < 0))
    throw malformed('historyLength: is not a non-negative integer');
  return given ?? {};
};

const tooMany = (why: string): A2AError =>
  new A2AError({ message: `Cannot take this request: ${why}`, metadata: { code: 'RATE_LIMITED' } });

const checkRunningLimits = (running: ReadonlyMap<string, Run>, owner: string): void => {
  if (running.size >= MAX_RUNNING.perWorkspace)
    throw tooMany('the workspace has too many running tasks');
  const own = running.values().reduce((sum, run) => sum + (run.stored.owner === owner ? 1 : 0), 0);
  if (own >= MAX_RUNNING.perOwner)
    throw tooMany(`${MAX_RUNNING.perOwner} of your tasks are running; wait for one to end`);
};

/** 0 for no history; all of it when absent. */
const withHistory = (task: Task, length: number | undefined): Task =>
  length === undefined
    ? task
    : { ...task, history: length === 0 ? [] : task.history.slice(-length) };

/** The message of the user as it is stored. */
const userMessage = (
  { messageId, query }: ReadMessage,
  {
    id: taskId,
    contextId,
    mask,
  }: { id: string; contextId: string; mask: (text: string) => string },
): Message => ({
  messageId,
  taskId,
  contextId,
  role: Role.ROLE_USER,
  parts: [textPart(mask(query), 'text/plain')],
  metadata: undefined,
  extensions: [],
  referenceTaskIds: [],
});

/** What was said in a task. */
const turnsIn = ({ history, artifacts }: Task): SpokenTurn[] => {
  const textIn = (parts: Message['parts']): string =>
    parts.flatMap(({ content }) => (content?.$case === 'text' ? [content.value] : [])).join('');
  const said = history.map(({ role, parts }) => ({
    speaker: role === Role.ROLE_AGENT ? ('assistant' as const) : ('user' as const),
    text: textIn(parts),
  }));
  const answers = artifacts.map(({ parts }) => ({
    speaker: 'assistant' as const,
    text: textIn(parts),
  }));
  return [...said, ...answers].filter(({ text }) => text !== '');
};

/** A task whose work ended with the process. */
const interrupted = ({ task, ...rest }: StoredTask, timestamp: string): StoredTask => {
  const { parts, metadata } = failureParts(
    errorInfo('SERVICE_UNAVAILABLE', {
      message: 'Cannot finish the task: it was interrupted',
      suggestion: 'Send the question again with another messageId',
    }),
  );
  const message = agentMessage(parts, { taskId: task.id, contextId: task.contextId, metadata });
  return {
    ...rest,
    task: { ...task, status: { state: TaskState.TASK_STATE_FAILED, message, timestamp } },
  };
};
