import * as z from 'zod';
import {
  CheckBreak,
  CheckResult,
  CheckState,
  type KnowledgeCheck,
  KnowledgeCheckInput,
  type KnowledgeChecks,
  type KnowledgeChecksQuery,
  MAX_CHECKS,
} from '../../contract/wire/checks.ts';
import { READABLE } from '../../platform/storage/readable.ts';
import {
  bytesOf,
  migrate,
  readStored,
  type Sql,
  type SqlValue,
} from '../../platform/storage/sql.ts';
import {
  type CheckBook,
  type CheckListing,
  type CheckRun,
  type CheckToWrite,
  type CheckWriting,
  type PutResult,
  questionKey,
  type StoredCheck,
} from './check-book.ts';

interface SqlCheckBookOptions {
  /** Most checks that are stored; 2,000 when absent. */
  maxChecks?: number | undefined;
}

/** The checks of one workspace, in a database of its own. */
export function sqlCheckBook(
  sql: Sql,
  { maxChecks = MAX_CHECKS }: SqlCheckBookOptions = {},
): CheckBook {
  migrate(sql, 'checks', MIGRATIONS);
  const total = (): number => countOf(sql, 'SELECT count(*) AS n FROM checks');
  return {
    put: (writing) => sql.transaction(() => putChecks(sql, writing, maxChecks - total())),
    list: (query, scope) => listChecks(sql, query, scope),
    readAll: (audiences) =>
      sql
        .all<CheckRow>(
          `SELECT * FROM checks WHERE ${READABLE} ORDER BY place`,
          JSON.stringify(audiences),
        )
        .map(storedOf),
    remove: (id, audiences) =>
      sql.transaction(() => {
        const scope = JSON.stringify(audiences);
        const isThere =
          countOf(
            sql,
            `SELECT count(*) AS n FROM checks WHERE ${READABLE} AND id = ?2`,
            scope,
            id,
          ) > 0;
        if (isThere) sql.run('DELETE FROM checks WHERE id = ?', id);
        return isThere;
      }),
    start: ({ audiences, nowMs }) => {
      const scope = JSON.stringify(audiences);
      sql.run(`UPDATE checks SET due_at = ?2, failures = 0 WHERE ${READABLE}`, scope, nowMs);
      return countOf(sql, `SELECT count(*) AS n FROM checks WHERE ${READABLE}`, scope);
    },
    isEmpty: () => total() === 0,
    due: (limit, nowMs) =>
      sql
        .all<CheckRow>(
          'SELECT * FROM checks WHERE due_at <= ? ORDER BY audiences, place LIMIT ?',
          nowMs,
          limit,
        )
        .map(storedOf),
    nextDueAt: () =>
      sql.all<{ at: number | null }>('SELECT min(due_at) AS at FROM checks')[0]?.at ?? undefined,
    postpone: (id, edition, atMs) =>
      sql.transaction(() => {
        const [row] = sql.all<{ failures: number }>('SELECT failures FROM checks WHERE id = ?', id);
        if (row === undefined) return;
        const failures = row.failures + 1;
        sql.run(
          'UPDATE checks SET due_at = ?, failures = ?, failed_on = ? WHERE id = ?',
          ...[atMs(failures), failures, edition, id],
        );
      }),
    putOff: (untilMs) => sql.run('UPDATE checks SET due_at = ?1 WHERE due_at < ?1', untilMs),
    noteEdition: (edition, nowMs) =>
      sql.run(
        `UPDATE checks SET due_at = ?1, failures = 0
          WHERE CASE failures WHEN 0 THEN due_at IS NULL AND edition IS NOT ?2 ELSE failed_on IS NOT ?2 END`,
        nowMs,
        edition,
      ),
    marks: (edition) =>
      sql
        .all<{ marks: ArrayBuffer | Uint8Array<ArrayBuffer> }>(
          'SELECT marks FROM check_marks WHERE edition = ?',
          edition,
        )
        .map(({ marks }) => bytesOf(marks))[0],
    hasMarks: (edition) =>
      sql.all('SELECT 1 FROM check_marks WHERE edition = ?', edition).length > 0,
    keepMarks: (edition, marks) => {
      sql.run('INSERT OR REPLACE INTO check_marks (edition, marks) VALUES (?, ?)', edition, marks);
      sql.run(
        'DELETE FROM check_marks WHERE edition <> ? AND edition NOT IN (SELECT edition FROM checks WHERE edition IS NOT NULL)',
        edition,
      );
    },
    note: (run, nowMs) => sql.transaction(() => noteRun(sql, run, nowMs)),
  };
}

const countOf = (sql: Sql, query: string, ...values: SqlValue[]): number =>
  sql.all<{ n: number }>(query, ...values)[0]?.n ?? 0;

interface CheckRow extends Record<string, SqlValue> {
  place: number;
  id: string;
  /** `KnowledgeCheckInput` as JSON; `audiences` likewise, sorted. */
  input: string;
  audiences: string;
  created_at: number;
  state: string;
  since: number | null;
  ran_at: number | null;
  edition: string | null;
  /** `CheckResult` and `CheckBreak` as JSON. */
  result: string | null;
  broken_by: string | null;
}

