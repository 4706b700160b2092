import { CodedError } from '../../http/coded-error.ts';
import { buildEdition } from '../../search/build-edition.ts';
import { EDITION_VERSION } from '../../search/edition-format.ts';
import { openEdition } from '../../search/open-edition.ts';
import { utf8 } from '../../signing/digest.ts';
import type { EditionStorage } from '../../storage/edition-storage.ts';
import { EDITION_PART_BYTES, EditionManifest, MAX_EDITION_BYTES, sha256Hex } from '../../storage/edition-storage.ts';
import { bytesOf, type Sql } from '../../storage/sql.ts';
import { readStored } from '../../storage/stored-json.ts';
import type { ArticleStore } from './article-store.ts';
import type { EditionVectorSource } from './edition-with-vectors.ts';
import type { LibraryState } from './library-state.ts';

export interface StoredEdition {
  number: number;
  manifest: EditionManifest;
  /** Of the articles it was built from. */
  revision: number;
  /** Over the ids and hashes of those articles. */
  digest: string;
}

/** The editions of one library. Methods that write return the rows they wrote. */
export interface EditionStore {
  current(): StoredEdition | undefined;
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

export const editionStore = (sql: Sql): EditionStore => ({
  current: () => sql.all<EditionRow>('SELECT * FROM editions WHERE is_current = 1').flatMap(editionOf)[0],
  isCurrentUnreadable: () =>
    sql
      .all<EditionRow>('SELECT * FROM editions WHERE is_current = 1')
      .some((row) => editionOf(row)[0]?.manifest.formatVersion !== EDITION_VERSION),
  nextNumber: () => (sql.all<{ last: number | null }>('SELECT max(number) AS last FROM editions')[0]?.last ?? 0) + 1,
  store: ({ number, manifest, revision, digest }, parts, now) => {
    sql.run(
      `INSERT INTO editions (number, edition, manifest, revision, digest, is_current, stored_at) VALUES (?, ?, ?, ?, ?, 0, ?)`,
      ...[number, manifest.edition, JSON.stringify(manifest), revision, digest, now],
    );
    let rows = 0;
    for (const [part, bytes] of parts.entries()) {
      for (let from = 0; from < bytes.length; from += ROW_BYTES) {
        // Copied row by row: an edition may take half of the memory.
        const row = bytes.slice(from, from + ROW_BYTES);
        sql.run(
          'INSERT INTO edition_rows (edition, part, row, bytes) VALUES (?, ?, ?, ?)',
          ...[manifest.edition, part, from / ROW_BYTES, row],
        );
        rows += 1;
      }
    }
    return 1 + rows;
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
  setRevision: (edition, revision) => sql.run('UPDATE editions SET revision = ? WHERE edition = ?', revision, edition),
  part: (edition, part) => {
    const rows = sql.all<{ bytes: ArrayBuffer | Uint8Array<ArrayBuffer> }>(
      'SELECT bytes FROM edition_rows WHERE edition = ? AND part = ? ORDER BY row',
      ...[edition, part],
    );
    return rows.length === 0 ? undefined : joined(rows.map(({ bytes }) => bytesOf(bytes)));
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
    sql.all<{ at: number | null }>('SELECT min(retired_at) AS at FROM editions WHERE is_current = 0')[0]?.at ??
    undefined,
});

/** None where the manifest is damaged: then the next publishing replaces the edition. */
const editionOf = ({ number, manifest: text, revision, digest }: EditionRow): StoredEdition[] => {
  const manifest = readStored(EditionManifest, text);
  return manifest === undefined ? [] : [{ number, manifest, revision, digest }];
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

export interface PublishingParts {
  sql: Sql;
  state: LibraryState;
  articles: ArticleStore;
  editions: EditionStore;
  editionStorage: EditionStorage;
  workspace: string;
  now: () => number;
  /** Adds to a finished edition what can only be known once it can be searched. */
  complete?: ((edition: Uint8Array) => Uint8Array) | undefined;
  /** Where there is an embedding model. */
  vectors?: EditionVectorSource | undefined;
  /** Largest edition that readers open. */
  maxBytes?: number | undefined;
}

/** The articles do not fit into an edition; the current one stays. */
export class EditionTooLarge extends CodedError {
  override readonly name = 'EditionTooLarge';

  constructor(bytes: number, maxBytes: number) {
    const message = `Cannot publish: the articles take ${inMiB(bytes)} MiB of ${inMiB(maxBytes)} that an edition may have; the one before stays`;
    const suggestion = 'Remove articles, or divide them among several workspaces, each with its own knowledge base';
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
export const publishEdition = async (parts: PublishingParts): Promise<number> => {
  const { sql, editions, editionStorage, now } = parts;
  const { revision, digest } = await digestOf(parts);
  const current = editions.current();
  if (current?.digest === digest && current.manifest.formatVersion === EDITION_VERSION) {
    if (current.revision !== revision) editions.setRevision(current.manifest.edition, revision);
    return 0;
  }
  const { maxBytes = MAX_EDITION_BYTES } = parts;
  const textBytes = parts.articles.textBytes();
  // Before anything is built: what is far too large would not fit into memory here either.
  if (textBytes > maxBytes) throw new EditionTooLarge(textBytes, maxBytes);
  const number = editions.nextNumber();
  const { manifest, bytes } = await build(number, digest, parts);
  if (manifest.bytes > maxBytes) throw new EditionTooLarge(manifest.bytes, maxBytes);
  const writes = sql.transaction(() => editions.store({ number, manifest, revision, digest }, bytes, now()));
  await Promise.all(manifest.parts.map(({ key }, part) => lay(editionStorage, key, bytes[part])));
  sql.transaction(() => editions.makeCurrent(manifest.edition, now()));
  return writes;
};

/** A hash over all articles and vectors, with its revision: hashing is asynchronous, and they may change meanwhile. */
const digestOf = async ({
  articles,
  state,
  vectors,
}: PublishingParts): Promise<{ revision: number; digest: string }> => {
  for (;;) {
    const revision = state.revision();
    await vectors?.prepare();
    const stored = vectors === undefined ? '' : `\n${await vectors.digest()}`;
    const digest = await sha256Hex(utf8(articles.inventory() + stored));
    if (state.revision() === revision) return { revision, digest };
  }
};

const build = async (
  number: number,
  digest: string,
  { articles, workspace, now, complete, vectors }: PublishingParts,
) => {
  const edition = `e${String(number).padStart(6, '0')}-${digest.slice(0, 8)}`;
  const createdAt = new Date(now()).toISOString();
  const counts = { articles: articles.count(), chunks: articles.chunkCount() };
  const spareBytes = vectors?.spareBytes ?? (() => 0);
  const built = buildEdition(articles.entries(), { id: edition, workspace, createdAt }, { spareBytes });
  const completed = complete ? complete(built) : built;
  const whole = vectors ? vectors.attach(completed) : completed;
  // As a reader does: what cannot be opened never becomes the current edition.
  openEdition(whole);
  const bytes: Uint8Array<ArrayBuffer>[] = [];
  for (let from = 0; from < whole.length; from += EDITION_PART_BYTES)
    // A view, never a copy; its memory is not shared.
    bytes.push(whole.subarray(from, from + EDITION_PART_BYTES) as Uint8Array<ArrayBuffer>);
  const parts = await Promise.all(
    bytes.map(async (part, index) => ({
      key: `editions/${encodeURIComponent(workspace)}/${edition}/${index}`,
      bytes: part.length,
      sha256: await sha256Hex(part),
    })),
  );
  const manifest: EditionManifest = {
    ...{ edition, workspace, formatVersion: EDITION_VERSION, createdAt, ...counts },
    ...{ bytes: whole.length, parts },
  };
  return { manifest, bytes };
};

/** If edition storage fails, readers fetch the part from the library itself. */
const lay = (editionStorage: EditionStorage, key: string, bytes: Uint8Array<ArrayBuffer> | undefined): Promise<void> =>
  bytes === undefined ? Promise.resolve() : editionStorage.put(key, bytes).catch(() => {});
