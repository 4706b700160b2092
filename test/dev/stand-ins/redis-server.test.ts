import { describe, expect, it } from 'vitest';
import { send, startRedis } from './redis-clients.ts';

const base64 = { 'Upstash-Encoding': 'base64' };
const encoded = (text: string) => Buffer.from(text).toString('base64');

describe('the SDK against the local Redis', () => {
  it('reads what it wrote, in every script, with the values that it makes of JSON', async () => {
    const { redis, onCloudflare } = await startRedis();
    const text = 'naïve ☃ 日本語 🎉 "quoted" \\ \n';
    expect(await redis.set('text', text)).toBe('OK');
    expect(await onCloudflare.get('text')).toBe(text);
    await redis.set('object', { deep: [1, null, text] });
    expect(await onCloudflare.get('object')).toEqual({ deep: [1, null, text] });
    expect(await redis.mget('text', 'none', 'object')).toEqual([text, null, { deep: [1, null, text] }]);
    expect(await redis.get('none')).toBeNull();
    expect(await redis.ping()).toBe('PONG');
    expect(await redis.echo('OK')).toBe('OK');
  });

  it('keeps expiries, conditions, hashes, sets, lists and scans', async () => {
    const { redis } = await startRedis();
    expect(await redis.set('k', 'v', { ex: 100, nx: true })).toBe('OK');
    expect(await redis.set('k', 'w', { nx: true })).toBeNull();
    expect(await redis.set('k', 'w', { get: true, keepTtl: true })).toBe('v');
    expect(await redis.ttl('k')).toBeGreaterThan(90);
    expect(await redis.set('gone', 'v', { pxat: 1 })).toBe('OK');
    expect(await redis.exists('k', 'gone')).toBe(1);
    await redis.hset('h', { a: 1, b: 'two' });
    expect(await redis.hgetall('h')).toEqual({ a: 1, b: 'two' });
    await redis.zadd('z', { score: 2, member: 'b' }, { score: 1, member: 'a' });
    expect(await redis.zrange('z', 0, -1, { withScores: true })).toEqual(['a', 1, 'b', 2]);
    await redis.rpush('l', 'x', 'y');
    expect(await redis.lrange('l', 0, -1)).toEqual(['x', 'y']);
    expect(await redis.incrby('n', 5)).toBe(5);
    for (let at = 0; at < 30; at++) await redis.set(`scan:${at}`, at);
    const keys: string[] = [];
    let cursor = '0';
    do {
      const [next, found] = await redis.scan(cursor, { match: 'scan:*', count: 10 });
      keys.push(...found);
      cursor = next;
    } while (cursor !== '0');
    expect(new Set(keys).size).toBe(30);
    expect(await redis.del('k', 'h')).toBe(2);
  });

  it('sends what is asked in one tick as one pipeline, reads and writes apart', async () => {
    const { server, redis } = await startRedis();
    await redis.set('a', 1);
    server.forgetRequests();
    const [one, two] = await Promise.all([redis.get('a'), redis.get('b'), redis.set('c', 1), redis.incr('c')]);
    expect([one, two]).toEqual([1, null]);
    const sent = server.requests.map(({ path, body }) => [path, JSON.parse(body)]);
    expect(sent).toHaveLength(2);
    expect(sent).toContainEqual([
      '/pipeline',
      [
        ['get', 'a'],
        ['get', 'b'],
      ],
    ]);
    expect(sent).toContainEqual([
      '/pipeline',
      [
        ['set', 'c', 1],
        ['incr', 'c'],
      ],
    ]);
  });

  it('sends one command a request without pipelining', async () => {
    const { server, clientFor } = await startRedis();
    const redis = clientFor(server.token, { enableAutoPipelining: false });
    expect(await redis.set('a', 'é')).toBe('OK');
    expect(await redis.get('a')).toBe('é');
    expect(server.requests.map(({ path, body }) => [path, body])).toEqual([
      ['/', '["set","a","é"]'],
      ['/', '["get","a"]'],
    ]);
  });

  it('gives each entry of a pipeline its own result or error', async () => {
    const { redis } = await startRedis();
    const pipeline = redis.pipeline().set('text', 'x').incr('text').get('text');
    const entries = await pipeline.exec({ keepErrors: true });
    expect(entries).toEqual([
      { result: 'OK', error: undefined },
      { result: undefined, error: 'ERR value is not an integer or out of range' },
      { result: 'x', error: undefined },
    ]);
    await expect(Promise.all([redis.get('text'), redis.incr('text')])).rejects.toThrow(
      'Command failed: ERR value is not an integer or out of range',
    );
  });

  it('runs a transaction as one, and goes on after a command that fails in it', async () => {
    const { server, redis } = await startRedis();
    expect(await redis.multi().set('n', 1).incr('n').get('n').exec()).toEqual(['OK', 2, 2]);
    expect(server.requests.at(-1)?.path).toBe('/multi-exec');
    const entries = await send(server, 'multi-exec', {
      body: [
        ['lpush', 'n', 'x'],
        ['incr', 'n'],
      ],
    });
    expect(entries).toMatchObject({
      status: 200,
      body: [{ error: 'WRONGTYPE Operation against a key holding the wrong kind of value' }, { result: 3 }],
    });
  });

  it('lets nothing else run within a transaction', async () => {
    const { redis, onCloudflare } = await startRedis();
    const rounds = Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? redis : onCloudflare));
    const pairs = await Promise.all(rounds.map((client) => client.multi().incr('n').incr('n').exec()));
    for (const [first, second] of pairs) expect(Number(second) - Number(first)).toBe(1);
    expect(await redis.get('n')).toBe(80);
  });

  it('runs scripts, by text and by hash, and falls back when the hash is unknown', async () => {
    const { server, redis } = await startRedis();
    expect(await redis.eval('return {KEYS[1], ARGV[1], 1.9, false, 3}', ['k'], ['ü'])).toEqual(['k', 'ü', 1, null, 3]);
    expect(await redis.eval('return {1, nil, 3}', [], [])).toEqual([1]);
    await expect(redis.evalsha('f'.repeat(40), [], [])).rejects.toThrow(
      'NOSCRIPT No matching script. Please use EVAL.',
    );
    const script = redis.createScript<number>('return redis.call("INCR", KEYS[1])');
    expect(await script.exec(['n'], [])).toBe(1);
    expect(await script.exec(['n'], [])).toBe(2);
    const names = server.requests.map(({ body }) => /ev\w+/.exec(body)?.[0]);
    expect(names.slice(-3)).toEqual(['evalsha', 'eval', 'evalsha']);
    await expect(redis.eval('return redis.call("GET")', [], [])).rejects.toThrow('Wrong number of args');
  });

  it('sees its own writes by sending back a sync token', async () => {
    const { server, redis, onCloudflare } = await startRedis();
    await redis.set('a', 1);
    const afterFirst = redis.readYourWritesSyncToken;
    await redis.get('a');
    expect(redis.readYourWritesSyncToken).toBe(afterFirst);
    await redis.set('a', 2);
    expect(redis.readYourWritesSyncToken).not.toBe(afterFirst);
    await onCloudflare.get('a');
    const sent = server.requests.map(({ headers }) => headers['upstash-sync-token']);
    expect(sent).toEqual(['', afterFirst, afterFirst, '']);
  });

  it('fails with a wrong token, and may only read with a read-only one', async () => {
    const { server, redis, clientFor } = await startRedis({ readOnlyToken: 'read-only' });
    await expect(clientFor('wrong').get('a')).rejects.toThrow('WRONGPASS invalid or missing auth token');
    await redis.set('a', 1);
    const reader = clientFor('read-only');
    expect(await reader.get('a')).toBe(1);
    expect(await reader.mget('a', 'b')).toEqual([1, null]);
    expect(await reader.evalRo('return redis.call("GET", KEYS[1])', ['a'], [])).toBe(1);
    const refused = await Promise.allSettled([
      reader.set('a', 2),
      reader.scan(0),
      reader.keys('*'),
      reader.eval('return 1', [], []),
      reader.flushall(),
      reader.multi().get('a').set('a', 2).exec(),
    ]);
    const noPermission = { message: expect.stringContaining('NOPERM this user has no permissions to run the') };
    for (const each of refused) expect(each).toMatchObject({ status: 'rejected', reason: noPermission });
    expect(await redis.get('a')).toBe(1);
    expect(await send({ url: server.url, token: '' }, '', { body: ['PING'] })).toMatchObject({
      status: 401,
      body: { error: 'WRONGPASS invalid or missing auth token' },
    });
  });
});

