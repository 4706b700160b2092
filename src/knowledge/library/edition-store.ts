import { utf8 } from '../../platform/encoding.ts';
import { CodedError } from '../../platform/http/coded-error.ts';
import { lruCache } from '../../platform/lru-cache.ts';
import {
  EDITION_PART_BYTES,
  EditionManifest,
  type EditionStorage,
  FIRST_PAGE,
  MAX_EDITION_BYTES,
  partKey,
  sha256,
  sha256Hex,
} from '../../platform/storage/edition-storage.ts';
import { bytesOf, readStored, type Sql } from '../../platform/storage/sql.ts';
import type { EditionEntry } from '../articles/article.ts';
import { buildEdition, sealPages } from '../edition/build-edition.ts';
import type { PageSource } from '../edition/chunk-texts.ts';
import { EDITION_VERSION } from '../edition/edition-format.ts';
import { renameEdition } from '../edition/edition-sections.ts';
import { openEdition } from '../edition/open-edition.ts';
import { type EditionPages, openPage, type TextPage } from '../edition/text-pages.ts';
import type { EditionFile } from '../large/large-publisher.ts';
import type { ArticleStore, LibraryState } from './article-store.ts';
import type { EditionVectorSource } from './vector-store.ts';

interface StoredEdition {
  number: number;
  manifest: EditionManifest;
  /** Revision of the articles that it was built from. */
  revision: number;
  /** Over the ids and hashes of those articles. */
  digest: string;
}

/** The editions of one library. Methods that write return the rows they wrote. */
export interface EditionStore {
  current(): StoredEdition | undefined;
  /** When the current one was stored, in milliseconds since 1970. */
  publishedAt(): number | undefined;
  /** One that was current, while it is stored. */
  stored(edition: string): StoredEdition | undefined;
  /** Whether readers of this version cannot open the current edition: its layout is another, or its manifest is damaged. */
  isCurrentUnreadable(): boolean;
  nextNumber(): number;
  /** Stores an edition whole, not yet as the current one. */
  store(edition: StoredEdition, parts: readonly Uint8Array<ArrayBuffer>[], now: number): number;
  /** Makes a stored edition the current one, unless a newer one is, and retires all before it. */
  makeCurrent(edition: string, now: number): void;
  /** Marks the current edition as up to date: the articles have changed and changed back. */
  setRevision(edition: string, revision: number): void;
  part(edition: string, part: number): Uint8Array<ArrayBuffer> | undefined;
  /** Room for the pages of an edition that is being built; what was left of one that never was stored is removed. */
  pagesOf(edition: string): EditionPages;
  /** Editions that were replaced, or stored and never made current, before these times. */
  old(before: { retired: number; stored: number }): EditionManifest[];
  /** Deletes an edition, unless it is the current one. */
  remove(edition: string): void;
  /** When the next edition is due for removal, given how long editions are stored after they are replaced. */
  firstRetiredAt(): number | undefined;
}

/** Half of what a row may hold. */
const ROW_BYTES = 1024 * 1024;

interface EditionRow extends Record<string, string | number | null> {
  number: number;
  edition: string;
  manifest: string;
  revision: number;
  digest: string;
}

