import type { Memory } from '../contract/memory.ts';
import { confidenceOf, PARTS, placeOf, shortHash, timeOf } from './memory-place.ts';
import { type FoundMemory, isTurn, type MemoryQuery } from './memory-store.ts';
import type { VectorFilter, VectorMetadata } from './vector-index.ts';

/** A memory that may match, with the scores that are known. */
export interface Candidate {
  memory: Memory;
  /** Cosine to the query's vector, -1 to 1. */
  semantic?: number | undefined;
  /** Weighted share of the query's words that it contains, 0 to 1; rarer words weigh more. */
  lexical?: number | undefined;
}

/** Best first, newest first on equal scores. Candidates with the same id are merged; those outside of the query's filter are dropped. */
export const rankMemories = (
  candidates: readonly Candidate[],
  { workspaceId, query }: { workspaceId: string; query: MemoryQuery },
): FoundMemory[] => {
  const byId = new Map<string, Candidate>();
  for (const candidate of candidates) {
    if (candidate.memory.workspace_id !== workspaceId || !isWanted(candidate.memory, query)) continue;
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
};

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
export const isWanted = (
  memory: Memory,
  { memoryTypes, dateFrom, dateTo, minConfidence, conversationId, personId, factsOf }: Omit<MemoryQuery, 'limit'>,
): boolean => {
  const { type, confidence, conversation_id, person_id, created_at, stored_by } = memory;
  const createdMs = Date.parse(created_at);
  return (
    (memoryTypes === undefined || memoryTypes.includes(type)) &&
    (dateFrom === undefined || createdMs >= dateFrom.getTime()) &&
    (dateTo === undefined || createdMs <= dateTo.getTime()) &&
    (minConfidence === undefined || confidence >= minConfidence) &&
    (conversationId === undefined || conversation_id === conversationId) &&
    (personId === undefined || person_id === personId) &&
    (factsOf === undefined || (stored_by === factsOf && !isTurn(memory)))
  );
};

/** Metadata that a memory's vector can be filtered by: numbers and hashes, no text of a user. */
export const vectorMetadataOf = (memory: Memory): VectorMetadata => {
  const { type, confidence, conversation_id, person_id, created_at, stored_by } = memory;
  return {
    created: Date.parse(created_at),
    confidence: Math.ceil(confidence * PARTS),
    type: shortHash(type),
    ...(conversation_id === undefined ? {} : { conversation: shortHash(conversation_id) }),
    ...(person_id === undefined ? {} : { person: shortHash(person_id) }),
    ...(stored_by === undefined || isTurn(memory) ? {} : { factsOf: shortHash(stored_by) }),
  };
};

/** Accepts every memory that meets the query, and few others: `isWanted` decides. */
export const vectorFilterOf = (query: MemoryQuery): VectorFilter => {
  const { memoryTypes = [], dateFrom, dateTo, minConfidence, conversationId, personId, factsOf } = query;
  return [
    ...(memoryTypes.length === 0 ? [] : [{ field: 'type', in: memoryTypes.map(shortHash) }]),
    ...(dateFrom === undefined ? [] : [{ field: 'created', atLeast: dateFrom.getTime() }]),
    ...(dateTo === undefined ? [] : [{ field: 'created', atMost: dateTo.getTime() }]),
    ...(minConfidence === undefined ? [] : [{ field: 'confidence', atLeast: Math.floor(minConfidence * PARTS) }]),
    ...(conversationId === undefined ? [] : [{ field: 'conversation', in: [shortHash(conversationId)] }]),
    ...(personId === undefined ? [] : [{ field: 'person', in: [shortHash(personId)] }]),
    ...(factsOf === undefined ? [] : [{ field: 'factsOf', in: [shortHash(factsOf)] }]),
  ];
};

/** The same filter on places: bounds of the string, and values of its second and third part. */
export const placeFilterOf = ({ dateFrom, dateTo, minConfidence, memoryTypes = [] }: Omit<MemoryQuery, 'limit'>) => ({
  /** Inclusive lower bound; empty for none. */
  from: dateFrom === undefined ? '' : timeOf(dateFrom.getTime()),
  /** Exclusive upper bound; empty for none. */
  before: dateTo === undefined ? '' : timeOf(dateTo.getTime() + 1),
  minConfidence: minConfidence === undefined ? '' : confidenceOf(Math.floor(minConfidence * PARTS)),
  types: memoryTypes.map(shortHash),
});

/** Inverse document frequency of a word that `count` of `total` memories contain: above 0, higher for rarer words. */
export const wordWeight = (count: number, total: number): number =>
  Math.log(1 + (Math.max(total - count, 0) + 0.5) / (count + 0.5));

/** The most words of a query that are looked up, and of a memory that are indexed. */
export const MAX_QUERY_WORDS = 64;
export const MAX_MEMORY_WORDS = 1000;

/** The distinct words of a text, in the form in which they are compared. */
export type WordsOf = (text: string) => readonly string[];
