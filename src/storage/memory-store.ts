import { Memory, type Relationship } from '../contract/memory.ts';
import { logLine } from '../runtime/log.ts';
import type { StoreOptions } from './store-unavailable.ts';
import { readStored } from './stored-json.ts';

/**
 * A search by meaning (`vector`), by words (`text`), by both, or by neither: then the newest come first, with score 0. By words alone, a
 * memory must share one with the text. By both, a memory that is similar in either way is found, and one that is similar in both ways
 * ranks higher (`scoreOf` in rank-memories.ts).
 */
export interface MemoryQuery {
  vector?: readonly number[] | undefined;
  text?: string | undefined;
  /** 1 to 100. */
  limit: number;
  /** All when absent, none when empty. */
  memoryTypes?: readonly string[] | undefined;
  dateFrom?: Date | undefined;
  dateTo?: Date | undefined;
  minConfidence?: number | undefined;
  conversationId?: string | undefined;
  /** Only with `factsOf`: only memories of this person. */
  personId?: string | undefined;
  /** Only memories that this subject stored, and no turns of conversations. */
  factsOf?: string | undefined;
}

/** A memory with its similarity to the query, 0 to 1. */
export interface FoundMemory {
  memory: Memory;
  score: number;
}

/** Memories in one answer of a store, in bytes, except for the last one: 4 MiB. Escaped as JSON they may be four times that. */
export const MAX_ANSWER_BYTES = 4_194_304;

/** Relations of one memory in an answer. */
export const RELATIONS_LIMIT = 100;

export interface AdjacentMemory {
  relationship: Relationship;
  /** The memory at the other end. */
  memory: Memory;
}

/**
 * The storage layer that the context engine reads (docs/context-engine.md). Every call names a workspace and returns nothing of another.
 * Methods throw `StoreUnavailable`.
 */
export interface StorageClient {
  /** Best first. */
  searchMemories(workspaceId: string, query: MemoryQuery, options?: StoreOptions): Promise<FoundMemory[]>;
  /** Relations that begin or end at the memory, oldest first, at most `RELATIONS_LIMIT`; empty for an unknown id. */
  getMemoryRelationships(memoryId: string, workspaceId: string, options?: StoreOptions): Promise<AdjacentMemory[]>;
  /**
   * Optional: the same for up to 200 memories at once, in their order. Relations beyond `MAX_ANSWER_BYTES` of memories are omitted. A
   * storage without it is called once per memory.
   */
  relationshipsOf?(
    memoryIds: readonly string[],
    workspaceId: string,
    options?: StoreOptions,
  ): Promise<AdjacentMemory[][]>;
}

export interface MemoryListing {
  conversationId?: string | undefined;
  personId?: string | undefined;
  type?: string | undefined;
  /** As in `MemoryQuery`. */
  factsOf?: string | undefined;
  /** 1 to 100. */
  limit: number;
  /** `next` of the previous page. */
  cursor?: string | undefined;
}

/** Which memories are counted: turns of conversations, or all others. */
export interface MemoryCount {
  turns: boolean;
  /** Only those that this subject stored. */
  storedBy?: string | undefined;
}

/** The conversation that a turn was stored in, and how many memories of turns may stay. */
export interface TurnLimits {
  storedBy: string;
  conversationId: string;
  personId?: string | undefined;
  perConversation: number;
  /** Limit of all conversations of the subject. */
  perSubject: number;
  perWorkspace: number;
}

/** Ids of turns in one answer of `surplusTurns`. */
export const SURPLUS_LIMIT = 100;

/** Memories with `expires_at` are turns of conversations: they are removed when they expire or when there are too many. */
export const isTurn = ({ expires_at }: Memory): boolean => expires_at !== undefined;

/** Memories of all workspaces, separate from one another. Methods throw `StoreUnavailable`. */
export interface MemoryStore extends Required<StorageClient> {
  /**
   * Stores a new memory with its relations, or nothing: false when one of `relatedTo` is not in this workspace. When it throws, the
   * memory may be stored nevertheless, perhaps without its vector; calling it again with the same id, with or without the vector, is
   * safe. A memory without a vector is found by its words.
   */
  put(
    memory: Memory,
    options: StoreOptions & {
      vector?: readonly number[] | undefined;
      relatedTo?: readonly { memory_id: string; type: string }[] | undefined;
    },
  ): Promise<boolean>;
  get(workspaceId: string, id: string, options?: StoreOptions): Promise<Memory | undefined>;
  count(workspaceId: string, of: MemoryCount, options?: StoreOptions): Promise<number>;
  /** Turns that have to be removed: expired ones, and the oldest of more than `limits` allow. At most `SURPLUS_LIMIT` ids. */
  surplusTurns(workspaceId: string, limits: TurnLimits, options?: StoreOptions): Promise<string[]>;
  /** Newest first. A page may have fewer than `limit` memories and still a `next`. Any string is accepted as a cursor. */
  list(
    workspaceId: string,
    query: MemoryListing,
    options?: StoreOptions,
  ): Promise<{ memories: Memory[]; next?: string | undefined }>;
  /** Removes a memory, its vector and its relations; false when it did not exist. Can be called again after a failure. */
  delete(workspaceId: string, id: string, options?: StoreOptions): Promise<boolean>;
  /** The same for up to 100 memories: returns the ids of those that existed. Without any id it completes interrupted removals. */
  erase(workspaceId: string, ids: readonly string[], options?: StoreOptions): Promise<string[]>;
}

/**
 * Reads a stored memory. One that is damaged, or of another workspace, is reported and `undefined`: the others are found all the same, and
 * it can be erased.
 */
export const readStoredMemory = (text: string, workspaceId?: string): Memory | undefined => {
  const memory = readStored(Memory, text);
  if (memory !== undefined && (workspaceId === undefined || memory.workspace_id === workspaceId)) return memory;
  const about = { event: 'fault' as const, time: Date.now(), librarian: 'memory', where: 'stored memory' };
  const cause = memory === undefined ? 'a record is damaged' : 'a record is of another workspace';
  logLine({ ...about, code: 'INTERNAL_ERROR', cause });
  return undefined;
};
