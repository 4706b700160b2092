import type { Memory } from '../contract/memory.ts';
import { encodeEmbedding } from './embedding-bytes.ts';
import type { StoreOptions } from './embedding-store.ts';
import { encodeText, placeOf, relationOfPlace, relationPlaceOf, shortHash } from './memory-place.ts';
import { COUNT, PENDING, PUT, RELATIONS, REMOVE, SETTLE } from './memory-scripts.ts';
import type { MemoryStore } from './memory-store.ts';
import { MAX_MEMORY_WORDS, vectorMetadataOf, type WordsOf } from './rank-memories.ts';
import type { RunScript } from './redis-scripts.ts';
import { indexesFor, indexesOf, malformed, memoryRecords, pairsOf, readRecord } from './upstash-memory-records.ts';
import { upstashMemorySearch } from './upstash-memory-search.ts';
import type { VectorIndex } from './vector-index.ts';

export interface UpstashMemoryStoreOptions {
  redis: RunScript;
  /** The index of a workspace, and of nothing else; absent: memories are found by their words. */
  vectorsOf?: ((workspaceId: string) => VectorIndex) | undefined;
  wordsOf: WordsOf;
  /** Milliseconds since 1970. */
  now?: (() => number) | undefined;
}

/**
 * Memories in Redis, their vectors in a vector index that comes to know and to forget them a while later. Redis decides what
 * there is: every hit is read there anew, under the keys of the workspace, and a vector that leads to nothing counts for nothing.
 * So a memory is written before its vector and removed before it, with a note that the vector has to go, which the next removal
 * finds when this one broke off. Vectors of the last minutes lie in Redis too, so that what was just stored is found.
 */
export const upstashMemoryStore = ({
  redis,
  vectorsOf,
  wordsOf,
  now = Date.now,
}: UpstashMemoryStoreOptions): MemoryStore => {
  const seconds = (): string => String(Math.floor(now() / 1000));
  const records = memoryRecords(redis);
  const { run, texts, readMany, pick } = records;
  const clearVectors = async (workspaceId: string, options: StoreOptions): Promise<void> => {
    for (;;) {
      const ids = await texts(PENDING, workspaceId, [], options);
      if (ids.length === 0) return;
      await vectorsOf?.(workspaceId).delete(ids, options);
      await run(SETTLE, workspaceId, ids, options);
    }
  };
  const remove = async (workspaceId: string, args: readonly string[], options: StoreOptions): Promise<Memory[]> => {
    const removed = await texts(REMOVE, workspaceId, args, options);
    await clearVectors(workspaceId, options);
    return removed.map((record) => readRecord(record, workspaceId));
  };
  return {
    put: async (memory, { vector, relatedTo = [], signal }) => {
      const vectors = vector === undefined ? undefined : vectorsOf?.(memory.workspace_id);
      if (vector !== undefined && vectors !== undefined && vector.length !== vectors.dimensions)
        throw new RangeError(`Cannot store a vector of ${vector.length} numbers: the index has ${vectors.dimensions}`);
      const id = encodeText(memory.id);
      const isStored = await run(
        PUT,
        memory.workspace_id,
        [
          JSON.stringify(memory),
          id,
          placeOf(memory),
          indexesOf(memory).join(' '),
          [...new Set(wordsOf(memory.content).slice(0, MAX_MEMORY_WORDS).map(shortHash))].join(' '),
          vector === undefined || vectors === undefined ? '' : encodeEmbedding(vector),
          seconds(),
          ...relatedTo.flatMap(({ memory_id, type }) => [
            encodeText(memory_id),
            relationPlaceOf({
              from_memory_id: memory.id,
              to_memory_id: memory_id,
              type,
              created_at: memory.created_at,
            }),
          ]),
        ],
        { signal },
      );
      if (isStored !== 1) return false;
      if (vector === undefined || vectors === undefined) return true;
      await vectors.upsert([{ id, vector, metadata: vectorMetadataOf(memory) }], { signal });
      // It may have been removed meanwhile.
      const [record] = await readMany(memory.workspace_id, [id], { signal });
      if (record === undefined) await vectors.delete([id], { signal });
      return true;
    },
    get: async (workspaceId, id, options = {}) => (await readMany(workspaceId, [encodeText(id)], options))[0],
    count: async (workspaceId, options) => {
      const count = await run(COUNT, workspaceId, [], options);
      if (typeof count !== 'number') throw malformed('something that is no number');
      return count;
    },
    list: async (workspaceId, listing, options = {}) => {
      const { type, limit, cursor } = listing;
      const filter = type === undefined ? {} : { memoryTypes: [type] };
      const { picked, next } = await pick(
        workspaceId,
        { filter, indexes: indexesFor(listing), limit, cursor },
        options,
      );
      const memories = picked
        .map(({ memory }) => memory)
        .filter((memory) => type === undefined || memory.type === type);
      return { memories, next };
    },
    delete: async (workspaceId, id, options = {}) =>
      (await remove(workspaceId, ['', encodeText(id)], options)).length > 0,
    erase: (workspaceId, of, options = {}) =>
      remove(
        workspaceId,
        ['personId' in of ? `person:${encodeText(of.personId)}` : `conversation:${encodeText(of.conversationId)}`],
        options,
      ),
    searchMemories: upstashMemorySearch(records, { vectorsOf, wordsOf, seconds }),
    getMemoryRelationships: async (memoryId, workspaceId, options = {}) => {
      const found = await texts(RELATIONS, workspaceId, [encodeText(memoryId)], options);
      return pairsOf(found).map(([place, record]) => ({
        relationship: relationOfPlace(place),
        memory: readRecord(record, workspaceId),
      }));
    },
  };
};
