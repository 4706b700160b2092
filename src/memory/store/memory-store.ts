import { sha256 } from '@noble/hashes/sha2.js';
import * as z from 'zod';
import { Memory, type Relationship } from '../../contract/wire/memory.ts';
import { mayReadAsked } from '../../platform/context/capabilities.ts';
import { decodeBase64url, encodeBase64url } from '../../platform/encoding.ts';
import { logLine } from '../../platform/log.ts';
import { readStored } from '../../platform/storage/sql.ts';
import type { StoreOptions } from '../../platform/storage/store-unavailable.ts';
import type { VectorFilter, VectorMetadata } from '../../platform/storage/vector-index.ts';

/**
 * A search by meaning (`vector`), by words (`text`), by both, or by neither: then the newest come first, with score 0. By words alone, a
 * memory must share one with the text. By both, a memory that is similar in either way is found, and one that is similar in both ways
 * ranks higher (`scoreOf`).
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
  /**
   * Only memories that a context with these audiences may read; all when absent. The others count for nothing: scores, limits and cursors
   * are the same with and without them.
   */
  readableWith?: readonly string[] | undefined;
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
  searchMemories(
    workspaceId: string,
    query: MemoryQuery,
    options?: StoreOptions,
  ): Promise<FoundMemory[]>;
  /** Relations that begin or end at the memory, oldest first, at most `RELATIONS_LIMIT`; empty for an unknown id. */
  getMemoryRelationships(
    memoryId: string,
    workspaceId: string,
    options?: StoreOptions,
  ): Promise<AdjacentMemory[]>;
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
  /** As in `MemoryQuery`. */
  readableWith?: readonly string[] | undefined;
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
  /** Only those that a context with these audiences may read; all when absent. */
  readableWith?: readonly string[] | undefined;
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
export function isTurn({ expires_at }: Memory): boolean {
  return expires_at !== undefined;
}

/**
 * Metadata of a turn, reserved: the audiences of the context that asked. The answer may quote an article for any of them. Absent: none, as
 * in turns of earlier versions.
 */
export const ASKED_WITH = 'asked_with';

const Audiences = z.array(z.string());

/** The audiences that a memory was asked with; undefined when what is stored there cannot be read, so that no one may. */
const audiencesOf = ({ metadata }: Pick<Memory, 'metadata'>): readonly string[] | undefined =>
  metadata?.[ASKED_WITH] === undefined ? [] : Audiences.safeParse(metadata[ASKED_WITH]).data;

/** Whether a context that holds some audiences may read a memory: no turn that was asked with others. */
export function mayReadMemory(
  audiences: readonly string[],
  memory: Pick<Memory, 'metadata'>,
): boolean {
  const askedWith = audiencesOf(memory);
  return askedWith !== undefined && mayReadAsked(audiences, askedWith);
}

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
 * Reads a stored memory. One that is damaged is reported and `undefined`: the others are found all the same, and
 * it can be erased.
 */
export function readStoredMemory(text: string): Memory | undefined {
  const memory = readStored(Memory, text);
  if (memory === undefined)
    logLine({
      event: 'fault',
      time: Date.now(),
      librarian: 'memory',
      where: 'stored memory',
      code: 'INTERNAL_ERROR',
      cause: 'a record is damaged',
    });
  return memory;
}

/**
 * Sort key of a memory within its workspace, in the alphabet `A-Za-z0-9_:-`: ascending order is oldest first. Confidence and type follow
 * the time, so that a scan can filter by them without reading the memory.
 */
export function placeOf({ id, type, confidence, created_at }: Memory): string {
  return [
    timeOf(Date.parse(created_at)),
    confidenceOf(Math.ceil(confidence * PARTS)),
    shortHash(type),
    encodeText(id),
  ].join(':');
}

/** Milliseconds since 1970 as a sortable string: 15 digits for the years 0 to 9999. */
const timeOf = (ms: number): string =>
  String(Math.min(Math.max(ms + YEAR_ZERO_MS, 0), LAST_MS)).padStart(TIME_DIGITS, '0');

/** Confidence in millionths as a sortable string. Places round up and bounds round down, so that nothing that matches is missed. */
const confidenceOf = (parts: number): string => String(parts).padStart(7, '0');

const PARTS = 1_000_000;
const TIME_DIGITS = 15;
const LAST_MS = 10 ** TIME_DIGITS - 1;
const YEAR_ZERO_MS = 62_167_219_200_000;

