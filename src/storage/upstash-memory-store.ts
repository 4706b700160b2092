import * as z from 'zod';
import type { Memory } from '../contract/memory.ts';
import { decodeEmbedding, encodeEmbedding, slicesOf } from './embedding-store.ts';
import { ASKED, CLEAR, COUNT, FRESH, PICK, PUT, READ, RELATIONS, REMOVE, SURPLUS } from './memory-scripts.ts';
import {
  type AdjacentMemory,
  ASKED_WITH,
  type Candidate,
  decodeText,
  encodeText,
  isTurn,
  isWanted,
  MAX_MEMORY_WORDS,
  MAX_QUERY_WORDS,
  type MemoryCount,
  type MemoryListing,
  type MemoryQuery,
  type MemoryStore,
  mayReadMemory,
  nameHash,
  nearestReadable,
  placeFilterOf,
  placeOf,
  rankMemories,
  readStoredMemory,
  relationOfPlace,
  relationPlaceOf,
  SURPLUS_LIMIT,
  shortHash,
  type TurnLimits,
  vectorFilterOf,
  vectorMetadataOf,
  type WordsOf,
} from './memory-store.ts';
import { readStored } from './sql.ts';
import { type StoreOptions, StoreUnavailable } from './store-unavailable.ts';
import { redisClient, type UpstashAccess, upstashCaller } from './upstash-client.ts';
import type { VectorIndex } from './vector-index.ts';

export interface UpstashMemoryStoreOptions {
  redis: UpstashAccess;
  /** The index of one workspace; absent: memories are found by their words. */
  vectorsOf?: ((workspaceId: string) => VectorIndex) | undefined;
  wordsOf: WordsOf;
  /** Milliseconds since 1970. */
  now?: (() => number) | undefined;
}

/** Rounds of 500 vectors that one call deletes; the next call continues. */
const MAX_ROUNDS = 20;
const STALE_MARGIN = 20;

/**
 * Memories in Redis, their vectors in an eventually consistent vector index. Redis is authoritative: every hit of the index is read from the
 * keys of the workspace, and a vector without a memory is ignored. So a memory is written before its vector and removed before it, and
 * the removal leaves a note that the vector must be deleted. The next call that stores or removes a memory of the workspace processes
 * these notes: those of interrupted removals, and each once more after three minutes, as an upsert that was in flight may have landed
 * after the deletion. Redis also has the vectors of the last minutes, so that a new memory is found at once.
 *
 * @throws {RangeError} For a URL or a token that cannot be valid. The message contains neither.
 */
