import { Redis } from '@upstash/redis';
import { checkEmbedding, checkKeys, slicesOf } from './check-embeddings.ts';
import { decodeEmbedding, encodeEmbedding } from './embedding-bytes.ts';
import type { EmbeddingStore, StoreOptions } from './embedding-store.ts';
import { StoreUnavailable } from './store-unavailable.ts';
import { type UpstashAccess, upstashRequester } from './upstash-requester.ts';

export interface RedisEmbeddingConfig extends UpstashAccess {
  /** Of all embeddings in it; one that was stored with others counts as missing. */
  dimensions: number;
  /** Before every key, as others may use the database; `embedding:` when absent. */
  prefix?: string | undefined;
  /** How long an embedding is kept from when it was set; 30 days when absent. */
  ttlSeconds?: number | undefined;
}

/** Upstash takes requests of 10 MB. */
const REQUEST_BYTES = 4_000_000;
const MAX_COMMANDS = 1000;

/**
 * Embeddings in Upstash Redis, one request for as many keys as fit into 4 MB: 480 of those with 1,536 numbers. Holds
 * nothing between calls. The SDK costs a function 18 KB of its bundle.
 *
 * @throws {RangeError} For an address or a token that cannot be one. The message names neither.
 */
export const redisEmbeddingStore = (config: RedisEmbeddingConfig): EmbeddingStore => {
  const { dimensions, prefix = 'embedding:', ttlSeconds = 30 * 86_400, ...access } = config;
  const batch = Math.max(1, Math.min(MAX_COMMANDS, Math.floor(REQUEST_BYTES / (200 + (dimensions * 16) / 3))));
  upstashRequester(access, { what: 'be asked' });

  /** A client for one call, whose signal it has. Made with a requester, it sends no telemetry and each command at once. */
  const redis = (what: string, { signal }: StoreOptions = {}) => new Redis(upstashRequester(access, { what, signal }));

  return {
    getMany: async (keys, options) => {
      checkKeys(keys);
      const what = 'read embeddings';
      const found: (number[] | undefined)[] = [];
      for (const some of slicesOf(keys, batch)) {
        const names = some.map((key) => prefix + key);
        const values = await asked(what, () => redis(what, options).mget<unknown[]>(...names));
        if (!Array.isArray(values) || values.length !== some.length) throw malformed(what);
        for (const value of values) found.push(decodeEmbedding(value, dimensions));
      }
      return found;
    },
    setMany: async (entries, options) => {
      checkKeys(entries.map(({ key }) => key));
      for (const { embedding } of entries) checkEmbedding(embedding, dimensions);
      const what = 'store embeddings';
      for (const some of slicesOf(entries, batch)) {
        const pipeline = redis(what, options).pipeline();
        for (const { key, embedding } of some)
          pipeline.set(prefix + key, encodeEmbedding(embedding), { ex: ttlSeconds });
        const replies = await asked(what, () => pipeline.exec({ keepErrors: true }));
        if (replies.length !== some.length) throw malformed(what);
        const isRefused = replies.some(({ error }) => error !== undefined);
        if (isRefused) throw new StoreUnavailable('refused', `Cannot ${what}: the database refused`);
      }
    },
    deleteMany: async (keys, options) => {
      checkKeys(keys);
      const what = 'forget embeddings';
      for (const some of slicesOf(keys, MAX_COMMANDS)) {
        const names = some.map((key) => prefix + key);
        await asked(what, () => redis(what, options).del(...names));
      }
    },
  };
};

const asked = async <T>(what: string, ask: () => Promise<T>): Promise<T> => {
  try {
    return await ask();
  } catch (error) {
    // The SDK fails on replies of another form; its messages may quote them.
    throw error instanceof StoreUnavailable ? error : malformed(what);
  }
};

const malformed = (what: string) =>
  new StoreUnavailable('malformed', `Cannot ${what}: the reply is not of a known form`);
