import * as z from 'zod';
import { slicesOf } from './embedding-store.ts';
import { bytesOf, migrate, readStored, type Sql } from './sql.ts';
import { type StoreOptions, StoreUnavailable, storeGivenUp } from './store-unavailable.ts';
import {
  checkId,
  checkLimit,
  checkRecord,
  checkVector,
  meetsFilter,
  readMetadata,
  type VectorFilter,
  type VectorHit,
  type VectorIndex,
  type VectorMetadata,
} from './vector-index.ts';

/** Metadata precedes the vector in a row, so that a filter reads no page of vectors. */
const TABLES = [
  `CREATE TABLE IF NOT EXISTS vector_record (
    seq INTEGER PRIMARY KEY, namespace TEXT NOT NULL, id TEXT NOT NULL, metadata TEXT, vector BLOB NOT NULL,
    UNIQUE (namespace, id)) STRICT`,
  'CREATE INDEX IF NOT EXISTS vector_record_namespace ON vector_record (namespace)',
];

/** Vectors in memory at once: 1.5 MB with 1,536 dimensions. */
const PAGE = 256;
const IDS_OF_PAGE = 1000;
/** One value for any number of ids: a statement takes at most 100 values in a Durable Object. */
const IN_LIST = 'IN (SELECT value FROM json_each(?))';

/** A vector as it is stored: `seq` counts the records of all namespaces. */
type Row = { seq: number; id: string; vector: ArrayBuffer | Uint8Array<ArrayBuffer> };

/**
 * Vectors in an embedded SQLite database, compared one by one: exact, visible at once, and meant for about 5,000 vectors in a namespace,
 * which cost 55 ms of CPU with 1,536 dimensions (`npm run bench -- embeddings`); the cost is linear. Stored as unit vectors of 32-bit
 * floats, of which 1.5 MB are in memory at once.
 *
 * @param options `namespace` separates tenants that share a database; any string.
 */
export function sqlVectorIndex(
  sql: Sql,
  { namespace, dimensions }: { namespace: string; dimensions: number },
): VectorIndex {
  migrate(sql, 'vectors', [TABLES]);

  const nextPage = (after: number): Row[] =>
    sql.all<Row>(
      'SELECT seq, id, vector FROM vector_record WHERE namespace = ? AND seq > ? ORDER BY seq LIMIT ?',
      namespace,
      after,
      PAGE,
    );

  function* allVectors(): Generator<Row> {
    for (let page = nextPage(0); page.length > 0; page = nextPage(page.at(-1)?.seq ?? 0))
      yield* page;
  }

  function* vectorsMeeting(filter: VectorFilter): Generator<Row> {
    const select =
      'SELECT seq, metadata FROM vector_record WHERE namespace = ? AND seq > ? ORDER BY seq LIMIT ?';
    const pageAfter = (seq: number) =>
      sql.all<{ seq: number; metadata: string | null }>(select, namespace, seq, IDS_OF_PAGE);
    for (let page = pageAfter(0); page.length > 0; page = pageAfter(page.at(-1)?.seq ?? 0)) {
      const meeting = page
        .filter(({ metadata }) => meetsFilter(metadataIn(metadata), filter))
        .map(({ seq }) => seq);
      for (const some of slicesOf(meeting, PAGE)) {
        const vectors = `SELECT seq, id, vector FROM vector_record WHERE seq ${IN_LIST}`;
        yield* sql.all<Row>(vectors, JSON.stringify(some));
      }
    }
  }

  const metadataOf = ({ seq }: { seq: number }): VectorMetadata | undefined => {
    const [row] = sql.all<{ metadata: string | null }>(
      'SELECT metadata FROM vector_record WHERE seq = ?',
      seq,
    );
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
    query: async (vector, { limit, filter = [], signal }) => {
      checkVector(vector, dimensions);
      checkLimit(limit);
      const unit = unitOf(vector);
      if (unit.every((each) => each === 0)) return [];
      return run('search vectors', { signal }, () => {
        const rows = filter.length === 0 ? allVectors() : vectorsMeeting(filter);
        return closest(rows, { unit, limit }).map(({ seq, id, similarity }): VectorHit => {
          const metadata = metadataOf({ seq });
          return { id, similarity, ...(metadata && { metadata }) };
        });
      });
    },
    delete: async (ids, options) => {
      for (const id of ids) checkId(id);
      const statement = `DELETE FROM vector_record WHERE namespace = ? AND id ${IN_LIST}`;
      run('delete vectors', options, () => sql.run(statement, namespace, JSON.stringify(ids)));
    },
    list: async ({ cursor = '', signal } = {}) => {
      const select =
        'SELECT id FROM vector_record WHERE namespace = ? AND id > ? ORDER BY id LIMIT ?';
      const rows = run('list vectors', { signal }, () =>
        sql.all<{ id: string }>(select, namespace, cursor, IDS_OF_PAGE + 1),
      );
      const ids = rows.slice(0, IDS_OF_PAGE).map(({ id }) => id);
      const last = ids.at(-1);
      return rows.length > IDS_OF_PAGE && last !== undefined ? { ids, next: last } : { ids };
    },
    clear: async (options) => {
      run('clear vectors', options, () =>
        sql.run('DELETE FROM vector_record WHERE namespace = ?', namespace),
      );
    },
    pending: async () => 0,
  };
}

/** SQLite's messages name tables and columns, no values. */
const run = <T>(what: string, { signal }: StoreOptions = {}, work: () => T): T => {
  if (signal?.aborted) throw storeGivenUp(what)('aborted');
  try {
    return work();
  } catch (error) {
    throw new StoreUnavailable('unavailable', `Cannot ${what}: the database failed`, {
      cause: error,
    });
  }
};

/** Damaged metadata meets no filter; its memory is found by its words. */
const metadataIn = (text: string | null): VectorMetadata | undefined =>
  text === null
    ? undefined
    : readMetadata(readStored(z.record(z.string(), z.unknown()), text) ?? {});

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

/** The most similar, best first; at most twice the limit are in memory. Vectors with another number of dimensions are skipped. */
const closest = (
  rows: Iterable<Row>,
  { unit, limit }: { unit: Float32Array; limit: number },
): Candidate[] => {
  let best: Candidate[] = [];
  let least = Number.NEGATIVE_INFINITY;
  const keepBest = () => {
    best = best
      .sort((left, right) => right.similarity - left.similarity || (left.id < right.id ? -1 : 1))
      .slice(0, limit);
    if (best.length === limit) least = best.at(-1)?.similarity ?? least;
  };
  for (const { seq, id, vector } of rows) {
    const stored = floatsOf(bytesOf(vector));
    if (stored.length !== unit.length) continue;
    const similarity = dot(unit, stored);
    if (similarity < least) continue;
    best.push({ seq, id, similarity });
    if (best.length >= 2 * limit) keepBest();
  }
  keepBest();
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
