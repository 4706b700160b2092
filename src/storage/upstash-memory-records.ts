import type { Memory } from '../contract/memory.ts';
import { slicesOf } from './embedding-store.ts';
import { nameHash, shortHash } from './memory-place.ts';
import { PICK, READ } from './memory-scripts.ts';
import { isTurn, type MemoryListing, type MemoryQuery, readStoredMemory, type TurnLimits } from './memory-store.ts';
import { placeFilterOf } from './rank-memories.ts';
import { type StoreOptions, StoreUnavailable } from './store-unavailable.ts';
import { redisClient, type UpstashAccess, upstashCaller } from './upstash-client.ts';

/** Selects memories, up to a limit. */
interface Selection {
  filter?: Omit<MemoryQuery, 'limit'> | undefined;
  /** Every memory must be in all of them: `indexesFor`. */
  indexes: readonly string[];
  /** Hashes; with words the best come first, without them the newest. */
  words?: readonly string[] | undefined;
  limit: number;
  cursor?: string | undefined;
}

/** How often a selection is repeated with a higher limit because it has damaged records. */
const MAX_ATTEMPTS = 3;

export type MemoryRecords = ReturnType<typeof memoryRecords>;

/** Runs the scripts and reads what they return. Methods throw `StoreUnavailable`. */
export const memoryRecords = (access: UpstashAccess) => {
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
    { filter = {}, indexes, words = [], limit, cursor = '' }: Selection,
    options: StoreOptions,
  ) => {
    const { from, before, minConfidence, types } = placeFilterOf(filter);
    const end = cursor === '' || (before !== '' && before < cursor) ? before : cursor;
    const criteria = [from, end, minConfidence, types.join(' '), indexes.join(' '), words.join(' ')];
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
  return { run, texts, readMany, pick };
};

/** The keys of a workspace begin with it; no workspace id contains a colon. */
const prefixOf = (workspaceId: string): string => {
  if (/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(workspaceId)) return `memory:${workspaceId}:`;
  throw new RangeError('Cannot read memories: this is not the id of a workspace');
};

export const indexesOf = (memory: Memory): string[] => {
  const { conversation_id: conversationId, person_id: personId, type, stored_by: storedBy } = memory;
  const kinds = isTurn(memory)
    ? turnIndexes({ storedBy: storedBy ?? '', conversationId: conversationId ?? '', personId })
    : storedBy === undefined
      ? []
      : [factsIndex(storedBy)];
  return [...new Set(['all', ...indexesFor({ conversationId, personId, type }), ...kinds])];
};

/** All turns, those of a subject, and those of one conversation. */
export const turnIndexes = ({
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
export const factsIndex = (storedBy: string): string => `facts:${nameHash(storedBy)}`;

/** The indexes that all matching memories are in, the narrowest first. */
export const indexesFor = ({ conversationId, personId, type, factsOf }: Partial<MemoryListing>): string[] => {
  const indexes = [
    ...(conversationId === undefined ? [] : [`conversation:${nameHash(conversationId)}`]),
    ...(personId === undefined ? [] : [`person:${nameHash(personId)}`]),
    ...(type === undefined ? [] : [`type:${shortHash(type)}`]),
    ...(factsOf === undefined ? [] : [factsIndex(factsOf)]),
  ];
  return indexes.length === 0 ? ['all'] : indexes;
};

export const malformed = (what: string): StoreUnavailable =>
  new StoreUnavailable('malformed', `Cannot read memories: Redis answered with ${what}`);

export const groupsOf = (texts: readonly string[], size: number): string[][] => {
  if (texts.length % size !== 0) throw malformed('an incomplete list');
  return slicesOf(texts, size);
};
