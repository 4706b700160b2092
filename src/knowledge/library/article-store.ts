import * as z from 'zod';
import {
  type ArticleOwner,
  ArticleReading,
  type ArticleText,
  ContentFormat,
} from '../../contract/wire/host-article.ts';
import type { Inventory, InventoryQuery } from '../../contract/wire/moving.ts';
import { NO_ONE } from '../../platform/context/capabilities.ts';
import { addColumn, migrate, readStored, type Sql } from '../../platform/storage/sql.ts';
import type { Article, Chunk, EditionEntry } from '../articles/article.ts';
import { chunkArticle } from '../articles/chunk-article.ts';
import { LARGE_TABLES } from '../large/passage-ledger.ts';

export interface StoredArticle extends Omit<Article, 'text'> {
  /** As received, without control characters: Markdown with its front matter, or HTML. */
  content: string;
  /** What the content is written in, where the source said it. */
  format?: ContentFormat | undefined;
}

export interface ArticlePage {
  articles: StoredArticle[];
  /** Total matches. */
  total: number;
  /** The id of its last article, from which the next page goes on; absent on the last one. */
  next: string | undefined;
}

export interface ArticleQuery {
  intent?: string | undefined;
  device?: string | undefined;
  /** ISO 8601 with `Z` and milliseconds, as `last_updated` is stored. */
  updatedSince?: string | undefined;
  limit: number;
  /** `next` of the previous page. */
  after?: string | undefined;
  /** Audiences of the caller: articles for others are not listed. Absent: none. */
  audiences?: readonly string[] | undefined;
}

/** Owner, hash and content of an article as its source gave it. */
export interface ArticleOrigin {
  owner: ArticleOwner;
  hash: string;
  content: string;
  format?: ContentFormat | undefined;
  /** What its reading left out; absent for a version of before. */
  reading?: ArticleReading | undefined;
}

/** The articles of one library with their chunks. Methods that write return the number of rows written. */
export interface ArticleStore {
  put(entry: EditionEntry, origin: ArticleOrigin): number;
  remove(id: string): number;
  owner(id: string): ArticleOwner | undefined;
  /** Hash, owner and readers of those of the ids that are known. */
  known(
    ids: readonly string[],
  ): Map<string, { hash: string; owner: ArticleOwner; readers: 'everybody' | 'some' }>;
  count(owner?: ArticleOwner): number;
  chunkCount(): number;
  /** Articles that these audiences may read, and their chunks. */
  readable(audiences: readonly string[]): { articles: number; chunks: number };
  /** The versions of articles that these audiences may read, by id. */
  versions(audiences: readonly string[]): { id: string; hash: string; lastUpdated: string }[];
  /** Bytes of all texts. */
  textBytes(): number;
  read(id: string): StoredArticle | undefined;
  /** The Markdown that offsets of quotes refer to. */
  readText(id: string): Pick<ArticleText, 'text' | 'owner' | 'left_out' | 'warnings'> | undefined;
  page(query: ArticleQuery): ArticlePage;
  /** An article with its chunks. */
  entry(id: string): EditionEntry | undefined;
  /** Ids of the articles that were written over HTTP, after one of them. */
  ownIds(after: string, limit: number): string[];
  /** A page of the articles, by id. */
  listed(query: InventoryQuery, audiences: readonly string[]): Inventory;
  /** Ids and hashes of all articles, a line each, by id. */
  inventory(): string;
  /** All articles with their chunks by id (by code point); can be iterated more than once. */
  entries(): Iterable<EditionEntry>;
  /** The same, after one of them. */
  entriesAfter(id: string): Iterable<EditionEntry>;
}

const CHUNKS_PER_ROW = 200;
const ENTRIES_AT_ONCE = 10;