export function editionStore(sql: Sql): EditionStore {
  return {
    current: () =>
      sql.all<EditionRow>('SELECT * FROM editions WHERE is_current = 1').flatMap(editionOf)[0],
    publishedAt: () =>
      sql.all<{ at: number }>('SELECT stored_at AS at FROM editions WHERE is_current = 1')[0]?.at,
    stored: (edition) =>
      sql
        .all<EditionRow>(
          'SELECT * FROM editions WHERE edition = ? AND (is_current = 1 OR retired_at IS NOT NULL)',
          edition,
        )
        .flatMap(editionOf)[0],
    isCurrentUnreadable: () =>
      sql
        .all<EditionRow>('SELECT * FROM editions WHERE is_current = 1')
        .some((row) => editionOf(row)[0]?.manifest.formatVersion !== EDITION_VERSION),
    nextNumber: () =>
      (sql.all<{ last: number | null }>('SELECT max(number) AS last FROM editions')[0]?.last ?? 0) +
      1,
    store: ({ number, manifest, revision, digest }, parts, now) => {
      sql.run(
        `INSERT INTO editions (number, edition, manifest, revision, digest, is_current, stored_at) VALUES (?, ?, ?, ?, ?, 0, ?)`,
        ...[number, manifest.edition, JSON.stringify(manifest), revision, digest, now],
      );
      let rows = 0;
      for (const [part, bytes] of parts.entries())
        rows += writeRows(sql, { edition: manifest.edition, part, bytes });
      return 1 + rows + (manifest.pages ?? 0);
    },
    makeCurrent: (edition, now) => {
      const [newer] = sql.all(
        'SELECT 1 AS one FROM editions WHERE is_current = 1 AND number >= (SELECT number FROM editions WHERE edition = ?)',
        edition,
      );
      if (newer) return;
      // With those that were stored before it and never made current.
      sql.run(
        `UPDATE editions SET is_current = 0, retired_at = ?
       WHERE retired_at IS NULL AND number < (SELECT number FROM editions WHERE edition = ?)`,
        ...[now, edition],
      );
      sql.run('UPDATE editions SET is_current = 1 WHERE edition = ?', edition);
    },
    setRevision: (edition, revision) =>
      sql.run('UPDATE editions SET revision = ? WHERE edition = ?', revision, edition),
    part: (edition, part) => readRows(sql, edition, part),
    pagesOf: (edition) => {
      sql.run('DELETE FROM edition_rows WHERE edition NOT IN (SELECT edition FROM editions)');
      return {
        write: (page, bytes) => void writeRows(sql, { edition, part: FIRST_PAGE + page, bytes }),
        read: (page) => readRows(sql, edition, FIRST_PAGE + page),
      };
    },
    old: ({ retired, stored }) =>
      sql
        .all<EditionRow>(
          'SELECT * FROM editions WHERE is_current = 0 AND coalesce(retired_at < ?, stored_at < ?)',
          ...[retired, stored],
        )
        .flatMap((row) => editionOf(row).map(({ manifest }) => manifest)),
    remove: (edition) =>
      sql.transaction(() => {
        sql.run(
          'DELETE FROM edition_rows WHERE edition IN (SELECT edition FROM editions WHERE edition = ? AND is_current = 0)',
          edition,
        );
        sql.run('DELETE FROM editions WHERE edition = ? AND is_current = 0', edition);
      }),
    firstRetiredAt: () =>
      sql.all<{ at: number | null }>(
        'SELECT min(retired_at) AS at FROM editions WHERE is_current = 0',
      )[0]?.at ?? undefined,
  };
}

/** None where the manifest is damaged: then the next publishing replaces the edition. */
const editionOf = ({ number, manifest: text, revision, digest }: EditionRow): StoredEdition[] => {
  const manifest = readStored(EditionManifest, text);
  return manifest === undefined ? [] : [{ number, manifest, revision, digest }];
};

const writeRows = (
  sql: Sql,
  { edition, part, bytes }: { edition: string; part: number; bytes: Uint8Array<ArrayBuffer> },
): number => {
  let row = 0;
  for (let from = 0; from < bytes.length; from += ROW_BYTES, row += 1) {
    // Copied row by row: an edition may take half of the memory.
    sql.run(
      'INSERT INTO edition_rows (edition, part, row, bytes) VALUES (?, ?, ?, ?)',
      ...[edition, part, row, bytes.slice(from, from + ROW_BYTES)],
    );
  }
  return row;
};

const readRows = (sql: Sql, edition: string, part: number): Uint8Array<ArrayBuffer> | undefined => {
  const rows = sql.all<{ bytes: ArrayBuffer | Uint8Array<ArrayBuffer> }>(
    'SELECT bytes FROM edition_rows WHERE edition = ? AND part = ? ORDER BY row',
    ...[edition, part],
  );
  return rows.length === 0 ? undefined : joined(rows.map(({ bytes }) => bytesOf(bytes)));
};

