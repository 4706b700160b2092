import type { KVNamespace } from '@cloudflare/workers-types';
import { checkEmbedding, checkKeys, slicesOf } from './check-embeddings.ts';
import { decodeEmbedding, encodeEmbedding } from './embedding-bytes.ts';
import type { EmbeddingStore, StoreOptions } from './embedding-store.ts';
import { StoreUnavailable } from './store-unavailable.ts';
import { withinTime } from './within-time.ts';

export interface KvEmbeddingConfig {
  /** Of all embeddings in it; one that was stored with others counts as missing. */
  dimensions: number;
  /** Before every key, as others may use the namespace; `embedding:` when absent. */
  prefix?: string | undefined;
  /** How long an embedding is kept from when it was set, 60 or more; 30 days when absent. */
  ttlSeconds?: number | undefined;
  /** How long one call may take, whatever its number of keys; 10,000 when absent. */
  timeoutMs?: number | undefined;
}

/** As many keys as KV reads at once. It gives text or JSON then and no bytes, so that values are base64. */
const KEYS_AT_ONCE = 100;
/** As many requests as a Worker may have waiting for an answer. */
const PARALLEL = 6;

/**
 * Embeddings in Workers KV. Reads of 100 keys are one request, writes and deletions one for each key, and every one counts
 * towards the bound of subrequests. A location may see what was set or deleted a minute late.
 *
 * @throws {RangeError} For a time that KV does not take.
 */
export const kvEmbeddingStore = (
  kv: Pick<KVNamespace, 'get' | 'put' | 'delete'>,
  { dimensions, prefix = 'embedding:', ttlSeconds = 30 * 86_400, timeoutMs = 10_000 }: KvEmbeddingConfig,
): EmbeddingStore => {
  if (!(Number.isInteger(ttlSeconds) && ttlSeconds >= 60))
    throw new RangeError('KV keeps a value for 60 seconds or more');

  const asked = <T>(
    work: (signal: AbortSignal) => Promise<T>,
    { what, signal }: StoreOptions & { what: string },
  ): Promise<T> => {
    const told = (ending: AbortSignal) =>
      work(ending).catch((error: unknown) => Promise.reject(failureOf(error, what)));
    return withinTime(told, { what, timeoutMs, signal });
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
      return asked(read, { what: 'read embeddings', ...options });
    },
    setMany: async (entries, options) => {
      checkKeys(entries.map(({ key }) => key));
      for (const { embedding } of entries) checkEmbedding(embedding, dimensions);
      const put = ({ key, embedding }: (typeof entries)[number]) =>
        kv.put(prefix + key, encodeEmbedding(embedding), { expirationTtl: ttlSeconds });
      return asked((ending) => inParallel(entries, put, ending), { what: 'store embeddings', ...options });
    },
    deleteMany: async (keys, options) => {
      checkKeys(keys);
      const remove = (key: string) => kv.delete(prefix + key);
      return asked((ending) => inParallel(keys, remove, ending), { what: 'forget embeddings', ...options });
    },
  };
};

/** KV's errors are `KV PUT failed: 429 Too Many Requests`. They may quote the key, and are not handed on. */
const failureOf = (error: unknown, what: string): StoreUnavailable => {
  const status = /failed: (\d{3})/.exec(error instanceof Error ? error.message : '')?.[1];
  const told = `Cannot ${what}: ${status === undefined ? 'KV did not answer' : `status is ${status}`}`;
  if (status === '429') return new StoreUnavailable('rate_limited', told);
  return new StoreUnavailable(status?.startsWith('4') ? 'refused' : 'unavailable', told);
};

/** The first that fails is the failure of all; none begins after it, or once the signal has aborted. */
const inParallel = async <T>(
  values: readonly T[],
  work: (value: T) => Promise<unknown>,
  signal: AbortSignal,
): Promise<void> => {
  const left = values.values();
  let hasFailed = false;
  const lane = async (): Promise<void> => {
    for (const value of left) {
      if (hasFailed || signal.aborted) return;
      try {
        await work(value);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, lane));
};
