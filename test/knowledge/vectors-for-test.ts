import { EmbeddingFailed, type EmbeddingProvider } from '../../src/ai/embeddings/base.ts';
import { wordsOf } from '../../src/language/analyse-text.ts';
import { StoreUnavailable } from '../../src/platform/storage/store-unavailable.ts';
import type { VectorIndex } from '../../src/platform/storage/vector-index.ts';

export interface FakeModel extends EmbeddingProvider {
  /** Every text that was embedded, in order. */
  texts: string[];
  /** Thrown by the next calls, one each; `forever` by all. */
  failures: unknown[];
  forever?: unknown;
}

/** A model whose vectors count words; synonyms count as the same word. */
export function fakeModel({
  model = 'fake',
  dimensions = 64,
  synonyms = {},
}: {
  model?: string;
  dimensions?: number;
  synonyms?: Record<string, string>;
} = {}): FakeModel {
  const vectorOf = (text: string): number[] => {
    const vector = new Array<number>(dimensions).fill(0);
    for (const word of wordsOf(text)) {
      const place = placeOf(`${model} ${synonyms[word] ?? word}`, dimensions);
      vector[place] = (vector[place] ?? 0) + 1;
    }
    return vector;
  };
  const fake: FakeModel = {
    model,
    dimensions,
    texts: [],
    failures: [],
    embed: async (text, options) => (await fake.embedBatch([text], options))[0] ?? [],
    embedBatch: async (texts) => {
      const failure = fake.failures.shift() ?? fake.forever;
      if (failure !== undefined) throw failure;
      fake.texts.push(...texts);
      return texts.map(vectorOf);
    },
  };
  return fake;
}

const placeOf = (text: string, size: number): number => {
  let hash = 2_166_136_261;
  for (const character of text) hash = Math.imul(hash ^ character.charCodeAt(0), 16_777_619);
  return (hash >>> 0) % size;
};

export const DOWN = new EmbeddingFailed('unavailable', 'Cannot embed: the model does not answer');
export const REFUSED = new EmbeddingFailed('refused', 'Cannot embed: the key is not accepted');
export const INDEX_DOWN = new StoreUnavailable('unavailable', 'Cannot reach the vector index');

export interface FakeIndex extends VectorIndex {
  /** By id: the vector, and the time from which it is found. */
  vectors: Map<string, { vector: readonly number[]; visibleAt: number }>;
  upserts: number;
  failures: unknown[];
  forever?: unknown;
  queries: number;
}

/** An index that finds stored vectors after `delayMs` on the test's clock, like Upstash. */
export function fakeIndex({ clock = { now: 0 }, delayMs = 0, dimensions = 64 } = {}): FakeIndex {
  const vectors: FakeIndex['vectors'] = new Map();
  const attempt = <T>(work: () => T): T => {
    const failure = index.failures.shift() ?? index.forever;
    if (failure !== undefined) throw failure;
    return work();
  };
  const index: FakeIndex = {
    dimensions,
    vectors,
    upserts: 0,
    failures: [],
    queries: 0,
    upsert: async (records) =>
      attempt(() => {
        for (const { id, vector } of records) {
          vectors.set(id, { vector, visibleAt: clock.now + delayMs });
          index.upserts += 1;
        }
      }),
    query: async (vector, { limit }) =>
      attempt(() => {
        index.queries += 1;
        return [...vectors]
          .filter(([, { visibleAt }]) => visibleAt <= clock.now)
          .map(([id, each]) => ({ id, similarity: cosine(vector, each.vector) }))
          .toSorted((left, right) => right.similarity - left.similarity)
          .slice(0, limit);
      }),
    delete: async (ids) => attempt(() => ids.forEach((id) => void vectors.delete(id))),
    list: async () => ({ ids: [...vectors.keys()] }),
    clear: async () => vectors.clear(),
    pending: async () =>
      attempt(() => [...vectors.values()].filter(({ visibleAt }) => visibleAt > clock.now).length),
  };
  return index;
}

/** 0 when one of the vectors is all zeros. */
export function cosine(left: readonly number[], right: readonly number[]): number {
  const product = (one: readonly number[], other: readonly number[]) =>
    one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
  return product(left, right) / (Math.sqrt(product(left, left) * product(right, right)) || 1);
}