const joined = (rows: Uint8Array<ArrayBuffer>[]): Uint8Array<ArrayBuffer> => {
  const bytes = new Uint8Array(rows.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const row of rows) {
    bytes.set(row, at);
    at += row.length;
  }
  return bytes;
};

interface PublishingParts {
  sql: Sql;
  state: LibraryState;
  articles: ArticleStore;
  editions: EditionStore;
  editionStorage: EditionStorage;
  workspace: string;
  now: () => number;
  /** Adds to a finished edition what can only be known once it can be searched. */
  complete?: ((edition: Uint8Array, pages?: PageSource) => Uint8Array) | undefined;
  /** Present if there is an embedding model. */
  vectors?: EditionVectorSource | undefined;
  /** Called in the transaction that makes an edition current, and for the current one when nothing has changed. */
  onCurrent?: ((edition: EditionManifest, inventory: string) => void) | undefined;
  /** Largest edition that readers open. */
  maxBytes?: number | undefined;
  /** Bytes of texts from which they are on pages beside the edition. */
  pagedFromBytes?: number | undefined;
}

/** Texts of 28 MiB make an edition of some 48 MiB with all that searching needs. */
const PAGED_FROM_BYTES = 28 * 1024 * 1024;

/** Bytes of texts for a byte of an edition, at most: with more, what is needed to find them does not fit. */
const TEXT_RATIO = 3.2;

/** The articles do not fit into an edition; the current one stays. */
export class EditionTooLarge extends CodedError {
  override readonly name = 'EditionTooLarge';

  constructor(bytes: number, maxBytes: number) {
    const message = `Cannot publish: the articles take ${inMiB(bytes)} MiB of ${inMiB(maxBytes)} that an edition may have; the one before stays`;
    const suggestion =
      'Set UPSTASH_VECTOR_REST_URL to a hybrid index with UPSTASH_VECTOR_INDEX=hybrid; or remove articles, or divide them among several workspaces, each with its own knowledge base';
    super('DATA_SOURCE_ERROR', message, { reported: { message, suggestion, recoverable: false } });
  }
}

const inMiB = (bytes: number): string => (bytes / 1024 / 1024).toFixed(1);

/**
 * Publishes the current articles, unless the current edition is already equal: builds the edition, stores it, copies its parts to the edition
 * storage, and makes it current in one transaction. After a crash at any point the old edition is current and the call can be repeated.
 *
 * @returns The rows written; 0 when there was nothing to publish.
 */
export async function publishEdition(parts: PublishingParts): Promise<number> {
  const { sql, editions, onCurrent } = parts;
  const { revision, digest, inventory } = await digestOf(parts);
  const current = editions.current();
  if (current?.digest === digest && current.manifest.formatVersion === EDITION_VERSION) {
    if (current.revision !== revision) editions.setRevision(current.manifest.edition, revision);
    sql.transaction(() => onCurrent?.(current.manifest, inventory));
    return 0;
  }
  const { maxBytes = MAX_EDITION_BYTES, pagedFromBytes = PAGED_FROM_BYTES } = parts;
  const textBytes = parts.articles.textBytes();
  // Before anything is built: what is far too large would not fit into memory here either.
  if (textBytes > TEXT_RATIO * maxBytes)
    throw new EditionTooLarge(textBytes, TEXT_RATIO * maxBytes);
  const number = editions.nextNumber();
  const { manifest, bytes } = await build(number, digest, {
    ...parts,
    isPaged: textBytes > pagedFromBytes,
  });
  if (manifest.bytes > maxBytes) throw new EditionTooLarge(manifest.bytes, maxBytes);
  const stored = { number, manifest, revision, digest };
  const writes = await storeAsCurrent(stored, bytes, {
    ...parts,
    onCurrent: () => {
      onCurrent?.(manifest, inventory);
      return true;
    },
  });
  return writes ?? 0;
}