/** A whole relation as one string that sorts by time. */
export function relationPlaceOf({
  from_memory_id,
  to_memory_id,
  type,
  created_at,
}: Relationship): string {
  return [
    timeOf(Date.parse(created_at)),
    encodeText(from_memory_id),
    encodeText(to_memory_id),
    encodeText(type),
    created_at,
  ].join('|');
}

export function relationOfPlace(place: string): Relationship {
  const [, from = '', to = '', type = '', createdAt = ''] = place.split('|');
  return {
    from_memory_id: decodeText(from),
    to_memory_id: decodeText(to),
    type: decodeText(type),
    created_at: createdAt,
  };
}

/** UTF-8 as base64url. An id of 128 characters becomes 171. */
export function encodeText(text: string): string {
  return encodeBase64url(encoder.encode(text));
}

export function decodeText(encoded: string): string {
  return decoder.decode(decodeBase64url(encoded));
}

/** 64 bits of SHA-256 as 11 characters of base64url, for values that are compared again once they are read. */
const shortHash = (text: string): string =>
  encodeBase64url(sha256(encoder.encode(text)).subarray(0, 8));

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A memory that may match, with the scores that are known. */
export interface Candidate {
  memory: Memory;
  /** Cosine to the query's vector, -1 to 1. */
  semantic?: number | undefined;
  /** Weighted share of the query's words that it contains, 0 to 1; rarer words weigh more. */
  lexical?: number | undefined;
}

/** Best first, newest first on equal scores. Candidates with the same id are merged; those outside of the query's filter are dropped. */
export function rankMemories(
  candidates: readonly Candidate[],
  { workspaceId, query }: { workspaceId: string; query: MemoryQuery },
): FoundMemory[] {
  const byId = new Map<string, Candidate>();
  for (const candidate of candidates) {
    if (candidate.memory.workspace_id !== workspaceId || !isWanted(candidate.memory, query))
      continue;
    const known = byId.get(candidate.memory.id);
    byId.set(candidate.memory.id, {
      memory: candidate.memory,
      semantic: known?.semantic ?? candidate.semantic,
      lexical: known?.lexical ?? candidate.lexical,
    });
  }
  // A memory that a search by vector did not return has no similarity.
  const unknown = query.vector === undefined ? undefined : 0;
  return [...byId.values()]
    .map(({ memory, semantic = unknown, lexical }) => ({
      memory,
      score: scoreOf({ semantic, lexical }),
      place: placeOf(memory),
    }))
    .sort((one, other) => other.score - one.score || (other.place > one.place ? 1 : -1))
    .slice(0, query.limit)
    .map(({ memory, score }) => ({ memory, score }));
}

/**
 * Both scores as one, 0 to 1: never below the semantic score, and above it where words match too. All words together weigh half of an
 * equal meaning, so that a memory without a vector (yet) is found, but ranks below one with the same meaning.
 */
const scoreOf = ({ semantic, lexical }: Omit<Candidate, 'memory'>): number => {
  if (semantic === undefined && lexical === undefined) return 0;
  if (semantic === undefined) return clamp(lexical ?? 0);
  if (lexical === undefined) return clamp(semantic);
  return 1 - (1 - clamp(semantic)) * (1 - LEXICAL_SHARE * clamp(lexical));
};

const LEXICAL_SHARE = 0.5;
const clamp = (value: number): number => Math.min(Math.max(value, 0), 1);

/** Whether a memory meets the filter of a query. */
export function isWanted(
  memory: Memory,
  {
    memoryTypes,
    dateFrom,
    dateTo,
    minConfidence,
    conversationId,
    personId,
    factsOf,
    readableWith,
  }: Omit<MemoryQuery, 'limit'>,
): boolean {
  const { type, confidence, conversation_id, person_id, created_at, stored_by } = memory;
  const createdMs = Date.parse(created_at);
  return (
    (memoryTypes === undefined || memoryTypes.includes(type)) &&
    (dateFrom === undefined || createdMs >= dateFrom.getTime()) &&
    (dateTo === undefined || createdMs <= dateTo.getTime()) &&
    (minConfidence === undefined || confidence >= minConfidence) &&
    (conversationId === undefined || conversation_id === conversationId) &&
    (personId === undefined || person_id === personId) &&
    (factsOf === undefined || (stored_by === factsOf && !isTurn(memory))) &&
    (readableWith === undefined || mayReadMemory(readableWith, memory))
  );
}

