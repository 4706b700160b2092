import { type OpenAIServer, startOpenAIServer } from './openai-server.ts';
import { type RedisServer, startRedisServer } from './redis-server.ts';
import { startVectorServer, type VectorServer } from './vector-server.ts';

/** The services of a production deployment, on this machine. */
export interface LocalServices {
  vector: VectorServer;
  redis: RedisServer;
  openai: OpenAIServer;
  /** What leads to them: three variables, since functions in development take the token `local` to be meant on this machine. */
  variables: { UPSTASH_VECTOR_REST_URL: string; UPSTASH_REDIS_REST_URL: string; OPENAI_BASE_URL: string };
  stop(): Promise<void>;
}

const TOKEN = 'local';

/**
 * Starts all three over the loopback interface. Needs a redis-server (`ensureRedis`).
 *
 * @param options.indexingDelayMs Until queries see a vector that was written; 150 when absent.
 */
export const startServices = async ({
  indexingDelayMs = 150,
}: {
  indexingDelayMs?: number;
} = {}): Promise<LocalServices> => {
  const [vector, redis, openai] = await Promise.all([
    startVectorServer({ token: TOKEN, indexingDelayMs }),
    startRedisServer({ token: TOKEN }),
    startOpenAIServer({ apiKey: TOKEN }),
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
};
