import type { KVNamespace } from '@cloudflare/workers-types';
import { withDeadline } from '../http/deadline.ts';
import { type StoreOptions, StoreUnavailable, storeGivenUp } from './store-unavailable.ts';

/**
 * The second level of the embedding cache, which outlives an isolate. It holds vectors under hashes, never a text.
 *
 * @example
 * function memoryEmbeddingStore(vectors = new Map<string, number[]>()): EmbeddingStore {
 *   return {
 *     getMany: async (keys) => keys.map((key) => vectors.get(key)),
 *     setMany: async (entries) => {
 *       for (const { key, embedding } of entries) vectors.set(key, [...embedding]);
 *     },
 *     deleteMany: async (keys) => {
 *       for (const key of keys) vectors.delete(key);
 *     },
 *   };
 * }
 */
export interface EmbeddingStore {
  /** In the order of the keys, `undefined` for a missing one. One request where the store supports it. Throws `StoreUnavailable`. */
  getMany(keys: readonly string[], options?: StoreOptions): Promise<(number[] | undefined)[]>;
  /** Values are stored as 32-bit floats. */
  setMany(
    entries: readonly { key: string; embedding: readonly number[] }[],
    options?: StoreOptions,
  ): Promise<void>;
  /** Takes effect at once; missing keys are no error. */
  deleteMany(keys: readonly string[], options?: StoreOptions): Promise<void>;
}

/** KV accepts keys of 512 bytes, the prefix included. */
const MAX_KEY_LENGTH = 400;

/** @throws {RangeError} The message does not contain the key. */
export function checkKeys(keys: readonly string[]): void {
  const isKey = (key: string) => key.length <= MAX_KEY_LENGTH && /^[\x21-\x7e]+$/.test(key);
  if (!keys.every(isKey)) throw new RangeError('a key is not 1 to 400 visible ASCII characters');
}

/** @throws {RangeError} For a vector that could not be read back. */
export function checkEmbedding(embedding: readonly number[], dimensions: number): void {
  const isWhole =
    embedding.length === dimensions &&
    embedding.every((each) => Number.isFinite(Math.fround(each)));
  if (!isWhole) throw new RangeError(`an embedding is not ${dimensions} finite numbers`);
}

/** In slices of at most `size`. */
export function slicesOf<T>(values: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(values.length / size) }, (_, at) =>
    values.slice(at * size, (at + 1) * size),
  );
}

/** Names the format, and keeps a value from being valid JSON, which some clients convert. */
const FORMAT = 'f32:';

/** An embedding as text: base64 of its 32-bit floats, little-endian. 8 KB for 1,536 dimensions, a quarter of a JSON array. */
export function encodeEmbedding(embedding: readonly number[]): string {
  const view = new DataView(new ArrayBuffer(embedding.length * 4));
  embedding.forEach((each, at) => {
    view.setFloat32(at * 4, each, true);
  });
  const bytes = new Uint8Array(view.buffer);
  let binary = '';
  for (let at = 0; at < bytes.length; at += CHUNK)
    binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return FORMAT + btoa(binary);
}

/** A number of arguments that every engine accepts. */
const CHUNK = 8192;

/** @returns `undefined` for anything but an embedding with this number of dimensions, all of them finite. */
export function decodeEmbedding(text: unknown, dimensions: number): number[] | undefined {
  if (typeof text !== 'string' || !text.startsWith(FORMAT)) return undefined;
  if (text.length !== FORMAT.length + 4 * Math.ceil((dimensions * 4) / 3)) return undefined;
  const binary = binaryOf(text.slice(FORMAT.length));
  if (binary?.length !== dimensions * 4) return undefined;
  const view = new DataView(new ArrayBuffer(binary.length));
  for (let at = 0; at < binary.length; at += 1) view.setUint8(at, binary.charCodeAt(at));
  const embedding = Array.from({ length: dimensions }, (_, at) => view.getFloat32(at * 4, true));
  return embedding.every(Number.isFinite) ? embedding : undefined;
}

const binaryOf = (text: string): string | undefined => {
  try {
    return atob(text);
  } catch {
    return undefined;
  }
};

