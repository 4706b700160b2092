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
 * nothing between calls. Three commands over the REST protocol: the SDK would add 18 KB to every function that searches.
 *
 * @throws {RangeError} For an address or a token that cannot be one. The message names neither.
 */
export const redisEmbeddingStore = (config: RedisEmbeddingConfig): EmbeddingStore => {
  const { dimensions, prefix = 'embedding:', ttlSeconds = 30 * 86_400, ...access } = config;
  const batch = Math.max(1, Math.min(MAX_COMMANDS, Math.floor(REQUEST_BYTES / (200 + (dimensions * 16) / 3))));
  upstashRequester(access, { what: 'be asked' });

  const send = async (what: string, request: { path?: string[]; body: unknown }, { signal }: StoreOptions = {}) => {
    const reply = await upstashRequester(access, { what, signal }).request<unknown>(request);
    if (reply.error !== undefined) throw new StoreUnavailable('refused', `Cannot ${what}: the database refused`);
    return reply;
  };

  return {
    getMany: async (keys, options) => {
      checkKeys(keys);
      const what = 'read embeddings';
      const found: (number[] | undefined)[] = [];
      for (const some of slicesOf(keys, batch)) {
        const { result } = await send(what, { body: ['MGET', ...some.map((key) => prefix + key)] }, options);
        if (!Array.isArray(result) || result.length !== some.length) throw malformed(what);
        for (const value of result) found.push(decodeEmbedding(value, dimensions));
      }
      return found;
    },
    setMany: async (entries, options) => {
      checkKeys(entries.map(({ key }) => key));
      for (const { embedding } of entries) checkEmbedding(embedding, dimensions);
      const what = 'store embeddings';
      for (const some of slicesOf(entries, batch)) {
        const commands = some.map(({ key, embedding }) => {
          return ['SET', prefix + key, encodeEmbedding(embedding), 'EX', ttlSeconds];
        });
        const replies: unknown = await send(what, { path: ['pipeline'], body: commands }, options);
        if (!Array.isArray(replies) || replies.length !== some.length) throw malformed(what);
        // A pipeline goes on behind a command that failed: the database is full, or read-only.
        if (replies.some((reply) => reply?.result !== 'OK'))
          throw new StoreUnavailable('refused', `Cannot ${what}: the database refused`);
      }
    },
    deleteMany: async (keys, options) => {
      checkKeys(keys);
      const what = 'forget embeddings';
      for (const some of slicesOf(keys, MAX_COMMANDS)) {
        const { result } = await send(what, { body: ['DEL', ...some.map((key) => prefix + key)] }, options);
        // Whoever erases has to know that it was done.
        if (typeof result !== 'number') throw malformed(what);
      }
    },
  };
};

const malformed = (what: string) =>
  new StoreUnavailable('malformed', `Cannot ${what}: the reply is not of a known form`);
