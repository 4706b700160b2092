import { EmbeddingFailed, type EmbeddingOptions, type EmbeddingProvider } from './base.ts';
import { beginCalls, untilAborted } from './begin-calls.ts';
import type { EmbeddingCache } from './cache.ts';
import { type CallUnderWay, type EmbeddingStatistics, sharedOf, statisticsOf, untilEnded } from './calls-under-way.ts';
import { type SecondLevel, secondLevel } from './second-level.ts';

export interface CachedEmbeddingsOptions {
  /** Level one. Everything that uses the same one shares its calls and its statistics: make one for an isolate. */
  cache: EmbeddingCache;
  /** Level two. */
  store?: SecondLevel | undefined;
  /**
   * Whose texts they are, 1 to 100 visible ASCII characters: a workspace. What one scope has asked is not at hand for another, so that
   * nobody learns from the time of an answer what others ask. Absent, all is of one.
   */
  scope?: string | undefined;
  /** Keeps calls and writes alive that outlast the answer; of one request, as the whole provider then is. */
  waitUntil?: ((work: Promise<unknown>) => void) | undefined;
  /** Milliseconds since 1970. */
  now?: (() => number) | undefined;
  /** Hears of a second level that failed or was too slow; nobody else does. */
  onFault?: ((error: unknown) => void) | undefined;
  /** How long a read of level two may take; 30 when absent. */
  storeReadMs?: number | undefined;
  /** How long one call of the provider may take, with its retries, whoever waits for it; 10,000 when absent. */
  callMs?: number | undefined;
  /** How long to rely on a call that another request began, and which may have died with it; 2,000 when absent. */
  patienceMs?: number | undefined;
}

export interface CachedEmbeddings extends EmbeddingProvider {
  /**
   * Erases the vectors of texts from both levels. Other isolates keep theirs as long as their cache keeps any. Throws what
   * the store throws; can be called again.
   */
  forget(texts: readonly string[], options?: EmbeddingOptions): Promise<void>;
  /** Counted by text, for all who use the cache in this scope. */
  statistics(): EmbeddingStatistics;
}

/**
 * A provider behind two levels of cache (design, section 5): the isolate's, then one that outlives it, and only then one
 * call for all that is missing. Requests at the same time share the call for a text. Nobody's abort ends a call: its
 * vectors still land in both levels. What failed is not kept. Vectors are rounded to 32-bit floats on every way.
 */
export const cachedEmbeddings = (provider: EmbeddingProvider, options: CachedEmbeddingsOptions): CachedEmbeddings => {
  const { cache, scope = '', now = Date.now, patienceMs = 2000 } = options;
  const { model, dimensions } = provider;
  const shared = sharedOf(cache);
  const statistics = statisticsOf(shared, scope);
  const { calls } = shared;
  const store = secondLevel({ ...options, shared, statistics, dimensions });
  const begin = beginCalls(provider, { ...options, shared, statistics, store });
  const keyOf = (text: string): string => (scope === '' ? '' : `${scope}/`) + cache.generateKey(text, model);
  const isRecent = ({ startedAt }: CallUnderWay): boolean => now() - startedAt < patienceMs;

  /** Vectors by key. What cannot be relied on is tried again, without others in the last of three rounds. */
  const find = async (wanted: ReadonlyMap<string, string>, { signal, erasures, round }: Asked): Promise<Vectors> => {
    const found: Vectors = new Map();
    const others = new Map<string, CallUnderWay>();
    const alone = new Map<string, string>();
    for (const [key, text] of wanted) {
      const embedding = cache.get(key);
      const call = calls.get(key);
      if (embedding?.length === dimensions) found.set(key, embedding);
      else if (call !== undefined && round < 3 && isRecent(call)) others.set(key, call);
      else alone.set(key, text);
    }
    statistics.hits += found.size;
    if (found.size === wanted.size) return found;
    const own = begin(alone, { signal, erasures });
    await untilAborted(own.work, signal);
    for (const [key, call] of own.calls) found.set(key, vectorOf(call));
    const again = new Map<string, string>();
    for (const [key, call] of others) {
      await untilAborted(untilEnded(call, { patienceMs, signal }), signal);
      if (hasEndedForAll(call)) found.set(key, vectorOf(call));
      else again.set(key, wanted.get(key) ?? '');
    }
    statistics.coalesced += others.size - again.size;
    if (again.size > 0)
      for (const [key, vector] of await find(again, { signal, erasures, round: round + 1 })) found.set(key, vector);
    return found;
  };

  const embedBatch = async (texts: string[], { signal }: EmbeddingOptions = {}): Promise<number[][]> => {
    const keys = texts.map(keyOf);
    const wanted = new Map(keys.map((key, at) => [key, texts[at] ?? '']));
    const found = await find(wanted, { signal, erasures: shared.erasures, round: 1 });
    return keys.map((key) => found.get(key)?.slice() ?? []);
  };

  return {
    model,
    dimensions,
    embed: async (text, options) => (await embedBatch([text], options))[0] ?? [],
    embedBatch,
    forget: async (texts, forgetOptions) => {
      const keys = texts.map(keyOf);
      shared.erasures += 1;
      for (const key of keys) {
        calls.delete(key);
        cache.delete(key);
      }
      await options.store?.deleteMany(keys, forgetOptions);
    },
    statistics: () => ({ ...statistics }),
  };
};

type Vectors = Map<string, number[]>;

interface Asked {
  signal: AbortSignal | undefined;
  /** How many there had been when the request came. */
  erasures: number;
  /** From 1. */
  round: number;
}

/** Whether the outcome holds for whoever asked for the text: what refuses a batch can be another of its texts. */
const hasEndedForAll = ({ outcome, batchSize }: CallUnderWay): boolean => {
  if (outcome === undefined) return false;
  if (outcome.ok || batchSize === 1) return true;
  const { error } = outcome;
  return !(error instanceof EmbeddingFailed && (error.reason === 'refused' || error.reason === 'malformed'));
};

/** @throws {EmbeddingFailed} */
const vectorOf = ({ outcome }: CallUnderWay): number[] => {
  if (outcome?.ok) return outcome.embedding;
  throw outcome?.error ?? new EmbeddingFailed('unavailable', 'Cannot embed: the call did not end');
};
