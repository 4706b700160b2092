import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startVectorServer, type VectorServer } from '../../src/dev/stand-ins/vector/vector-server.ts';
import { upstashVectorIndex } from '../../src/storage/upstash-vector-index.ts';
import type { VectorFilter } from '../../src/storage/vector-index.ts';
import { describeUpstashFaults } from './describe-upstash-faults.ts';
import { describeVectorIndex, untilVisible } from './describe-vector-index.ts';

let server: VectorServer;

beforeAll(async () => {
  server = await startVectorServer({
    indexes: [{ dimension: 3 }, { dimension: 1536 }],
    indexingDelayMs: 40,
    deletesLinger: true,
  });
});

afterEach(() => {
  server.faults.none();
});

afterAll(() => server?.stop());

const indexOf = (namespace: string, more: { timeoutMs?: number; token?: string; url?: string } = {}) =>
  upstashVectorIndex({ url: server.url, token: server.token, namespace, dimensions: 3, ...more });

describeVectorIndex('Upstash Vector', async () => ({ index: indexOf(randomUUID()), other: indexOf(randomUUID()) }));

const VECTOR = [0.123456789, 0.5, 0.25];

describeUpstashFaults('Upstash Vector', {
  server: () => server,
  calls: ({ url = server.url, token = server.token, timeoutMs }) => {
    const index = indexOf('faults', { url, token, ...(timeoutMs !== undefined && { timeoutMs }) });
    return {
      upsert: (signal) => index.upsert([{ id: 'secret-id', vector: VECTOR }], { signal }),
      query: (signal) => index.query(VECTOR, { limit: 5, signal }),
      delete: (signal) => index.delete(['secret-id'], { signal }),
      list: (signal) => index.list({ signal }),
      clear: (signal) => index.clear({ signal }),
      pending: (signal) => index.pending({ signal }),
    };
  },
  secrets: ['0.123456789', 'secret-id'],
});

