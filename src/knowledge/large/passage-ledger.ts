import * as z from 'zod';
import { readStored, type Sql } from '../../platform/storage/sql.ts';
import {
  deletionOf,
  dropDueAt,
  type EditionNumbers,
  removalDueAt,
  tombstoneAfter,
} from './publication-rule.ts';

/** The records of one version of an article, in one generation of the namespace. */
export interface WrittenVersion {
  article: string;
  /** Hash of the article that it was made of. */
  hash: string;
  born: number;
  generation: number;
  /** Ids of its records, one for each passage. */
  ids: string[];
}

interface ArticleToWrite {
  id: string;
  hash: string;
}

/** What an edition shows of a generation, and the last article before those that are looked for. */
export interface LedgerPosition {
  generation: number;
  shown: number;
  after: string;
}

/** What a manifest says of the ledger. */
export interface LedgerView {
  /** By article: its records born before this number are dead. */
  tombstones: Map<string, number>;
  articles: number;
  chunks: number;
  /** Share of records that are not shown, 0 to 1. */
  deadShare: number;
}

/**
 * Which records may be in the index, which of them the current edition shows, and which articles are dead. A version is noted before its records
 * are sent, and until they are known to be deleted, so that a crash leaves none that are not listed. All methods are synchronous; those that
 * write must be called within a transaction.
 */
export interface PassageLedger {
  /** Articles whose current version the edition `shown` does not have, by id; those up to `after` left out. */
  unwritten(position: LedgerPosition, limit: number): ArticleToWrite[];
  /** Passages of the same. */
  unwrittenPassages(position: LedgerPosition): number;
  /** The lowest number that records of an article may have: above what others of it that are dead or may be incomplete have. */
  leastBorn(article: ArticleToWrite, generation: number): number;
  /** How many of the articles have an older version, whose tombstones the edition of a number needs. */
  olderCount(articles: readonly string[], edition: { generation: number; number: number }): number;
  /** Before the records of a version are sent. */
  note(version: WrittenVersion): void;
  /** Once the index has taken all of them. */
  markWritten(versions: readonly WrittenVersion[]): void;
  /** Makes all records of an article dead. */
  bury(article: string, numbers: EditionNumbers): void;
  /** Articles that have records but are gone from the library. */
  gone(): string[];
  /** What the manifest of the current edition says, or that of the next one, which shows all that is noted. */
  view(edition: { generation: number; shown: number; isNext: boolean }): LedgerView;
  /** Makes what is noted current: the versions before are dead. */
  flip(edition: { generation: number; shown: number }): void;
  /** The dead have been named by a manifest from now on. */
  publishDead(now: number): void;
  tombstoneCount(): number;
  /** Dead versions whose records can be deleted now; at most `limit` records, except the first. */
  removable(now: number, limit: number): WrittenVersion[];
  markRemoved(versions: readonly WrittenVersion[], now: number): void;
  /** Drops the tombstones of articles whose dead records are gone for long enough; returns how many. */
  drop(now: number): number;
  /** Forgets a generation whose namespace was cleared. */
  forget(generation: number): void;
  /** Records of the current edition, picked over all articles. */
  sample(generation: number, limit: number): string[];
  /** When the next removal or drop is due. */
  dueAt(): number | undefined;
}

/** `dead_at` of what no manifest has named dead yet. */
const UNPUBLISHED = Number.MAX_SAFE_INTEGER;
const Ids = z.array(z.string());

type VersionRow = Record<'article' | 'hash' | 'ids', string> &
  Record<'born' | 'generation', number>;

/** Statements that create the tables of large mode. */
export const LARGE_TABLES = [
  // `ids` of the records as JSON. `dead_at`: since when a manifest has named them dead. `removed_at`: since when they are gone from the index.
  `CREATE TABLE passage_versions (article TEXT NOT NULL, born INTEGER NOT NULL, generation INTEGER NOT NULL, hash TEXT NOT NULL,
    passages INTEGER NOT NULL, ids TEXT NOT NULL, is_written INTEGER NOT NULL, dead_at INTEGER, removed_at INTEGER,
    PRIMARY KEY (article, born, generation))`,
  'CREATE INDEX passage_versions_born ON passage_versions (generation, born)',
  'CREATE INDEX passage_versions_dead ON passage_versions (dead_at, removed_at) WHERE dead_at IS NOT NULL',
  'CREATE TABLE passage_tombstones (article TEXT PRIMARY KEY, dead_before INTEGER NOT NULL)',
  // The words of the last edition, as a file of the edition format without its manifest; 1 MiB a row.
  'CREATE TABLE passage_lexicon (row INTEGER PRIMARY KEY, bytes BLOB NOT NULL)',
];

// `+` keeps SQLite from searching by generation, which nearly all rows share, in place of the article.

/**
 * An article without a live version of its hash in the edition shown, or with one whose records may be incomplete: ?1 generation, ?2 edition
 * shown, ?3 last article before.
 */