/** @param keepsVersions Whether articles that are replaced or removed are kept for the history of editions. */
export function articleStore(
  sql: Sql,
  { keepsVersions = () => false }: { keepsVersions?: () => boolean } = {},
): ArticleStore {
  return {
    put: ({ article, chunks }, { owner, hash, content, format = null, reading }) => {
      const {
        id,
        title,
        url,
        intents,
        devices,
        lastUpdated,
        author = null,
        audiences = [],
        language = null,
      } = article;
      const { translationKey = null } = article;
      if (keepsVersions()) sql.run(KEEP_VERSION, id);
      sql.run(
        `INSERT INTO articles (id, source, hash, title, url, intents, devices, last_updated, author, audiences,
       chunk_count, language, format, translation_key, reading) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET source = excluded.source, hash = excluded.hash,
       title = excluded.title, url = excluded.url, intents = excluded.intents, devices = excluded.devices,
       last_updated = excluded.last_updated, author = excluded.author, audiences = excluded.audiences, chunk_count = excluded.chunk_count,
       language = excluded.language, format = excluded.format, translation_key = excluded.translation_key,
       reading = excluded.reading`,
        ...[
          id,
          owner,
          hash,
          title,
          url,
          JSON.stringify(intents),
          JSON.stringify(devices),
          lastUpdated,
          author,
        ],
        ...[JSON.stringify(audiences), chunks.length, language, format, translationKey],
        reading === undefined ? null : JSON.stringify(reading),
      );
      sql.run('INSERT OR REPLACE INTO contents (id, content) VALUES (?, ?)', id, content);
      sql.run('DELETE FROM texts WHERE id = ?', id);
      if (article.text !== content)
        sql.run('INSERT INTO texts (id, text) VALUES (?, ?)', id, article.text);
      return 2 + Number(article.text !== content) + putChunks(sql, id, chunks);
    },
    remove: (id) => {
      const known = sql.all('SELECT 1 AS one FROM articles WHERE id = ?', id).length;
      if (keepsVersions()) sql.run(KEEP_VERSION, id);
      for (const table of ['articles', 'contents', 'texts', 'chunks'])
        sql.run(`DELETE FROM ${table} WHERE id = ?`, id);
      return known;
    },
    owner: (id) =>
      sql.all<{ source: ArticleOwner }>('SELECT source FROM articles WHERE id = ?', id)[0]?.source,
    known: (ids) => {
      const rows = sql.all<{ id: string; hash: string; source: ArticleOwner; audiences: string }>(
        'SELECT id, hash, source, audiences FROM articles WHERE id IN (SELECT value FROM json_each(?))',
        JSON.stringify(ids),
      );
      const readersOf = (audiences: string) =>
        audiences === '[]' ? ('everybody' as const) : ('some' as const);
      return new Map(
        rows.map(({ id, hash, source, audiences }) => [
          id,
          { hash, owner: source, readers: readersOf(audiences) },
        ]),
      );
    },
    count: (owner) =>
      sql.all<{ n: number }>(
        'SELECT count(*) AS n FROM articles WHERE source = coalesce(?, source)',
        owner ?? null,
      )[0]?.n ?? 0,
    chunkCount: () =>
      sql.all<{ n: number | null }>('SELECT sum(chunk_count) AS n FROM articles')[0]?.n ?? 0,
    readable: (audiences) => {
      const [row] = sql.all<{ articles: number; chunks: number | null }>(
        `SELECT count(*) AS articles, sum(chunk_count) AS chunks FROM articles WHERE ${READABLE}`,
        JSON.stringify(audiences),
      );
      return { articles: row?.articles ?? 0, chunks: row?.chunks ?? 0 };
    },
    versions: (audiences) =>
      sql.all(
        `SELECT id, hash, last_updated AS lastUpdated FROM articles WHERE ${READABLE} ORDER BY id`,
        JSON.stringify(audiences),
      ),
    textBytes: () =>
      sql.all<{ n: number | null }>(
        'SELECT sum(length(CAST(coalesce(t.text, c.content) AS BLOB))) AS n FROM contents c LEFT JOIN texts t USING (id)',
      )[0]?.n ?? 0,
    read: (id) => sql.all<ArticleRow>(`${SELECT_ARTICLES} WHERE id = ?`, id).map(articleOf)[0],
    readText: (id) => {
      const [row] = sql.all<{ text: string; owner: ArticleOwner; reading: string | null }>(
        `SELECT coalesce(t.text, c.content) AS text, a.source AS owner, a.reading FROM articles a JOIN contents c USING (id)
       LEFT JOIN texts t USING (id) WHERE id = ?`,
        id,
      );
      return (
        row && {
          text: row.text,
          owner: row.owner,
          ...(row.reading === null ? {} : readStored(ArticleReading, row.reading)),
        }
      );
    },
    page: (query) => pageOf(sql, query),
    entry: (id) =>
      sql.all<ArticleRow>(`${SELECT_ENTRIES} WHERE id = ?`, id).map((row) => entryOf(sql, row))[0],
    ownIds: (after, limit) =>
      sql
        .all<{ id: string }>(
          "SELECT id FROM articles WHERE source = 'local' AND id > ? ORDER BY id LIMIT ?",
          after,
          limit,
        )
        .map(({ id }) => id),
    listed: ({ limit, cursor }, audiences) => {
      const rows = sql.all<Inventory['articles'][number]>(
        `SELECT id, title, hash, source AS owner, last_updated FROM articles WHERE ${READABLE} AND id > ?2 ORDER BY id LIMIT ?3`,
        ...[JSON.stringify(audiences), cursor ?? '', limit + 1],
      );
      const articles = rows.slice(0, limit);
      return { articles, next_cursor: rows.length > limit ? (articles.at(-1)?.id ?? null) : null };
    },
    inventory: () =>
      sql
        .all<{ id: string; hash: string }>('SELECT id, hash FROM articles ORDER BY id')
        .map(({ id, hash }) => `${id} ${hash}`)
        .join('\n'),
    entries: () => ({ [Symbol.iterator]: () => entriesOf(sql, '') }),
    entriesAfter: (id) => entriesOf(sql, id),
  };
}

