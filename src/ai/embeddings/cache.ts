import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { CacheConfig } from '../../contract/context-engine.ts';

/** What a cache holds where its configuration says nothing: 6 MB of vectors with 1,536 numbers, for an hour. */
const DEFAULT_MAX_SIZE = 1000;
const DEFAULT_TTL_SECONDS = 3600;

/**
 * Embeddings in memory, the least recently used go first (seed 002, Embedding Cache). They are held as 32-bit floats, which
 * is what services compute with, and half the size; no text is held, only its hash.
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

  /** Its time runs from now on, also where the key was there before. */
  set(key: string, embedding: readonly number[]): void {
    this.#entries.delete(key);
    this.#entries.set(key, { embedding: Float32Array.from(embedding), expiresAt: this.#now() + this.#ttlMs });
    if (this.#entries.size > this.#maxSize) this.#entries.delete(this.#entries.keys().next().value ?? '');
  }

  /**
   * `${model}:${hash(text)}`, the hash being SHA-256 in 64 hexadecimal digits: whoever could find two texts with one key
   * would be served the vector of the other. Synchronous as the seed has it, hence not WebCrypto's.
   */
  generateKey(text: string, model: string): string {
    return `${model}:${bytesToHex(sha256(bytesToHash(text)))}`;
  }

  clear(): void {
    this.#entries.clear();
  }

  /** Forgets one; a key that is not there is no error. */
  delete(key: string): void {
    this.#entries.delete(key);
  }

  /** Embeddings held, those included whose time is over and that nobody asked for since. */
  get size(): number {
    return this.#entries.size;
  }
}

const encoder = new TextEncoder();

/** UTF-8 has one replacement for all lone surrogates. Texts with such are told apart by their UTF-16, after a byte that UTF-8 never has. */
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
