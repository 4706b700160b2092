import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startVectorServer, type VectorServer } from '../../src/dev/stand-ins/vector/vector-server.ts';
import { filterText, isNamespace, namespaceOf, upstashVectorIndex } from '../../src/storage/upstash-vector-index.ts';
import { meetsFilter, type VectorFilter } from '../../src/storage/vector-index.ts';
import { describeUpstashFaults } from './describe-upstash-faults.ts';
import { describeVectorIndex } from './describe-vector-index.ts';

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

const indexOf = (namespace: string, more: Partial<Parameters<typeof upstashVectorIndex>[0]> = {}) =>
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
  it('finds a new record once pending is 0', async () => {
    const lagging = await startVectorServer({ indexes: [{ dimension: 3 }], indexingDelayMs: Number.POSITIVE_INFINITY });
    onTestFinished(() => lagging.stop());
    const index = indexOf('a', { url: lagging.url, token: lagging.token });
    await index.upsert([{ id: 'a', vector: [1, 0, 0] }]);
    expect(await index.query([1, 0, 0], { limit: 1 })).toEqual([]);
    expect(await index.pending()).toBe(1);
    expect((await index.list()).ids).toEqual(['a']);
    lagging.finishIndexing();
    expect(await index.pending()).toBe(0);
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
    const index = indexOf('big', { token: server.tokens[1] ?? '', dimensions: 1536 });
    const vector = Array.from({ length: 1536 }, (_, at) => Math.sin(at + 1) / 3);
    server.forgetRequests();
    await index.upsert(Array.from({ length: 250 }, (_, at) => ({ id: `v${at}`, vector })));
    const sizes = server.requests.map(({ body }) => body.length);
    expect(sizes.length).toBeLessThanOrEqual(3);
    expect(Math.max(...sizes)).toBeLessThan(4_000_000);
    expect((await index.list()).ids).toHaveLength(250);
  });
  it('sends no more batches after the signal has aborted', async () => {
    const index = indexOf(randomUUID());
    const abort = new AbortController();
    server.forgetRequests();
    server.faults.always({ kind: 'hang-before-headers' });
    const many = Array.from({ length: 2500 }, (_, at) => ({ id: `v${at}`, vector: [1, at, 0] }));
    const stored = index.upsert(many, { signal: abort.signal });
    await expect.poll(() => server.requests.length, { interval: 2 }).toBe(1);
    abort.abort();
    await expect(stored).rejects.toMatchObject({ name: 'StoreUnavailable', reason: 'aborted' });
    expect(server.requests).toHaveLength(1);
  });
  it('sends every operation to its namespace, without headers of the SDK', async () => {
    const index = indexOf('there');
    server.forgetRequests();
    await index.upsert([{ id: 'a', vector: [1, 0, 0] }]);
    await index.query([1, 0, 0], { limit: 1 });
    await index.list();
    await index.list();
    await index.delete(['a']);
    await index.clear();
    const operations = ['upsert', 'query', 'range', 'range', 'delete', 'delete-namespace'];
    expect(server.requests.map(({ path }) => path)).toEqual(operations.map((operation) => `/${operation}/there`));
    for (const { headers } of server.requests)
      expect(Object.keys(headers).filter((name) => name.startsWith('upstash-'))).toEqual([]);
  });
  it('drops hits that do not meet the filter', async () => {
    const fetch = async () => Response.json({ result: [{ id: 'a', score: 1, metadata: { owner: 'them' } }] });
    const index = indexOf('n', { fetch });
    expect(await index.query([1, 0, 0], { limit: 5, filter: [{ field: 'owner', in: ['me'] }] })).toEqual([]);
  });
  it.each([
    ['a score that is not a number', [{ id: 'a', score: null }]],
    ['an id that is not a string', [{ id: 5, score: 0.5 }]],
    ['a list within the list', [[{ id: 'a', score: 0.5 }]]],
    ['an object', { id: 'a', score: 0.5 }],
    ['nothing', undefined],
  ])('throws `malformed` for %s', async (_name, result) => {
    const fetch = async () => Response.json({ result });
    const index = indexOf('n', { fetch });
    const malformed = { name: 'StoreUnavailable', reason: 'malformed' };
    await expect(index.query([1, 0, 0], { limit: 5 })).rejects.toMatchObject(malformed);
  });
  it('stops reading an endless reply', async () => {
    let chunks = 0;
    const endless = new ReadableStream({
      pull: (controller) => {
        chunks += 1;
        controller.enqueue(new Uint8Array(1024 * 1024).fill(32));
      },
    });
    const fetch = async () => new Response(endless);
    const index = indexOf('n', { fetch });
    const malformed = { name: 'StoreUnavailable', reason: 'malformed' };
    await expect(index.query([1, 0, 0], { limit: 5 })).rejects.toMatchObject(malformed);
    expect(chunks).toBeLessThan(20);
  });
  it('reads an unknown namespace as empty, but no other 404', async () => {
    const answering = (error: string) =>
      indexOf('n', { fetch: async () => Response.json({ error, status: 404 }, { status: 404 }) });
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

describe('filterText()', () => {
  it('puts every clause in parentheses', () => {
    const filter: VectorFilter = [
      { field: 'type', in: ['a', 'b-1'] },
      { field: 'at', atLeast: -5 },
      { field: 'at', atMost: 0.25 },
    ];
    expect(filterText(filter)).toBe("(type IN ('a', 'b-1')) AND (at >= -5) AND (at <= 0.25)");
  });
  it.each([
    "x' OR owner = 'them",
    'x" OR owner = "them',
    "them') OR (owner = 'them",
    'them*',
    '',
    'back\\slash',
    'new\nline',
    'nul\0',
    '\u2028',
    '\ud800',
    'x'.repeat(257),
  ])('refuses the value %j without repeating it', async (value) => {
    const filter: VectorFilter = [{ field: 'owner', in: ['a', value] }];
    expect(() => filterText(filter)).toThrow('the filter has a value that is not an id');
    server.forgetRequests();
    await expect(indexOf('n').query([1, 0, 0], { limit: 5, filter })).rejects.toThrow(RangeError);
    expect(server.requests).toEqual([]);
  });
  const fields = ['', 'a b', 'a=1 OR b', 'naïve', '1a', 'a.b', 'AND', 'true', 'x'.repeat(65)];
  it.each(fields)('refuses the field %j', (field) => {
    expect(() => filterText([{ field, atLeast: 1 }])).toThrow(RangeError);
  });
  it.each([Number.NaN, Number.POSITIVE_INFINITY, 1e21, 1e-10])('refuses the number %d', (value) => {
    expect(() => filterText([{ field: 'at', atLeast: value }])).toThrow(RangeError);
    expect(() => filterText([{ field: 'at', atMost: value }])).toThrow(RangeError);
  });
  it('refuses a filter that is too long', () => {
    const ids = Array.from({ length: 200 }, (_, at) => `id-${at}`);
    expect(() => filterText([{ field: 'id', in: ids }])).toThrow('the filter is too long');
  });
});

describe('meetsFilter()', () => {
  it('fails for a field that is missing, of another type, or inherited', () => {
    for (const [metadata, condition] of [
      [{}, { field: 'type', in: ['a'] }],
      [undefined, { field: 'type', in: ['a'] }],
      [{ type: 1 }, { field: 'type', in: ['1'] }],
      [{ at: '5' }, { field: 'at', atLeast: 1 }],
      [{}, { field: 'length', atLeast: 0 }],
      [{}, { field: 'constructor', in: ['Object'] }],
    ] as const)
      expect(meetsFilter(metadata, [condition]), JSON.stringify([metadata, condition])).toBe(false);
  });
});

const kinds = fc.stringMatching(/^[a-z]{1,16}$/);
const workspaces = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/),
  // Similar, long, and with many of the separators.
  fc.stringMatching(/^a[_-]{0,3}[ab]{50,58}[_-]{0,2}$/),
  fc.constantFrom('a', 'a_b', 'b', 'memory_a', '0', 'a-b'),
);

