import { describe, expect, it } from 'vitest';
import { send, startRedis } from './redis-clients.ts';

const NOT_A_NUMBER = 'ERR value is not an integer or out of range';

describe('the SDK against the local Redis', () => {
  it('reads back Unicode text and JSON values', async () => {
    const { redis, onCloudflare } = await startRedis();
    const text = 'naïve ☃ 日本語 🎉 "quoted" \\ \n';
    expect(await redis.mset({ text, object: { deep: [1, null, text] } })).toBe('OK');
    expect(await onCloudflare.mget('text', 'none', 'object')).toEqual([text, null, { deep: [1, null, text] }]);
    expect(await redis.echo('OK')).toBe('OK');
  });
  it('supports expiry, conditions, hashes, sorted sets, lists and scans', async () => {
    const { redis } = await startRedis();
    expect(await redis.set('k', 'v', { ex: 100, nx: true })).toBe('OK');
    expect(await redis.set('k', 'w', { nx: true })).toBeNull();
    expect(await redis.ttl('k')).toBeGreaterThan(90);
    await redis.set('gone', 'v', { pxat: 1 });
    expect(await redis.exists('k', 'gone')).toBe(1);
    await redis.hset('h', { a: 1, b: 'two' });
    expect(await redis.hgetall('h')).toEqual({ a: 1, b: 'two' });
    await redis.zadd('z', { score: 2, member: 'b' }, { score: 1, member: 'a' });
    expect(await redis.zrange('z', 0, -1, { withScores: true })).toEqual(['a', 1, 'b', 2]);
    await redis.rpush('l', 'x', 'y');
    expect(await redis.lrange('l', 0, -1)).toEqual(['x', 'y']);
    expect((await redis.scan('0', { match: '[hz]', count: 100 }))[1].sort()).toEqual(['h', 'z']);
    expect(await redis.del('k', 'h')).toBe(2);
  });
  it('gives each entry of a pipeline its own result or error', async () => {
    const { redis } = await startRedis();
    const pipeline = redis.pipeline().set('text', 'x').incr('text').get('text');
    expect(await pipeline.exec({ keepErrors: true })).toEqual([
      { result: 'OK', error: undefined },
      { result: undefined, error: NOT_A_NUMBER },
      { result: 'x', error: undefined },
    ]);
    await expect(Promise.all([redis.get('text'), redis.incr('text')])).rejects.toThrow(NOT_A_NUMBER);
  });
  it('runs a transaction atomically, and continues after a command that fails', async () => {
    const { server, redis, onCloudflare } = await startRedis();
    const rounds = Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? redis : onCloudflare));
    const pairs = await Promise.all(rounds.map((client) => client.multi().incr('n').incr('n').exec()));
    for (const [first, second] of pairs) expect(Number(second) - Number(first)).toBe(1);
    const failing = ['lpush n x', 'incr n'].map((command) => command.split(' '));
    const error = 'WRONGTYPE Operation against a key holding the wrong kind of value';
    expect((await send(server, 'multi-exec', { body: failing })).body).toEqual([{ error }, { result: 81 }]);
  });
  it('discards a transaction as a whole when one command cannot be queued', async () => {
    const { server, redis } = await startRedis();
    const error = "ERR wrong number of arguments for 'get' command";
    const body = [['set', 'a', '1'], ['get'], ['set', 'b', '1']];
    expect(await send(server, 'multi-exec', { body })).toMatchObject({ status: 400, body: { error } });
    expect(await redis.exists('a', 'b')).toBe(0);
  });
  it('runs scripts, by text and by hash, and falls back when the hash is unknown', async () => {
    const { server, redis } = await startRedis();
    expect(await redis.eval('return {KEYS[1], ARGV[1], 1.9, false, 3}', ['k'], ['ü'])).toEqual(['k', 'ü', 1, null, 3]);
    await expect(redis.evalsha('f'.repeat(40), [], [])).rejects.toThrow('NOSCRIPT No matching script.');
    const script = redis.createScript<number>('return redis.call("INCR", KEYS[1])');
    expect([await script.exec(['n'], []), await script.exec(['n'], [])]).toEqual([1, 2]);
    const names = server.requests.map(({ body }) => /ev\w+/.exec(body)?.[0]);
    expect(names.slice(-3)).toEqual(['evalsha', 'eval', 'evalsha']);
    await expect(redis.eval('return redis.call("GET")', [], [])).rejects.toThrow('Wrong number of args');
  });
  it('rejects a wrong token, and writes with a read-only token', async () => {
    const { redis, clientFor } = await startRedis({ readOnlyToken: 'read-only' });
    await expect(clientFor('wrong').get('a')).rejects.toThrow('WRONGPASS invalid or missing auth token');
    await redis.set('a', 1);
    const reader = clientFor('read-only');
    expect(await reader.mget('a', 'b')).toEqual([1, null]);
    const writes = [
      () => reader.set('a', 2),
      () => reader.eval('return 1', [], []),
      () => reader.multi().set('a', 2).exec(),
    ];
    for (const write of writes) await expect(write).rejects.toThrow('NOPERM this user has no permissions to run the');
    expect(await redis.get('a')).toBe(1);
  });
});

