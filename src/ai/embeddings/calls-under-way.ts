import type { EmbeddingCache } from './cache.ts';

/** One text that is being embedded. A plain object: it holds nothing of the request that began it. */
export interface CallUnderWay {
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** Texts that the same call asks for. */
  readonly batchSize: number;
  /** How often texts had been erased when it was asked for. When it is more often by now, its vector is kept nowhere. */
  readonly erasures: number;
  /** Absent until the call has ended. */
  outcome?: { ok: true; embedding: number[] } | { ok: false; error: unknown };
}

/** What happened to the texts that were asked for, since the cache was made. */
export interface EmbeddingStatistics {
  /** Found in the isolate. */
  hits: number;
  /** Found in the second level. */
  storeHits: number;
  /** Embedded by the provider. */
  misses: number;
  /** Got from a call that another request, or another part of this one, had begun. */
  coalesced: number;
  /** The provider was asked and gave no vector. */
  failures: number;
  /** Times that the second level failed or was too slow. */
  storeFaults: number;
}

/** What all requests of an isolate that use one cache have in common. */
export interface Shared {
  /** By key. */
  calls: Map<string, CallUnderWay>;
  /** How often texts were erased. */
  erasures: number;
  /** By scope: nobody learns from them what others ask. Of the 1,000 scopes that were asked last. */
  statistics: Map<string, EmbeddingStatistics>;
}

/** Kept with the cache, so that a function wires one thing only. */
export const sharedOf = (cache: EmbeddingCache): Shared => {
  const known = SHARED.get(cache);
  if (known !== undefined) return known;
  const shared: Shared = { calls: new Map(), erasures: 0, statistics: new Map() };
  SHARED.set(cache, shared);
  return shared;
};

const SHARED = new WeakMap<EmbeddingCache, Shared>();

/** Those of a scope, to be added to. */
export const statisticsOf = ({ statistics }: Shared, scope: string): EmbeddingStatistics => {
  const known = statistics.get(scope);
  const counted = known ?? { hits: 0, storeHits: 0, misses: 0, coalesced: 0, failures: 0, storeFaults: 0 };
  // The one asked for last stands last.
  statistics.delete(scope);
  statistics.set(scope, counted);
  if (statistics.size > MAX_SCOPES) statistics.delete(statistics.keys().next().value ?? '');
  return counted;
};

const MAX_SCOPES = 1000;

/** How often a request looks whether the call of another has ended. */
const LOOK_EVERY_MS = 4;

/**
 * Waits until a call has ended, the signal aborts, or `patienceMs` are over.
 *
 * It looks again and again by a timer of its own request. A promise of another request must not be waited for in workerd
 * (tried with 2026-11-17): when the other has answered without `waitUntil` it is never settled, a request that waits for
 * nothing else is cancelled as hung, and one that has ended leaves a warning in the log when its promise is resolved.
 */
export const untilEnded = async (
  call: CallUnderWay,
  { patienceMs, signal }: { patienceMs: number; signal?: AbortSignal | undefined },
): Promise<void> => {
  for (let waitedMs = 0; waitedMs < patienceMs; waitedMs += LOOK_EVERY_MS) {
    if (call.outcome !== undefined || signal?.aborted) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
};
