import { type OpenAIServer, startOpenAIServer } from './openai/openai-server.ts';
import { type RedisServer, startRedisServer } from './redis/redis-server.ts';
import { startVectorServer, type VectorServer } from './vector/vector-server.ts';

/** The services of a production deployment, on this machine. */
export interface LocalServices {
  vector: VectorServer;
  redis: RedisServer;
  openai: OpenAIServer;
  /** What leads to them: three variables, since functions in development take the token `local` to be meant on this machine. */
  variables: {
    UPSTASH_VECTOR_REST_URL: string;
    /** Present for a hybrid index. */
    UPSTASH_VECTOR_INDEX?: 'hybrid';
    UPSTASH_REDIS_REST_URL: string;
    OPENAI_BASE_URL: string;
  };
  stop(): Promise<void>;
}

/**
 * Starts all three over the loopback interface. Needs a redis-server (`ensureInstalled`).
 *
 * @param options.indexingDelayMs Until queries see a vector that was written; 150 when absent.
 * @param options.hybridDimensions A hybrid index in place of a dense one, with vectors of so many numbers.
 * @param options.token Of all three. With another than `local` the functions have to be given it too.
 */
export async function startServices({
  indexingDelayMs = 150,
  token = 'local',
  hybridDimensions,
}: {
  indexingDelayMs?: number;
  token?: string;
  hybridDimensions?: number | undefined;
} = {}): Promise<LocalServices> {
  const index =
    hybridDimensions === undefined
      ? {}
      : { indexes: [{ token, isHybrid: true, dimension: hybridDimensions }] };
  const [vector, redis, openai] = await Promise.all([
    startVectorServer({ token, indexingDelayMs, ...index }),
    startRedisServer({ token }),
    startOpenAIServer({ apiKey: token }),
  ]);
  return {
    vector,
    redis,
    openai,
    variables: {
      UPSTASH_VECTOR_REST_URL: vector.url,
      ...(hybridDimensions !== undefined && { UPSTASH_VECTOR_INDEX: 'hybrid' as const }),
      UPSTASH_REDIS_REST_URL: redis.url,
      OPENAI_BASE_URL: openai.url,
    },
    stop: async () => {
      await Promise.all([vector.stop(), redis.stop(), openai.stop()]);
    },
  };
}