/**
 * Stores an edition, copies its parts to the edition storage and makes it current in one transaction, unless `onCurrent` refuses that.
 *
 * @returns The rows written; `undefined` when it was refused.
 */
const storeAsCurrent = async (
  edition: StoredEdition,
  bytes: readonly Uint8Array<ArrayBuffer>[],
  {
    sql,
    editions,
    editionStorage,
    now,
    onCurrent,
  }: Pick<PublishingParts, 'sql' | 'editions' | 'editionStorage' | 'now'> & {
    onCurrent: () => boolean;
  },
): Promise<number | undefined> => {
  const { manifest } = edition;
  const writes = sql.transaction(() => editions.store(edition, bytes, now()));
  await Promise.all(manifest.parts.map(({ key }, part) => lay(editionStorage, key, bytes[part])));
  return sql.transaction(() => {
    if (!onCurrent()) return undefined;
    editions.makeCurrent(manifest.edition, now());
    return writes;
  });
};

/** Publishes the edition of a library in large mode, whose passages are in an index. Returns as `storeAsCurrent` does. */
export async function publishFile(
  { bytes: file, digest, revision, articles, chunks, onCurrent }: EditionFile,
  parts: Pick<PublishingParts, 'sql' | 'editions' | 'editionStorage' | 'workspace' | 'now'>,
): Promise<number | undefined> {
  const number = parts.editions.nextNumber();
  const edition = editionId(number, digest);
  const createdAt = new Date(parts.now()).toISOString();
  const identity = { edition, workspace: parts.workspace, createdAt };
  const whole = renameEdition(file, { id: edition, createdAt });
  // As a reader does: what cannot be opened never becomes the current edition.
  openEdition(whole);
  const { manifest, bytes } = await manifestOf(whole, { ...identity, articles, chunks });
  return storeAsCurrent({ number, manifest, revision, digest }, bytes, { ...parts, onCurrent });
}

/** A hash over all articles and vectors, with its revision: hashing is asynchronous, and they may change meanwhile. */
const digestOf = async ({
  articles,
  state,
  vectors,
}: PublishingParts): Promise<{ revision: number; digest: string; inventory: string }> => {
  for (;;) {
    const revision = state.revision();
    await vectors?.prepare();
    const stored = vectors === undefined ? '' : `\n${await vectors.digest()}`;
    const inventory = articles.inventory();
    const digest = await sha256Hex(utf8(inventory + stored));
    if (state.revision() === revision) return { revision, digest, inventory };
  }
};

const build = async (
  number: number,
  digest: string,
  {
    articles,
    editions,
    editionStorage,
    workspace,
    now,
    complete,
    vectors,
    isPaged,
  }: PublishingParts & { isPaged: boolean },
) => {
  const edition = editionId(number, digest);
  const createdAt = new Date(now()).toISOString();
  const counts = { articles: articles.count(), chunks: articles.chunkCount() };
  const spareBytes = vectors?.spareBytes ?? (() => 0);
  const pages = isPaged ? editions.pagesOf(edition) : undefined;
  const built = buildEdition(
    articles.entries(),
    { id: edition, workspace, createdAt },
    { spareBytes, pages },
  );
  const source = pages && pageSource(pages);
  const completed = complete ? complete(built, source) : built;
  const attached = vectors ? vectors.attach(completed, source) : completed;
  // Its memory is not shared.
  const whole = attached as Uint8Array<ArrayBuffer>;
  // As a reader does: what cannot be opened never becomes the current edition.
  const pageCount = openEdition(whole).texts.paged?.pageCount ?? 0;
  if (pages !== undefined) {
    const sums: Uint8Array[] = [];
    for (let page = 0; page < pageCount; page += PAGES_AT_ONCE) {
      const some = Array.from(
        { length: Math.min(PAGES_AT_ONCE, pageCount - page) },
        (_, at) => page + at,
      );
      sums.push(
        ...(await Promise.all(
          some.map((each) => layPage(each, { pages, editionStorage, workspace, edition })),
        )),
      );
    }
    sealPages(whole, sums);
  }
  const identity = { edition, workspace, createdAt };
  return manifestOf(whole, { ...identity, ...counts, pages: pages && pageCount });
};

