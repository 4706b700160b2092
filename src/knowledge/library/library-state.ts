import type { Sql } from '../../storage/sql.ts';

/** The few single values that a library remembers, kept as JSON. */
export interface LibraryState {
  read(name: StateName): unknown;
  /** `undefined` forgets the value. */
  write(name: StateName, value: unknown): void;
  /** Counts up with every change of an article, so that an edition knows what it was built from. */
  revision(): number;
  bumpRevision(): void;
}

type StateName =
  | 'workspace'
  | 'revision'
  | 'changed_at'
  | 'run'
  | 'report'
  | 'listed_from'
  | 'publish_at'
  | 'publish_by'
  | 'clean_after'
  | 'embedding'
  | 'vectors_in'
  | 'remove_vectors_at';

export const libraryState = (sql: Sql): LibraryState => {
  const read = (name: StateName): unknown => {
    const [row] = sql.all<{ value: string }>('SELECT value FROM state WHERE name = ?', name);
    return row === undefined ? undefined : JSON.parse(row.value);
  };
  const write = (name: StateName, value: unknown): void => {
    if (value === undefined) sql.run('DELETE FROM state WHERE name = ?', name);
    else sql.run('INSERT OR REPLACE INTO state (name, value) VALUES (?, ?)', name, JSON.stringify(value));
  };
  const revision = (): number => Number(read('revision') ?? 0);
  return { read, write, revision, bumpRevision: () => write('revision', revision() + 1) };
};
