import * as z from 'zod';
import type { EditionCause, EditionChanges, EditionSummary } from '../../contract/wire/editions.ts';
import { type ArticleOwner, ContentFormat } from '../../contract/wire/host-article.ts';
import { NO_ONE } from '../../platform/context/capabilities.ts';
import { readStored, type Sql } from '../../platform/storage/sql.ts';
import type { EditionEntry } from '../articles/article.ts';
import { chunkArticle } from '../articles/chunk-article.ts';
import { type ArticleOrigin, VERSION_COLUMNS as COLUMNS } from './article-store.ts';

/** Id and hash of each article of an edition, a line each, as `ArticleStore.inventory` gives them. */
type Inventory = string;

interface RecordedEdition {
  edition: string;
  cause: EditionCause;
  articles: number;
  chunks: number;
  inventory: Inventory;
}

/** An article as it was in an earlier edition. */
interface ArticleVersion {
  entry: EditionEntry;
  origin: ArticleOrigin;
}

/** Which articles earlier editions had. Texts that only they have are kept by the article store when it replaces them. */
export interface EditionHistory {
  /** Id of the newest one. */
  current(): string | undefined;
  /** Notes an edition that becomes current. One with the same articles as the one before takes its place. */
  record(edition: RecordedEdition, now: number): void;
  list(now: number): { editions: Omit<EditionSummary, 'is_stored'>[]; kept: number };
  /** Differences to another edition, or to the one before; undefined when one of them is not kept. */
  changes(edition: string, from?: string): ChangedArticles | undefined;
  /** An article of an edition, unless it was deleted here. */
  version(id: string, hash: string): ArticleVersion | undefined;
  /** Removes all that is kept of an article that was deleted here. */
  forget(id: string): void;
}

export interface ChangedArticles extends Pick<EditionChanges, 'edition' | 'from'> {
  /** By id; the hash of each side, undefined where it has no such article. */
  articles: { id: string; before: string | undefined; after: string | undefined }[];
}

const MONTH_MS = 30 * 86_400_000;
/** Lines are stored in rows of up to this many characters. */
const ROW_LENGTH = 500_000;

type HistoryRow = {
  number: number;
  edition: string;
  cause: EditionCause;
  at: number;
  articles: number;
  chunks: number;
};