const putChecks = (
  sql: Sql,
  { checks, audiences, readableAudiences = audiences, isOnlyNew = false, nowMs }: CheckWriting,
  room: number,
): PutResult => {
  const audiencesJson = JSON.stringify(audiences);
  const counts = { added: 0, changed: 0, unchanged: 0 };
  const inputById = readableInputs(sql, readableAudiences);
  const missing = checks.find(({ existingId: id }) => id !== undefined && !inputById.has(id));
  if (missing !== undefined) return { missing: missing.input.question };
  const idFor = idsAmong(inputById);
  const inputs = new Map(checks.map((check) => [idFor(check), JSON.stringify(check.input)]));
  const newCount = [...inputs.keys()].filter((id) => !inputById.has(id)).length;
  if (newCount > room) return { full: newCount - room };
  let createdAt = firstCreation(sql, audiencesJson, nowMs);
  for (const [id, input] of inputs) {
    const current = inputById.get(id);
    if (current === input || (isOnlyNew && current !== undefined)) counts.unchanged += 1;
    else if (current === undefined) {
      sql.run(
        "INSERT INTO checks (id, input, audiences, created_at, state, due_at) VALUES (?, ?, ?, ?, 'not_run', ?)",
        ...[id, input, audiencesJson, createdAt, nowMs],
      );
      createdAt += 1;
      counts.added += 1;
    } else {
      sql.run(
        `UPDATE checks SET input = ?, state = 'not_run', since = NULL, ran_at = NULL, edition = NULL, result = NULL, broken_by = NULL,
          due_at = ?, failures = 0 WHERE id = ?`,
        ...[input, nowMs, id],
      );
      counts.changed += 1;
    }
  }
  return counts;
};

/**
 * Each check is created later than those before it, so that a page can go on after one that was deleted. Only checks count that every
 * reader of the new ones may see.
 */
const firstCreation = (sql: Sql, audiencesJson: string, nowMs: number): number => {
  const query = `SELECT max(created_at) + 1 AS at FROM checks WHERE ${READABLE}`;
  return Math.max(nowMs, sql.all<{ at: number | null }>(query, audiencesJson)[0]?.at ?? 0);
};

/** Inputs by id, as JSON, of the checks that audiences may see. */
const readableInputs = (sql: Sql, audiences: readonly string[]): ReadonlyMap<string, string> =>
  new Map(
    sql
      .all<Pick<CheckRow, 'id' | 'input'>>(
        `SELECT id, input FROM checks WHERE ${READABLE} ORDER BY place`,
        JSON.stringify(audiences),
      )
      .map(({ id, input }) => [id, input]),
  );

/** The check to change for each that is written, or the id of a new one. */
const idsAmong = (inputById: ReadonlyMap<string, string>): ((check: CheckToWrite) => string) => {
  const keys = new Map(
    [...inputById].map(([id, input]) => [id, questionKey(inputOf({ input }).question)]),
  );
  const oldest = new Map([...keys].toReversed().map(([id, key]) => [key, id]));
  return ({ id, existingId, input }) => {
    const key = questionKey(input.question);
    if (existingId !== undefined && keys.get(existingId) === key) return existingId;
    return keys.has(id) ? id : (oldest.get(key) ?? id);
  };
};

const STATES = CheckState.options;
/** Red ones first: the place of the state in the list of states. */
const RANK = `CASE state ${STATES.map((state, at) => `WHEN '${state}' THEN ${at}`).join(' ')} END`;

const listChecks = (
  sql: Sql,
  { state, order, limit, cursor = '' }: KnowledgeChecksQuery,
  { audiences, nowMs, edition }: CheckListing,
): KnowledgeChecks => {
  const scope = JSON.stringify(audiences);
  const [rank = '', createdAt = '0', id = ''] = cursor.split('.');
  const after = placeAfter(sql, { scope, id, createdAt: Number(createdAt) });
  const rankOf = order === 'created' ? '0' : RANK;
  const rows = sql.all<CheckRow & { rank: number }>(
    `SELECT *, ${rankOf} AS rank FROM checks WHERE ${READABLE} AND (?2 = 'all' OR state = ?2) AND (${rankOf}, place) > (?3, ?4)
      ORDER BY rank, place LIMIT ?5`,
    ...[scope, state, Number(rank === '' ? -1 : rank), after, limit + 1],
  );
  const counts = { red: 0, not_run: 0, green: 0 };
  for (const each of STATES)
    counts[each] = countOf(
      sql,
      `SELECT count(*) AS n FROM checks WHERE ${READABLE} AND state = ?2`,
      scope,
      each,
    );
  const pending = countOf(
    sql,
    `SELECT count(*) AS n FROM checks WHERE ${READABLE} AND due_at <= ?2`,
    scope,
    nowMs,
  );
  const lastRunAt =
    sql.all<{ at: number | null }>(
      `SELECT max(ran_at) AS at FROM checks WHERE ${READABLE}`,
      scope,
    )[0]?.at ?? null;
  const page = rows.slice(0, limit);
  const lastRow = rows.length > limit ? page.at(-1) : undefined;
  return {
    checks: page.map((row) => checkOf(row, edition)),
    counts,
    running: pending > 0,
    pending,
    last_ran_at: lastRunAt === null ? null : momentOf(lastRunAt),
    next_cursor: lastRow === undefined ? null : cursorOf(lastRow),
  };
};

