import { EditionManifest } from '../../storage/edition-storage.ts';
import { bytesOf, type Sql } from '../../storage/sql.ts';

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
  nextNumber(): number;
  /** Stores an edition whole, not yet as the current one. */
  store(edition: StoredEdition, parts: readonly Uint8Array<ArrayBuffer>[], now: number): number;
  /** Makes a stored edition the current one, unless a newer one is, and retires all before it. */
  makeCurrent(edition: string, now: number): void;
  /** The articles have changed and changed back. */
  setRevision(edition: string, revision: number): void;
  part(edition: string, part: number): Uint8Array<ArrayBuffer> | undefined;
  /** The editions that were replaced, or stored and never made current, before these moments. */
  old(before: { retired: number; stored: number }): EditionManifest[];
  /** Forgets an edition, unless it is the current one. */
  remove(edition: string): void;
  /** When the next edition falls due for removal, for an edition that is kept so long after it was replaced. */
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
  current: () => sql.all<EditionRow>('SELECT * FROM editions WHERE is_current = 1').map(editionOf)[0],
  nextNumber: () => (sql.all<{ last: number | null }>('SELECT max(number) AS last FROM editions')[0]?.last ?? 0) + 1,
  store: ({ number, manifest, revision, digest }, parts, now) => {
    sql.run(
      `INSERT INTO editions (number, edition, manifest, revision, digest, is_current, stored_at) VALUES (?, ?, ?, ?, ?, 0, ?)`,
      ...[number, manifest.edition, JSON.stringify(manifest), revision, digest, now],
    );
    const rows = parts.flatMap((bytes, part) => rowsOf(bytes).map((row, index) => ({ part, index, row })));
    for (const { part, index, row } of rows) {
      sql.run(
        'INSERT INTO edition_rows (edition, part, row, bytes) VALUES (?, ?, ?, ?)',
        ...[manifest.edition, part, index, row],
      );
    }
    return 1 + rows.length;
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
      .map((row) => editionOf(row).manifest),
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

const editionOf = ({ number, manifest, revision, digest }: EditionRow): StoredEdition => ({
  number,
  manifest: EditionManifest.parse(JSON.parse(manifest)),
  revision,
  digest,
});

const rowsOf = (bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer>[] =>
  Array.from({ length: Math.ceil(bytes.length / ROW_BYTES) }, (_, row) =>
    bytes.slice(row * ROW_BYTES, (row + 1) * ROW_BYTES),
  );

const joined = (rows: Uint8Array<ArrayBuffer>[]): Uint8Array<ArrayBuffer> => {
  const bytes = new Uint8Array(rows.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const row of rows) {
    bytes.set(row, at);
    at += row.length;
  }
  return bytes;
};
