import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { CacheConfig } from '../../contract/wire/budgets.ts';
import { withDeadline } from '../../platform/http/deadline.ts';
import { type LruCache, lruCache } from '../../platform/lru-cache.ts';
import { sleep } from '../../platform/retry.ts';
import type { EmbeddingStore } from '../../platform/storage/embedding-store.ts';
import { EmbeddingFailed, type EmbeddingOptions, type EmbeddingProvider } from './base.ts';

export interface CachedEmbeddingsOptions {
  /** Level one. All users of the same cache share its calls and its statistics: make one per isolate. */
  cache: EmbeddingCache;
  /** Level two, which outlives an isolate. */
  store?: EmbeddingStore | undefined;
  /**
   * Owner of the texts, 1 to 100 visible ASCII characters: a workspace. Scopes share no vector, so that response times tell no one
   * what others request. Absent: one scope for all.
   */
  scope?: string | undefined;
  /** Keeps calls and writes alive that outlast the answer; belongs to one request, as the whole provider then does. */
  waitUntil?: ((work: Promise<unknown>) => void) | undefined;
  /** Milliseconds since 1970. */
  now?: (() => number) | undefined;
  /** Receives failures and timeouts of level two, which callers do not notice. */
  onFault?: ((error: unknown) => void) | undefined;
  /** Limit for a read of level two; 30 when absent. */
  storeReadMs?: number | undefined;
  /** Limit for one call of the provider including its retries; 10,000 when absent. */
  callMs?: number | undefined;
  /** How long to wait for a call of another request, which may have ended with it; 2,000 by default. */
  maxSharedWaitMs?: number | undefined;
}

export interface CachedEmbeddings extends EmbeddingProvider {
  /**
   * Erases the vectors of texts from both levels. Other isolates keep theirs until they expire. Throws what the store throws; can be
   * called again.
   */
  forget(texts: readonly string[], options?: EmbeddingOptions): Promise<void>;
  /** Counted by text, for all users of the cache in this scope. */
  statistics(): EmbeddingStatistics;
}

/**
 * A provider behind two levels of cache: the isolate's, then one that outlives it; everything that is missing takes one
 * call of the provider. Concurrent requests share the call for a text. Calls outlive the abort of a caller, so that their
 * vectors are cached in both levels. Failures are not cached. Vectors are always rounded to 32-bit floats.
 */
