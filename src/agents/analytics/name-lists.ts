import { CodedError, DataSourceError } from '../../http/coded-error.ts';
import { SqlUnavailable } from '../../storage/sql-database.ts';
import type { Catalogue } from './catalogue.ts';
import type { NameLists } from './find-names.ts';
import type { Table } from './run-sql.ts';

const CACHE_MS = 60_000;
const CACHE_AFTER_FAILURE_MS = 5000;
const MAX_NAME_LENGTH = 200;

interface NameListsParts {
  ask: (sql: string) => Promise<Table>;
  /** Called for a list that could not be read completely. */
  report: (error: unknown) => void;
  now: () => number;
}

/**
 * Reads the names of products, customers and the like that questions may mention, and caches them for a minute. When a list cannot be
 * read, its last value is used; a list with an invalid SQL statement is left empty and does not stop the others.
 *
 * @throws What `ask` throws when no list can be read; SERVICE_UNAVAILABLE when a list timed out before it was ever
 *   loaded, because without its names a question would be refused or misunderstood.
 */
export const createNameLists = (
  { names }: Catalogue,
  { ask, report, now }: NameListsParts,
): (() => Promise<NameLists>) => {
  let cached: { lists: NameLists; expiresAtMs: number } | undefined;
  const readList = async (list: string, sql: string) => {
    const table = await ask(sql);
    if (table.truncated)
      report(new DataSourceError(`the list of names ${list} is truncated after ${table.rows.length} names`));
    return namesIn(table);
  };
  return async () => {
    if (cached !== undefined && now() < cached.expiresAtMs) return cached.lists;
    const entries = Object.entries(names);
    const read = await Promise.allSettled(entries.map(([list, sql]) => readList(list, sql)));
    const failures = read.flatMap((list) => (list.status === 'rejected' ? [list.reason] : []));
    if (failures.length > 0 && failures.length === read.length) throw failures[0];
    for (const failure of failures) report(failure);
    const before = cached?.lists ?? {};
    const isMissing = entries.some(([list], index) => before[list] === undefined && isTransient(read[index]));
    if (isMissing) throw unavailable(failures);
    const lists = entries.map(([list], index) => {
      const found = read[index];
      return [list, found?.status === 'fulfilled' ? found.value : (before[list] ?? [])] as const;
    });
    const cacheMs = failures.length > 0 ? CACHE_AFTER_FAILURE_MS : CACHE_MS;
    cached = { lists: Object.fromEntries(lists), expiresAtMs: now() + cacheMs };
    return cached.lists;
  };
};

/** The statement is not at fault, so the next attempt may succeed. */
const isTransient = (read: PromiseSettledResult<unknown> | undefined): boolean =>
  read?.status === 'rejected' &&
  (read.reason instanceof SqlUnavailable || (read.reason instanceof CodedError && read.reason.code === 'TIMEOUT'));

const unavailable = (failures: readonly unknown[]): CodedError =>
  new CodedError('SERVICE_UNAVAILABLE', 'a list of names could not be read', {
    cause: failures[0],
    reported: {
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
