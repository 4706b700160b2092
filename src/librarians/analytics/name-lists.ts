import { CodedError, DataSourceError } from '../../platform/http/coded-error.ts';
import { SqlUnavailable } from '../../platform/storage/sql-database.ts';
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
export function createNameLists(
  { names }: Catalogue,
  { ask, report, now }: NameListsParts,
): () => Promise<NameLists> {
  let cached: { lists: NameLists; expiresAtMs: number } | undefined;
  return async () => {
    if (cached !== undefined && now() < cached.expiresAtMs) return cached.lists;
    const entries = Object.entries(names);
    const lists: Record<string, readonly string[]> = Object.fromEntries(
      entries.map(([list]) => [list, cached?.lists[list] ?? []]),
    );
    const failures: unknown[] = [];
    let isIncomplete = false;
    const readList = async ([list, sql]: readonly [string, string]) => {
      try {
        const table = await ask(sql);
        lists[list] = namesIn(table);
        const { length } = table.rows;
        if (table.truncated)
          report(
            new DataSourceError(`the list of names ${list} is truncated after ${length} names`),
          );
      } catch (error) {
        failures.push(error);
        isIncomplete ||= cached?.lists[list] === undefined && isTransient(error);
      }
    };
    await Promise.all(entries.map(readList));
    if (failures.length > 0 && failures.length === entries.length) throw failures[0];
    failures.forEach(report);
    if (isIncomplete) throw unavailable(failures[0]);
    const cacheMs = failures.length > 0 ? CACHE_AFTER_FAILURE_MS : CACHE_MS;
    cached = { lists, expiresAtMs: now() + cacheMs };
    return lists;
  };
}

/** The statement is not at fault, so the next attempt may succeed. */
const isTransient = (error: unknown): boolean =>
  error instanceof SqlUnavailable || (error instanceof CodedError && error.code === 'TIMEOUT');

const unavailable = (cause: unknown): CodedError =>
  new CodedError('SERVICE_UNAVAILABLE', 'a list of names could not be read', {
    cause,
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
