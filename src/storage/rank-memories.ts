import type { Memory } from '../contract/memory.ts';
import { confidenceOf, PARTS, placeOf, shortHash, timeOf } from './memory-place.ts';
import type { FoundMemory, MemoryQuery } from './memory-store.ts';
import type { VectorFilter, VectorMetadata } from './vector-index.ts';

/** A memory that may be an answer, and what is known of how well it fits. */
export interface Candidate {
  memory: Memory;
  /** Cosine to the query's vector, -1 to 1. */
  semantic?: number | undefined;
  /** Share of the query's words that it has, the rarer ones counting more, 0 to 1. */
  lexical?: number | undefined;
}

/** Best first, of equals the newest first; candidates of one id are taken together, and what the query does not want is left out. */
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
  // What a search by vector did not bring up counts as close to nothing.
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
 * One number of both, 0 to 1: never less than the closeness in meaning, and more where words agree too. All words count half of
 * what the same meaning does, so that what has no vector (yet) can be found, but not before what means the same.
 */
const scoreOf = ({ semantic, lexical }: Omit<Candidate, 'memory'>): number => {
  if (semantic === undefined && lexical === undefined) return 0;
  if (semantic === undefined) return within(lexical ?? 0);
  if (lexical === undefined) return within(semantic);
  return 1 - (1 - within(semantic)) * (1 - LEXICAL_SHARE * within(lexical));
};

const LEXICAL_SHARE = 0.5;
const within = (value: number): number => Math.min(Math.max(value, 0), 1);

/** Whether a memory is one of those that a search is narrowed to. */
export const isWanted = (
  { type, confidence, conversation_id, created_at }: Memory,
  { memoryTypes, dateFrom, dateTo, minConfidence, conversationId }: Omit<MemoryQuery, 'limit'>,
): boolean => {
  const createdMs = Date.parse(created_at);
  return (
    (memoryTypes === undefined || memoryTypes.includes(type)) &&
    (dateFrom === undefined || createdMs >= dateFrom.getTime()) &&
    (dateTo === undefined || createdMs <= dateTo.getTime()) &&
    (minConfidence === undefined || confidence >= minConfidence) &&
    (conversationId === undefined || conversation_id === conversationId)
  );
};

/** What a memory's vector can be filtered by: numbers and hashes, nothing that anybody wrote. */
export const vectorMetadataOf = ({ type, confidence, conversation_id, created_at }: Memory): VectorMetadata => ({
  created: Date.parse(created_at),
  confidence: Math.ceil(confidence * PARTS),
  type: shortHash(type),
  ...(conversation_id === undefined ? {} : { conversation: shortHash(conversation_id) }),
});

/** Lets through all that is wanted, and little else: `isWanted` has the last word. */
export const vectorFilterOf = (query: MemoryQuery): VectorFilter | undefined => {
  const { memoryTypes = [], dateFrom, dateTo, minConfidence, conversationId } = query;
  const and: VectorFilter[] = [];
  if (memoryTypes.length > 0) and.push({ field: 'type', in: memoryTypes.map(shortHash) });
  if (dateFrom !== undefined) and.push({ field: 'created', is: '>=', value: dateFrom.getTime() });
  if (dateTo !== undefined) and.push({ field: 'created', is: '<=', value: dateTo.getTime() });
  if (minConfidence !== undefined)
    and.push({ field: 'confidence', is: '>=', value: Math.floor(minConfidence * PARTS) });
  if (conversationId !== undefined) and.push({ field: 'conversation', is: '=', value: shortHash(conversationId) });
  return and.length === 0 ? undefined : { and };
};

/** The same over places: bounds of their texts, and what their second and third parts may be. */
export const placeFilterOf = ({ dateFrom, dateTo, minConfidence, memoryTypes = [] }: Omit<MemoryQuery, 'limit'>) => ({
  /** The first that is wanted; empty without one. */
  from: dateFrom === undefined ? '' : timeOf(dateFrom.getTime()),
  /** The first that is not; empty without one. */
  before: dateTo === undefined ? '' : timeOf(dateTo.getTime() + 1),
  minConfidence: minConfidence === undefined ? '' : confidenceOf(Math.floor(minConfidence * PARTS)),
  types: memoryTypes.map(shortHash),
});

/** What a word is worth that `count` of `total` memories have: more than 0, and more for rarer ones. */
export const wordWeight = (count: number, total: number): number =>
  Math.log(1 + (Math.max(total - count, 0) + 0.5) / (count + 0.5));

/** Words of a query that are looked up at most, and words of a memory that it can be found by. */
export const MAX_QUERY_WORDS = 64;
export const MAX_MEMORY_WORDS = 1000;

/** Text -> its words in the form in which they are compared, each once. */
export type WordsOf = (text: string) => readonly string[];