/** Without the place of the row, which would tell how many checks there are that others alone may see. */
const cursorOf = ({ rank, created_at: createdAt, id }: CheckRow & { rank: number }): string =>
  `${rank}.${createdAt}.${id}`;

/** The place of the last check of a page; when it was deleted since, a place before all that were created later. */
const placeAfter = (
  sql: Sql,
  { scope, id, createdAt }: { scope: string; id: string; createdAt: number },
): number =>
  sql.all<{ place: number }>(
    `SELECT coalesce((SELECT place FROM checks WHERE ${READABLE} AND id = ?2),
      (SELECT min(place) - 1 FROM checks WHERE ${READABLE} AND created_at >= ?3),
      (SELECT max(place) FROM checks WHERE ${READABLE}), 0) AS place`,
    scope,
    id,
    createdAt,
  )[0]?.place ?? 0;

const Audiences = z.array(z.string());

const inputOf = (row: Pick<CheckRow, 'input'>): KnowledgeCheckInput =>
  KnowledgeCheckInput.parse(JSON.parse(row.input));
const resultOf = ({ result }: CheckRow): CheckResult | undefined =>
  result === null ? undefined : readStored(CheckResult, result);
const stateOf = (row: CheckRow): CheckState => CheckState.parse(row.state);

const storedOf = (row: CheckRow): StoredCheck => {
  const result = resultOf(row);
  return {
    id: row.id,
    input: inputOf(row),
    audiences: readStored(Audiences, row.audiences) ?? [],
    state: stateOf(row),
    last:
      result === undefined || row.edition === null
        ? undefined
        : { edition: row.edition, cites: result.answer.cites },
  };
};

const checkOf = (row: CheckRow, edition: string | undefined): KnowledgeCheck => {
  const result = resultOf(row);
  return {
    ...inputOf(row),
    id: row.id,
    created_at: momentOf(row.created_at),
    state: stateOf(row),
    since: row.since === null ? null : momentOf(row.since),
    ran_at: row.ran_at === null ? null : momentOf(row.ran_at),
    edition: row.edition,
    lacks: result?.lacks ?? [],
    answer: row.edition === edition ? (result?.answer ?? null) : null,
    broken_by: row.broken_by === null ? null : (readStored(CheckBreak, row.broken_by) ?? null),
  };
};

const momentOf = (ms: number): string => new Date(ms).toISOString();

/** A check that was deleted or changed while it ran keeps what it is. */
const noteRun = (
  sql: Sql,
  { id, input, result, edition, changes }: CheckRun,
  nowMs: number,
): void => {
  const [row] = sql.all<CheckRow>('SELECT * FROM checks WHERE id = ?', id);
  if (row === undefined || row.input !== JSON.stringify(input)) return;
  const isSame = row.state === result.state;
  const brokenBy =
    result.state === 'red' ? (breakOf(row, { edition, changes }) ?? row.broken_by) : null;
  sql.run(
    'UPDATE checks SET state = ?, since = ?, ran_at = ?, edition = ?, result = ?, broken_by = ?, due_at = NULL, failures = 0 WHERE id = ?',
    ...[
      result.state,
      isSame ? row.since : nowMs,
      nowMs,
      edition,
      JSON.stringify(result),
      brokenBy,
      id,
    ],
  );
};

/** As JSON; undefined unless the check was green before. */
const breakOf = (
  { state, edition: before }: CheckRow,
  { edition: after, changes: articles }: Pick<CheckRun, 'edition' | 'changes'>,
): string | undefined =>
  state === 'green' && before !== null
    ? JSON.stringify({ before, after, articles } satisfies CheckBreak)
    : undefined;

const MIGRATIONS = [
  [
    // `due_at` is when a check is to be run, null when it is not. `edition` is the one that it was last run against.
    `CREATE TABLE checks (place INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, input TEXT NOT NULL, audiences TEXT NOT NULL,
      created_at INTEGER NOT NULL, state TEXT NOT NULL, since INTEGER, ran_at INTEGER, edition TEXT, result TEXT, broken_by TEXT,
      due_at INTEGER)`,
    'CREATE INDEX checks_due ON checks (due_at) WHERE due_at IS NOT NULL',
    // What tells which articles a later edition has changed.
    'CREATE TABLE check_marks (edition TEXT PRIMARY KEY, marks BLOB NOT NULL)',
  ],
  // Runs in a row that gave no result.
  ['ALTER TABLE checks ADD COLUMN failures INTEGER NOT NULL DEFAULT 0'],
  // The edition of the last of them.
  ['ALTER TABLE checks ADD COLUMN failed_on TEXT'],
];
