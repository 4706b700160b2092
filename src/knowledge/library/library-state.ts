import * as z from 'zod';
import { addColumn, migrate } from '../../storage/migrations.ts';
import type { Sql } from '../../storage/sql.ts';
import { readStored } from '../../storage/stored-json.ts';

/** Single values of a library, stored as JSON. */
export interface LibraryState {
  read(name: StateName): unknown;
  /** `undefined` deletes the value. */
  write(name: StateName, value: unknown): void;
  /** Incremented with every change of an article, so that an edition knows what it was built from. */
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
  | 'remove_vectors_at'
  | 'has_audiences'
  | 'activating';

export const libraryState = (sql: Sql): LibraryState => {
  const read = (name: StateName): unknown => {
    const [row] = sql.all<{ value: string }>('SELECT value FROM state WHERE name = ?', name);
    // A damaged value counts as none: a sync starts over, an edition is published again.
    return row === undefined ? undefined : readStored(z.unknown(), row.value);
  };
  const write = (name: StateName, value: unknown): void => {
    if (value === undefined) sql.run('DELETE FROM state WHERE name = ?', name);
    else sql.run('INSERT OR REPLACE INTO state (name, value) VALUES (?, ?)', name, JSON.stringify(value));
  };
  const revision = (): number => z.int().catch(0).parse(read('revision'));
  return { read, write, revision, bumpRevision: () => write('revision', revision() + 1) };
};

/** Brings the tables of a library up to date. A row stays below 2 MB: an article is at most 1.5 MB of UTF-8. */
export const createTables = (sql: Sql): void => {
  migrate(sql, 'library', [
    TABLES.map((table) => `CREATE TABLE IF NOT EXISTS ${table}`),
    // A list of names as JSON; empty for everybody.
    addColumn('articles', 'audiences', "TEXT NOT NULL DEFAULT '[]'"),
    HISTORY_TABLES.map((table) => `CREATE TABLE ${table}`),
  ]);
};

const TABLES = [
  // `source` is `host` or `local`; lists are JSON. `place` grows with each new article and leads from page to page.
  `articles (place INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, source TEXT NOT NULL, hash TEXT NOT NULL,
    title TEXT NOT NULL, url TEXT NOT NULL, intents TEXT NOT NULL, devices TEXT NOT NULL, last_updated TEXT NOT NULL,
    author TEXT, chunk_count INTEGER NOT NULL)`,
  // As it was given, without control characters, and as Markdown where that differs.
  'contents (id TEXT PRIMARY KEY, content TEXT NOT NULL)',
  'texts (id TEXT PRIMARY KEY, text TEXT NOT NULL)',
  // Up to 200 chunks a row, as JSON: their texts are slices of the article's.
  'chunks (id TEXT NOT NULL, part INTEGER NOT NULL, chunks TEXT NOT NULL, PRIMARY KEY (id, part))',
  // Ids of articles that were deleted here, and stay so although the host lists them; a full sync drops those it does not.
  'tombstones (id TEXT PRIMARY KEY)',
  // A running sync: the ids of each page, and what differs from what is known.
  'listed (page INTEGER PRIMARY KEY, cursor TEXT NOT NULL, ids TEXT NOT NULL)',
  'staged (id TEXT PRIMARY KEY, hash TEXT NOT NULL, fields TEXT NOT NULL, content TEXT NOT NULL)',
  // `revision` of the articles that it was built from, `digest` of their hashes.
  `editions (number INTEGER PRIMARY KEY, edition TEXT NOT NULL UNIQUE, manifest TEXT NOT NULL, revision INTEGER NOT NULL,
    digest TEXT NOT NULL, is_current INTEGER NOT NULL, stored_at INTEGER NOT NULL, retired_at INTEGER)`,
  'edition_rows (edition TEXT NOT NULL, part INTEGER NOT NULL, row INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (edition, part, row))',
  // Hashes of the links of writing calls, until they expire anyway.
  'calls (link TEXT PRIMARY KEY, until INTEGER NOT NULL)',
  // `hash` of the article whose chunks have their vectors' ids in `chunk_vectors`, and the `space` they belong to.
  'vector_plans (article TEXT PRIMARY KEY, hash TEXT NOT NULL, space TEXT NOT NULL)',
  'chunk_vectors (article TEXT NOT NULL, position INTEGER NOT NULL, vector TEXT NOT NULL, PRIMARY KEY (article, position)) WITHOUT ROWID',
  // Vectors that are wanted, stored, or still to be removed: whatever may be in the index has a row here. `is_stored` as `vector-store.ts`
  // tells. `packed`: as the edition has it where that is its place; else its numbers, 32 bits each, until the index takes them.
  'vectors (vector TEXT PRIMARY KEY, is_stored INTEGER NOT NULL, packed BLOB)',
  'state (name TEXT PRIMARY KEY, value TEXT NOT NULL)',
];

const HISTORY_TABLES = [
  // Editions that were current, and the articles of each: `lines` are ids with their hashes.
  `history (number INTEGER PRIMARY KEY, edition TEXT NOT NULL, cause TEXT NOT NULL, at INTEGER NOT NULL, articles INTEGER NOT NULL,
    chunks INTEGER NOT NULL)`,
  'history_rows (number INTEGER NOT NULL, row INTEGER NOT NULL, lines TEXT NOT NULL, PRIMARY KEY (number, row))',
  // Articles as they were before they were replaced or removed, while an edition of the history has them.
  `versions (id TEXT NOT NULL, hash TEXT NOT NULL, source TEXT NOT NULL, title TEXT NOT NULL, url TEXT NOT NULL, intents TEXT NOT NULL,
    devices TEXT NOT NULL, last_updated TEXT NOT NULL, author TEXT, audiences TEXT NOT NULL, content TEXT NOT NULL, text TEXT,
    PRIMARY KEY (id, hash))`,
];
