import { Artifact, Task, TaskState } from '@a2a-js/sdk';
import * as z from 'zod';
import { lruCache } from '../../../platform/lru-cache.ts';
import { migrate, readStored, type Sql, type SqlValue } from '../../../platform/storage/sql.ts';

/** A task and its lookup keys. */
export interface StoredTask {
  task: Task;
  owner: string;
  personId: string | undefined;
}

/** The message that began or continued a task, used to detect a repeated one. */
interface KnownMessage {
  taskId: string;
  /** Hash of what the message says. */
  hash: string;
}

interface TaskFilter {
  contextId?: string | undefined;
  state?: TaskState | undefined;
  /** Milliseconds since 1970; only tasks whose state is newer. */
  after?: number | undefined;
}

interface TaskPage {
  tasks: Task[];
  total: number;
  next: PageCursor | undefined;
}

/** Position after the last task of a page. */
export const PageCursor = z.object({ at: z.int().min(0), id: z.string().max(64) });
export type PageCursor = z.infer<typeof PageCursor>;

/** Bounds of the tasks of a workspace; the oldest that are not running are deleted. */
interface Bounds {
  perOwner: number;
  perWorkspace: number;
}

export type TaskStore = ReturnType<typeof taskStore>;

interface TaskRow extends Record<string, SqlValue> {
  id: string;
  at: number;
  task: string;
  artifacts: string;
}

