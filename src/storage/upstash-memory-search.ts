import { cosine } from './cosine.ts';
import { decodeEmbedding } from './embedding-bytes.ts';
import type { StoreOptions } from './embedding-store.ts';
import { shortHash } from './memory-place.ts';
import { FRESH } from './memory-scripts.ts';
import type { MemoryQuery, MemoryStore } from './memory-store.ts';
import { type Candidate, MAX_QUERY_WORDS, rankMemories, vectorFilterOf, type WordsOf } from './rank-memories.ts';
import { indexesFor, type MemoryRecords, pairsOf, readRecord } from './upstash-memory-records.ts';
import type { VectorIndex } from './vector-index.ts';

const STALE_MARGIN = 20;
const MAX_HITS = 1000;

/** Searches the vector index, the vectors that it may not know yet, and the words, and reads every hit from Redis. */
export const upstashMemorySearch = (
  { texts, readMany, pick }: MemoryRecords,
  parts: {
    vectorsOf?: ((workspaceId: string) => VectorIndex) | undefined;
    wordsOf: WordsOf;
    /** Since 1970. */
    seconds: () => string;
  },
): MemoryStore['searchMemories'] => {
  const { vectorsOf, wordsOf, seconds } = parts;
  const semanticCandidates = async (
    workspaceId: string,
    query: MemoryQuery & { vector: readonly number[] },
    options: StoreOptions,
  ): Promise<Candidate[]> => {
    const vectors = vectorsOf?.(workspaceId);
    if (vectors === undefined) return [];
    const filter = vectorFilterOf(query);
    // Some hits may lead to memories that are gone.
    for (let limit = query.limit * 2 + STALE_MARGIN; ; limit *= 4) {
      const asked = Math.min(limit, MAX_HITS);
      const hits = await vectors.query(query.vector, { ...options, limit: asked, filter });
      const ids = hits.map(({ id }) => id);
      const memories = await readMany(workspaceId, ids, options);
      const found = hits.flatMap(({ similarity, metadata }, at) => {
        const memory = memories[at];
        // A vector that has yet to go may be of a memory that had this id before.
        return memory === undefined || metadata?.created !== Date.parse(memory.created_at)
          ? []
          : [{ memory, semantic: similarity }];
      });
      if (found.length >= query.limit || hits.length < asked || asked === MAX_HITS) return found;
    }
  };
  const freshCandidates = async (
    workspaceId: string,
    vector: readonly number[],
    options: StoreOptions,
  ): Promise<Candidate[]> => {
    const found = await texts(FRESH, workspaceId, [seconds()], options);
    return pairsOf(found).flatMap(([text, record]) => {
      const held = decodeEmbedding(text, vector.length);
      return held === undefined ? [] : [{ memory: readRecord(record, workspaceId), semantic: cosine(vector, held) }];
    });
  };
  const lexicalCandidates = async (
    workspaceId: string,
    query: MemoryQuery & { text: string },
    options: StoreOptions,
  ): Promise<Candidate[]> => {
    const words = wordsOf(query.text).slice(0, MAX_QUERY_WORDS).map(shortHash);
    if (words.length === 0) return [];
    // With a vector too, more than are asked for may come first by words and not by both.
    const limit = query.vector === undefined ? query.limit : Math.max(query.limit * 2, 50);
    const { picked } = await pick(workspaceId, { filter: query, indexes: indexesFor(query), words, limit }, options);
    return picked.map(({ memory, score }) => ({ memory, lexical: score }));
  };
  return async (workspaceId, query, options = {}) => {
    const { vector, text, limit, memoryTypes } = query;
    if (memoryTypes?.length === 0) return [];
    if (vector === undefined && text === undefined) {
      const { picked } = await pick(workspaceId, { filter: query, indexes: indexesFor(query), limit }, options);
      return rankMemories(picked, { workspaceId, query });
    }
    const candidates = await Promise.all([
      vector === undefined ? [] : freshCandidates(workspaceId, vector, options),
      vector === undefined ? [] : semanticCandidates(workspaceId, { ...query, vector }, options),
      text === undefined ? [] : lexicalCandidates(workspaceId, { ...query, text }, options),
    ]);
    return rankMemories(candidates.flat(), { workspaceId, query });
  };
};
