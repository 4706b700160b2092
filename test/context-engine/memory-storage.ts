import type { ContextError, Result } from '../../src/contract/context-engine.ts';
import type { Memory, Relationship } from '../../src/contract/memory.ts';
import type { MemoryQuery, StorageClient } from '../../src/storage/memory-store.ts';

export interface StoredMemory {
  memory: Memory;
  vector?: readonly number[] | undefined;
}

export interface MemoryStorage extends StorageClient {
  /** Received searches, oldest first. */
  queries: MemoryQuery[];
  /** Memories whose relations were read, oldest first. */
  lookups: string[];
}

/** A memory with defaults for absent members. */
export const memoryOf = (id: string, fields: Partial<Memory> = {}): Memory => ({
  id,
  workspace_id: 'w1',
  type: 'fact',
  content: `content of ${id}`,
  confidence: 0.8,
  created_at: '2026-01-01T00:00:00Z',
  ...fields,
});

/** Memories in a list, searched by the cosine of vectors, or by the share of the query's words without one. */
export const memoryStorage = (
  stored: readonly StoredMemory[],
  relationships: readonly (readonly [from: string, to: string])[] = [],
): MemoryStorage => {
  const queries: MemoryQuery[] = [];
  const lookups: string[] = [];
  const byId = new Map(stored.map(({ memory }) => [memory.id, memory]));
  return {
    queries,
    lookups,
    searchMemories: async (workspaceId, query) => {
      queries.push(query);
      return stored
        .filter(({ memory }) => memory.workspace_id === workspaceId && meets(memory, query))
        .map(({ memory, vector }) => ({ memory, score: scoreOf({ memory, vector }, query) }))
        .filter(({ score }) => score > 0 || query.text === undefined)
        .toSorted((left, right) => right.score - left.score)
        .slice(0, query.limit);
    },
    getMemoryRelationships: async (memoryId, workspaceId) => {
      lookups.push(memoryId);
      return relationships
        .filter((ends) => ends.includes(memoryId))
        .flatMap(([from, to]) => {
          const memory = byId.get(from === memoryId ? to : from);
          return memory?.workspace_id === workspaceId ? [{ relationship: relationOf(from, to), memory }] : [];
        });
    },
  };
};

const relationOf = (from: string, to: string): Relationship => ({
  from_memory_id: from,
  to_memory_id: to,
  type: 'supports',
  created_at: '2026-01-01T00:00:00Z',
});

const meets = (memory: Memory, query: MemoryQuery): boolean =>
  (query.memoryTypes?.includes(memory.type) ?? true) &&
  (query.dateFrom === undefined || new Date(memory.created_at) >= query.dateFrom) &&
  (query.dateTo === undefined || new Date(memory.created_at) <= query.dateTo) &&
  (query.minConfidence === undefined || memory.confidence >= query.minConfidence) &&
  (query.conversationId === undefined || memory.conversation_id === query.conversationId);

const scoreOf = ({ memory, vector }: StoredMemory, query: MemoryQuery): number => {
  if (query.vector !== undefined && vector !== undefined) return Math.max(0, cosine(query.vector, vector));
  const words = wordsOf(query.text ?? '');
  return words.length === 0 ? 0 : words.filter((word) => wordsOf(memory.content).includes(word)).length / words.length;
};

export const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

const cosine = (left: readonly number[], right: readonly number[]): number => {
  const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, x, at) => sum + x * (b[at] ?? 0), 0);
  return dot(left, right) / Math.sqrt(dot(left, left) * dot(right, right) || 1);
};

export const valueIn = <T>(result: Result<T, ContextError>): T => {
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
};

export const errorOf = <T>(result: Result<T, ContextError>): ContextError => {
  if (result.ok) throw new Error('There is a value');
  return result.error;
};
