import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { CacheConfig } from '../../contract/context-engine.ts';

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
  readonly #entries = new Map<string, { embedding: Float32Array; expiresAt: number }>();
  readonly #maxSize: number;
  readonly #ttlMs: number;
  readonly #now: () => number;

  /** @param now Milliseconds since 1970. */
  constructor(config: CacheConfig = {}, { now = Date.now }: { now?: () => number } = {}) {
    const { maxSize = DEFAULT_MAX_SIZE, ttl = DEFAULT_TTL_SECONDS } = CacheConfig.parse(config);
    this.#maxSize = maxSize;
    this.#ttlMs = ttl * 1000;
    this.#now = now;
  }

  /** A copy of what was set, as 32-bit floats. */
  get(key: string): number[] | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    if (entry.expiresAt <= this.#now()) return undefined;
    this.#entries.set(key, entry);
    return Array.from(entry.embedding);
  }

  /** Its time starts now, also when the key was there before. */
  set(key: string, embedding: readonly number[]): void {
    this.#entries.delete(key);
    this.#entries.set(key, { embedding: Float32Array.from(embedding), expiresAt: this.#now() + this.#ttlMs });
    if (this.#entries.size > this.#maxSize) this.#entries.delete(this.#entries.keys().next().value ?? '');
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
export interface PendingCall {
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
export interface SharedState {
  /** By key. */
  calls: Map<string, PendingCall>;
  /** Number of erasures. */
  erasures: number;
  /** By scope, so that no scope learns what others request; for the 1,000 most recent scopes. */
  statistics: Map<string, EmbeddingStatistics>;
}

const SHARED = new WeakMap<EmbeddingCache, SharedState>();

/** Attached to the cache, so that a function wires one thing only. */
export const sharedStateOf = (cache: EmbeddingCache): SharedState => {
  const known = SHARED.get(cache);
  if (known !== undefined) return known;
  const shared: SharedState = { calls: new Map(), erasures: 0, statistics: new Map() };
  SHARED.set(cache, shared);
  return shared;
};

const MAX_SCOPES = 1000;

/** The counters of a scope. */
export const statisticsOf = ({ statistics }: SharedState, scope: string): EmbeddingStatistics => {
  const known = statistics.get(scope);
  const counted = known ?? { hits: 0, storeHits: 0, misses: 0, coalesced: 0, failures: 0, storeFaults: 0 };
  // The most recently used one stands last.
  statistics.delete(scope);
  statistics.set(scope, counted);
  if (statistics.size > MAX_SCOPES) statistics.delete(statistics.keys().next().value ?? '');
  return counted;
};

/** The sum of a counter over all scopes. */
export const totalOf = (cache: EmbeddingCache, counter: keyof EmbeddingStatistics): number =>
  [...sharedStateOf(cache).statistics.values()].reduce((sum, counted) => sum + counted[counter], 0);
