import type { EmbeddingProvider } from '../../ai/embeddings/base.ts';
import { WORD_VECTORS_MODEL, type WordVectors } from '../../ai/embeddings/word-vectors.ts';
import { utf8 } from '../../platform/encoding.ts';
import { MAX_EDITION_BYTES, sha256Hex } from '../../platform/storage/edition-storage.ts';
import { bytesOf, type Sql } from '../../platform/storage/sql.ts';
import type { VectorIndex } from '../../platform/storage/vector-index.ts';
import type { EditionEntry } from '../articles/article.ts';
import type { PageSource } from '../edition/chunk-texts.ts';
import {
  attachedBytes,
  attachVectors,
  attachWordVectors,
  embeddingTextOf,
  spaceKey,
  type VectorSpace,
  vectorIdOf,
} from '../edition/edition-vectors.ts';
import type { ArticleStore, LibraryState } from './article-store.ts';

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
  plan(
    article: { id: string; hash: string },
    options: { space: string; vectors: readonly string[] },
  ): void;
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

export function vectorStore(sql: Sql): VectorStore {
  return {
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
      sql.run(
        'INSERT OR IGNORE INTO vectors (vector, is_stored) SELECT value, 0 FROM json_each(?)',
        ids,
      );
      sql.run(
        'INSERT OR REPLACE INTO vector_plans (article, hash, space) VALUES (?, ?, ?)',
        id,
        hash,
        space,
      );
    },
    forgetGone: () => {
      const gone = sql
        .all<{ article: string }>(
          'SELECT article FROM vector_plans WHERE article NOT IN (SELECT id FROM articles)',
        )
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
    missingCount: () =>
      countOf(sql, `SELECT count(DISTINCT vector) AS n ${OF_CHUNKS} is_stored = ${STATE.missing}`),
    storedCount: () => countOf(sql, `SELECT count(DISTINCT vector) AS n ${OF_CHUNKS} ${HAS_ONE}`),
    setStored: (vector, packed) => set(sql, vector, STATE.stored, packed),
    setNone: (vector) => set(sql, vector, STATE.none),
    setRefused: (vector) => set(sql, vector, STATE.refused),
    setRefusedWanted: () =>
      sql.run(`UPDATE vectors SET is_stored = ${STATE.missing} WHERE is_stored = ${STATE.refused}`),
    keep: (records) => {
      for (const { id, vector } of records)
        sql.run(
          'UPDATE vectors SET packed = ? WHERE vector = ?',
          new Uint8Array(Float32Array.from(vector).buffer),
          id,
        );
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
      sql.run(
        `UPDATE vectors SET is_stored = iif(${HAS_ONE}, ${STATE.storedAndWanted}, ${STATE.missing})`,
      ),
    stored: () =>
      sql
        .all<{ vector: string }>(`SELECT vector FROM vectors WHERE ${HAS_ONE}`)
        .map(({ vector }) => vector),
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
  };
}

const set = (sql: Sql, vector: string, state: number, packed?: Uint8Array<ArrayBuffer>): void =>
  sql.run(
    'UPDATE vectors SET is_stored = ?, packed = ? WHERE vector = ?',
    state,
    packed ?? null,
    vector,
  );

/** From a copy: a view may begin anywhere. */
const numbersOf = (bytes: Uint8Array<ArrayBuffer>): number[] =>
  Array.from(new Float32Array(bytes.slice().buffer));

const countOf = (sql: Sql, query: string): number => sql.all<{ n: number }>(query)[0]?.n ?? 0;

interface PackedRow
  extends Record<string, string | number | null | ArrayBuffer | Uint8Array<ArrayBuffer>> {
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

interface RemovalParts {
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
 * Removes vectors without a chunk, a batch at a time; where the index does not answer, in a minute. To be called
 * when the current edition does without them.
 */
export async function removeVectors({
  sql,
  state,
  vectors,
  index,
  now,
  onFault,
}: RemovalParts): Promise<void> {
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
}

/** What publishing needs of the vectors. */
export interface EditionVectorSource {
  /** Computes the ids of all chunks; embeds nothing. */
  prepare(): Promise<void>;
  /** Changes whenever the vectors of an edition would. */
  digest(): Promise<string>;
  /** Bytes that `attach` needs in an edition of this many chunks. */
  spareBytes(byteLength: number): number;
  /** Adds the vectors stored so far; `edition` must not be used afterwards. */
  attach(edition: Uint8Array, pages?: PageSource): Uint8Array;
}

/** Words take precedence over vectors; the rest is for what is fitted. */
const MAX_BYTES = MAX_EDITION_BYTES - 2 * 1024 * 1024;

export function editionVectorSource(
  parts: Omit<PlanParts, 'space'> & { embedding: LibraryEmbedding },
): EditionVectorSource {
  const { articles, vectors, embedding } = parts;
  const { provider, index } = embedding;
  const kind = index === undefined ? ('rows' as const) : ('ids' as const);
  const neededBytes = (): number => attachedBytes(kind, provider, articles.chunkCount());
  const fits = (byteLength: number): boolean =>
    vectors.storedCount() > 0 &&
    fitsEdition(embedding, articles.chunkCount()) &&
    byteLength + neededBytes() <= MAX_BYTES;
  return {
    prepare: async () => {
      while (await planVectors({ ...parts, space: provider }));
    },
    digest: async () => {
      const ids = fitsEdition(embedding, articles.chunkCount()) ? vectors.storedIds() : [];
      const stored = ids.some((id) => id !== undefined)
        ? await sha256Hex(utf8(ids.join('\n')))
        : 'none';
      return `vectors ${kind} ${spaceKey(provider)} ${stored}`;
    },
    spareBytes: (byteLength) => (fits(byteLength) ? neededBytes() : 0),
    attach: (edition) => {
      if (!fits(edition.length)) return edition;
      const space = { model: provider.model, dimensions: provider.dimensions };
      if (kind === 'ids') return attachVectors(edition, { kind, space, ids: vectors.storedIds() });
      return attachVectors(edition, {
        kind,
        space,
        rows: vectors.storedVectors(),
        chunks: articles.chunkCount(),
      });
    },
  };
}

/** Word vectors, used without an embedding model: computed for each edition from its texts, in memory, and never stored by the library. */
export function wordVectorSource(
  words: () => WordVectors,
  { articles }: Pick<PlanParts, 'articles'>,
): EditionVectorSource {
  const neededBytes = (): number => {
    const space = { model: WORD_VECTORS_MODEL, dimensions: words().dimensions };
    return attachedBytes('rows', space, articles.chunkCount());
  };
  const fits = (byteLength: number): boolean => {
    const needed = neededBytes();
    return needed <= MAX_VECTOR_BYTES && byteLength + needed <= MAX_BYTES;
  };
  return {
    prepare: async () => {},
    digest: async () => `vectors words ${WORD_VECTORS_MODEL}`,
    spareBytes: (byteLength) => (fits(byteLength) ? neededBytes() : 0),
    attach: (edition, pages) =>
      fits(edition.length) ? attachWordVectors(edition, words(), pages) : edition,
  };
}

export interface PlanParts {
  sql: Sql;
  state: LibraryState;
  articles: ArticleStore;
  vectors: VectorStore;
  space: VectorSpace;
  now: () => number;
}

/** Articles hashed per step. */
const ARTICLES_AT_ONCE = 25;

/**
 * Computes the vector ids of some articles that are new, changed or planned for another model; nothing is embedded.
 *
 * @returns Whether there may be more.
 */
export async function planVectors(parts: PlanParts): Promise<boolean> {
  const { sql, state, articles, vectors, space, now } = parts;
  const key = spaceKey(space);
  sql.transaction(() => {
    if (vectors.forgetGone()) state.write('remove_vectors_at', now());
  });
  const unplanned = vectors.unplanned(key, ARTICLES_AT_ONCE);
  const planned: { id: string; hash: string; ids: string[] }[] = [];
  for (const { id, hash } of unplanned) {
    const entry = articles.entry(id);
    if (entry) planned.push({ id, hash, ids: await vectorIdsOf(entry, space) });
  }
  if (planned.length === 0) return false;
  sql.transaction(() => {
    const known = articles.known(planned.map(({ id }) => id));
    for (const { id, hash, ids } of planned) {
      // Hashing is asynchronous: meanwhile an article may change or be deleted.
      if (known.get(id)?.hash === hash) vectors.plan({ id, hash }, { space: key, vectors: ids });
    }
    state.write('remove_vectors_at', now());
  });
  return true;
}

const vectorIdsOf = ({ article, chunks }: EditionEntry, space: VectorSpace): Promise<string[]> =>
  Promise.all(
    chunks.map(({ headingPath, text }) =>
      vectorIdOf(embeddingTextOf({ title: article.title, headingPath, text }), space),
    ),
  );

/** Embeds a library's chunks, and searches the vectors. */
export interface LibraryEmbedding {
  provider: EmbeddingProvider;
  /** Vector index of this workspace alone. Without one, an edition contains its vectors. */
  index?: VectorIndex | undefined;
  /** Identity of the index, such as its address: when it changes, all vectors are stored again. */
  indexName?: string | undefined;
}

/** Most bytes that vectors may add to an edition: more would not fit the memory of its readers beside the previous edition. */
const MAX_VECTOR_BYTES = 24 * 1024 * 1024;

/** Whether an edition of this many chunks can contain its vectors; always with an index. */
export function fitsEdition({ provider, index }: LibraryEmbedding, chunks: number): boolean {
  return index !== undefined || attachedBytes('rows', provider, chunks) <= MAX_VECTOR_BYTES;
}
