import type { Memory } from '../contract/memory.ts';
import { encodeEmbedding } from './embedding-bytes.ts';
import type { StoreOptions } from './embedding-store.ts';
import { decodeText, encodeText, placeOf, relationOfPlace, relationPlaceOf, shortHash } from './memory-place.ts';
import { CLEAR, COUNT, PUT, RELATIONS, REMOVE } from './memory-scripts.ts';
import type { MemoryStore, RelatedNeighbour } from './memory-store.ts';
import { MAX_MEMORY_WORDS, vectorMetadataOf, type WordsOf } from './rank-memories.ts';
import type { RunScript } from './redis-scripts.ts';
import { groupsOf, indexesFor, indexesOf, malformed, memoryRecords, readRecord } from './upstash-memory-records.ts';
import { upstashMemorySearch } from './upstash-memory-search.ts';
import type { VectorIndex } from './vector-index.ts';

export interface UpstashMemoryStoreOptions {
  redis: RunScript;
  /** The index of a workspace, and of nothing else; absent: memories are found by their words. */
  vectorsOf?: ((workspaceId: string) => VectorIndex) | undefined;
  wordsOf: WordsOf;
  /** Milliseconds since 1970. */
  now?: (() => number) | undefined;
  /** Of a call that removes; 1 to 100 of `A-Za-z0-9-`. */
  newId?: (() => string) | undefined;
}

/**
 * Memories in Redis, their vectors in a vector index that comes to know and to forget them a while later. Redis decides what
 * there is: every hit is read there anew, under the keys of the workspace, and a vector that leads to nothing counts for nothing.
 * So a memory is written before its vector and removed before it, with a note that the vector has to go. Whoever stores or removes
 * anything of the workspace next looks for such notes: of removals that broke off, and again of all of them after three minutes, since
 * a vector that was on its way may have landed after the removal. Vectors of the last minutes lie in Redis too, so that what was just
 * stored is found.
 */
export const upstashMemoryStore = ({
  redis,
  vectorsOf,
  wordsOf,
  now = Date.now,
  newId = () => crypto.randomUUID(),
}: UpstashMemoryStoreOptions): MemoryStore => {
  const seconds = (): string => String(Math.floor(now() / 1000));
  const records = memoryRecords(redis);
  const { run, texts, readMany, pick } = records;
  /** Removes the vectors that are noted, and these. */
  const clearVectors = async (workspaceId: string, options: StoreOptions, more: readonly string[] = []) => {
    let settled: string[] = [];
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const pending = await texts(CLEAR, workspaceId, [seconds(), ...settled], options);
      const ids = round === 0 ? [...new Set([...more, ...pending])] : pending;
      if (ids.length === 0) return;
      await vectorsOf?.(workspaceId).delete(ids, options);
      settled = ids;
    }
  };
  const remove = async (workspaceId: string, ids: readonly string[], options: StoreOptions): Promise<string[]> => {
    const told = ids.length === 0 ? '' : await run(REMOVE, workspaceId, [newId(), ...ids.map(encodeText)], options);
    if (typeof told !== 'string') throw malformed('something that is no text');
    await clearVectors(workspaceId, options);
    return told === '' ? [] : told.split(' ').map(decodeText);
  };
  const relationshipsOf = async (
    memoryIds: readonly string[],
    workspaceId: string,
    options: StoreOptions = {},
  ): Promise<RelatedNeighbour[][]> => {
    const related = memoryIds.map((): RelatedNeighbour[] => []);
    if (memoryIds.length === 0) return related;
    const found = await texts(RELATIONS, workspaceId, memoryIds.map(encodeText), options);
    const memories = new Map<string, Memory>();
    for (const [at = '', place = '', record = ''] of groupsOf(found, 3)) {
      const relationship = relationOfPlace(place);
      const id = memoryIds[Number(at) - 1];
      const other = relationship.from_memory_id === id ? relationship.to_memory_id : relationship.from_memory_id;
      const memory = record === '' ? memories.get(other) : readRecord(record, workspaceId);
      if (memory === undefined) throw malformed('a relation without its memory');
      memories.set(other, memory);
      related[Number(at) - 1]?.push({ relationship, memory });
    }
    return related;
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
      // It may have been removed meanwhile. Where this fails the note of that removal stays, and the next call finds it.
      const tidy = async (): Promise<void> => {
        const [record] = await readMany(memory.workspace_id, [id], { signal });
        await clearVectors(memory.workspace_id, { signal }, record === undefined ? [id] : []);
      };
      await tidy().catch(() => undefined);
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
    delete: async (workspaceId, id, options = {}) => (await remove(workspaceId, [id], options)).length > 0,
    erase: (workspaceId, ids, options = {}) => remove(workspaceId, ids, options),
    searchMemories: upstashMemorySearch(records, { vectorsOf, wordsOf, seconds }),
    getMemoryRelationships: async (memoryId, workspaceId, options) =>
      (await relationshipsOf([memoryId], workspaceId, options))[0] ?? [],
    relationshipsOf,
  };
};

/** Of 500 vectors each; what is left over goes with the next call. */
const MAX_ROUNDS = 20;