const UNWRITTEN = `FROM articles a WHERE a.id > ?3 AND (NOT EXISTS (SELECT 1 FROM passage_versions v
    WHERE v.article = a.id AND +v.generation = ?1 AND v.born <= ?2 AND v.hash = a.hash AND v.dead_at IS NULL)
  OR EXISTS (SELECT 1 FROM passage_versions v
    WHERE v.article = a.id AND +v.generation = ?1 AND v.born > ?2 AND v.is_written = 0 AND v.dead_at IS NULL))`;

/** Articles whose new version replaces an older one in the next edition: ?1 generation, ?2 edition shown. */
const REPLACED = `FROM passage_versions n WHERE n.generation = ?1 AND n.born > ?2 AND n.dead_at IS NULL
  AND EXISTS (SELECT 1 FROM passage_versions o
    WHERE o.article = n.article AND +o.generation = ?1 AND o.born < n.born AND o.dead_at IS NULL)`;

export function passageLedger(sql: Sql): PassageLedger {
  const numberOf = (query: string, ...values: (string | number)[]): number | undefined =>
    sql.all<{ n: number | null }>(query, ...values)[0]?.n ?? undefined;
  const tombstoneOf = (article: string): number | undefined =>
    numberOf('SELECT dead_before AS n FROM passage_tombstones WHERE article = ?', article);
  const setTombstone = (article: string, born: number): void =>
    sql.run(
      'INSERT OR REPLACE INTO passage_tombstones (article, dead_before) VALUES (?, ?)',
      ...[article, tombstoneAfter(tombstoneOf(article), born)],
    );
  return {
    unwritten: ({ generation, shown, after }, limit) =>
      sql.all<{ id: string; hash: string }>(
        `SELECT a.id, a.hash ${UNWRITTEN} ORDER BY a.id LIMIT ?4`,
        ...[generation, shown, after, limit],
      ),
    unwrittenPassages: ({ generation, shown, after }) =>
      numberOf(`SELECT sum(a.chunk_count) AS n ${UNWRITTEN}`, generation, shown, after) ?? 0,
    leastBorn: ({ id, hash }, generation) => {
      const other = numberOf(
        'SELECT max(born) AS n FROM passage_versions WHERE article = ? AND generation = ? AND (hash <> ? OR dead_at IS NOT NULL)',
        ...[id, generation, hash],
      );
      return Math.max(tombstoneOf(id) ?? 0, (other ?? 0) + 1);
    },
    olderCount: (articles, { generation, number }) =>
      numberOf(
        `SELECT count(DISTINCT article) AS n FROM passage_versions WHERE generation = ? AND born < ? AND dead_at IS NULL
         AND article IN (SELECT value FROM json_each(?))`,
        ...[generation, number, JSON.stringify(articles)],
      ) ?? 0,
    note: ({ article, hash, born, generation, ids }) =>
      sql.run(
        `INSERT OR REPLACE INTO passage_versions (article, born, generation, hash, passages, ids, is_written) VALUES (?, ?, ?, ?, ?, ?, 0)`,
        ...[article, born, generation, hash, ids.length, JSON.stringify(ids)],
      ),
    markWritten: (versions) => {
      for (const { article, born, generation } of versions)
        sql.run(
          'UPDATE passage_versions SET is_written = 1 WHERE article = ? AND born = ? AND generation = ?',
          ...[article, born, generation],
        );
    },
    bury: (article, numbers) => {
      setTombstone(article, deletionOf(numbers).tombstone);
      sql.run(
        'UPDATE passage_versions SET dead_at = ? WHERE article = ? AND dead_at IS NULL',
        ...[UNPUBLISHED, article],
      );
    },
    gone: () =>
      sql
        .all<{ article: string }>(
          `SELECT DISTINCT article FROM passage_versions
           WHERE dead_at IS NULL AND article NOT IN (SELECT id FROM articles) ORDER BY article`,
        )
        .map(({ article }) => article),
    view: (edition) => viewOf(sql, edition),
    flip: ({ generation, shown }) => {
      const replaced = sql.all<{ article: string; born: number }>(
        `SELECT n.article, max(n.born) AS born ${REPLACED} GROUP BY n.article`,
        ...[generation, shown],
      );
      for (const { article, born } of replaced) {
        setTombstone(article, born);
        sql.run(
          'UPDATE passage_versions SET dead_at = ? WHERE article = ? AND generation = ? AND born < ? AND dead_at IS NULL',
          ...[UNPUBLISHED, article, generation, born],
        );
      }
    },
    publishDead: (now) =>
      sql.run('UPDATE passage_versions SET dead_at = ? WHERE dead_at = ?', now, UNPUBLISHED),
    tombstoneCount: () => numberOf('SELECT count(*) AS n FROM passage_tombstones') ?? 0,
    removable: (now, limit) => {
      const rows = sql.all<VersionRow & { dead_at: number }>(
        'SELECT * FROM passage_versions WHERE dead_at IS NOT NULL AND removed_at IS NULL ORDER BY dead_at LIMIT ?',
        limit,
      );
      let records = 0;
      return rows
        .filter(({ dead_at }) => removalDueAt(dead_at) <= now)
        .map(versionOf)
        .filter(({ ids }, at) => {
          records += ids.length;
          return at === 0 || records <= limit;
        });
    },
    markRemoved: (versions, now) => {
      for (const { article, born, generation } of versions)
        sql.run(
          'UPDATE passage_versions SET removed_at = ? WHERE article = ? AND born = ? AND generation = ? AND dead_at IS NOT NULL',
          ...[now, article, born, generation],
        );
    },
    drop: (now) => dropTombstones(sql, now),
    forget: (generation) =>
      sql.run('DELETE FROM passage_versions WHERE generation = ?', generation),
    sample: (generation, limit) => {
      const rows = sql.all<{ ids: string }>(
        'SELECT ids FROM passage_versions WHERE generation = ? AND dead_at IS NULL ORDER BY random() LIMIT ?',
        ...[generation, limit],
      );
      return rows.flatMap(({ ids }) => (readStored(Ids, ids) ?? []).slice(0, 1));
    },
    dueAt: () => {
      const deadAt = numberOf(
        'SELECT min(dead_at) AS n FROM passage_versions WHERE dead_at IS NOT NULL AND removed_at IS NULL',
      );
      const removedAt = numberOf(
        'SELECT min(removed_at) AS n FROM passage_versions WHERE dead_at IS NOT NULL',
      );
      const times = [
        deadAt === undefined || deadAt === UNPUBLISHED ? undefined : removalDueAt(deadAt),
        dropDueAt(removedAt),
      ].filter((time) => time !== undefined);
      return times.length === 0 ? undefined : Math.min(...times);
    },
  };
}

