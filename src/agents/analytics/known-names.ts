import { CodedError, DataSourceError } from '../../runtime/error-info-of.ts';
import { SqlUnavailable } from '../../storage/sql-database.ts';
import type { Catalogue } from './catalogue.ts';
import type { NameLists } from './find-names.ts';
import type { Table } from './run-sql.ts';

/** So long the lists of names may be older than the database, and so long after one could not be read. */
const KEPT_MS = 60_000;
const KEPT_AFTER_FAILURE_MS = 5000;
const MAX_NAME_LENGTH = 200;

interface KnownNamesParts {
  ask: (sql: string) => Promise<Table>;
  /** Is told of a list that could not be read, or not to its end. */
  report: (error: unknown) => void;
  now: () => number;
}

/**
 * Reads the lists of names that questions may contain, and keeps them for a minute. A list that cannot be read is as it was
 * before; one whose statement is wrong is empty, and ends no question.
 *
 * It throws what `ask` throws when no list can be read, SERVICE_UNAVAILABLE when the database had no time for one that was never
 * read: without its names a question would be refused, or be taken for another.
 */
export const createKnownNames = (
  { names }: Catalogue,
  { ask, report, now }: KnownNamesParts,
): (() => Promise<NameLists>) => {
  let kept: { lists: NameLists; untilMs: number } | undefined;
  const readList = async (list: string, sql: string) => {
    const table = await ask(sql);
    if (table.truncated) report(new DataSourceError(`the list of names ${list} is cut after ${table.rows.length}`));
    return namesIn(table);
  };
  return async () => {
    if (kept !== undefined && now() < kept.untilMs) return kept.lists;
    const entries = Object.entries(names);
    const read = await Promise.allSettled(entries.map(([list, sql]) => readList(list, sql)));
    const failures = read.flatMap((list) => (list.status === 'rejected' ? [list.reason] : []));
    if (failures.length > 0 && failures.length === read.length) throw failures[0];
    for (const failure of failures) report(failure);
    const before = kept?.lists ?? {};
    const lacks = entries.some(([list], place) => before[list] === undefined && isForNow(read[place]));
    if (lacks) throw unavailable(failures);
    const lists = entries.map(([list], place) => {
      const found = read[place];
      return [list, found?.status === 'fulfilled' ? found.value : (before[list] ?? [])] as const;
    });
    const keptMs = failures.length > 0 ? KEPT_AFTER_FAILURE_MS : KEPT_MS;
    kept = { lists: Object.fromEntries(lists), untilMs: now() + keptMs };
    return kept.lists;
  };
};

/** Of no fault of the statement: the next attempt may well succeed. */
const isForNow = (read: PromiseSettledResult<unknown> | undefined): boolean =>
  read?.status === 'rejected' &&
  (read.reason instanceof SqlUnavailable || (read.reason instanceof CodedError && read.reason.code === 'TIMEOUT'));

const unavailable = (failures: readonly unknown[]): CodedError =>
  new CodedError('SERVICE_UNAVAILABLE', 'a list of names could not be read', {
    cause: failures[0],
    told: {
      message: 'Cannot read the names that questions may contain: the database is slow or down',
      recoverable: true,
      suggestion: 'Try again in a few seconds',
    },
  });

const namesIn = ({ columns: [column], rows }: Table): string[] => {
  if (column === undefined) throw new DataSourceError('a list of names has no column');
  return rows
    .map((row) => row[column])
    .filter((name): name is string => typeof name === 'string' && /[\p{L}\p{N}]/u.test(name))
    .filter(({ length }) => length <= MAX_NAME_LENGTH);
};
