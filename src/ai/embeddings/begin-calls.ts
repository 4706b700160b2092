import { EmbeddingFailed, type EmbeddingProvider } from './base.ts';
import type { EmbeddingCache } from './cache.ts';
import type { CallUnderWay, EmbeddingStatistics, Shared } from './calls-under-way.ts';
import { type secondLevel, TookTooLong, withinMs } from './second-level.ts';

interface BeginOptions {
  cache: EmbeddingCache;
  shared: Shared;
  statistics: EmbeddingStatistics;
  store: ReturnType<typeof secondLevel>;
  waitUntil?: ((work: Promise<unknown>) => void) | undefined;
  now?: (() => number) | undefined;
  callMs?: number | undefined;
}

/** Calls that have begun, by key, and the work that ends them; it never fails, the outcomes tell. */
interface Begun {
  calls: ReadonlyMap<string, CallUnderWay>;
  work: Promise<void>;
}

interface BeginCallOptions {
  signal: AbortSignal | undefined;
  /** How often texts had been erased when the request came. */
  erasures: number;
}

/** How many calls are remembered before those are looked for whose request has died. */
const MANY_CALLS = 500;
/** After this long a call has ended, or never will. */
const LOST_AFTER_MS = 60_000;

/** Begins what ends a text's being without a vector: level two, then one call of the provider for the rest. */
export const beginCalls = (provider: EmbeddingProvider, options: BeginOptions) => {
  const { cache, shared, statistics, store, waitUntil = () => {}, now = Date.now, callMs = 10_000 } = options;
  const { calls } = shared;

  const end = (key: string, call: CallUnderWay, outcome: NonNullable<CallUnderWay['outcome']>): void => {
    call.outcome = outcome;
    if (calls.get(key) === call) calls.delete(key);
    if (outcome.ok && call.erasures === shared.erasures) cache.set(key, outcome.embedding);
  };

  const run = async (begun: ReadonlyMap<string, CallUnderWay>, wanted: ReadonlyMap<string, string>): Promise<void> => {
    for (const [key, embedding] of await store.read([...begun.keys()])) {
      const call = begun.get(key);
      if (call === undefined) continue;
      statistics.storeHits += 1;
      end(key, call, { ok: true, embedding });
    }
    const missing = new Map([...begun].filter(([, { outcome }]) => outcome === undefined));
    if (missing.size === 0) return;
    try {
      const texts = [...missing.keys()].map((key) => wanted.get(key) ?? '');
      const embeddings = await embed(provider, { texts, callMs });
      statistics.misses += missing.size;
      [...missing].forEach(([key, call], at) => {
        end(key, call, { ok: true, embedding: embeddings[at] ?? [] });
      });
    } catch (error) {
      statistics.failures += missing.size;
      for (const [key, call] of missing) end(key, call, { ok: false, error });
      return;
    }
    waitUntil(store.write(missing));
  };

  /** Texts by key. Nothing begins for a caller who has gone; nothing is kept for one who asked before an erasure. */
  return (wanted: ReadonlyMap<string, string>, { signal, erasures }: BeginCallOptions): Begun => {
    const begun = new Map<string, CallUnderWay>();
    if (wanted.size === 0 || signal?.aborted) return { calls: begun, work: Promise.resolve() };
    if (calls.size > MANY_CALLS) dropLost(calls, now());
    for (const key of wanted.keys()) {
      const call: CallUnderWay = { startedAt: now(), batchSize: wanted.size, erasures };
      begun.set(key, call);
      calls.set(key, call);
    }
    const work = run(begun, wanted);
    waitUntil(work);
    return { calls: begun, work };
  };
};

const dropLost = (calls: Map<string, CallUnderWay>, now: number): void => {
  for (const [key, { startedAt }] of calls) if (now - startedAt > LOST_AFTER_MS) calls.delete(key);
};

/** One call, in its time, with what came back looked at. */
const embed = async (
  provider: EmbeddingProvider,
  { texts, callMs }: { texts: string[]; callMs: number },
): Promise<number[][]> => {
  try {
    const embeddings = await withinMs(callMs, (signal) => provider.embedBatch(texts, { signal }));
    const isWhole =
      embeddings.length === texts.length && embeddings.every((each) => isVector(each, provider.dimensions));
    if (!isWhole)
      throw new EmbeddingFailed('malformed', 'Cannot embed: what came back are not the vectors of the texts');
    return embeddings.map((embedding) => Array.from(Float32Array.from(embedding)));
  } catch (error) {
    if (!(error instanceof TookTooLong)) throw error;
    throw new EmbeddingFailed('unavailable', `Cannot embed: the provider took longer than ${callMs} ms`);
  }
};

const isVector = (embedding: readonly number[], dimensions: number): boolean =>
  embedding.length === dimensions && embedding.every(Number.isFinite);

/**
 * Waits for work, but not longer than the caller does.
 *
 * @throws {EmbeddingFailed} `aborted`
 */
export const untilAborted = async (work: Promise<void>, signal: AbortSignal | undefined): Promise<void> => {
  if (signal === undefined) return work;
  const aborted = Promise.withResolvers<never>();
  const stop = () => aborted.reject(new EmbeddingFailed('aborted', 'Cannot embed: the caller has given up'));
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  try {
    await Promise.race([aborted.promise, work]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
};
