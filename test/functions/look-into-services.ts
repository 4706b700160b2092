import { Redis } from '@upstash/redis';
import { Index } from '@upstash/vector';
import type { RedisServer } from '../../tools/stand-ins/redis/redis-server.ts';
import type { VectorServer } from '../../tools/stand-ins/vector/vector-server.ts';

/** Every key and value, each also decoded from base64 (either alphabet). */
export async function textsInRedis({
  url,
  token,
}: Pick<RedisServer, 'url' | 'token'>): Promise<string[]> {
  const redis = new Redis({ url, token, automaticDeserialization: false });
  const texts: string[] = [];
  let cursor = '0';
  do {
    const [next, keys] = await redis.scan(cursor, { count: 500 });
    cursor = next;
    for (const key of keys) texts.push(key, ...(await valuesOf(redis, key)));
  } while (cursor !== '0');
  return [...texts, ...texts.flatMap((text) => text.split(/[:|"\s]/).map(fromBase64))];
}

const valuesOf = async (redis: Redis, key: string): Promise<string[]> => {
  const type = await redis.type(key);
  if (type === 'string') return [String(await redis.get(key))];
  if (type === 'zset') return (await redis.zrange(key, 0, -1)).map(String);
  if (type === 'set') return (await redis.smembers(key)).map(String);
  if (type === 'list') return (await redis.lrange(key, 0, -1)).map(String);
  if (type === 'hash')
    return Object.entries((await redis.hgetall(key)) ?? {})
      .flat()
      .map(String);
  throw new Error(`Cannot look into a value of type ${type}`);
};

const fromBase64 = (text: string): string => Buffer.from(text, 'base64').toString('utf8');

/** The ids of all vectors in a namespace. */
export async function idsInVector(
  { url, token }: Pick<VectorServer, 'url' | 'token'>,
  namespace: string,
): Promise<string[]> {
  const index = new Index({ url, token }).namespace(namespace);
  const ids: string[] = [];
  let cursor = '0';
  do {
    const page = await index.range({ cursor, limit: 1000 });
    ids.push(...page.vectors.map(({ id }) => `${id}`));
    cursor = page.nextCursor;
  } while (cursor !== '');
  return ids;
}
