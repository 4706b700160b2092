import { DataSourceError } from '../../runtime/error-info-of.ts';
import type { Catalogue } from './catalogue.ts';
import type { NameLists } from './find-names.ts';
import type { Table } from './run-sql.ts';

/** So long the lists of names may be older than the database. */
const KEPT_MS = 60_000;
const MAX_NAME_LENGTH = 200;

/** Reads the lists of names that questions may contain, and keeps them for a minute. Of each list the first 500. */
export const createKnownNames = (
  { names }: Catalogue,
  { ask, now }: { ask: (sql: string) => Promise<Table>; now: () => number },
): (() => Promise<NameLists>) => {
  let kept: { lists: NameLists; untilMs: number } | undefined;
  return async () => {
    if (kept !== undefined && now() < kept.untilMs) return kept.lists;
    const read = await Promise.all(Object.entries(names).map(async ([list, sql]) => [list, namesIn(await ask(sql))]));
    kept = { lists: Object.fromEntries(read), untilMs: now() + KEPT_MS };
    return kept.lists;
  };
};

const namesIn = ({ columns: [column], rows }: Table): string[] => {
  if (column === undefined) throw new DataSourceError('a list of names has no column');
  return rows
    .map((row) => row[column])
    .filter((name): name is string => typeof name === 'string' && /[\p{L}\p{N}]/u.test(name))
    .filter(({ length }) => length <= MAX_NAME_LENGTH);
};