/** Metadata that a memory's vector can be filtered by: numbers and hashes, no text of a user. */
export function vectorMetadataOf(memory: Memory): VectorMetadata {
  const { type, confidence, conversation_id, person_id, created_at, stored_by } = memory;
  return {
    created: Date.parse(created_at),
    confidence: Math.ceil(confidence * PARTS),
    type: shortHash(type),
    ...(conversation_id === undefined ? {} : { conversation: shortHash(conversation_id) }),
    ...(person_id === undefined ? {} : { person: shortHash(person_id) }),
    ...(stored_by === undefined || isTurn(memory) ? {} : { factsOf: shortHash(stored_by) }),
  };
}

/** Accepts every memory that meets the query, and few others: `isWanted` decides. */
export function vectorFilterOf(query: MemoryQuery): VectorFilter {
  const {
    memoryTypes = [],
    dateFrom,
    dateTo,
    minConfidence,
    conversationId,
    personId,
    factsOf,
  } = query;
  return [
    ...(memoryTypes.length === 0 ? [] : [{ field: 'type', in: memoryTypes.map(shortHash) }]),
    ...(dateFrom === undefined ? [] : [{ field: 'created', atLeast: dateFrom.getTime() }]),
    ...(dateTo === undefined ? [] : [{ field: 'created', atMost: dateTo.getTime() }]),
    ...(minConfidence === undefined
      ? []
      : [{ field: 'confidence', atLeast: Math.floor(minConfidence * PARTS) }]),
    ...(conversationId === undefined
      ? []
      : [{ field: 'conversation', in: [shortHash(conversationId)] }]),
    ...(personId === undefined ? [] : [{ field: 'person', in: [shortHash(personId)] }]),
    ...(factsOf === undefined ? [] : [{ field: 'factsOf', in: [shortHash(factsOf)] }]),
  ];
}

/** The same filter on places: bounds of the string, and values of its second and third part. */
export function placeFilterOf({
  dateFrom,
  dateTo,
  minConfidence,
  memoryTypes = [],
}: Omit<MemoryQuery, 'limit'>) {
  return {
    /** Inclusive lower bound; empty for none. */
    from: dateFrom === undefined ? '' : timeOf(dateFrom.getTime()),
    /** Exclusive upper bound; empty for none. */
    before: dateTo === undefined ? '' : timeOf(dateTo.getTime() + 1),
    minConfidence:
      minConfidence === undefined ? '' : confidenceOf(Math.floor(minConfidence * PARTS)),
    types: memoryTypes.map(shortHash),
  };
}

/**
 * The nearest vectors to a query without those of memories that are gone or may not be read: these take no place
 * of others, unless there are more of them than one search of the index returns.
 *
 * @param wanted How many hits.
 * @param search.nearest Searches the index for up to this many.
 * @param search.memoryOf The memory of a hit; undefined where there is none.
 */
export async function nearestReadable<Hit>(
  wanted: number,
  { nearest, memoryOf, readableWith }: ReadableSearch<Hit>,
): Promise<{ hit: Hit; memory: Memory }[]> {
  for (let limit = wanted; ; limit *= 4) {
    const most = Math.min(limit, MAX_HITS);
    const nearestHits = await nearest(most);
    const hits = nearestHits.flatMap((hit) => {
      const memory = memoryOf(hit);
      if (memory === undefined || (readableWith && !mayReadMemory(readableWith, memory))) return [];
      return [{ hit, memory }];
    });
    if (hits.length >= wanted || nearestHits.length < most || most === MAX_HITS)
      return hits.slice(0, wanted);
  }
}

interface ReadableSearch<Hit> {
  nearest: (limit: number) => Promise<Hit[]>;
  memoryOf: (hit: Hit) => Memory | undefined;
  readableWith: readonly string[] | undefined;
}

/** Vectors that one search of an index returns at most. */
const MAX_HITS = 1000;

/** Inverse document frequency of a word that `count` of `total` memories contain: above 0, higher for rarer words. */
export function wordWeight(count: number, total: number): number {
  return Math.log(1 + (Math.max(total - count, 0) + 0.5) / (count + 0.5));
}

/** The most words of a query that are looked up, and of a memory that are indexed. */
export const MAX_QUERY_WORDS = 64;
export const MAX_MEMORY_WORDS = 1000;

/** The distinct words of a text, in the form in which they are compared. */
export type WordsOf = (text: string) => readonly string[];
