import { describe, expect, it } from 'vitest';
import type { Fault } from '../../../src/dev/stand-ins/server/faults.ts';
import { startVector } from './vector-clients.ts';

const vector = [1, 0];
const start = async () => {
  const started = await startVector();
  await started.index.upsert(['a', 'b', 'c', 'd'].map((id) => ({ id, vector })));
  const impatient = started.clientFor(started.server.token, { signal: () => AbortSignal.timeout(100) });
  const query = (client = started.index) => client.query({ vector, topK: 4 });
  return { ...started, impatient, query };
};

describe('faults of the vector server', () => {
  it.each<[Fault, object]>([
    [{ kind: 'status', status: 401 }, { message: 'Unauthorized: Invalid auth token' }],
    [{ kind: 'status', status: 429 }, { message: 'Exceeded daily query limit' }],
    [{ kind: 'status', status: 503 }, { message: 'Service unavailable' }],
    [{ kind: 'status', status: 500, message: 'as scripted' }, { message: 'as scripted' }],
    [{ kind: 'html-502' }, { name: 'SyntaxError' }],
    [{ kind: 'malformed-json' }, { name: 'SyntaxError' }],
    [{ kind: 'truncated-json' }, { name: 'SyntaxError' }],
    [{ kind: 'reset' }, { message: 'fetch failed' }],
    [{ kind: 'reset-in-body' }, { message: 'terminated' }],
    [{ kind: 'hang-before-headers' }, { name: 'TimeoutError' }],
    [{ kind: 'hang-in-body' }, { name: 'TimeoutError' }],
  ])('fail once, or until they end: %j', async (fault, error) => {
    const { server, index, impatient, query } = await start();
    const client = fault.kind.startsWith('hang') ? impatient : index;
    server.faults.next(1, fault);
    await expect(query(client)).rejects.toMatchObject(error);
    expect(await query()).toHaveLength(4);
    server.faults.always(fault);
    await expect(query(client)).rejects.toMatchObject(error);
    server.faults.none();
    expect(await query()).toHaveLength(4);
  });
  it('end the connection before the work, or after it', async () => {
    const { server, index } = await start();
    server.faults.next(1, { kind: 'reset' });
    await expect(index.upsert({ id: 'lost', vector })).rejects.toThrow('fetch failed');
    server.faults.next(1, { kind: 'reset', executed: true });
    await expect(index.upsert({ id: 'kept', vector })).rejects.toThrow('fetch failed');
    expect(await index.fetch(['lost', 'kept'])).toEqual([null, { id: 'kept' }]);
  });
});

it('stops while requests hang', async () => {
  const { server, index } = await startVector();
  server.faults.always({ kind: 'hang-before-headers' });
  const hanging = index.info().catch(() => 'ended');
  await expect.poll(() => server.requests.length).toBe(1);
  await server.stop();
  expect(await hanging).toBe('ended');
});
