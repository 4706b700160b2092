import type { EmbeddingProvider } from '../../../src/ai/embeddings/base.ts';
import type { ContextError, Result } from '../../../src/contract/wire/context-engine.ts';
import type { Memory, SearchResult } from '../../../src/contract/wire/memory.ts';
import type { MemoryQuery, StorageClient } from '../../../src/memory/store/memory-store.ts';

/** A memory with defaults for absent members. */
export function memoryOf(id: string, fields: Partial<Memory> = {}): Memory {
  return {
    id,
    workspace_id: 'w1',
    type: 'fact',
    content: `content of ${id}`,
    confidence: 0.8,
    created_at: '2026-01-01T00:00:00Z',
    ...fields,
  };
}

interface StoredMemory {
  memory: Memory;
  vector?: readonly number[] | undefined;
}

/** Memories in a list, searched by the cosine of vectors, or by the share of the query's words without one. */
export function memoryStorage(
  stored: readonly StoredMemory[],
  relationships: readonly (readonly [from: string, to: string])[] = [],
) {
  /** Received searches, and memories whose relations were read, oldest first. */
  const queries: MemoryQuery[] = [];
  const lookups: string[] = [];
  const byId = new Map(stored.map(({ memory }) => [memory.id, memory]));
  const client: StorageClient = {
    searchMemories: async (workspaceId, query) => {
      queries.push(query);
      return stored
        .filter(({ memory }) => memory.workspace_id === workspaceId && meets(memory, query))
        .map((one) => ({ memory: one.memory, score: scoreOf(one, query) }))
        .filter(({ score }) => score > 0 || query.text === undefined)
        .toSorted((left, right) => right.score - left.score)
        .slice(0, query.limit);
    },
    getMemoryRelationships: async (id, workspaceId) => {
      lookups.push(id);
      const ends = relationships.filter((pair) => pair.includes(id));
      return ends.flatMap(([from_memory_id, to_memory_id]) => {
        const memory = byId.get(from_memory_id === id ? to_memory_id : from_memory_id);
        const relationship = {
          from_memory_id,
          to_memory_id,
          type: 'supports',
          created_at: '2026-01-01T00:00:00Z',
        };
        return memory?.workspace_id === workspaceId ? [{ relationship, memory }] : [];
      });
    },
  };
  return { ...client, queries, lookups };
}

const meets = (memory: Memory, query: MemoryQuery): boolean =>
  (query.memoryTypes?.includes(memory.type) ?? true) &&
  (query.dateFrom === undefined || new Date(memory.created_at) >= query.dateFrom) &&
  (query.dateTo === undefined || new Date(memory.created_at) <= query.dateTo) &&
  (query.minConfidence === undefined || memory.confidence >= query.minConfidence) &&
  (query.conversationId === undefined || memory.conversation_id === query.conversationId);

const scoreOf = ({ memory, vector }: StoredMemory, query: MemoryQuery): number => {
  if (query.vector !== undefined && vector !== undefined)
    return Math.max(0, cosine(query.vector, vector));
  const words = wordsOf(query.text ?? '');
  return words.length === 0
    ? 0
    : words.filter((word) => wordsOf(memory.content).includes(word)).length / words.length;
};

export function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

const cosine = (left: readonly number[], right: readonly number[]): number => {
  const dot = (a: readonly number[], b: readonly number[]) =>
    a.reduce((sum, x, at) => sum + x * (b[at] ?? 0), 0);
  return dot(left, right) / Math.sqrt(dot(left, left) * dot(right, right) || 1);
};

/** Embeds by `vectorOf`, and records the texts of each call, oldest first. */
export function wordEmbeddings({
  dimensions = 64,
  fail,
}: {
  dimensions?: number;
  fail?: () => Error;
} = {}) {
  const calls: string[][] = [];
  const embedBatch: EmbeddingProvider['embedBatch'] = async (texts, options) => {
    calls.push(texts);
    options?.signal?.throwIfAborted();
    if (fail !== undefined) throw fail();
    return texts.map((text) => vectorOf(text, dimensions));
  };
  const embed: EmbeddingProvider['embed'] = async (text, options) =>
    (await embedBatch([text], options))[0] ?? [];
  return { calls, dimensions, model: 'words', embed, embedBatch };
}

/** The more words two texts share, the more similar are their vectors: a hash maps each word to a dimension. */
export function vectorOf(text: string, dimensions = 64): number[] {
  const vector = new Array<number>(dimensions).fill(0);
  for (const word of wordsOf(text)) {
    let hash = 7;
    for (const character of word)
      hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
    const place = hash % dimensions;
    vector[place] = (vector[place] ?? 0) + 1;
  }
  return vector;
}

export function valueIn<T>(result: Result<T, ContextError>): T {
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
}

export function idsOf(results: readonly SearchResult[]): string[] {
  return results.map(({ memory }) => memory.id);
}
