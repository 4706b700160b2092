import type { EmbeddingOptions } from './base.ts';
import type { CallUnderWay, EmbeddingStatistics, Shared } from './calls-under-way.ts';

/** Where vectors outlive an isolate: what is used of the storage room's `EmbeddingStore`, which this room may not import. */
export interface SecondLevel {
  /** In the order of the keys, `undefined` where there is none. */
  getMany(keys: readonly string[], options?: EmbeddingOptions): Promise<(number[] | undefined)[]>;
  setMany(entries: readonly { key: string; embedding: readonly number[] }[], options?: EmbeddingOptions): Promise<void>;
  deleteMany(keys: readonly string[], options?: EmbeddingOptions): Promise<void>;
}

interface SecondLevelOptions {
  store?: SecondLevel | undefined;
  storeReadMs?: number | undefined;
  onFault?: ((error: unknown) => void) | undefined;
  shared: Shared;
  statistics: EmbeddingStatistics;
  dimensions: number;
}

/** The second level of a cache, which can be missing, slow or down without anybody noticing but `onFault`. */
export const secondLevel = (options: SecondLevelOptions) => {
  const { store, storeReadMs = 30, onFault, shared, statistics, dimensions } = options;
  const fault = (error: unknown): void => {
    statistics.storeFaults += 1;
    onFault?.(error);
  };
  return {
    /** What it has of them, and nothing where it fails or takes too long. Never throws. */
    read: async (keys: readonly string[]): Promise<Map<string, number[]>> => {
      const found = new Map<string, number[]>();
      if (store === undefined) return found;
      try {
        const embeddings = await withinMs(storeReadMs, (signal) => store.getMany(keys, { signal }));
        keys.forEach((key, at) => {
          const embedding = embeddings[at];
          if (embedding?.length === dimensions) found.set(key, embedding);
        });
      } catch (error) {
        fault(error);
      }
      return found;
    },
    /** Stores what the calls gave. What is erased meanwhile does not stay. Never throws. */
    write: async (ended: ReadonlyMap<string, CallUnderWay>): Promise<void> => {
      if (store === undefined) return;
      const entries: { key: string; embedding: number[] }[] = [];
      const isKept = ({ erasures }: CallUnderWay) => erasures === shared.erasures;
      for (const [key, call] of ended) {
        if (call.outcome?.ok && isKept(call)) entries.push({ key, embedding: call.outcome.embedding });
      }
      if (entries.length === 0) return;
      await store.setMany(entries).catch(fault);
      // An erasure may have overtaken the write.
      if ([...ended.values()].every(isKept)) return;
      await store.deleteMany(entries.map(({ key }) => key)).catch(fault);
    },
  };
};

/** The second level, or a provider, did not answer in time. */
export class TookTooLong extends Error {
  override readonly name = 'TookTooLong';
}

/**
 * Does work that has its time, whether it listens to the signal or not.
 *
 * @throws {TookTooLong}
 */
export const withinMs = async <T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
  const ending = new AbortController();
  const over = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const error = new TookTooLong(`it took longer than ${ms} ms`);
    over.reject(error);
    ending.abort(error);
  }, ms);
  try {
    return await Promise.race([work(ending.signal), over.promise]);
  } finally {
    clearTimeout(timer);
  }
};
