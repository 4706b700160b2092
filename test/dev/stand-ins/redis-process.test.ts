import { expect, it } from 'vitest';
import { startRedisProcess } from '../../../src/dev/stand-ins/redis/redis-process.ts';

it('a Redis that was stopped fails what still waits for it, and all that comes later', async () => {
  const { connection, stop } = await startRedisProcess({ maxMemoryBytes: 4 * 1024 * 1024 });
  expect(await connection.send([['ECHO', 'ü']])).toEqual([{ kind: 'bulk', bytes: Buffer.from('ü') }]);
  const waiting = connection.send([['BLPOP', 'never', '0']]).catch(() => 'failed');
  await stop();
  expect(await waiting).toBe('failed');
  await expect(connection.send([['PING']])).rejects.toThrow('The connection to Redis ended');
});