describe('the Redis process', () => {
  it('is of this server alone, and ends with it', async () => {
    const first = await startRedis();
    const second = await startRedis();
    await first.redis.set('a', 1);
    expect(await second.redis.get('a')).toBeNull();
    await second.server.stop();
    await expect(second.redis.get('a')).rejects.toThrow('fetch failed');
    await expect(startRedis({ port: first.server.port })).rejects.toThrow('EADDRINUSE');
    expect(await first.redis.get('a')).toBe(1);
  });
});

describe('a read replica', () => {
  it('shows writes of others late, and a client its own at once', async () => {
    let now = 0;
    const { server, redis, onCloudflare } = await startRedis({ replicaDelayMs: 100, now: () => now });
    await redis.set('a', 1);
    expect(await onCloudflare.get('a')).toBeNull();
    expect(await redis.get('a')).toBe(1);
    await redis.set('a', 2);
    now += 99;
    expect(await onCloudflare.get('a')).toBe(1);
    now += 1;
    expect(await onCloudflare.get('a')).toBe(2);
    expect((await send(server, '', { body: ['get', 'a'] })).body).toEqual({ result: '2' });
  });

  it('follows a client that carries its token over to another', async () => {
    const { redis, onCloudflare } = await startRedis({ replicaDelayMs: 60_000 });
    await redis.multi().set('a', 1).incr('a').exec();
    await redis.eval('return redis.call("SET", KEYS[1], ARGV[1])', ['b'], ['x']);
    expect(await onCloudflare.mget('a', 'b')).toEqual([null, null]);
    onCloudflare.readYourWritesSyncToken = redis.readYourWritesSyncToken;
    expect(await onCloudflare.mget('a', 'b')).toEqual([2, 'x']);
  });

  it('never learns of a transaction that was discarded', async () => {
    const { server, redis } = await startRedis({ replicaDelayMs: 0 });
    await send(server, 'multi-exec', { body: [['set', 'a', '1'], ['get']] });
    await send(server, 'multi-exec', {
      body: [
        ['set', 'a', '1'],
        ['watch', 'b'],
      ],
    });
    expect(await redis.get('a')).toBeNull();
  });
});

