import { readAs } from '../contract/issue.ts';
import { Memory } from '../contract/memory.ts';
import { slicesOf } from './check-embeddings.ts';
import type { StoreOptions } from './embedding-store.ts';
import { PICK } from './memory-pick-script.ts';
import { nameHash, shortHash } from './memory-place.ts';
import { READ } from './memory-scripts.ts';
import type { MemoryListing, MemoryQuery } from './memory-store.ts';
import { placeFilterOf } from './rank-memories.ts';
import type { RunScript } from './redis-scripts.ts';
import { StoreUnavailable } from './store-unavailable.ts';

/** Which memories are picked, and how many. */
interface Pick {
  filter?: Omit<MemoryQuery, 'limit'> | undefined;
  /** All have to be in all of them: `indexesFor`. */
  indexes: readonly string[];
  /** Hashes; with them the best come first, without them the newest. */
  words?: readonly string[] | undefined;
  limit: number;
  cursor?: string | undefined;
}

export type MemoryRecords = ReturnType<typeof memoryRecords>;

/** What Redis holds of the workspaces' memories. Methods throw `StoreUnavailable`. */
export const memoryRecords = (redis: RunScript) => {
  const run = (script: string, workspaceId: string, args: readonly string[], { signal }: StoreOptions = {}) =>
    redis(script, { what: 'use memories', prefix: prefixOf(workspaceId), args, signal });
  const texts = async (script: string, workspaceId: string, args: readonly string[], options: StoreOptions) =>
    textsOf(await run(script, workspaceId, args, options));
  /** In the order of the ids, which are encoded. */
  const readMany = async (workspaceId: string, ids: readonly string[], options: StoreOptions) => {
    const found: (Memory | undefined)[] = [];
    while (found.length < ids.length) {
      const records = await texts(READ, workspaceId, ids.slice(found.length), options);
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
    const [next, ...found] = await texts(
      PICK,
      workspaceId,
      [String(limit), from, until, minConfidence, types.join(' '), indexes.join(' '), words.join(' ')],
      options,
    );
    const picked = pairsOf(found).map(([score, record]) => ({
      memory: readRecord(record, workspaceId),
      score: Number(score),
    }));
    return { picked, next: next === '' ? undefined : next };
  };
  return { run, texts, readMany, pick };
};

/** Below it lies everything of a workspace; no workspace's id has a colon. */
const prefixOf = (workspaceId: string): string => {
  if (/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(workspaceId)) return `memory:${workspaceId}:`;
  throw new RangeError('Cannot read memories: this is not the id of a workspace');
};

export const indexesOf = ({ conversation_id, person_id, type }: Memory): string[] => [
  'all',
  `type:${shortHash(type)}`,
  ...(conversation_id === undefined ? [] : [`conversation:${nameHash(conversation_id)}`]),
  ...(person_id === undefined ? [] : [`person:${nameHash(person_id)}`]),
];

/** The indexes that all of the wanted are in, the narrowest first. */
export const indexesFor = ({ conversationId, personId, type }: Partial<MemoryListing>): string[] => {
  const indexes = [
    ...(conversationId === undefined ? [] : [`conversation:${nameHash(conversationId)}`]),
    ...(personId === undefined ? [] : [`person:${nameHash(personId)}`]),
    ...(type === undefined ? [] : [`type:${shortHash(type)}`]),
  ];
  return indexes.length === 0 ? ['all'] : indexes;
};

export const malformed = (what: string): StoreUnavailable =>
  new StoreUnavailable('malformed', `Cannot read memories: Redis answered with ${what}`);

/** What is stored under a workspace's keys and is not of the workspace is not shown either. */
export const readRecord = (record: string, workspaceId: string): Memory => {
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

export const pairsOf = (texts: readonly string[]): [string, string][] =>
  groupsOf(texts, 2).map(([one = '', other = '']) => [one, other]);

export const groupsOf = (texts: readonly string[], size: number): string[][] => {
  if (texts.length % size !== 0) throw malformed('an incomplete list');
  return slicesOf(texts, size);
};