export const upstashMemoryStore = ({
  redis,
  vectorsOf,
  wordsOf,
  now = Date.now,
}: UpstashMemoryStoreOptions): MemoryStore => {
  const seconds = (): string => String(Math.floor(now() / 1000));
  const records = memoryRecords(redis);
  const { run, texts, readMany, pick, askedIndexSizes, hiddenIndexes } = records;

  /** Deletes these vectors, and all that removals have noted. */
  const clearVectors = async (workspaceId: string, options: StoreOptions, more: readonly string[] = []) => {
    let deleted: string[] = [];
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const pending = await texts(CLEAR, workspaceId, [seconds(), ...deleted], options);
      const ids = round === 0 ? [...new Set([...more, ...pending])] : pending;
      if (ids.length === 0) return;
      await vectorsOf?.(workspaceId).delete(ids, options);
      deleted = ids;
    }
  };

  const erase = async (workspaceId: string, ids: readonly string[], options: StoreOptions = {}): Promise<string[]> => {
    const removed =
      ids.length === 0 ? '' : await run(REMOVE, workspaceId, [crypto.randomUUID(), ...ids.map(encodeText)], options);
    if (typeof removed !== 'string') throw malformed('something that is not a string');
    await clearVectors(workspaceId, options);
    return removed === '' ? [] : removed.split(' ').map(decodeText);
  };

  const relationshipsOf = async (
    memoryIds: readonly string[],
    workspaceId: string,
    options: StoreOptions = {},
  ): Promise<AdjacentMemory[][]> => {
    const related = memoryIds.map((): AdjacentMemory[] => []);
    if (memoryIds.length === 0) return related;
    const found = await texts(RELATIONS, workspaceId, memoryIds.map(encodeText), options);
    const memories = new Map<string, Memory>();
    for (const [at = '', place = '', record = ''] of groupsOf(found, 3)) {
      const relationship = relationOfPlace(place);
      const id = memoryIds[Number(at) - 1];
      const other = relationship.from_memory_id === id ? relationship.to_memory_id : relationship.from_memory_id;
      const memory = record === '' ? memories.get(other) : readStoredMemory(record, workspaceId);
      // Its record is damaged.
      if (memory === undefined) continue;
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
          memory.expires_at === undefined ? '' : String(Date.parse(memory.expires_at)),
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
      // It may have been removed meanwhile. If this fails, the note of that removal remains for the next call.
      const tidy = async (): Promise<void> => {
        const [record] = await readMany(memory.workspace_id, [id], { signal });
        await clearVectors(memory.workspace_id, { signal }, record === undefined ? [id] : []);
      };
      await tidy().catch(() => undefined);
      return true;
    },
    get: async (workspaceId, id, options = {}) => (await readMany(workspaceId, [encodeText(id)], options))[0],
    count: async (workspaceId, { turns, storedBy, readableWith }, options = {}) => {
      const [allTurns, turnsOfSubject] = turnIndexes({ storedBy: storedBy ?? '', conversationId: '' });
      const ofSubject = storedBy === undefined ? undefined : [turns ? turnsOfSubject : factsIndex(storedBy)];
      const count = await run(COUNT, workspaceId, ofSubject ?? (turns ? [allTurns] : ['all', allTurns]), options);
      if (typeof count !== 'number') throw malformed('something that is not a number');
      if (readableWith === undefined) return count;
      const hidden = [...(await askedIndexSizes(workspaceId, options))]
        .filter(
          ([index]) => index.startsWith(askedPrefix({ turns, storedBy })) && !isReadableIndex(index, readableWith),
        )
        .reduce((sum, [, size]) => sum + size, 0);
      return Math.max(0, count - hidden);
    },
    surplusTurns: async (workspaceId, limits, options = {}) => {
      const [all, ofSubject, ofConversation] = turnIndexes(limits);
      const most = {
        [ofConversation]: limits.perConversation,
        [ofSubject]: limits.perSubject,
        [all]: limits.perWorkspace,
      };
      const indexes = Object.entries(most).flatMap(([index, count]) => [index, String(count)]);
      const ids = await texts(SURPLUS, workspaceId, [String(now()), String(SURPLUS_LIMIT), ...indexes], options);
      return [...new Set(ids)].slice(0, SURPLUS_LIMIT).map(decodeText);
    },
    list: async (workspaceId, listing, options = {}) => {
      const { type, limit, cursor, readableWith } = listing;
      const filter = type === undefined ? {} : { memoryTypes: [type] };
      const hidden = await hiddenIndexes(workspaceId, readableWith, options);
      const selection = { filter, indexes: indexesFor(listing), hidden, limit, cursor };
      const { picked, next } = await pick(workspaceId, selection, options);
      const memories = picked
        .map(({ memory }) => memory)
        .filter((memory) => isWanted(memory, { ...filter, readableWith }));
      return { memories, next };
    },
    delete: async (workspaceId, id, options) => (await erase(workspaceId, [id], options)).length > 0,
    erase,
    searchMemories: memorySearch(records, { vectorsOf, wordsOf, seconds }),
    getMemoryRelationships: async (memoryId, workspaceId, options) =>
      (await relationshipsOf([memoryId], workspaceId, options))[0] ?? [],
    relationshipsOf,
  };
};