export function cachedEmbeddings(
  provider: EmbeddingProvider,
  options: CachedEmbeddingsOptions,
): CachedEmbeddings {
  const { cache, scope = '', now = Date.now, maxSharedWaitMs = 2000 } = options;
  const { model, dimensions } = provider;
  const shared = sharedStateOf(cache);
  const statistics = statisticsOf(shared, scope);
  const { calls } = shared;
  const begin = beginCalls(provider, { ...options, shared, statistics });
  const keyOf = (text: string): string =>
    (scope === '' ? '' : `${scope}/`) + cache.generateKey(text, model);
  const isRecent = ({ startedAt }: PendingCall): boolean => now() - startedAt < maxSharedWaitMs;

  /** Vectors by key. Unreliable calls are retried; the last of three rounds does not share calls of other requests. */
  const find = async (
    wanted: ReadonlyMap<string, string>,
    { signal, erasures, round }: Request,
  ): Promise<Vectors> => {
    const found: Vectors = new Map();
    const others = new Map<string, PendingCall>();
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
    await withDeadline(() => own.work, { signal, errorFor: callerGone });
    for (const [key, call] of own.calls) found.set(key, vectorOf(call));
    const again = new Map<string, string>();
    for (const [key, call] of others) {
      await withDeadline(() => untilEnded(call, { maxSharedWaitMs, signal }), {
        signal,
        errorFor: callerGone,
      });
      if (hasEndedForAll(call)) found.set(key, vectorOf(call));
      else again.set(key, wanted.get(key) ?? '');
    }
    statistics.coalesced += others.size - again.size;
    if (again.size > 0)
      for (const [key, vector] of await find(again, { signal, erasures, round: round + 1 }))
        found.set(key, vector);
    return found;
  };

  const embedBatch = async (
    texts: string[],
    { signal }: EmbeddingOptions = {},
  ): Promise<number[][]> => {
    const keys = texts.map(keyOf);
    const wanted = new Map(keys.map((key, at) => [key, texts[at] ?? '']));
    const found = await find(wanted, { signal, erasures: shared.erasures, round: 1 });
    return keys.map((key) => found.get(key)?.slice() ?? []);
  };

  return {
    model,
    dimensions,
    embed: async (text, embedOptions) => (await embedBatch([text], embedOptions))[0] ?? [],
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
}

type Vectors = Map<string, number[]>;

interface Request {
  signal: AbortSignal | undefined;
  /** Number of erasures when the request arrived. */
  erasures: number;
  /** From 1. */
  round: number;
}

interface Parts extends CachedEmbeddingsOptions {
  shared: SharedState;
  statistics: EmbeddingStatistics;
}

/** How many pending calls there may be before those are dropped whose request has died. */
const MANY_CALLS = 500;
/** After this long a call has ended, or never will. */
const LOST_AFTER_MS = 60_000;

/** Looks missing texts up in level two, then embeds the rest with one call of the provider. */
const beginCalls = (provider: EmbeddingProvider, parts: Parts) => {
  const {
    cache,
    shared,
    statistics,
    waitUntil = () => {},
    now = Date.now,
    callMs = 10_000,
  } = parts;
  const { calls } = shared;
  const store = secondLevel(provider.dimensions, parts);

  const end = (
    key: string,
    call: PendingCall,
    outcome: NonNullable<PendingCall['outcome']>,
  ): void => {
    call.outcome = outcome;
    if (calls.get(key) === call) calls.delete(key);
    if (outcome.ok && call.erasures === shared.erasures) cache.set(key, outcome.embedding);
  };

  /** Never rejects: failures are outcomes. */
  const run = async (
    begun: ReadonlyMap<string, PendingCall>,
    wanted: ReadonlyMap<string, string>,
  ): Promise<void> => {
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

  /** Texts by key. Nothing begins for a caller who has gone; nothing is cached for a request from before an erasure. */
  return (wanted: ReadonlyMap<string, string>, { signal, erasures }: Omit<Request, 'round'>) => {
    const begun = new Map<string, PendingCall>();
    if (wanted.size === 0 || signal?.aborted) return { calls: begun, work: Promise.resolve() };
    if (calls.size > MANY_CALLS)
      for (const [key, { startedAt }] of calls)
        if (now() - startedAt > LOST_AFTER_MS) calls.delete(key);
    for (const key of wanted.keys()) {
      const call: PendingCall = { startedAt: now(), batchSize: wanted.size, erasures };
      begun.set(key, call);
      calls.set(key, call);
    }
    const work = run(begun, wanted);
    waitUntil(work);
    return { calls: begun, work };
  };
};

/** One call of the provider, within its time limit and with a validated result. */
const embed = async (
  provider: EmbeddingProvider,
  { texts, callMs }: { texts: string[]; callMs: number },
): Promise<number[][]> => {
  const embeddings = await withDeadline((signal) => provider.embedBatch(texts, { signal }), {
    timeoutMs: callMs,
    errorFor: () =>
      new EmbeddingFailed(
        'unavailable',
        `Cannot embed: the provider took longer than ${callMs} ms`,
      ),
  });
  const isVector = (embedding: readonly number[]): boolean =>
    embedding.length === provider.dimensions && embedding.every(Number.isFinite);
  if (embeddings.length !== texts.length || !embeddings.every(isVector))
    throw new EmbeddingFailed(
      'malformed',
      'Cannot embed: the reply does not contain the vectors of the texts',
    );
  return embeddings.map((embedding) => Array.from(Float32Array.from(embedding)));
};

/** Level two, whose failures only `onFault` receives. Neither method rejects. */
const secondLevel = (
  dimensions: number,
  { store, storeReadMs = 30, onFault, shared, statistics }: Parts,
) => {
  const fault = (error: unknown): void => {
    statistics.storeFaults += 1;
    onFault?.(error);
  };
  return {
    /** The vectors that it has; none when it fails or takes too long. */
    read: async (keys: readonly string[]): Promise<Vectors> => {
      const found: Vectors = new Map();
      if (store === undefined) return found;
      try {
        const embeddings = await withDeadline((signal) => store.getMany(keys, { signal }), {
          timeoutMs: storeReadMs,
        });
        keys.forEach((key, at) => {
          const embedding = embeddings[at];
          if (embedding?.length === dimensions) found.set(key, embedding);
        });
      } catch (error) {
        fault(error);
      }
      return found;
    },
    /** Stores the vectors of the calls, except those erased meanwhile. */
    write: async (ended: ReadonlyMap<string, PendingCall>): Promise<void> => {
      if (store === undefined) return;
      const isCurrent = ({ erasures }: PendingCall) => erasures === shared.erasures;
      const entries = [...ended].flatMap(([key, call]) =>
        call.outcome?.ok && isCurrent(call) ? [{ key, embedding: call.outcome.embedding }] : [],
      );
      if (entries.length === 0) return;
      await store.setMany(entries).catch(fault);
      // An erasure may have overtaken the write.
      if ([...ended.values()].every(isCurrent)) return;
      await store.deleteMany(entries.map(({ key }) => key)).catch(fault);
    },
  };
};

/** Whether the outcome holds for every caller of the text: a batch may be refused because of another of its texts. */
const hasEndedForAll = ({ outcome, batchSize }: PendingCall): boolean => {
  if (outcome === undefined) return false;
  if (outcome.ok || batchSize === 1) return true;
  const { error } = outcome;
  return !(
    error instanceof EmbeddingFailed &&
    (error.reason === 'refused' || error.reason === 'malformed')
  );
};

/** @throws {EmbeddingFailed} */
const vectorOf = ({ outcome }: PendingCall): number[] => {
  if (outcome?.ok) return outcome.embedding;
  throw outcome?.error ?? new EmbeddingFailed('unavailable', 'Cannot embed: the call did not end');
};

/** How often a request checks whether the call of another has ended. */
const POLL_MS = 4;

/**
 * Waits until a call has ended, the signal aborts, or `maxSharedWaitMs` are over.
 *
 * It polls with a timer of its own request. A promise of another request must not be awaited in workerd (tried with 2026-11-17):
 * when the other has answered without `waitUntil` it never settles, a request that waits for nothing else is cancelled as
 * hung, and one that has ended leaves a warning in the log when its promise is resolved.
 */
const untilEnded = async (
  call: PendingCall,
  { maxSharedWaitMs, signal }: { maxSharedWaitMs: number; signal: AbortSignal | undefined },
): Promise<void> => {
  for (let waitedMs = 0; waitedMs < maxSharedWaitMs; waitedMs += POLL_MS) {
    if (call.outcome !== undefined || signal?.aborted) return;
    await sleep(POLL_MS);
  }
};

const callerGone = () => new EmbeddingFailed('aborted', 'Cannot embed: the caller has given up');

/** Defaults of the configuration: 6 MB of vectors with 1,536 numbers, for an hour. */
const DEFAULT_MAX_SIZE = 1000;
const DEFAULT_TTL_SECONDS = 3600;

/**
 * An in-memory LRU cache of embeddings. They are stored as 32-bit floats, the precision of the services at half the size;
 * texts are stored as hashes only.
 *
 * @throws {z.ZodError} By the constructor, for a size or a time out of range.
 */
export class EmbeddingCache {
  readonly #entries: LruCache<string, Float32Array | Float64Array>;

  /** @param now Milliseconds since 1970. */
  constructor(config: CacheConfig = {}, { now = Date.now }: { now?: () => number } = {}) {
    const { maxSize: max = DEFAULT_MAX_SIZE, ttl = DEFAULT_TTL_SECONDS } =
      CacheConfig.parse(config);
    this.#entries = lruCache({ max, ttlMs: ttl * 1000, now });
  }

  /** A copy of the numbers that were set. */
  get(key: string): number[] | undefined {
    const embedding = this.#entries.get(key);
    return embedding && Array.from(embedding);
  }

  /** Its time starts now, also when the key was there before. */
  set(key: string, embedding: readonly number[]): void {
    this.#entries.set(key, packed(embedding));
  }

  /**
   * `${model}:${hash(text)}` with SHA-256 in 64 hexadecimal digits: with a weaker hash an attacker could find two texts
   * with one key and get the vector of the other. Synchronous, hence not WebCrypto.
   */
  generateKey(text: string, model: string): string {
    return `${model}:${bytesToHex(sha256(bytesToHash(text)))}`;
  }

  clear(): void {
    this.#entries.clear();
  }

  /** Deletes one; a key that is not there is not an error. */
  delete(key: string): void {
    this.#entries.delete(key);
  }

  /** Number of entries, including expired ones that have not been read since. */
  get size(): number {
    return this.#entries.size;
  }
}

const encoder = new TextEncoder();

/** UTF-8 has one replacement for all lone surrogates. Texts with such are hashed as UTF-16, after a byte that UTF-8 never contains. */
const bytesToHash = (text: string): Uint8Array => {
  if (text.isWellFormed()) return encoder.encode(text);
  const bytes = new Uint8Array(1 + 2 * text.length);
  bytes[0] = 0xff;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    bytes[2 * at + 1] = unit & 0xff;
    bytes[2 * at + 2] = unit >> 8;
  }
  return bytes;
};

/** One text that is being embedded. A plain object: it holds nothing of the request that began it. */
interface PendingCall {
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** Texts of the same call. */
  readonly batchSize: number;
  /** Number of erasures when the text was requested. If there are more by now, its vector is not cached. */
  readonly erasures: number;
  /** Absent until the call has ended. */
  outcome?: { ok: true; embedding: number[] } | { ok: false; error: unknown };
}

/** Counted by text, since the cache was made. */
export interface EmbeddingStatistics {
  /** Found in the isolate. */
  hits: number;
  /** Found in the second level. */
  storeHits: number;
  /** Embedded by the provider. */
  misses: number;
  /** Taken from a call that another request, or another part of this one, had begun. */
  coalesced: number;
  /** The provider was called and gave no vector. */
  failures: number;
  /** Calls of the second level that failed or were too slow. */
  storeFaults: number;
}

/** What all requests of an isolate that use one cache share. */
interface SharedState {
  /** By key. */
  calls: Map<string, PendingCall>;
  /** Number of erasures. */
  erasures: number;
  /** By scope, so that no scope learns what others request; for the 1,000 most recent scopes. */
  statistics: LruCache<string, EmbeddingStatistics>;
}

const SHARED = new WeakMap<EmbeddingCache, SharedState>();

/** Attached to the cache, so that a function wires one thing only. */
const sharedStateOf = (cache: EmbeddingCache): SharedState => {
  const known = SHARED.get(cache);
  if (known !== undefined) return known;
  const shared: SharedState = {
    calls: new Map(),
    erasures: 0,
    statistics: lruCache({ max: MAX_SCOPES }),
  };
  SHARED.set(cache, shared);
  return shared;
};

const MAX_SCOPES = 1000;

/** The counters of a scope. */
const statisticsOf = ({ statistics }: SharedState, scope: string): EmbeddingStatistics => {
  const none = () => ({
    hits: 0,
    storeHits: 0,
    misses: 0,
    coalesced: 0,
    failures: 0,
    storeFaults: 0,
  });
  return statistics.getOr(scope, none);
};

/** The sum of a counter over all scopes. */
export function totalOf(cache: EmbeddingCache, counter: keyof EmbeddingStatistics): number {
  return [...sharedStateOf(cache).statistics.values()].reduce(
    (sum, counted) => sum + counted[counter],
    0,
  );
}

/** In half the space when every number is one of 32 bits, as those of OpenAI are. */
const packed = (embedding: readonly number[]): Float32Array | Float64Array => {
  const single = Float32Array.from(embedding);
  return embedding.every((value, at) => Object.is(value, single[at]))
    ? single
    : Float64Array.from(embedding);
};