describe('requests of other forms', () => {
  it('answer a failed command with 400 and the words of Redis', async () => {
    const { server } = await startRedis();
    const errorOf = async (body: unknown, path = '') => send(server, path, { body });
    expect(await errorOf(['get'])).toMatchObject({
      status: 400,
      body: { error: "ERR wrong number of arguments for 'get' command" },
    });
    expect((await errorOf(['nonsense', 'x'])).body).toEqual({
      error: expect.stringContaining("ERR unknown command 'nonsense'"),
    });
    expect(await errorOf('{"not":"a command"}')).toMatchObject({ status: 400 });
    expect(await errorOf('[["get",')).toMatchObject({ status: 400 });
    expect(await errorOf([])).toMatchObject({ status: 400 });
    expect(await errorOf([['get', ['nested']]], 'pipeline')).toMatchObject({ status: 400 });
    expect(await errorOf([], 'pipeline')).toMatchObject({ status: 400, body: { error: 'ERR empty pipeline request' } });
    expect(await errorOf(undefined, 'pipeline')).toMatchObject({ status: 400 });
    expect(await send(server, 'pipeline', { method: 'GET' })).toMatchObject({ status: 405 });
  });

  it('discard a transaction as a whole when one command cannot be queued', async () => {
    const { server, redis } = await startRedis();
    const answer = await send(server, 'multi-exec', { body: [['set', 'a', '1'], ['get'], ['set', 'b', '1']] });
    expect(answer).toMatchObject({ status: 400, body: { error: "ERR wrong number of arguments for 'get' command" } });
    expect(
      await send(server, 'multi-exec', {
        body: [
          ['set', 'a', '1'],
          ['watch', 'a'],
        ],
      }),
    ).toMatchObject({ status: 400 });
    expect(await redis.exists('a', 'b')).toBe(0);
    expect(await redis.multi().set('a', 1).exec()).toEqual(['OK']);
  });

  it('encode every text but the status OK, and no error', async () => {
    const { server } = await startRedis();
    const ask = async (body: unknown, path = '') => (await send(server, path, { body, headers: base64 })).body;
    expect(await ask(['set', 'k', 'OK'])).toEqual({ result: 'OK' });
    expect(await ask(['get', 'k'])).toEqual({ result: encoded('OK') });
    expect(await ask(['ping'])).toEqual({ result: encoded('PONG') });
    expect(await ask(['eval', 'return {1, {"ü", false}}', '0'])).toEqual({ result: [1, [encoded('ü'), null]] });
    expect(await ask([['get', 'k'], ['get']], 'pipeline')).toEqual([
      { result: encoded('OK') },
      { error: "ERR wrong number of arguments for 'get' command" },
    ]);
    expect((await send(server, '', { body: ['get', 'k'] })).body).toEqual({ result: 'OK' });
  });

  it('take a command from the path, the body and the query', async () => {
    const { server } = await startRedis();
    expect(await send(server, 'set/k/a%2Fb?EX=100', { method: 'GET' })).toMatchObject({ body: { result: 'OK' } });
    expect(await send(server, 'get/k', { method: 'GET' })).toMatchObject({ body: { result: 'a/b' } });
    expect(await send(server, 'set/k', { body: 'from the body' })).toMatchObject({ body: { result: 'OK' } });
    const byQuery = await fetch(`${server.url}/get/k?_token=${server.token}`);
    expect(await byQuery.json()).toEqual({ result: 'from the body' });
  });

  it('pass numbers on as they were written', async () => {
    const { server } = await startRedis();
    await send(server, '', { body: '["set", "n", 12345678901234567890]' });
    expect((await send(server, '', { body: ['get', 'n'] })).body).toEqual({ result: '12345678901234567890' });
  });

  it('cannot block, watch, or speak to the connection', async () => {
    const { server } = await startRedis();
    const commands = [
      ['BLPOP', 'l', '0'],
      ['xread', 'BLOCK', '0', 'STREAMS', 's', '$'],
      ['WATCH', 'k'],
      ['multi'],
      ['select', '1'],
      ['auth', 'x'],
      ['shutdown'],
      ['config', 'get', '*'],
      ['subscribe', 'c'],
    ];
    const { body } = await send(server, 'pipeline', { body: commands });
    expect(body).toEqual(commands.map(() => ({ error: expect.stringContaining('ERR Command is not available') })));
    expect((await send(server, '', { body: ['ping'] })).body).toEqual({ result: 'PONG' });
  });
});