describe('invalid requests', () => {
  it.each<[what: string, body: unknown, path: string, error: string]>([
    ['too few arguments', ['get'], '', "wrong number of arguments for 'get' command"],
    ['an unknown command', ['nonsense', 'x'], '', "ERR unknown command 'nonsense'"],
    ['half of one', '[["get",', '', 'ERR'],
    ['a long key', ['get', 'k'.repeat(32_769)], '', 'ERR max key size exceeded. Limit: 32768 bytes, Actual: 32769'],
    ['10 MB', ['set', 'k', 'x'.repeat(10 * 1024 * 1024)], '', 'ERR max request size exceeded.'],
  ])('are answered with 400 and the error message of Redis: %s', async (_, body, path, error) => {
    const { server } = await startRedis();
    const { status, body: reply } = await send(server, path, { body });
    expect([status, reply]).toEqual([400, { error: expect.stringContaining(error) }]);
  });
  it('cannot run blocking, watching or connection commands', async () => {
    const { server } = await startRedis();
    const commands = ['BLPOP l 0', 'xread BLOCK 0 STREAMS s $', 'WATCH k', 'multi', 'select 1', 'auth x', 'shutdown'];
    const body = commands.map((command) => command.split(' '));
    const unavailable = { error: expect.stringContaining('ERR Command is not available') };
    expect((await send(server, 'pipeline', { body })).body).toEqual(commands.map(() => unavailable));
    expect((await send(server, '', { body: ['ping'] })).body).toEqual({ result: 'PONG' });
  });
});

describe('faults of the Redis server', () => {
  it('reach the SDK as the error of each kind', async () => {
    const { server, redis, clientFor } = await startRedis();
    const hasty = clientFor(server.token, { signal: () => AbortSignal.timeout(100) });
    for (const [fault, error, client = redis] of [
      [{ kind: 'status', status: 429, retryAfter: 3 }, { message: /max requests limit exceeded/ }],
      [{ kind: 'status', status: 401 }, { message: /WRONGPASS invalid or missing auth token/ }],
      [{ kind: 'status', status: 500, message: 'ERR internal' }, { message: /ERR internal/ }],
      [{ kind: 'html-502' }, { name: /UpstashJSONParseError/ }],
      [{ kind: 'malformed-json' }, { name: /UpstashJSONParseError/ }],
      [{ kind: 'truncated-json' }, { name: /UpstashJSONParseError/ }],
      [{ kind: 'hang-before-headers' }, { name: /TimeoutError/ }, hasty],
      [{ kind: 'hang-in-body' }, { name: /TimeoutError/ }, hasty],
    ] as const) {
      server.faults.next(1, fault);
      const [[name, pattern]] = Object.entries(error) as [[string, RegExp]]; // one member each
      await expect(client.get('a'), fault.kind).rejects.toHaveProperty(name, expect.stringMatching(pattern));
    }
    expect(await redis.get('a')).toBeNull();
  });
  it('execute a write twice when the connection is reset after it', async () => {
    const { server, clientFor } = await startRedis();
    const redis = clientFor(server.token, { retry: { retries: 1, backoff: () => 1 } });
    server.faults.next(1, { kind: 'reset', executed: true }, ({ body }) => body.includes('incr'));
    expect(await redis.incr('n')).toBe(2);
    server.faults.next(1, { kind: 'reset' });
    expect(await redis.incr('n')).toBe(3);
  });
});