describe('namespaceOf()', () => {
  it('maps every kind and workspace to a distinct namespace', () => {
    const property = fc.property(kinds, workspaces, kinds, workspaces, (kind, workspace, otherKind, other) => {
      const isSame = kind === otherKind && workspace === other;
      expect(namespaceOf(kind, workspace) === namespaceOf(otherKind, other)).toBe(isSame);
    });
    fc.assert(property, { numRuns: 1000 });
  });
  it('maps lookalikes of a hashed namespace to other namespaces', () => {
    const long = namespaceOf('memory', 'x'.repeat(64));
    const lookalikes = [long.replace(/^memory-/, ''), long.replace(/^memory-/, '-'), long].filter((each) =>
      /^[A-Za-z0-9]/.test(each),
    );
    for (const each of lookalikes) expect(namespaceOf('memory', each)).not.toBe(long);
  });
  it('stays within the alphabet and length of a namespace', () => {
    const property = fc.property(kinds, workspaces, (kind, workspace) => {
      expect(isNamespace(namespaceOf(kind, workspace))).toBe(true);
    });
    fc.assert(property, { numRuns: 1000 });
  });
  it('keeps a short workspace readable', () => {
    expect(namespaceOf('memory', 'acme')).toBe('memory_acme');
  });
  it.each(['', 'Memory', 'memory_'])('refuses the kind %j', (kind) => {
    expect(() => namespaceOf(kind, 'a')).toThrow(RangeError);
  });
  it.each(['', '-a', 'a/b', 'a'.repeat(65), 'a\n'])('refuses the workspace %j', (workspace) => {
    expect(() => namespaceOf('memory', workspace)).toThrow(RangeError);
  });
});