/** The tasks of one workspace, in a database of its own. Each is deleted when its lifetime has passed. */
export function taskStore(
  sql: Sql,
  { lifetimeMs, perOwner = 1000, perWorkspace = 20_000 }: { lifetimeMs: number } & Partial<Bounds>,
) {
  migrate(sql, 'a2a-tasks', [
    [
      'CREATE TABLE tasks (id TEXT PRIMARY KEY, owner TEXT NOT NULL, context TEXT NOT NULL, person TEXT, state INTEGER NOT NULL, at INTEGER NOT NULL, task TEXT NOT NULL, artifacts TEXT NOT NULL)',
      'CREATE INDEX tasks_by_owner ON tasks (owner, at, id)',
      'CREATE INDEX tasks_by_context ON tasks (context)',
      'CREATE INDEX tasks_by_person ON tasks (person)',
      'CREATE INDEX tasks_by_time ON tasks (at)',
      'CREATE TABLE messages (owner TEXT NOT NULL, message TEXT NOT NULL, task TEXT NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (owner, message)) WITHOUT ROWID',
      'CREATE INDEX messages_by_task ON messages (task)',
    ],
  ]);
  const count = (where: string, ...values: SqlValue[]): number =>
    sql.all<{ found: number }>(`SELECT count(*) AS found FROM tasks WHERE ${where}`, ...values)[0]
      ?.found ?? 0;
  /** Number of tasks by owner, and of all; counted once, since a full count grows with the tasks. */
  const counts = lruCache<string | typeof ALL, number>({ max: MAX_COUNTS });
  const remove = (where: string, ...values: SqlValue[]): void => {
    counts.clear();
    sql.run(`DELETE FROM messages WHERE task IN (SELECT id FROM tasks WHERE ${where})`, ...values);
    sql.run(`DELETE FROM tasks WHERE ${where}`, ...values);
  };
  /** Counts a new task, and removes the oldest ones beyond the bound. */
  const admit = (of: string | typeof ALL, bound: number): void => {
    const [where, values] = of === ALL ? ['true', []] : ['owner = ?', [of]];
    const known = counts.get(of);
    const found = known === undefined ? count(where, ...values) : known + 1;
    counts.set(of, found);
    if (found <= bound) return;
    const ended = `${where} AND state <> ${TaskState.TASK_STATE_WORKING}`;
    sql.transaction(() =>
      remove(
        `id IN (SELECT id FROM tasks WHERE ${ended} ORDER BY at, id LIMIT ${found - bound})`,
        ...values,
      ),
    );
  };
  return {
    /** Stores a new task. */
    add: (stored: StoredTask): void => {
      const { task, owner } = stored;
      sql.run(
        'INSERT INTO tasks (person, state, at, task, artifacts, id, owner, context) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
        ...changingColumns(stored),
        ...[task.id, owner, task.contextId],
      );
      admit(owner, perOwner);
      admit(ALL, perWorkspace);
    },
    /** Stores a task as it is now; one that was removed stays removed. */
    save: (stored: StoredTask): void =>
      sql.run(
        'UPDATE tasks SET person = ?, state = ?, at = ?, task = ?, artifacts = ? WHERE id = ?',
        ...changingColumns(stored),
        stored.task.id,
      ),
    find: (id: string, owner: string): StoredTask | undefined => {
      const [row] = sql.all<TaskRow & { person: string | null }>(
        'SELECT id, at, task, artifacts, person FROM tasks WHERE id = ? AND owner = ?',
        id,
        owner,
      );
      const task = row && taskOf(row);
      return task && { task, owner, personId: row?.person ?? undefined };
    },
    list: (
      owner: string,
      { contextId, state, after }: TaskFilter,
      {
        limit,
        from,
        withArtifacts,
      }: { limit: number; from: PageCursor | undefined; withArtifacts: boolean },
    ): TaskPage => {
      const where = ['owner = ?'];
      const values: SqlValue[] = [owner];
      const addCondition = (condition: string, ...more: SqlValue[]): void => {
        where.push(condition);
        values.push(...more);
      };
      if (contextId !== undefined) addCondition('context = ?', contextId);
      if (state !== undefined) addCondition('state = ?', state);
      if (after !== undefined) addCondition('at > ?', after);
      const total = count(where.join(' AND '), ...values);
      if (from !== undefined)
        addCondition('(at < ? OR (at = ? AND id < ?))', from.at, from.at, from.id);
      const rows = sql.all<TaskRow>(
        `SELECT id, at, task, ${withArtifacts ? 'artifacts' : "'[]' AS artifacts"} FROM tasks WHERE ${where.join(' AND ')} ORDER BY at DESC, id DESC LIMIT ?`,
        ...values,
        limit + 1,
      );
      const page = rows.slice(0, limit);
      const last = page.at(-1);
      const next =
        rows.length > limit && last !== undefined ? { at: last.at, id: last.id } : undefined;
      return { tasks: page.flatMap((row) => taskOf(row) ?? []), total, next };
    },
    findMessage: (owner: string, messageId: string): KnownMessage | undefined =>
      sql.all<{ taskId: string; hash: string }>(
        'SELECT task AS taskId, hash FROM messages WHERE owner = ? AND message = ?',
        owner,
        messageId,
      )[0],
    addMessage: (owner: string, messageId: string, { taskId, hash }: KnownMessage): void =>
      sql.run(
        'INSERT OR REPLACE INTO messages (owner, message, task, hash) VALUES (?, ?, ?, ?)',
        owner,
        messageId,
        taskId,
        hash,
      ),
    /** Up to 1,000 tasks that were running when the object restarted; the caller ends them. */
    findInterrupted: (): StoredTask[] =>
      sql
        .all<TaskRow & { owner: string; person: string | null }>(
          'SELECT id, at, task, artifacts, owner, person FROM tasks WHERE state = ? LIMIT 1000',
          TaskState.TASK_STATE_WORKING,
        )
        .flatMap((row) => {
          const task = taskOf(row);
          return task === undefined
            ? []
            : [{ task, owner: row.owner, personId: row.person ?? undefined }];
        }),
    /** Removes the tasks of a conversation or a person, whoever owns them; returns their ids and owners. */
    erase: (by: 'context' | 'person', value: string): { id: string; owner: string }[] => {
      const tasks = sql.all<{ id: string; owner: string }>(
        `SELECT id, owner FROM tasks WHERE ${by} = ?`,
        value,
      );
      sql.transaction(() => remove(`${by} = ?`, value));
      return tasks;
    },
    /** Deletes expired tasks. */
    expire: (now: number): void => sql.transaction(() => remove('at <= ?', now - lifetimeMs)),
    /** When the next task expires, in milliseconds since 1970; undefined when there is none. */
    nextExpiry: (): number | undefined => {
      const at =
        sql.all<{ at: number | null }>('SELECT min(at) AS at FROM tasks')[0]?.at ?? undefined;
      return at === undefined ? undefined : at + lifetimeMs;
    },
  };
}

const ALL = Symbol('all owners');
const MAX_COUNTS = 1000;

const changingColumns = ({ task: { artifacts, ...task }, personId }: StoredTask): SqlValue[] => [
  personId ?? null,
  task.status?.state ?? 0,
  timeOf(task),
  JSON.stringify(Task.toJSON({ ...task, artifacts: [] })),
  JSON.stringify(artifacts.map((artifact) => Artifact.toJSON(artifact))),
];

const timeOf = ({ status }: Pick<Task, 'status'>): number =>
  Date.parse(status?.timestamp ?? '') || 0;

const Stored = z.record(z.string(), z.unknown());

const taskOf = ({ task, artifacts }: TaskRow): Task | undefined => {
  const read = readStored(Stored, task);
  return (
    read && {
      ...Task.fromJSON(read),
      artifacts: (readStored(z.array(Stored), artifacts) ?? []).map(Artifact.fromJSON),
    }
  );
};