const editionId = (number: number, digest: string): string =>
  `e${String(number).padStart(6, '0')}-${digest.slice(0, 8)}`;

/** The manifest of a finished edition, and its parts. */
const manifestOf = async (
  whole: Uint8Array<ArrayBuffer>,
  {
    edition,
    workspace,
    createdAt,
    articles,
    chunks,
    pages,
  }: Pick<EditionManifest, 'edition' | 'workspace' | 'createdAt' | 'articles' | 'chunks' | 'pages'>,
): Promise<{ manifest: EditionManifest; bytes: Uint8Array<ArrayBuffer>[] }> => {
  const bytes: Uint8Array<ArrayBuffer>[] = [];
  for (let from = 0; from < whole.length; from += EDITION_PART_BYTES)
    // A view, never a copy.
    bytes.push(whole.subarray(from, from + EDITION_PART_BYTES));
  const parts = await Promise.all(
    bytes.map(async (part, index) => ({
      key: partKey({ workspace, edition }, index),
      bytes: part.length,
      sha256: await sha256Hex(part),
    })),
  );
  const manifest: EditionManifest = {
    edition,
    workspace,
    formatVersion: EDITION_VERSION,
    createdAt,
    articles,
    chunks,
    bytes: whole.length,
    parts,
    ...(pages === undefined ? {} : { pages }),
  };
  return { manifest, bytes };
};

/** Workers open six connections at once. */
const PAGES_AT_ONCE = 6;

/** Proves a page readable, and copies it to edition storage. @returns Its SHA-256 hash. */
const layPage = async (
  page: number,
  parts: Pick<PublishingParts, 'editionStorage' | 'workspace'> & {
    pages: EditionPages;
    edition: string;
  },
): Promise<Uint8Array> => {
  const bytes = parts.pages.read(page);
  if (bytes === undefined) throw new Error(`Cannot publish the edition: page ${page} has gone`);
  openPage(bytes);
  await lay(parts.editionStorage, partKey(parts, FIRST_PAGE + page), bytes);
  return sha256(bytes);
};

/** The edition with one article as it would be written, in one piece; no place of it is stored. */
export function buildDraft(
  written: EditionEntry,
  {
    articles,
    workspace,
    createdAt,
    complete,
    vectors,
  }: Pick<PublishingParts, 'articles' | 'workspace' | 'complete' | 'vectors'> & {
    createdAt: string;
  },
): Uint8Array<ArrayBuffer> {
  const others = [...articles.entries()].filter(({ article }) => article.id !== written.article.id);
  const spareBytes = vectors?.spareBytes ?? (() => 0);
  const built = buildEdition(
    [...others, written],
    { id: DRAFT, workspace, createdAt },
    { spareBytes },
  );
  const completed = complete ? complete(built) : built;
  // In memory of its own, so that what is sent is the edition alone.
  return (vectors ? vectors.attach(completed) : completed).slice();
}

/** No edition that is published has this id. */
const DRAFT = 'e000000-00000000';

/** Pages kept in memory while an edition is fitted to its texts: 4 MiB. */
const FITTING_PAGES = 64;

/** The pages of an edition that is being built, as a reader has them; reading one is quick here. */
const pageSource = (pages: EditionPages): PageSource => {
  const recent = lruCache<number, TextPage>({ max: FITTING_PAGES });
  return {
    get: (page) => {
      const known = recent.get(page);
      if (known !== undefined) return known;
      const bytes = pages.read(page);
      const read = bytes && openPage(bytes);
      if (read !== undefined) recent.set(page, read);
      return read;
    },
    load: async (all) => [...all],
  };
};

/** If edition storage fails, readers fetch the part from the library itself. */
const lay = (
  editionStorage: EditionStorage,
  key: string,
  bytes: Uint8Array<ArrayBuffer> | undefined,
): Promise<void> =>
  bytes === undefined ? Promise.resolve() : editionStorage.put(key, bytes).catch(() => {});