const versionOf = ({ article, hash, born, generation, ids }: VersionRow): WrittenVersion => ({
  article,
  hash,
  born,
  generation,
  ids: readStored(Ids, ids) ?? [],
});

const viewOf = (
  sql: Sql,
  { generation, shown, isNext }: { generation: number; shown: number; isNext: boolean },
): LedgerView => {
  const tombstones = new Map<string, number>();
  const rows = sql.all<{ article: string; dead_before: number }>(
    'SELECT article, dead_before FROM passage_tombstones',
  );
  for (const { article, dead_before } of rows) tombstones.set(article, dead_before);
  const replaced = isNext
    ? sql.all<{ article: string; born: number }>(
        `SELECT n.article, max(n.born) AS born ${REPLACED} GROUP BY n.article`,
        ...[generation, shown],
      )
    : [];
  for (const { article, born } of replaced)
    tombstones.set(article, tombstoneAfter(tombstones.get(article), born));
  const limit = isNext ? Number.MAX_SAFE_INTEGER : shown;
  const [counts] = sql.all<{ articles: number; live: number | null }>(
    `SELECT count(*) AS articles, sum(passages) AS live FROM passage_versions v WHERE generation = ?1 AND born <= ?2 AND dead_at IS NULL
     AND NOT EXISTS (SELECT 1 FROM passage_versions n WHERE n.article = v.article AND +n.generation = ?1 AND n.born > v.born
       AND n.born <= ?2 AND n.dead_at IS NULL)`,
    ...[generation, limit],
  );
  const [all] = sql.all<{ n: number | null }>(
    'SELECT sum(passages) AS n FROM passage_versions WHERE generation = ? AND removed_at IS NULL',
    generation,
  );
  const live = counts?.live ?? 0;
  const records = Math.max(all?.n ?? 0, live);
  return {
    tombstones,
    articles: counts?.articles ?? 0,
    chunks: live,
    deadShare: records === 0 ? 0 : 1 - live / records,
  };
};

/** Also those of articles that have no dead records any more, since their generation was cleared. */
const dropTombstones = (sql: Sql, now: number): number => {
  const lasts = sql.all<{ article: string; removed_at: number | null; open: number }>(
    `SELECT t.article, max(v.removed_at) AS removed_at, coalesce(sum(v.dead_at IS NOT NULL AND v.removed_at IS NULL), 0) AS open
     FROM passage_tombstones t LEFT JOIN passage_versions v ON v.article = t.article AND v.dead_at IS NOT NULL GROUP BY t.article`,
  );
  let count = 0;
  for (const { article, removed_at, open } of lasts) {
    if (open > 0 || (dropDueAt(removed_at ?? 0) ?? 0) > now) continue;
    sql.run('DELETE FROM passage_tombstones WHERE article = ?', article);
    sql.run('DELETE FROM passage_versions WHERE article = ? AND dead_at IS NOT NULL', article);
    count += 1;
  }
  return count;
};
