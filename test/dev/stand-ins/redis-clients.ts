import { Redis } from '@upstash/redis';
import { Redis as CloudflareRedis } from '@upstash/redis/cloudflare';
import { onTestFinished } from 'vitest';
import { type RedisServerOptions, startRedisServer } from '../../../src/dev/stand-ins/redis/redis-server.ts';

const retry = { retries: 0 };

/** A server for one test, with clients from both entry points of the SDK. */
export const startRedis = async (options: RedisServerOptions = {}) => {
  const server = await startRedisServer(options);
  onTestFinished(() => server.stop());
  const { url, token } = server;
  const clientFor = (own: string, more: object = {}) => new Redis({ url, token: own, retry, ...more });
  const onCloudflare = CloudflareRedis.fromEnv(
    { UPSTASH_REDIS_REST_URL: url, UPSTASH_REDIS_REST_TOKEN: token },
    { retry },
  );
  return { server, redis: clientFor(token), onCloudflare, clientFor };
};

/** A request that no SDK sends. */
export const send = async (
  { url, token }: { url: string; token: string },
  path: string,
  { body, headers = {}, method = 'POST' }: { body?: unknown; headers?: Record<string, string>; method?: string } = {},
) => {
  const response = await fetch(`${url}/${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const syncToken = response.headers.get('upstash-sync-token');
  return { status: response.status, body: (await response.json()) as unknown, syncToken };
};
