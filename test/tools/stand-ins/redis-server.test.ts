import { Redis } from '@upstash/redis';
import { Redis as CloudflareRedis } from '@upstash/redis/cloudflare';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  type RedisServerOptions,
  startRedisServer,
} from '../../../tools/stand-ins/redis/redis-server.ts';

const retry = { retries: 0 };
const NOT_A_NUMBER = 'ERR value is not an integer or out of range';

/** A server for one test, with clients from both entry points of the SDK. */
const startRedis = async (options: RedisServerOptions = {}) => {
  const server = await startRedisServer(options);
  onTestFinished(() => server.stop());
  const { url, token } = server;
  const clientFor = (own: string, more: object = {}) =>
    new Redis({ url, token: own, retry, ...more });
  const variables = { UPSTASH_REDIS_REST_URL: url, UPSTASH_REDIS_REST_TOKEN: token };
  /** A request that no SDK sends. */
  const send = async (path: string, body: unknown) => {
    const response = await fetch(`${url}/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as unknown };
  };
  return {
    server,
    redis: clientFor(token),
    onCloudflare: CloudflareRedis.fromEnv(variables, { retry }),
    clientFor,
    send,
  };
};

describe('the SDK against the local Redis', () => {
  it('reads back Unicode text and JSON values', async () => {
    const { redis, onCloudflare } = await startRedis();
    const text = 'naïve ☃ 日本語 🎉 "quoted" \\ \n';
    expect(await redis.mset({ text, object: { deep: [1, null, text] } })).toBe('OK');
    expect(await onCloudflare.mget('text', 'none', 'object')).toEqual([
      text,
      null,
      { deep: [1, null, text] },
    ]);
    expect(await redis.echo('OK')).toBe('OK');
  });
  it('gives each entry of a pipeline its own result or error', async () => {
    const { redis } = await startRedis();
    const pipeline = redis.pipeline().set('text', 'x').incr('text').get('text');
    const results = (await pipeline.exec({ keepErrors: true })).map(
      ({ result, error }) => error ?? result,
    );
    expect(results).toEqual(['OK', NOT_A_NUMBER, 'x']);
    await expect(Promise.all([redis.get('text'), redis.incr('text')])).rejects.toThrow(
      NOT_A_NUMBER,
    );
  });
  it('runs a transaction atomically, and continues after a command that fails', async () => {
    const { redis, onCloudflare, send } = await startRedis();
    const rounds = Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? redis : onCloudflare));
    const pairs = await Promise.all(
      rounds.map((client) => client.multi().incr('n').incr('n').exec()),
    );
    for (const [first, second] of pairs) expect(Number(second) - Number(first)).toBe(1);
    const failing = ['lpush n x', 'incr n'].map((command) => command.split(' '));
    const error = 'WRONGTYPE Operation against a key holding the wrong kind of value';
    expect((await send('multi-exec', failing)).body).toEqual([{ error }, { result: 81 }]);
  });
  it('discards a transaction as a whole when one command cannot be queued', async () => {
    const { redis, send } = await startRedis();
    const error = "ERR wrong number of arguments for 'get' command";
    const refused = await send('multi-exec', [['set', 'a', '1'], ['get'], ['set', 'b', '1']]);
    expect(refused).toEqual({ status: 400, body: { error } });
    expect(await redis.exists('a', 'b')).toBe(0);
  });
  it('rejects a wrong token, and writes with a read-only token', async () => {
    const { redis, clientFor } = await startRedis({ readOnlyToken: 'read-only' });
    await expect(clientFor('wrong').get('a')).rejects.toThrow(
      'WRONGPASS invalid or missing auth token',
    );
    await redis.set('a', 1);
    const reader = clientFor('read-only');
    expect(await reader.mget('a', 'b')).toEqual([1, null]);
    const writes = [reader.set('a', 2), reader.multi().set('a', 2).exec()];
    for (const write of await Promise.allSettled(writes))
      expect(String((write as PromiseRejectedResult).reason)).toContain(
        'NOPERM this user has no permissions to run',
      );
    expect(await redis.get('a')).toBe(1);
  });
});

describe('invalid requests', () => {
  it.each<[what: string, body: unknown, error: string]>([
    ['too few arguments', ['get'], "wrong number of arguments for 'get' command"],
    ['an unknown command', ['nonsense', 'x'], "ERR unknown command 'nonsense'"],
    ['half of one', '[["get",', 'ERR'],
    [
      'a long key',
      ['get', 'k'.repeat(32_769)],
      'ERR max key size exceeded. Limit: 32768 bytes, Actual: 32769',
    ],
    ['10 MB', ['set', 'k', 'x'.repeat(10 * 1024 * 1024)], 'ERR max request size exceeded.'],
  ])('are answered with 400 and the error message of Redis: %s', async (_, body, error) => {
    const { send } = await startRedis();
    expect(await send('', body)).toEqual({
      status: 400,
      body: { error: expect.stringContaining(error) },
    });
  });
  it('cannot run blocking, watching or connection commands', async () => {
    const { send } = await startRedis();
    const commands = [
      'BLPOP l 0',
      'xread BLOCK 0 STREAMS s $',
      'WATCH k',
      'multi',
      'select 1',
      'auth x',
      'shutdown',
    ];
    const { body } = await send(
      'pipeline',
      [...commands, 'ping'].map((command) => command.split(' ')),
    );
    const unavailable = { error: expect.stringContaining('ERR Command is not available') };
    expect(body).toEqual([...commands.map(() => unavailable), { result: 'PONG' }]);
  });
});

describe('faults of the Redis server', () => {
  it('execute a write twice when the connection is reset after it', async () => {
    const { server, clientFor } = await startRedis();
    const redis = clientFor(server.token, { retry: { retries: 1, backoff: () => 1 } });
    server.faults.next(1, { kind: 'reset', executed: true }, ({ body }) => body.includes('incr'));
    expect(await redis.incr('n')).toBe(2);
    server.faults.next(1, { kind: 'reset' });
    expect(await redis.incr('n')).toBe(3);
  });
});