/** Searches the vector index, the vectors that it may not have yet, and the words; reads every hit from Redis. */
const memorySearch = (
  { texts, readMany, pick, hiddenIndexes }: MemoryRecords,
  parts: Pick<UpstashMemoryStoreOptions, 'vectorsOf' | 'wordsOf'> & { seconds: () => string },
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
    // Some hits may be vectors of removed memories.
    for (let wanted = query.limit * 2 + STALE_MARGIN; ; wanted *= 4) {
      const { hits, isAll } = await nearestReadable(wanted, {
        nearest: (limit) => vectors.query(query.vector, { ...options, limit, filter }),
        read: (found) =>
          readMany(
            workspaceId,
            found.map(({ id }) => id),
            options,
          ),
        readableWith: query.readableWith,
      });
      const found = hits.flatMap(({ hit: { similarity, metadata }, memory }) =>
        // A vector that is still to be deleted may belong to an earlier memory with the same id.
        memory === undefined || metadata?.created !== Date.parse(memory.created_at)
          ? []
          : [{ memory, semantic: similarity }],
      );
      if (found.length >= query.limit || isAll) return found;
    }
  };

  const freshCandidates = async (
    workspaceId: string,
    vector: readonly number[],
    { hidden, ...options }: StoreOptions & { hidden: readonly string[] },
  ): Promise<Candidate[]> => {
    const found = await texts(FRESH, workspaceId, [seconds(), ...hidden], options);
    return groupsOf(found, 2).flatMap(([text, record = '']) => {
      const stored = decodeEmbedding(text, vector.length);
      const memory = stored && readStoredMemory(record, workspaceId);
      return stored === undefined || memory === undefined ? [] : [{ memory, semantic: cosine(vector, stored) }];
    });
  };

  const lexicalCandidates = async (
    workspaceId: string,
    query: MemoryQuery & { text: string },
    { hidden, ...options }: StoreOptions & { hidden: readonly string[] },
  ): Promise<Candidate[]> => {
    const words = wordsOf(query.text).slice(0, MAX_QUERY_WORDS).map(shortHash);
    if (words.length === 0) return [];
    // With a vector too, more candidates are needed: the best by words may not be the best by both.
    const limit = query.vector === undefined ? query.limit : Math.max(query.limit * 2, 50);
    const selection = { filter: query, indexes: indexesFor(query), hidden, words, limit };
    const { picked } = await pick(workspaceId, selection, options);
    return picked.map(({ memory, score }) => ({ memory, lexical: score }));
  };

  return async (workspaceId, query, options = {}) => {
    const { vector, text, limit, memoryTypes } = query;
    if (memoryTypes?.length === 0) return [];
    const hidden = hiddenIndexes(workspaceId, query.readableWith, options);
    if (vector === undefined && text === undefined) {
      const selection = { filter: query, indexes: indexesFor(query), hidden: await hidden, limit };
      const { picked } = await pick(workspaceId, selection, options);
      return rankMemories(picked, { workspaceId, query });
    }
    const candidates = await Promise.all([
      hidden.then((indexes) =>
        vector === undefined ? [] : freshCandidates(workspaceId, vector, { ...options, hidden: indexes }),
      ),
      vector === undefined ? [] : semanticCandidates(workspaceId, { ...query, vector }, options),
      hidden.then((indexes) =>
        text === undefined ? [] : lexicalCandidates(workspaceId, { ...query, text }, { ...options, hidden: indexes }),
      ),
    ]);
    return rankMemories(candidates.flat(), { workspaceId, query });
  };
};

/** Cosine of two vectors, -1 to 1; 0 when one is all zeros or their lengths differ. */
const cosine = (one: readonly number[], other: readonly number[]): number => {
  if (one.length !== other.length) return 0;
  let product = 0;
  let squares = 0;
  let otherSquares = 0;
  for (const [at, value] of one.entries()) {
    const otherValue = other[at] ?? 0;
    product += value * otherValue;
    squares += value * value;
    otherSquares += otherValue * otherValue;
  }
  const length = Math.sqrt(squares) * Math.sqrt(otherSquares);
  return length === 0 ? 0 : Math.min(Math.max(product / length, -1), 1);
};

/** Selects memories, up to a limit. */
interface Selection {
  filter?: Omit<MemoryQuery, 'limit'> | undefined;
  /** Every memory must be in all of them: `indexesFor`. */
  indexes: readonly string[];
  /** No memory of these counts for anything: `hiddenIndexes`. */
  hidden: readonly string[];
  /** Hashes; with words the best come first, without them the newest. */
  words?: readonly string[] | undefined;
  limit: number;
  cursor?: string | undefined;
}

/** How often a selection is repeated with a higher limit because it has damaged records. */
const MAX_ATTEMPTS = 3;

type MemoryRecords = ReturnType<typeof memoryRecords>;

/** Runs the scripts and reads what they return. Methods throw `StoreUnavailable`. */
const memoryRecords = (access: UpstashAccess) => {
  const call = upstashCaller(access);
  const run = (script: string, workspaceId: string, args: string[], options: StoreOptions): Promise<unknown> => {
    const prefix = prefixOf(workspaceId);
    const work = (requester: Parameters<typeof redisClient>[1]) =>
      redisClient(access, requester).createScript(script).exec([prefix], args);
    return call('use memories', work, options);
  };
  const texts = async (...parameters: Parameters<typeof run>): Promise<string[]> => {
    const value = await run(...parameters);
    if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
    throw malformed('something that is not a list of strings');
  };
  /** In the order of the ids, which are encoded. */
  const readMany = async (workspaceId: string, ids: readonly string[], options: StoreOptions) => {
    const found: (Memory | undefined)[] = [];
    while (found.length < ids.length) {
      const records = await texts(READ, workspaceId, ids.slice(found.length), options);
      if (records.length === 0) throw malformed('fewer records than requested');
      for (const record of records) found.push(record === '' ? undefined : readStoredMemory(record, workspaceId));
    }
    return found;
  };
  const pick = async (
    workspaceId: string,
    { filter = {}, indexes, hidden, words = [], limit, cursor = '' }: Selection,
    options: StoreOptions,
  ) => {
    const { from, before, minConfidence, types } = placeFilterOf(filter);
    const end = cursor === '' || (before !== '' && before < cursor) ? before : cursor;
    const lists = [types, indexes, words, hidden].map((list) => list.join(' '));
    const criteria = [from, end, minConfidence, ...lists];
    // Damaged records take no place of others.
    for (let damaged = 0, attempt = 1; ; attempt += 1) {
      const most = limit + damaged;
      const [next, ...found] = await texts(PICK, workspaceId, [String(most), ...criteria], options);
      const records = groupsOf(found, 2);
      const picked = records.flatMap(([score, record = '']) => {
        const memory = readStoredMemory(record, workspaceId);
        return memory === undefined ? [] : [{ memory, score: Number(score) }];
      });
      const isFull = picked.length >= limit || records.length < most || attempt === MAX_ATTEMPTS;
      if (isFull) return { picked, next: next === '' ? undefined : next };
      damaged = records.length - picked.length;
    }
  };
  const askedIndexSizes = async (workspaceId: string, options: StoreOptions): Promise<Map<string, number>> => {
    const sizes = groupsOf(await texts(ASKED, workspaceId, [], options), 2);
    return new Map(sizes.map(([index = '', size]) => [index, Number(size)]));
  };
  /** Indexes of the memories that a context with these audiences may not read. */
  const hiddenIndexes = async (
    workspaceId: string,
    readableWith: readonly string[] | undefined,
    options: StoreOptions,
  ): Promise<string[]> => {
    if (readableWith === undefined || readableWith.includes('*')) return [];
    const asked = await askedIndexSizes(workspaceId, options);
    return [...asked.keys()].filter((index) => !isReadableIndex(index, readableWith));
  };
  return { run, texts, readMany, pick, askedIndexSizes, hiddenIndexes };
};