interface KvEmbeddingConfig {
  /** The same for every embedding; a stored value with another number of dimensions counts as missing. */
  dimensions: number;
  /** Precedes every key, as the namespace may be shared; `embedding:` when absent. */
  prefix?: string | undefined;
  /** Expiry, counted from when an embedding was set, 60 or more; 30 days when absent. */
  ttlSeconds?: number | undefined;
  /** Limit of one call, whatever its number of keys; 10,000 when absent. */
  timeoutMs?: number | undefined;
}

/** The most keys that KV reads at once. It returns text or JSON then, not bytes, so values are base64. */
const KEYS_AT_ONCE = 100;
/** The most requests that a Worker may have waiting for a response. */
const PARALLEL = 6;

/**
 * Embeddings in Workers KV. Reads take one request for 100 keys, writes and deletions one for each key, and each counts towards the
 * limit of subrequests. Another location may see a change a minute late.
 *
 * @throws {RangeError} For a `ttlSeconds` that KV does not accept.
 *
 * @example
 * const store = (kv: KVNamespace) => kvEmbeddingStore(kv, { dimensions: 2, ttlSeconds: 86_400 });
 * const cached = async (kv: KVNamespace) => {
 *   await store(kv).setMany([{ key: 'default/model:9f86d081', embedding: [0.1, 0.2] }]);
 *   return store(kv).getMany(['default/model:9f86d081']);
 * };
 */
export function kvEmbeddingStore(
  kv: Pick<KVNamespace, 'get' | 'put' | 'delete'>,
  {
    dimensions,
    prefix = 'embedding:',
    ttlSeconds = 30 * 86_400,
    timeoutMs = 10_000,
  }: KvEmbeddingConfig,
): EmbeddingStore {
  if (!(Number.isInteger(ttlSeconds) && ttlSeconds >= 60))
    throw new RangeError('KV keeps a value for 60 seconds or more');

  const call = <T>(
    what: string,
    work: (signal: AbortSignal) => Promise<T>,
    { signal }: StoreOptions = {},
  ) => {
    const named = (ending: AbortSignal) =>
      work(ending).catch((error: unknown) => Promise.reject(failureOf(error, what)));
    return withDeadline(named, { timeoutMs, signal, errorFor: storeGivenUp(what) });
  };

  return {
    getMany: async (keys, options) => {
      checkKeys(keys);
      const read = async (ending: AbortSignal): Promise<(number[] | undefined)[]> => {
        const found = new Map<string, string | null>();
        const readSome = async (some: string[]) => {
          const values = await kv.get(some, 'text');
          for (const [name, value] of values) found.set(name, value);
        };
        const names = new Set(keys.map((key) => prefix + key));
        await inParallel(slicesOf([...names], KEYS_AT_ONCE), readSome, ending);
        return keys.map((key) => decodeEmbedding(found.get(prefix + key), dimensions));
      };
      return call('read embeddings', read, options);
    },
    setMany: async (entries, options) => {
      checkKeys(entries.map(({ key }) => key));
      for (const { embedding } of entries) checkEmbedding(embedding, dimensions);
      const put = ({ key, embedding }: (typeof entries)[number]) =>
        kv.put(prefix + key, encodeEmbedding(embedding), { expirationTtl: ttlSeconds });
      return call('store embeddings', (ending) => inParallel(entries, put, ending), options);
    },
    deleteMany: async (keys, options) => {
      checkKeys(keys);
      const remove = (key: string) => kv.delete(prefix + key);
      return call('delete embeddings', (ending) => inParallel(keys, remove, ending), options);
    },
  };
}

/** KV's errors are `KV PUT failed: 429 Too Many Requests`. They may quote the key, so they are not passed on. */
const failureOf = (error: unknown, what: string): StoreUnavailable => {
  const status = /failed: (\d{3})/.exec(error instanceof Error ? error.message : '')?.[1];
  const message = `Cannot ${what}: ${status === undefined ? 'KV did not answer' : `status is ${status}`}`;
  if (status === '429') return new StoreUnavailable('rate_limited', message);
  return new StoreUnavailable(status?.startsWith('4') ? 'refused' : 'unavailable', message);
};

/** Six at a time; none starts after a failure, or once the signal has aborted. */
const inParallel = async <T>(
  values: readonly T[],
  work: (value: T) => Promise<unknown>,
  signal: AbortSignal,
): Promise<void> => {
  for (const some of slicesOf(values, PARALLEL)) {
    if (signal.aborted) return;
    await Promise.all(some.map(work));
  }
};