export const VERSION_COLUMNS =
  'id, hash, source, title, url, intents, devices, last_updated, author, audiences, language, format, translation_key';

/** Copies an article into the versions, before it is replaced or removed. */
const KEEP_VERSION = `INSERT OR REPLACE INTO versions (${VERSION_COLUMNS}, content, text)
  SELECT ${VERSION_COLUMNS}, content, text FROM articles JOIN contents USING (id) LEFT JOIN texts USING (id) WHERE id = ?`;

const putChunks = (sql: Sql, id: string, chunks: Chunk[]): number => {
  sql.run('DELETE FROM chunks WHERE id = ?', id);
  let rows = 0;
  for (let from = 0; from < chunks.length; from += CHUNKS_PER_ROW) {
    const ranges = chunks
      .slice(from, from + CHUNKS_PER_ROW)
      .map(({ headingPath, start, end, tokenCount }) => [headingPath, start, end, tokenCount]);
    sql.run(
      'INSERT INTO chunks (id, part, chunks) VALUES (?, ?, ?)',
      id,
      rows,
      JSON.stringify(ranges),
    );
    rows += 1;
  }
  return rows;
};

interface ArticleRow extends Record<string, string | number | null> {
  id: string;
  title: string;
  url: string;
  intents: string;
  devices: string;
  last_updated: string;
  author: string | null;
  audiences: string;
  language: string | null;
  format: string | null;
  translation_key: string | null;
}

const SELECT_ARTICLES = 'SELECT * FROM articles JOIN contents USING (id)';

const metadataOf = (row: ArticleRow): Omit<Article, 'text'> => ({
  // A damaged list is one that no one holds.
  ...(row.audiences === '[]' ? {} : { audiences: readStored(Labels, row.audiences) ?? [NO_ONE] }),
  id: row.id,
  title: row.title,
  url: row.url,
  intents: readStored(Labels, row.intents) ?? [],
  devices: readStored(Labels, row.devices) ?? [],
  lastUpdated: row.last_updated,
  ...(row.author === null ? {} : { author: row.author }),
  ...(row.language === null ? {} : { language: row.language }),
  ...(row.translation_key === null ? {} : { translationKey: row.translation_key }),
});

const Labels = z.array(z.string());

const articleOf = (row: ArticleRow): StoredArticle => {
  const format = ContentFormat.safeParse(row.format).data;
  return {
    ...metadataOf(row),
    content: String(row.content),
    ...(format === undefined ? {} : { format }),
  };
};

/** `mayRead` of platform/context/capabilities.ts, for the audiences in the first parameter. */
const READABLE = `(audiences = '[]' OR EXISTS (SELECT 1 FROM json_each(?1) WHERE value = '*')
  OR EXISTS (SELECT 1 FROM json_each(audiences) WHERE value IN (SELECT value FROM json_each(?1))))`;

const CONDITIONS = `${READABLE} AND (?2 IS NULL OR EXISTS (SELECT 1 FROM json_each(intents) WHERE lower(value) = lower(?2)))
  AND (?3 IS NULL OR EXISTS (SELECT 1 FROM json_each(devices) WHERE lower(value) = lower(?3)))
  AND (?4 IS NULL OR last_updated > ?4)`;

/**
 * Size limit of a page, in bytes of UTF-8. As JSON it is at most twice that, since stored texts have no control characters that take more than two
 * bytes, and so below the 4 MiB limit of a response.
 */
const PAGE_BYTES = 1_900_000;
/** Overhead of an article's member names and separators. */
const FRAME_BYTES = 200;
// length() counts characters, and ends at a NUL.
const SIZE = [
  'content',
  'id',
  'title',
  'url',
  'intents',
  'devices',
  'audiences',
  "coalesce(author, '')",
]
  .map((column) => `octet_length(${column})`)
  .join(' + ');

