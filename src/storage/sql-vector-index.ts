import { checkId, checkLimit, checkRecord, checkVector, readMetadata } from './check-vector.ts';
import type { StoreOptions } from './embedding-store.ts';
import { bytesOf, type Sql, type SqlValue } from './sql.ts';
import { StoreUnavailable } from './store-unavailable.ts';
import { meetsFilter } from './vector-filter.ts';
import type { VectorFilter, VectorHit, VectorIndex, VectorMetadata } from './vector-index.ts';

/** Metadata stands before the vector, so that a filter reads no page of vectors. */
const TABLES = [
  `CREATE TABLE IF NOT EXISTS vector_record (
    seq INTEGER PRIMARY KEY, namespace TEXT NOT NULL, id TEXT NOT NULL, metadata TEXT, vector BLOB NOT NULL,
    UNIQUE (namespace, id)) STRICT`,
  'CREATE INDEX IF NOT EXISTS vector_record_namespace ON vector_record (namespace)',
];

/** Vectors that are in memory at once: 1.5 MB of those with 1,536 numbers. */
const PAGE = 256;
/** A statement takes at most 100 values in a Durable Object. */
const VALUES = 90;
const IDS_OF_PAGE = 1000;

/** A vector as it is stored: `seq` counts the records of all namespaces. */
type Row = { seq: number; id: string; vector: ArrayBuffer | Uint8Array<ArrayBuffer> };

/**
 * Vectors in a SQLite database of one's own, compared one by one: exact, at once visible, and meant for some 5,000 vectors
 * of a namespace, which cost 55 ms of the processor with 1,536 numbers (`npm run bench -- embeddings`); it grows with their
 * number. Held as unit vectors of 32-bit floats, of which 1.5 MB are in memory at once.
 *
 * @param options `namespace` tells tenants apart who share a database; any text.
 */
export const sqlVectorIndex = (
  sql: Sql,
  { namespace, dimensions }: { namespace: string; dimensions: number },
): VectorIndex => {
  for (const table of TABLES) sql.run(table);

  const nextPage = (after: number): Row[] =>
    sql.all<Row>(
      'SELECT seq, id, vector FROM vector_record WHERE namespace = ? AND seq > ? ORDER BY seq LIMIT ?',
      namespace,
      after,
      PAGE,
    );

  function* allVectors(): Generator<Row> {
    for (let page = nextPage(0); page.length > 0; page = nextPage(page.at(-1)?.seq ?? 0)) yield* page;
  }

  function* vectorsMeeting(filter: VectorFilter): Generator<Row> {
    const select = `SELECT seq, metadata FROM vector_record
      WHERE namespace = ? AND seq > ? ORDER BY seq LIMIT ?`;
    const pageAfter = (seq: number) =>
      sql.all<{ seq: number; metadata: string | null }>(select, namespace, seq, IDS_OF_PAGE);
    for (let page = pageAfter(0); page.length > 0; page = pageAfter(page.at(-1)?.seq ?? 0)) {
      const meeting = page.filter(({ metadata }) => meetsFilter(metadataIn(metadata), filter)).map(({ seq }) => seq);
      for (let at = 0; at < meeting.length; at += VALUES) {
        const some = meeting.slice(at, at + VALUES);
        const marks = some.map(() => '?').join();
        yield* sql.all<Row>(`SELECT seq, id, vector FROM vector_record WHERE seq IN (${marks})`, ...some);
      }
    }
  }

  const metadataOf = ({ seq }: { seq: number }): VectorMetadata | undefined => {
    const [row] = sql.all<{ metadata: string | null }>('SELECT metadata FROM vector_record WHERE seq = ?', seq);
    return metadataIn(row?.metadata ?? null);
  };

  return {
    dimensions,
    upsert: async (records, options) => {
      for (const record of records) checkRecord(record, dimensions);
      const put = ({ id, vector, metadata }: (typeof records)[number]) =>
        sql.run(
          `INSERT INTO vector_record (namespace, id, metadata, vector) VALUES (?, ?, ?, ?)
            ON CONFLICT (namespace, id) DO UPDATE SET metadata = excluded.metadata, vector = excluded.vector`,
          namespace,
          id,
          metadata === undefined ? null : JSON.stringify(metadata),
          new Uint8Array(unitOf(vector).buffer),
        );
      run('store vectors', options, () => sql.transaction(() => records.forEach(put)));
    },
    query: async (vector, { limit, filter, signal }) => {
      checkVector(vector, dimensions);
      checkLimit(limit);
      const unit = unitOf(vector);
      if (unit.every((each) => each === 0)) return [];
      return run('search vectors', { signal }, () => {
        const rows = filter === undefined ? allVectors() : vectorsMeeting(filter);
        return closest(rows, { unit, limit }).map(({ seq, id, similarity }): VectorHit => {
          const metadata = metadataOf({ seq });
          return { id, similarity, ...(metadata && { metadata }) };
        });
      });
    },
    delete: async (ids, options) => {
      for (const id of ids) checkId(id);
      run('delete vectors', options, () =>
        sql.transaction(() => {
          for (let at = 0; at < ids.length; at += VALUES) {
            const some = ids.slice(at, at + VALUES);
            const marks = some.map(() => '?').join();
            sql.run(`DELETE FROM vector_record WHERE namespace = ? AND id IN (${marks})`, namespace, ...some);
          }
        }),
      );
    },
    list: async ({ cursor = '', signal } = {}) => {
      const select = 'SELECT id FROM vector_record WHERE namespace = ? AND id > ? ORDER BY id LIMIT ?';
      const values: SqlValue[] = [namespace, cursor, IDS_OF_PAGE + 1];
      const rows = run('list vectors', { signal }, () => sql.all<{ id: string }>(select, ...values));
      const ids = rows.slice(0, IDS_OF_PAGE).map(({ id }) => id);
      const last = ids.at(-1);
      return rows.length > IDS_OF_PAGE && last !== undefined ? { ids, next: last } : { ids };
    },
    clear: async (options) => {
      run('clear vectors', options, () => sql.run('DELETE FROM vector_record WHERE namespace = ?', namespace));
    },
    pending: async () => 0,
  };
};

