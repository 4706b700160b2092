import { bytesOf, type Sql } from '../../storage/sql.ts';
import type { VectorIndex } from '../../storage/vector-index.ts';
import type { LibraryState } from './library-state.ts';

/** Position of a text that lacks its vector. */
interface WantedVector {
  vector: string;
  article: string;
  /** Place of the chunk in its article, from 0. */
  position: number;
}

/**
 * Which vectors the chunks of a library have, need, or no longer use. A vector has an entry before it is stored anywhere, and until it is known to be
 * deleted there, so that a crash leaves no orphans.
 */
export interface VectorStore {
  /** Articles whose chunks have no ids in this space, or those of an older text; at most `limit`. */
  unplanned(space: string, limit: number): { id: string; hash: string }[];
  /** Stores the ids of an article's chunks, in order. Must be called within a transaction. */
  plan(article: { id: string; hash: string }, options: { space: string; vectors: readonly string[] }): void;
  /** Deletes the ids of removed articles. Returns whether there were any. */
  forgetGone(): boolean;
  /** Vectors that chunks want, in the order of the chunks; at most `limit` chunks. */
  wanted(limit: number): WantedVector[];
  /** How many different texts want their vector, and how many of them have none at all. */
  wantedCount(): number;
  missingCount(): number;
  /** How many different vectors the chunks have that are stored. */
  storedCount(): number;
  /** Marks a vector as stored; `packed` if it is stored here. */
  setStored(vector: string, packed?: Uint8Array<ArrayBuffer>): void;
  /** Marks a text as never having a vector. */
  setNone(vector: string): void;
  /** Marks a text that the model refused: it is not wanted until `setRefusedWanted`. */
  setRefused(vector: string): void;
  setRefusedWanted(): void;
  /** Stores a vector that the index did not accept, until it does. */
  keep(records: readonly { id: string; vector: readonly number[] }[]): void;
  /** Vectors stored here that chunks need; at most `limit` chunks. */
  kept(limit: number): { id: string; vector: number[] }[];
  /** Marks none as stored: the index has changed. */
  setAllWanted(): void;
  /** Marks all vectors to be stored again; until then they stay as they are. */
  setAllWantedAgain(): void;
  /** Ids of all that is stored. */
  stored(): string[];
  /** Vectors of no chunk; at most `limit`. */
  unused(limit: number): string[];
  /** Marks vectors as deleted or being deleted: chunks that need them store them again. */
  setWanted(vectors: readonly string[]): void;
  /** Deletes the entries of vectors without a chunk. */
  forgetUnused(vectors: readonly string[]): void;
  /** By chunk, in the order of an edition: the stored vector's id, or undefined. */
  storedIds(): (string | undefined)[];
  /** Likewise: the packed vector, or undefined. */
  storedVectors(): Iterable<Uint8Array<ArrayBuffer> | undefined>;
}

/** Values of `is_stored`. */
const STATE = { missing: 0, stored: 1, none: 2, storedAndWanted: 3, refused: 4 };
const HAS_ONE = `is_stored IN (${STATE.stored}, ${STATE.storedAndWanted})`;
const OF_CHUNKS = 'FROM chunk_vectors JOIN vectors USING (vector) WHERE';
const WANTED = `${OF_CHUNKS} is_stored IN (${STATE.missing}, ${STATE.storedAndWanted})`;
const ROWS_AT_ONCE = 200;