/** The keys of a workspace begin with it; no workspace id contains a colon. */
const prefixOf = (workspaceId: string): string => {
  if (/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(workspaceId)) return `memory:${workspaceId}:`;
  throw new RangeError('Cannot read memories: this is not the id of a workspace');
};

const indexesOf = (memory: Memory): string[] => {
  const { conversation_id: conversationId, person_id: personId, type, stored_by: storedBy } = memory;
  const kinds = isTurn(memory)
    ? turnIndexes({ storedBy: storedBy ?? '', conversationId: conversationId ?? '', personId })
    : storedBy === undefined
      ? []
      : [factsIndex(storedBy)];
  return [...new Set(['all', ...indexesFor({ conversationId, personId, type }), ...kinds, ...askedIndexes(memory)])];
};

/** Counts what was asked with audiences apart; what an earlier version stored is in none. */
const askedIndexes = (memory: Memory): string[] => {
  const askedWith = memory.metadata?.[ASKED_WITH];
  const prefix = askedPrefix({ turns: isTurn(memory), storedBy: memory.stored_by ?? '' });
  return askedWith === undefined ? [] : [`${prefix}${encodeText(JSON.stringify(askedWith))}`];
};

const askedPrefix = ({ turns, storedBy }: Pick<MemoryCount, 'turns' | 'storedBy'>): string => {
  const kind = `asked:${turns ? 'turns' : 'memories'}:`;
  return storedBy === undefined ? kind : `${kind}${nameHash(storedBy)}:`;
};

const isReadableIndex = (index: string, audiences: readonly string[]): boolean => {
  const askedWith = readStored(z.json(), decodeText(index.slice(index.lastIndexOf(':') + 1)));
  return mayReadMemory(audiences, { metadata: { [ASKED_WITH]: askedWith ?? '' } });
};

/** All turns, those of a subject, and those of one conversation. */
const turnIndexes = ({
  storedBy,
  conversationId,
  personId = '',
}: Pick<TurnLimits, 'storedBy' | 'conversationId' | 'personId'>): [string, string, string] => [
  'turns',
  `turns:${nameHash(storedBy)}`,
  // Ids and subjects contain no line break.
  `turns:${nameHash([storedBy, conversationId, personId].join('\n'))}`,
];

/** What a subject has stored, without turns. */
const factsIndex = (storedBy: string): string => `facts:${nameHash(storedBy)}`;

/** The indexes that all matching memories are in, the narrowest first. */
const indexesFor = ({ conversationId, personId, type, factsOf }: Partial<MemoryListing>): string[] => {
  const indexes = [
    ...(conversationId === undefined ? [] : [`conversation:${nameHash(conversationId)}`]),
    ...(personId === undefined ? [] : [`person:${nameHash(personId)}`]),
    ...(type === undefined ? [] : [`type:${shortHash(type)}`]),
    ...(factsOf === undefined ? [] : [factsIndex(factsOf)]),
  ];
  return indexes.length === 0 ? ['all'] : indexes;
};

const malformed = (what: string): StoreUnavailable =>
  new StoreUnavailable('malformed', `Cannot read memories: Redis answered with ${what}`);

const groupsOf = (texts: readonly string[], size: number): string[][] => {
  if (texts.length % size !== 0) throw malformed('an incomplete list');
  return slicesOf(texts, size);
};