describe('limits', () => {
  it('are 10 MB a request and 32 KB a key', async () => {
    const { server, redis } = await startRedis();
    await expect(redis.set('k', 'x'.repeat(10 * 1024 * 1024))).rejects.toThrow('ERR max request size exceeded.');
    expect(await redis.set('k', 'x'.repeat(10 * 1024 * 1024 - 100))).toBe('OK');
    expect(await redis.strlen('k')).toBe(10 * 1024 * 1024 - 100);
    const key = 'k'.repeat(32 * 1024);
    expect(await redis.mset({ [key]: 1 })).toBe('OK');
    for (const command of [
      ['get', `${key}k`],
      ['mset', 'a', '1', `${key}k`, '1'],
      ['eval', 'return 1', '2', 'a', `${key}k`],
    ]) {
      expect(await send(server, '', { body: command })).toMatchObject({
        status: 400,
        body: { error: 'ERR max key size exceeded. Limit: 32768 bytes, Actual: 32769 bytes' },
      });
    }
  });

  it('stop writes, and no reads, when the database is full', async () => {
    const { redis } = await startRedis({ maxMemoryBytes: 4 * 1024 * 1024 });
    await redis.set('small', 1);
    await redis.set('big', 'x'.repeat(4 * 1024 * 1024)).catch(() => undefined);
    await expect(redis.set('more', 'x')).rejects.toThrow('ERR DB capacity quota exceeded');
    expect(await redis.get('small')).toBe(1);
  });
});

describe('faults of the Redis server', () => {
  it('fail in each way that a service can', async () => {
    const { server, redis, clientFor } = await startRedis();
    await redis.set('a', 1);
    const impatient = clientFor(server.token, { signal: () => AbortSignal.timeout(100) });
    server.faults.next(1, { kind: 'status', status: 429, retryAfter: 3 });
    await expect(redis.get('a')).rejects.toThrow('ERR max requests limit exceeded');
    server.faults.next(1, { kind: 'status', status: 401 });
    await expect(redis.get('a')).rejects.toThrow('WRONGPASS invalid or missing auth token');
    server.faults.next(1, { kind: 'status', status: 500, message: 'ERR internal' });
    await expect(redis.get('a')).rejects.toThrow('ERR internal');
    for (const kind of ['html-502', 'malformed-json', 'truncated-json'] as const) {
      server.faults.next(1, { kind });
      await expect(redis.get('a'), kind).rejects.toMatchObject({ name: 'UpstashJSONParseError' });
    }
    for (const kind of ['hang-before-headers', 'hang-in-body'] as const) {
      server.faults.next(1, { kind });
      await expect(impatient.get('a'), kind).rejects.toMatchObject({ name: 'TimeoutError' });
    }
    server.faults.next(1, { kind: 'delay', ms: 20 });
    expect(await impatient.get('a')).toBe(1);
  });

  it('run a write twice when the connection ends after it', async () => {
    const { server, clientFor } = await startRedis();
    const redis = clientFor(server.token, { retry: { retries: 1, backoff: () => 1 } });
    server.faults.next(1, { kind: 'reset', executed: true }, ({ body }) => body.includes('incr'));
    expect(await redis.incr('n')).toBe(2);
    server.faults.next(1, { kind: 'reset' });
    expect(await redis.incr('n')).toBe(3);
  });
});
