import {
  checkEmbedding,
  checkKeys,
  decodeEmbedding,
  type EmbeddingStore,
  encodeEmbedding,
  slicesOf,
} from './embedding-store.ts';
import {
  malformedReply,
  redisClient,
  type UpstashAccess,
  upstashCaller,
} from './upstash-client.ts';

interface RedisEmbeddingConfig extends UpstashAccess {
  /** The same for every embedding; a stored value with another number of dimensions counts as missing. */
  dimensions: number;
  /** Precedes every key, as the database may be shared; `embedding:` when absent. */
  prefix?: string | undefined;
  /** Expiry, counted from when an embedding was set; 30 days when absent. */
  ttlSeconds?: number | undefined;
}

/** Upstash takes requests of 10 MB. */
const REQUEST_BYTES = 4_000_000;
const MAX_COMMANDS = 1000;

/**
 * Embeddings in Upstash Redis, one request for as many keys as fit into 4 MB: 480 with 1,536 dimensions. Stateless between calls.
 *
 * @throws {RangeError} For a URL or a token that cannot be valid. The message contains neither.
 */
export function redisEmbeddingStore(config: RedisEmbeddingConfig): EmbeddingStore {
  const { dimensions, prefix = 'embedding:', ttlSeconds = 30 * 86_400, ...access } = config;
  const batch = Math.max(
    1,
    Math.min(MAX_COMMANDS, Math.floor(REQUEST_BYTES / (200 + (dimensions * 16) / 3))),
  );
  const call = upstashCaller(access);
  const named = (keys: readonly string[]) => keys.map((key) => prefix + key);

  return {
    getMany: async (keys, options) => {
      checkKeys(keys);
      const what = 'read embeddings';
      const found: (number[] | undefined)[] = [];
      for (const some of slicesOf(keys, batch)) {
        const read = await call(
          what,
          (requester) => redisClient(access, requester).mget<unknown[]>(named(some)),
          options,
        );
        if (!Array.isArray(read) || read.length !== some.length) throw malformedReply(what);
        found.push(...read.map((value) => decodeEmbedding(value, dimensions)));
      }
      return found;
    },
    setMany: async (entries, options) => {
      checkKeys(entries.map(({ key }) => key));
      for (const { embedding } of entries) checkEmbedding(embedding, dimensions);
      const what = 'store embeddings';
      for (const some of slicesOf(entries, batch)) {
        const replies = await call(
          what,
          (requester) => {
            const pipeline = redisClient(access, requester).pipeline();
            for (const { key, embedding } of some)
              pipeline.set(prefix + key, encodeEmbedding(embedding), { ex: ttlSeconds });
            return pipeline.exec<unknown[]>();
          },
          options,
        );
        if (replies.length !== some.length || replies.some((reply) => reply !== 'OK'))
          throw malformedReply(what);
      }
    },
    deleteMany: async (keys, options) => {
      checkKeys(keys);
      const what = 'delete embeddings';
      for (const some of slicesOf(keys, MAX_COMMANDS)) {
        const deleted = await call(
          what,
          (requester) => redisClient(access, requester).del(...named(some)),
          options,
        );
        // An erasure must not be reported as done on a reply that does not say so.
        if (typeof deleted !== 'number') throw malformedReply(what);
      }
    },
  };
}