/** @param kept How many editions before the current one are kept, for 30 days at most; 0 for none. */
export function editionHistory(sql: Sql, { kept }: { kept: number }): EditionHistory {
  const rows = (): HistoryRow[] =>
    sql.all<HistoryRow>('SELECT * FROM history ORDER BY number DESC');
  const inventoryOf = ({ number }: Pick<HistoryRow, 'number'>): Inventory =>
    sql
      .all<{ lines: string }>(
        'SELECT lines FROM history_rows WHERE number = ? ORDER BY row',
        number,
      )
      .map(({ lines }) => lines)
      .join('');

  const expire = (now: number): void => {
    const before = sql.all<{ n: number }>('SELECT count(*) AS n FROM history')[0]?.n ?? 0;
    sql.run(
      'DELETE FROM history WHERE EXISTS (SELECT 1 FROM history AS later WHERE later.number > history.number AND later.at < ?)',
      now - MONTH_MS,
    );
    sql.run(
      'DELETE FROM history WHERE number NOT IN (SELECT number FROM history ORDER BY number DESC LIMIT ?)',
      kept + 1,
    );
    if (rows().length < before) dropUnused();
  };

  /** Texts that no edition of the history has. */
  const dropUnused = (): void => {
    sql.run('DELETE FROM history_rows WHERE number NOT IN (SELECT number FROM history)');
    const unused = new Map(
      sql
        .all<{ id: string; hash: string }>('SELECT id, hash FROM versions')
        .map((version) => [`${version.id} ${version.hash}`, version]),
    );
    // One inventory after the other: each may have megabytes.
    for (const row of rows()) for (const line of inventoryOf(row).split('\n')) unused.delete(line);
    for (const { id, hash } of unused.values())
      sql.run('DELETE FROM versions WHERE id = ? AND hash = ?', id, hash);
  };

  const changes: EditionHistory['changes'] = (edition, from) => {
    const all = rows();
    const at = all.findIndex((row) => row.edition === edition);
    const [target, other] = [
      all[at],
      from === undefined ? all[at + 1] : all.find((row) => row.edition === from),
    ];
    if (target === undefined || (from !== undefined && other === undefined)) return undefined;
    const [before, after] = [
      hashesOf(other === undefined ? '' : inventoryOf(other)),
      hashesOf(inventoryOf(target)),
    ];
    const articles = [...new Set([...before.keys(), ...after.keys()])]
      .filter((id) => before.get(id) !== after.get(id))
      .toSorted()
      .map((id) => ({ id, before: before.get(id), after: after.get(id) }));
    return { edition, from: other?.edition ?? null, articles };
  };

  const summaryOf = (row: HistoryRow, isCurrent: boolean): Omit<EditionSummary, 'is_stored'> => {
    const changed = changes(row.edition);
    return {
      id: row.edition,
      published_at: new Date(row.at).toISOString(),
      cause: row.cause,
      articles: row.articles,
      chunks: row.chunks,
      is_current: isCurrent,
      changes: changed === undefined || changed.from === null ? null : countsOf(changed),
    };
  };

  return {
    current: () => rows()[0]?.edition,
    record: ({ edition, cause, articles, chunks, inventory }, now) => {
      if (kept === 0) {
        for (const table of ['history', 'history_rows', 'versions'])
          sql.run(`DELETE FROM ${table}`);
        return;
      }
      const [last] = rows();
      if (last !== undefined && inventoryOf(last) === inventory) {
        sql.run(
          'UPDATE history SET edition = ?, chunks = ? WHERE number = ?',
          edition,
          chunks,
          last.number,
        );
        return expire(now);
      }
      const number = (last?.number ?? 0) + 1;
      sql.run(
        'INSERT INTO history (number, edition, cause, at, articles, chunks) VALUES (?, ?, ?, ?, ?, ?)',
        ...[number, edition, cause, now, articles, chunks],
      );
      for (let from = 0; from < inventory.length; from += ROW_LENGTH)
        sql.run(
          'INSERT INTO history_rows (number, row, lines) VALUES (?, ?, ?)',
          ...[number, from / ROW_LENGTH, inventory.slice(from, from + ROW_LENGTH)],
        );
      expire(now);
      dropUnused();
    },
    list: (now) => {
      expire(now);
      return { kept, editions: rows().map((row, at) => summaryOf(row, at === 0)) };
    },
    changes,
    version: (id, hash) => sql.all<VersionRow>(SELECT_VERSION, id, hash).map(versionOf)[0],
    forget: (id) => sql.run('DELETE FROM versions WHERE id = ?', id),
  };
}

export function countsOf({ articles }: ChangedArticles) {
  const added = articles.filter(({ before }) => before === undefined).length;
  const removed = articles.filter(({ after }) => after === undefined).length;
  return { added, changed: articles.length - added - removed, removed };
}

/** Ids may hold spaces, hashes do not. */
const hashesOf = (inventory: Inventory): Map<string, string> =>
  new Map(
    inventory === ''
      ? []
      : inventory.split('\n').map((line) => {
          const space = line.lastIndexOf(' ');
          return [line.slice(0, space), line.slice(space + 1)];
        }),
  );

type VersionRow = Record<
  'id' | 'hash' | 'title' | 'url' | 'intents' | 'devices' | 'last_updated',
  string
> & {
  source: ArticleOwner;
  author: string | null;
  audiences: string;
  language: string | null;
  format: string | null;
  translation_key: string | null;
  content: string;
  text: string;
};

const SELECT_VERSION = `SELECT ${COLUMNS}, content, coalesce(text, content) AS text
  FROM (SELECT ${COLUMNS}, content, text FROM articles JOIN contents USING (id) LEFT JOIN texts USING (id)
    UNION ALL SELECT ${COLUMNS}, content, text FROM versions)
  WHERE id = ? AND hash = ? LIMIT 1`;

const Labels = z.array(z.string());

const versionOf = (row: VersionRow): ArticleVersion => {
  const article = {
    // A damaged list is one that no one holds.
    ...(row.audiences === '[]' ? {} : { audiences: readStored(Labels, row.audiences) ?? [NO_ONE] }),
    id: row.id,
    title: row.title,
    url: row.url,
    text: row.text,
    lastUpdated: row.last_updated,
    intents: readStored(Labels, row.intents) ?? [],
    devices: readStored(Labels, row.devices) ?? [],
    ...(row.author === null ? {} : { author: row.author }),
    ...(row.language === null ? {} : { language: row.language }),
    ...(row.translation_key === null ? {} : { translationKey: row.translation_key }),
  };
  return {
    entry: { article, chunks: chunkArticle(article) },
    origin: {
      owner: row.source,
      hash: row.hash,
      content: row.content,
      format: ContentFormat.safeParse(row.format).data,
    },
  };
};
