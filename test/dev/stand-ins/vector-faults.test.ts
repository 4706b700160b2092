import { Index } from '@upstash/vector';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startVectorServer } from '../../../src/dev/stand-ins/vector/vector-server.ts';
import { startVector } from './vector-clients.ts';

const vector = [1, 0];
const start = async () => {
  const started = await startVector();
  await started.index.upsert(['a', 'b', 'c', 'd'].map((id) => ({ id, vector })));
  started.server.forgetRequests();
  const query = () => started.index.query({ vector, topK: 4 });
  return { ...started, query };
};
/** The client with a deadline for each request. */
const withDeadline = ({ url, token }: { url: string; token: string }) =>
  new Index({ url, token, retry: { retries: 0 }, signal: () => AbortSignal.timeout(100) });

describe('faults of the vector server', () => {
  it.each([
    [401, 'Unauthorized: Invalid auth token'],
    [429, 'Exceeded daily query limit'],
    [500, 'Internal error'],
    [503, 'Service unavailable'],
  ])('refuse with status %i, once or always', async (status, message) => {
    const { server, query } = await start();
    server.faults.next(1, { kind: 'status', status });
    await expect(query()).rejects.toThrow(message);
    expect(await query()).toHaveLength(4);
    server.faults.always({ kind: 'status', status, message: 'as scripted' });
    await expect(query()).rejects.toThrow('as scripted');
    server.faults.none();
    expect(await query()).toHaveLength(4);
  });

  it('report when to retry', async () => {
    const { server } = await start();
    server.faults.next(1, { kind: 'status', status: 429, retryAfter: 7 });
    const response = await fetch(`${server.url}/info`, { method: 'POST' });
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '7']);
  });

  it('answer with the page of a proxy, without JSON, or with half of it', async () => {
    const { server, query } = await start();
    for (const kind of ['html-502', 'malformed-json', 'truncated-json'] as const) {
      server.faults.next(1, { kind });
      await expect(query(), kind).rejects.toThrow(SyntaxError);
    }
    server.faults.next(1, { kind: 'html-502' });
    const response = await fetch(`${server.url}/info`, { method: 'POST' });
    expect([response.status, response.headers.get('content-type')]).toEqual([502, 'text/html']);
  });

  it('end the connection before the work, after it, or in the middle of the answer', async () => {
    const { server, index, query } = await start();
    server.faults.next(1, { kind: 'reset' });
    await expect(index.upsert({ id: 'lost', vector })).rejects.toThrow('fetch failed');
    server.faults.next(1, { kind: 'reset', executed: true });
    await expect(index.upsert({ id: 'kept', vector })).rejects.toThrow('fetch failed');
    expect(await index.fetch(['lost', 'kept'])).toEqual([null, { id: 'kept' }]);
    server.faults.next(1, { kind: 'reset-in-body' });
    await expect(query()).rejects.toThrow('terminated');
  });

  it.each(['hang-before-headers', 'hang-in-body'] as const)('%s until the caller gives up', async (kind) => {
    const { server } = await start();
    server.faults.next(1, { kind });
    await expect(withDeadline(server).query({ vector, topK: 1 })).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(await withDeadline(server).query({ vector, topK: 1 })).toHaveLength(1);
  });

  it('shorten the hits of a query', async () => {
    const { server, query } = await start();
    server.faults.next(1, { kind: 'fewer-results' });
    expect(await query()).toHaveLength(2);
    server.faults.next(1, { kind: 'fewer-results', keep: 0 });
    expect(await query()).toHaveLength(0);
    server.faults.next(1, { kind: 'fewer-results', keep: 3 }, '/query');
    expect(await query()).toHaveLength(3);
  });
});

describe('the vector server', () => {
  it('records the last 1,000 requests', async () => {
    const { server, index } = await start();
    await index.query({ vector, topK: 2 }, { namespace: 'ns' });
    const [request] = server.requests;
    expect(request).toMatchObject({
      method: 'POST',
      path: '/query/ns',
      headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
      body: '{"vector":[1,0],"topK":2}',
    });
    await Promise.all(Array.from({ length: 1005 }, () => fetch(`${server.url}/info`).then((answer) => answer.text())));
    expect(server.requests).toHaveLength(1000);
    server.forgetRequests();
    expect(server.requests).toHaveLength(0);
  });

  it('stops while requests hang, and can be stopped twice', async () => {
    const server = await startVectorServer();
    onTestFinished(() => server.stop());
    server.faults.always({ kind: 'hang-before-headers' });
    const hanging = fetch(`${server.url}/info`, { method: 'POST' }).catch(() => 'ended');
    await expect.poll(() => server.requests.length).toBe(1);
    await server.stop();
    expect(await hanging).toBe('ended');
    await expect(fetch(server.url)).rejects.toThrow('fetch failed');
  });
});