describe('upstashVectorIndex()', () => {
  it('does not show what was just written before pending is 0', async () => {
    const index = indexOf(randomUUID());
    await index.upsert([{ id: 'a', vector: [1, 0, 0] }]);
    expect(await index.query([1, 0, 0], { limit: 1 })).toEqual([]);
    expect(await index.pending()).toBe(1);
    expect((await index.list()).ids).toEqual(['a']);
    await untilVisible(index);
    expect(await index.query([1, 0, 0], { limit: 1 })).toHaveLength(1);
  });

  it.each(['', 'a/b', 'x?y', 'x#y', 'a b', 'ä', 'a'.repeat(65), '..'])('refuses the namespace %j', (namespace) => {
    expect(() => indexOf(namespace)).toThrow(RangeError);
  });

  it.each(['', 'not a url', 'ftp://host', 'https://host/?_token=x', 'https://user:pass@host'])(
    'refuses the address %j without repeating it',
    (url) => {
      expect(() => indexOf('a', { url })).toThrow('the URL of Upstash cannot be one');
    },
  );

  it('refuses a token with a line break without repeating it', () => {
    expect(() => indexOf('a', { token: 'secret\nX: y' })).toThrow('the token of Upstash cannot be one');
  });

  it('sends vectors of 1,536 numbers in requests below 4 MB', async () => {
    const index = upstashVectorIndex({
      url: server.url,
      token: server.tokens[1] ?? '',
      namespace: 'big',
      dimensions: 1536,
    });
    const vector = Array.from({ length: 1536 }, (_, at) => Math.sin(at + 1) / 3);
    server.forgetRequests();
    await index.upsert(Array.from({ length: 250 }, (_, at) => ({ id: `v${at}`, vector })));
    const sizes = server.requests.map(({ body }) => body.length);
    expect(sizes.length).toBeLessThanOrEqual(3);
    expect(Math.max(...sizes)).toBeLessThan(4_000_000);
    expect((await index.list()).ids).toHaveLength(250);
  });

  it('sends no further batch once the signal has aborted', async () => {
    const index = indexOf(randomUUID());
    const leaving = new AbortController();
    server.forgetRequests();
    server.faults.always({ kind: 'hang-before-headers' });
    const many = Array.from({ length: 2500 }, (_, at) => ({ id: `v${at}`, vector: [1, at, 0] }));
    const stored = index.upsert(many, { signal: leaving.signal });
    for (let look = 0; look < 400 && server.requests.length === 0; look += 1) {
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    leaving.abort();
    await expect(stored).rejects.toMatchObject({ name: 'StoreUnavailable', reason: 'aborted' });
    expect(server.requests).toHaveLength(1);
  });

  it('sends no telemetry, and every operation to its namespace', async () => {
    const index = indexOf('there');
    server.forgetRequests();
    await index.upsert([{ id: 'a', vector: [1, 0, 0] }]);
    await index.query([1, 0, 0], { limit: 1 });
    await index.list();
    await index.list();
    await index.delete(['a']);
    await index.clear();
    const paths = server.requests.map(({ path }) => path);
    expect(paths).toEqual([
      '/upsert/there',
      '/query/there',
      '/range/there',
      '/range/there',
      '/delete/there',
      '/delete-namespace/there',
    ]);
    for (const { headers } of server.requests) {
      expect(Object.keys(headers).filter((name) => /telemetry/i.test(name))).toEqual([]);
    }
  });

  it('lets no value of a filter reach another clause', async () => {
    const index = indexOf(randomUUID());
    await index.upsert([
      { id: 'mine', vector: [1, 0, 0], metadata: { owner: 'me' } },
      { id: 'theirs', vector: [1, 0, 0], metadata: { owner: 'them' } },
    ]);
    await untilVisible(index);
    const hostile = ["x' OR owner = 'them", 'x" OR owner = "them', "them') OR (owner = 'them", 'them*', ''];
    for (const value of hostile) {
      const filter: VectorFilter = { and: [{ field: 'owner', is: '=', value }] };
      expect(await index.query([1, 0, 0], { limit: 5, filter })).toEqual([]);
    }
    const both: VectorFilter = { field: 'owner', is: '=', value: `x' OR "owner" = 'them` };
    await expect(index.query([1, 0, 0], { limit: 5, filter: both })).rejects.toThrow(RangeError);
  });

  it('leaves out what comes back without meeting the filter', async () => {
    const fetch = async () => Response.json({ result: [{ id: 'a', score: 1, metadata: { owner: 'them' } }] });
    const index = upstashVectorIndex({ url: 'https://vector.test', token: 't', namespace: 'n', dimensions: 3, fetch });
    expect(await index.query([1, 0, 0], { limit: 5, filter: { field: 'owner', is: '=', value: 'me' } })).toEqual([]);
  });

  it.each([
    ['a score that is no number', [{ id: 'a', score: null }]],
    ['an id that is no text', [{ id: 5, score: 0.5 }]],
    ['a list within the list', [[{ id: 'a', score: 0.5 }]]],
    ['no list', { id: 'a', score: 0.5 }],
    ['nothing', undefined],
  ])('takes %s for a reply of unknown form', async (_name, result) => {
    const fetch = async () => Response.json({ result });
    const index = upstashVectorIndex({ url: 'https://vector.test', token: 't', namespace: 'n', dimensions: 3, fetch });
    const malformed = { name: 'StoreUnavailable', reason: 'malformed' };
    await expect(index.query([1, 0, 0], { limit: 5 })).rejects.toMatchObject(malformed);
  });

  it('reads a namespace that the service does not know as empty, but no other 404', async () => {
    const answering = (error: string) =>
      upstashVectorIndex({
        url: 'https://vector.test',
        token: 't',
        namespace: 'n',
        dimensions: 3,
        fetch: async () => Response.json({ error, status: 404 }, { status: 404 }),
      });
    const unknown = answering('Namespace n for the index x does not exist');
    expect(await unknown.query([1, 0, 0], { limit: 5 })).toEqual([]);
    expect(await unknown.list()).toEqual({ ids: [] });
    await unknown.delete(['a']);
    await unknown.clear();
    const refused = { name: 'StoreUnavailable', reason: 'refused' };
    await expect(unknown.upsert([{ id: 'a', vector: VECTOR }])).rejects.toMatchObject(refused);
    await expect(answering('Not found').query([1, 0, 0], { limit: 5 })).rejects.toMatchObject(refused);
  });
});
