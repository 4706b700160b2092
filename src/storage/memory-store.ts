import type { Memory, Relationship } from '../contract/memory.ts';
import type { StoreOptions } from './embedding-store.ts';

/**
 * What is looked for, by meaning (`vector`), by its words (`text`), by both, or by neither: then the newest come first, with
 * score 0. By words only what shares one with the text is found. By both, a memory that is close in either way is found, and
 * what is so in both ways comes before it (`scoreOf` in rank-memories.ts).
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
}

/** A memory with its similarity to what was looked for, 0 to 1. */
export interface FoundMemory {
  memory: Memory;
  score: number;
}

export interface RelatedNeighbour {
  relationship: Relationship;
  /** The one at the other end. */
  memory: Memory;
}

/**
 * What the context engine reads memories from (seed 002, Storage Layer Dependency). A workspace is named in every call, and
 * nothing of another can come back. Methods throw `StoreUnavailable`.
 */
export interface StorageClient {
  /** Best first. */
  searchMemories(workspaceId: string, query: MemoryQuery, options?: StoreOptions): Promise<FoundMemory[]>;
  /** Relations that begin or end at the memory, oldest first, at most 100; empty for an unknown id. */
  getMemoryRelationships(memoryId: string, workspaceId: string, options?: StoreOptions): Promise<RelatedNeighbour[]>;
  /**
   * Beyond the seed: the same for up to 200 memories at once, in their order. The neighbours of all together are about 4 MiB at most;
   * behind that they are left out. A storage without it is asked for one memory after the other.
   */
  relationshipsOf?(
    memoryIds: readonly string[],
    workspaceId: string,
    options?: StoreOptions,
  ): Promise<RelatedNeighbour[][]>;
}

export interface MemoryListing {
  conversationId?: string | undefined;
  personId?: string | undefined;
  type?: string | undefined;
  /** 1 to 100. */
  limit: number;
  /** `next` of the page before. */
  cursor?: string | undefined;
}

/** Memories of all workspaces, each on its own. Methods throw `StoreUnavailable`. */
export interface MemoryStore extends Required<StorageClient> {
  /**
   * Stores a new memory with its relations, or nothing of it: false when one of `relatedTo` is not in this workspace. When it
   * throws, it may be stored all the same, perhaps without its vector; to call it again with the same id, with or without the
   * vector, is safe. A memory without a vector is found by its words.
   */
  put(
    memory: Memory,
    options: StoreOptions & {
      vector?: readonly number[] | undefined;
      relatedTo?: readonly { memory_id: string; type: string }[] | undefined;
    },
  ): Promise<boolean>;
  get(workspaceId: string, id: string, options?: StoreOptions): Promise<Memory | undefined>;
  /** How many there are. */
  count(workspaceId: string, options?: StoreOptions): Promise<number>;
  /** Newest first. A page may hold fewer than `limit` and still have a `next`. An unknown cursor is no error: it leads anywhere. */
  list(
    workspaceId: string,
    query: MemoryListing,
    options?: StoreOptions,
  ): Promise<{ memories: Memory[]; next?: string | undefined }>;
  /** Removes a memory, its vector and its relations; false when there was none. Can be called again after a failure. */
  delete(workspaceId: string, id: string, options?: StoreOptions): Promise<boolean>;
  /**
   * The same for up to 100 memories: returns the ids of those that were there. Without any it only ends removals that broke off.
   */
  erase(workspaceId: string, ids: readonly string[], options?: StoreOptions): Promise<string[]>;
}