export const vectorStore = (sql: Sql): VectorStore => ({
  unplanned: (space, limit) =>
    sql.all<{ id: string; hash: string }>(
      `SELECT a.id, a.hash FROM articles a LEFT JOIN vector_plans p ON p.article = a.id
       WHERE p.hash IS NOT a.hash OR p.space IS NOT ? ORDER BY a.id LIMIT ?`,
      ...[space, limit],
    ),
  plan: ({ id, hash }, { space, vectors }) => {
    sql.run('DELETE FROM chunk_vectors WHERE article = ?', id);
    const ids = JSON.stringify(vectors);
    sql.run(
      'INSERT INTO chunk_vectors (article, position, vector) SELECT ?, key, value FROM json_each(?)',
      ...[id, ids],
    );
    sql.run('INSERT OR IGNORE INTO vectors (vector, is_stored) SELECT value, 0 FROM json_each(?)', ids);
    sql.run('INSERT OR REPLACE INTO vector_plans (article, hash, space) VALUES (?, ?, ?)', id, hash, space);
  },
  forgetGone: () => {
    const gone = sql
      .all<{ article: string }>('SELECT article FROM vector_plans WHERE article NOT IN (SELECT id FROM articles)')
      .map(({ article }) => article);
    for (const article of gone) {
      sql.run('DELETE FROM chunk_vectors WHERE article = ?', article);
      sql.run('DELETE FROM vector_plans WHERE article = ?', article);
    }
    return gone.length > 0;
  },
  wanted: (limit) => {
    // WantedVector is an interface, which TypeScript takes for no record.
    const rows = sql.all<Record<keyof WantedVector, string | number>>(
      `SELECT vector, article, position ${WANTED} ORDER BY article, position LIMIT ?`,
      limit,
    );
    return rows.map((row) => ({ ...row, position: Number(row.position) }) as WantedVector);
  },
  wantedCount: () => countOf(sql, `SELECT count(DISTINCT vector) AS n ${WANTED}`),
  missingCount: () => countOf(sql, `SELECT count(DISTINCT vector) AS n ${OF_CHUNKS} is_stored = ${STATE.missing}`),
  storedCount: () => countOf(sql, `SELECT count(DISTINCT vector) AS n ${OF_CHUNKS} ${HAS_ONE}`),
  setStored: (vector, packed) => set(sql, vector, STATE.stored, packed),
  setNone: (vector) => set(sql, vector, STATE.none),
  setRefused: (vector) => set(sql, vector, STATE.refused),
  setRefusedWanted: () => sql.run(`UPDATE vectors SET is_stored = ${STATE.missing} WHERE is_stored = ${STATE.refused}`),
  keep: (records) => {
    for (const { id, vector } of records)
      sql.run('UPDATE vectors SET packed = ? WHERE vector = ?', new Uint8Array(Float32Array.from(vector).buffer), id);
  },
  kept: (limit) =>
    sql
      .all<{ vector: string; packed: ArrayBuffer | Uint8Array<ArrayBuffer> }>(
        `SELECT DISTINCT vector, packed ${WANTED} AND packed IS NOT NULL LIMIT ?`,
        limit,
      )
      .map(({ vector, packed }) => ({ id: vector, vector: numbersOf(bytesOf(packed)) })),
  setAllWanted: () => sql.run(`UPDATE vectors SET is_stored = ${STATE.missing}, packed = NULL`),
  setAllWantedAgain: () =>
    sql.run(`UPDATE vectors SET is_stored = iif(${HAS_ONE}, ${STATE.storedAndWanted}, ${STATE.missing})`),
  stored: () => sql.all<{ vector: string }>(`SELECT vector FROM vectors WHERE ${HAS_ONE}`).map(({ vector }) => vector),
  unused: (limit) =>
    sql
      .all<{ vector: string }>(
        'SELECT vector FROM vectors WHERE vector NOT IN (SELECT vector FROM chunk_vectors) LIMIT ?',
        limit,
      )
      .map(({ vector }) => vector),
  setWanted: (vectors) =>
    sql.run(
      'UPDATE vectors SET is_stored = 0 WHERE vector IN (SELECT value FROM json_each(?))',
      JSON.stringify(vectors),
    ),
  forgetUnused: (vectors) =>
    sql.run(
      `DELETE FROM vectors WHERE vector IN (SELECT value FROM json_each(?))
       AND vector NOT IN (SELECT vector FROM chunk_vectors)`,
      JSON.stringify(vectors),
    ),
  storedIds: () =>
    sql
      .all<{ vector: string | null }>(
        `SELECT iif(${HAS_ONE}, vector, NULL) AS vector FROM chunk_vectors LEFT JOIN vectors USING (vector)
         ORDER BY article, position`,
      )
      .map(({ vector }) => vector ?? undefined),
  storedVectors: () => ({ [Symbol.iterator]: () => storedVectors(sql) }),
});

const set = (sql: Sql, vector: string, state: number, packed?: Uint8Array<ArrayBuffer>): void =>
  sql.run('UPDATE vectors SET is_stored = ?, packed = ? WHERE vector = ?', state, packed ?? null, vector);

/** From a copy: a view may begin anywhere. */
const numbersOf = (bytes: Uint8Array<ArrayBuffer>): number[] => Array.from(new Float32Array(bytes.slice().buffer));

const countOf = (sql: Sql, query: string): number => sql.all<{ n: number }>(query)[0]?.n ?? 0;

interface PackedRow extends Record<string, string | number | null | ArrayBuffer | Uint8Array<ArrayBuffer>> {
  article: string;
  position: number;
}

function* storedVectors(sql: Sql): Generator<Uint8Array<ArrayBuffer> | undefined> {
  let [article, position] = ['', -1];
  for (;;) {
    const rows = sql.all<PackedRow & { packed: ArrayBuffer | Uint8Array<ArrayBuffer> | null }>(
      `SELECT article, position, iif(${HAS_ONE}, packed, NULL) AS packed
       FROM chunk_vectors LEFT JOIN vectors USING (vector)
       WHERE (article, position) > (?, ?) ORDER BY article, position LIMIT ${ROWS_AT_ONCE}`,
      ...[article, position],
    );
    for (const { packed } of rows) yield packed === null ? undefined : bytesOf(packed);
    const last = rows.at(-1);
    if (last === undefined || rows.length < ROWS_AT_ONCE) return;
    [article, position] = [last.article, last.position];
  }
}

export interface RemovalParts {
  sql: Sql;
  state: LibraryState;
  vectors: VectorStore;
  index: VectorIndex | undefined;
  now: () => number;
  onFault: (where: string, error: unknown) => void;
}

/** The most that one request of a vector index may name is 1,000. */
const AT_ONCE = 500;
const LIMIT_MS = 20_000;
const AGAIN_MS = 60_000;

/**
 * Removes vectors that no chunk has any more, a batch at a time; where the index does not answer, in a minute. To be called
 * when the current edition does without them.
 */
export const removeVectors = async ({ sql, state, vectors, index, now, onFault }: RemovalParts): Promise<void> => {
  const unused = vectors.unused(AT_ONCE);
  try {
    if (index !== undefined && unused.length > 0) {
      // First: a chunk that wants one of them while it is on its way out has it stored again.
      vectors.setWanted(unused);
      await index.delete(unused, { signal: AbortSignal.timeout(LIMIT_MS) });
    }
    sql.transaction(() => {
      vectors.forgetUnused(unused);
      // Deleting waits, and meanwhile further ones may have come.
      state.write('remove_vectors_at', vectors.unused(1).length === 0 ? undefined : now());
    });
  } catch (error) {
    onFault('remove vectors', error);
    state.write('remove_vectors_at', now() + AGAIN_MS);
  }
};
