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
    UPSTASH_REDIS_REST_URL: string;
    OPENAI_BASE_URL: string;
  };
  stop(): Promise<void>;
}

/**
 * Starts all three over the loopback interface. Needs a redis-server (`ensureInstalled`).
 *
 * @param options.indexingDelayMs Until queries see a vector that was written; 150 when absent.
 * @param options.token Of all three. With another than `local` the functions have to be given it too.
 */
export async function startServices({
  indexingDelayMs = 150,
  token = 'local',
}: {
  indexingDelayMs?: number;
  token?: string;
} = {}): Promise<LocalServices> {
  const [vector, redis, openai] = await Promise.all([
    startVectorServer({ token, indexingDelayMs }),
    startRedisServer({ token }),
    startOpenAIServer({ apiKey: token }),
  ]);
  return {
    vector,
    redis,
    openai,
    variables: {
      UPSTASH_VECTOR_REST_URL: vector.url,
      UPSTASH_REDIS_REST_URL: redis.url,
      OPENAI_BASE_URL: openai.url,
    },
    stop: async () => {
      await Promise.all([vector.stop(), redis.stop(), openai.stop()]);
    },
  };
}
