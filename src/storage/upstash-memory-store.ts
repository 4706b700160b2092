import { Memory } from '../contract/memory.ts';
import { readAs } from '../contract/read-as.ts';
import { cosine } from './cosine.ts';
import { decodeEmbedding, encodeEmbedding } from './embedding-bytes.ts';
import type { StoreOptions } from './embedding-store.ts';
import { decodeText, encodeText, placeOf, relationOfPlace, relationPlaceOf, shortHash } from './memory-place.ts';
import { COUNT, FRESH, PENDING, PICK, PUT, READ, RELATIONS, REMOVE, SETTLE } from './memory-scripts.ts';
import type { FoundMemory, MemoryListing, MemoryQuery, MemoryStore } from './memory-store.ts';
import {
  type Candidate,
  MAX_MEMORY_WORDS,
  MAX_QUERY_WORDS,
  placeFilterOf,
  rankMemories,
  vectorFilterOf,
  vectorMetadataOf,
  type WordsOf,
} from './rank-memories.ts';
import type { RunScript } from './redis-scripts.ts';
import { StoreUnavailable } from './store-unavailable.ts';
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
  const run = (script: string, workspaceId: string, args: readonly string[], { signal }: StoreOptions = {}) =>
    redis(script, { what: 'use memories', prefix: prefixOf(workspaceId), args, signal });
  const readMany = async (workspaceId: string, ids: readonly string[], options: StoreOptions) => {
    const found: (Memory | undefined)[] = [];
    while (found.length < ids.length) {
      const records = textsOf(await run(READ, workspaceId, ids.slice(found.length).map(encodeText), options));
      if (records.length === 0) throw malformed('fewer records than were asked for');
      for (const record of records) found.push(record === '' ? undefined : readRecord(record, workspaceId));
    }
    return found;
  };
  const pick = async (
    workspaceId: string,
    { filter = {}, indexes, words = [], limit, cursor = '' }: Pick,
    options: StoreOptions,
  ) => {
    const { from, before, minConfidence, types } = placeFilterOf(filter);
    const until = cursor === '' || (before !== '' && before < cursor) ? before : cursor;
    const answer = await run(
      PICK,
      workspaceId,
      [String(limit), from, until, minConfidence, types.join(' '), indexes.join(' '), words.join(' ')],
      options,
    );
    const [next, ...found] = textsOf(answer);
    const picked = pairsOf(found).map(([score, record]) => ({
      memory: readRecord(record, workspaceId),
      score: Number(score),
    }));
    return { picked, next: next === '' ? undefined : next };
  };
  const clearVectors = async (workspaceId: string, options: StoreOptions): Promise<void> => {
    for (;;) {
      const ids = textsOf(await run(PENDING, workspaceId, [], options));
      if (ids.length === 0) return;
      await vectorsOf?.(workspaceId).delete(ids, options);
      await run(SETTLE, workspaceId, ids, options);
    }
  };
  const remove = async (workspaceId: string, args: readonly string[], options: StoreOptions): Promise<Memory[]> => {
    const records = textsOf(await run(REMOVE, workspaceId, args, options));
    await clearVectors(workspaceId, options);
    return records.map((record) => readRecord(record, workspaceId));
  };
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
      const memories = await readMany(
        workspaceId,
        hits.map(({ id }) => decodeText(id)),
        options,
      );
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
    const found = textsOf(await run(FRESH, workspaceId, [seconds()], options));
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
      const [record] = await readMany(memory.workspace_id, [memory.id], { signal });
      if (record === undefined) await vectors.delete([id], { signal });
      return true;
    },
    get: async (workspaceId, id, options = {}) => (await readMany(workspaceId, [id], options))[0],
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
    searchMemories: async (workspaceId, query, options = {}): Promise<FoundMemory[]> => {
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
    },
    getMemoryRelationships: async (memoryId, workspaceId, options = {}) => {
      const found = textsOf(await run(RELATIONS, workspaceId, [encodeText(memoryId)], options));
      return pairsOf(found).map(([place, record]) => ({
        relationship: relationOfPlace(place),
        memory: readRecord(record, workspaceId),
      }));
    },
  };
};

interface Pick {
  filter?: Omit<MemoryQuery, 'limit'> | undefined;
  indexes: readonly string[];
  words?: readonly string[] | undefined;
  limit: number;
  cursor?: string | undefined;
}

const STALE_MARGIN = 20;
const MAX_HITS = 1000;

/** Below it lies everything of a workspace; no workspace's id has a colon. */
const prefixOf = (workspaceId: string): string => {
  if (/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(workspaceId)) return `memory:${workspaceId}:`;
  throw new RangeError('Cannot read memories: this is not the id of a workspace');
};

const indexesOf = ({ conversation_id, person_id, type }: Memory): string[] => [
  'all',
  `type:${shortHash(type)}`,
  ...(conversation_id === undefined ? [] : [`conversation:${encodeText(conversation_id)}`]),
  ...(person_id === undefined ? [] : [`person:${encodeText(person_id)}`]),
];

/** The indexes that all of the wanted are in, the narrowest first. */
const indexesFor = ({ conversationId, personId, type }: Partial<MemoryListing>): string[] => {
  const indexes = [
    ...(conversationId === undefined ? [] : [`conversation:${encodeText(conversationId)}`]),
    ...(personId === undefined ? [] : [`person:${encodeText(personId)}`]),
    ...(type === undefined ? [] : [`type:${shortHash(type)}`]),
  ];
  return indexes.length === 0 ? ['all'] : indexes;
};

const malformed = (what: string): StoreUnavailable =>
  new StoreUnavailable('malformed', `Cannot read memories: Redis answered with ${what}`);

/** What is stored under a workspace's keys and is not of the workspace is not shown either. */
const readRecord = (record: string, workspaceId: string): Memory => {
  const read = readAs(Memory, parse(record));
  if (!read.ok || read.value.workspace_id !== workspaceId)
    throw malformed('something that is no memory of the workspace');
  return read.value;
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw malformed('something that is not JSON');
  }
};

const textsOf = (value: unknown): string[] => {
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
  throw malformed('something that is no list of texts');
};

const pairsOf = (texts: readonly string[]): [string, string][] => {
  if (texts.length % 2 !== 0) throw malformed('an incomplete list');
  return Array.from({ length: texts.length / 2 }, (_, at) => [texts[at * 2] ?? '', texts[at * 2 + 1] ?? '']);
};