/** SQLite's messages name tables and columns, no values. */
const run = <T>(what: string, { signal }: StoreOptions = {}, work: () => T): T => {
  if (signal?.aborted) throw new StoreUnavailable('aborted', `Cannot ${what}: the caller has given up`);
  try {
    return work();
  } catch (error) {
    throw new StoreUnavailable('unavailable', `Cannot ${what}: the database failed`, { cause: error });
  }
};

// Written by `upsert` from metadata.
const metadataIn = (text: string | null): VectorMetadata | undefined =>
  text === null ? undefined : readMetadata(JSON.parse(text) as Record<string, unknown>);

/** A vector of zeros stays one. */
const unitOf = (vector: readonly number[]): Float32Array<ArrayBuffer> => {
  // Divided by the largest first, so that no square is too large or too small.
  const largest = vector.reduce((most, each) => Math.max(most, Math.abs(each)), 0) || 1;
  const scaled = vector.map((each) => each / largest);
  const length = Math.sqrt(scaled.reduce((sum, each) => sum + each * each, 0)) || 1;
  return Float32Array.from(scaled, (each) => each / length);
};

interface Candidate {
  seq: number;
  id: string;
  similarity: number;
}

/** The closest, best first; never more than twice the limit are kept. Vectors of other dimensions are passed over. */
const closest = (rows: Iterable<Row>, { unit, limit }: { unit: Float32Array; limit: number }): Candidate[] => {
  let best: Candidate[] = [];
  let least = Number.NEGATIVE_INFINITY;
  const cut = () => {
    best = best
      .sort((left, right) => right.similarity - left.similarity || (left.id < right.id ? -1 : 1))
      .slice(0, limit);
    if (best.length === limit) least = best.at(-1)?.similarity ?? least;
  };
  for (const { seq, id, vector } of rows) {
    const held = floatsOf(bytesOf(vector));
    if (held.length !== unit.length) continue;
    const similarity = dot(unit, held);
    if (similarity < least) continue;
    best.push({ seq, id, similarity });
    if (best.length >= 2 * limit) cut();
  }
  cut();
  return best.map((each) => ({ ...each, similarity: Math.max(-1, Math.min(1, each.similarity)) }));
};

const floatsOf = (bytes: Uint8Array<ArrayBuffer>): Float32Array => {
  const whole = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  return new Float32Array(whole.buffer, whole.byteOffset, Math.floor(whole.byteLength / 4));
};

const dot = (left: Float32Array, right: Float32Array): number => {
  let sum = 0;
  for (let at = 0; at < left.length; at += 1) sum += (left[at] ?? 0) * (right[at] ?? 0);
  return sum;
};