const pageOf = (sql: Sql, query: ArticleQuery): ArticlePage => {
  const { audiences = [], intent = null, device = null, updatedSince = null } = query;
  const filters = [JSON.stringify(audiences), intent, device, updatedSince];
  // By id: the place of an article in the table would tell how many there are that the caller may not read.
  const sizes = sql.all<{ id: string; size: number }>(
    `SELECT id, ${FRAME_BYTES} + ${SIZE} AS size FROM articles JOIN contents USING (id)
     WHERE ${CONDITIONS} AND id > ?5 ORDER BY id LIMIT ?6`,
    ...[...filters, query.after ?? '', query.limit + 1],
  );
  let bytes = 0;
  const shown = sizes.slice(0, query.limit).filter(({ size }, index) => {
    bytes += size;
    return index === 0 || bytes <= PAGE_BYTES;
  });
  const last = shown.at(-1)?.id ?? '';
  const rows = sql.all<ArticleRow>(
    `${SELECT_ARTICLES} WHERE ${CONDITIONS} AND id > ?5 AND id <= ?6 ORDER BY id`,
    ...[...filters, query.after ?? '', last],
  );
  const [count] = sql.all<{ n: number }>(
    `SELECT count(*) AS n FROM articles WHERE ${CONDITIONS}`,
    ...filters,
  );
  return {
    articles: rows.map(articleOf),
    total: count?.n ?? 0,
    next: sizes.length > shown.length ? last : undefined,
  };
};

const SELECT_ENTRIES = `SELECT a.*, coalesce(t.text, c.content) AS text
  FROM articles a JOIN contents c USING (id) LEFT JOIN texts t USING (id)`;

const entryOf = (sql: Sql, row: ArticleRow): EditionEntry => {
  const article = { ...metadataOf(row), text: String(row.text) };
  return { article, chunks: chunksOf(sql, article) };
};

function* entriesOf(sql: Sql, first: string): Generator<EditionEntry> {
  let after = first;
  for (;;) {
    const rows = sql.all<ArticleRow>(
      `${SELECT_ENTRIES} WHERE id > ? ORDER BY id LIMIT ${ENTRIES_AT_ONCE}`,
      after,
    );
    for (const row of rows) yield entryOf(sql, row);
    after = rows.at(-1)?.id ?? '';
    if (rows.length < ENTRIES_AT_ONCE) return;
  }
}

/** As `putChunks` wrote them; cut again where a row is damaged, so that an article never goes missing from answers. */
const chunksOf = (sql: Sql, article: Article): Chunk[] => {
  const { id, text } = article;
  const rows = sql
    .all<{ chunks: string }>('SELECT chunks FROM chunks WHERE id = ? ORDER BY part', id)
    .map(({ chunks }) => readStored(Ranges, chunks));
  if (!rows.every((row) => row !== undefined)) return chunkArticle(article);
  return rows.flat().map(([headingPath, start, end, tokenCount], position) => ({
    articleId: id,
    position,
    headingPath,
    text: text.slice(start, end),
    start,
    end,
    tokenCount,
  }));
};

const Ranges = z.array(z.tuple([z.array(z.string()), z.int().min(0), z.int().min(0), z.number()]));

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
  | 'activating'
  /** What is known of the passages in an index, `LargeState`. */
  | 'large'
  /** Version of the reading of articles, `TREATMENT`, after the last full sync. */
  | 'read_by';

export function libraryState(sql: Sql): LibraryState {
  const read = (name: StateName): unknown => {
    const [row] = sql.all<{ value: string }>('SELECT value FROM state WHERE name = ?', name);
    // A damaged value counts as none: a sync starts over, an edition is published again.
    return row === undefined ? undefined : readStored(z.unknown(), row.value);
  };
  const write = (name: StateName, value: unknown): void => {
    if (value === undefined) sql.run('DELETE FROM state WHERE name = ?', name);
    else
      sql.run(
        'INSERT OR REPLACE INTO state (name, value) VALUES (?, ?)',
        name,
        JSON.stringify(value),
      );
  };
  const revision = (): number => z.int().catch(0).parse(read('revision'));
  return { read, write, revision, bumpRevision: () => write('revision', revision() + 1) };
}

/** Brings the tables of a library up to date. A row stays below 2 MB: an article is at most 1.5 MB of UTF-8. */
export function createTables(sql: Sql): void {
  migrate(sql, 'library', [
    TABLES.map((table) => `CREATE TABLE IF NOT EXISTS ${table}`),
    // A list of names as JSON; empty for everybody.
    addColumn('articles', 'audiences', "TEXT NOT NULL DEFAULT '[]'"),
    HISTORY_TABLES.map((table) => `CREATE TABLE ${table}`),
    ...['articles', 'versions'].flatMap((table) => [
      addColumn(table, 'language', 'TEXT'),
      addColumn(table, 'format', 'TEXT'),
    ]),
    ...['articles', 'versions'].map((table) => addColumn(table, 'translation_key', 'TEXT')),
    // What was left out, as JSON.
    addColumn('articles', 'reading', 'TEXT'),
    LARGE_TABLES,
  ]);
}

const TABLES = [
  // `source` is `host` or `local`; lists are JSON.
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
