import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  filterText,
  isNamespace,
  namespaceOf,
  upstashVectorIndex,
} from '../../../src/platform/storage/upstash-vector-index.ts';
import { meetsFilter, type VectorFilter } from '../../../src/platform/storage/vector-index.ts';
import {
  startVectorServer,
  type VectorServer,
} from '../../../tools/stand-ins/vector/vector-server.ts';
import { describeUpstashFaults } from './describe-upstash-faults.ts';
import { describeVectorIndex } from './describe-vector-index.ts';
import HOSTILE from './hostile-filters.json' with { type: 'json' };

let server: VectorServer;

beforeAll(async () => {
  const indexes = [{ dimension: 3 }, { dimension: 1536 }];
  server = await startVectorServer({ indexes, indexingDelayMs: 40, deletesLinger: true });
});
afterEach(() => {
  server.faults.none();
});
afterAll(() => server?.stop());

const indexOf = (namespace: string, more: Partial<Parameters<typeof upstashVectorIndex>[0]> = {}) =>
  upstashVectorIndex({ url: server.url, token: server.token, namespace, dimensions: 3, ...more });

describeVectorIndex('Upstash Vector', async () => ({
  index: indexOf(randomUUID()),
  other: indexOf(randomUUID()),
}));

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

/** An index whose service answers this. */
const answering = (body: unknown, init?: ResponseInit) =>
  indexOf('n', { fetch: async () => Response.json(body, init) });
const failsAs = (reason: string) => ({ name: 'StoreUnavailable', reason });

describe('upstashVectorIndex()', () => {
  it('stores a record once when the connection ends after it was stored', async () => {
    const index = indexOf(randomUUID());
    server.faults.next(1, { kind: 'reset', executed: true }, '/upsert');
    await index.upsert([{ id: 'a', vector: VECTOR }]);
    expect((await index.list()).ids).toEqual(['a']);
  });
  it('finds a new record once pending is 0', async () => {
    const lagging = await startVectorServer({
      indexes: [{ dimension: 3 }],
      indexingDelayMs: Number.POSITIVE_INFINITY,
    });
    onTestFinished(() => lagging.stop());
    const index = indexOf('a', { url: lagging.url, token: lagging.token });
    await index.upsert([{ id: 'a', vector: [1, 0, 0] }]);
    const state = async () => [
      await index.pending(),
      (await index.query([1, 0, 0], { limit: 1 })).length,
    ];
    expect(await state()).toEqual([1, 0]);
    expect((await index.list()).ids).toEqual(['a']);
    lagging.finishIndexing();
    expect(await state()).toEqual([0, 1]);
  });
  it.each(['', 'a/b', 'x?y', 'x#y', 'a b', 'ä', 'a'.repeat(65), '..'])(
    'refuses the namespace %j',
    (namespace) => {
      expect(() => indexOf(namespace)).toThrow(RangeError);
    },
  );
  it.each([
    ...['', 'not a url', 'ftp://host', 'https://host/?_token=x', 'https://user:pass@host'].map(
      (url) => ({ url }),
    ),
    { token: 'secret\nX: y' },
  ])('refuses %j without repeating it', (access) => {
    const says = /^[^:]*the (?:URL|token) of Upstash cannot be one[^:]*$/;
    expect(() => indexOf('a', access)).toThrow(says);
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
    const abort = new AbortController();
    server.forgetRequests();
    server.faults.always({ kind: 'hang-before-headers' });
    const many = Array.from({ length: 2500 }, (_, at) => ({ id: `v${at}`, vector: [1, at, 0] }));
    const stored = indexOf(randomUUID()).upsert(many, { signal: abort.signal });
    await expect.poll(() => server.requests.length, { interval: 2 }).toBe(1);
    abort.abort();
    await expect(stored).rejects.toMatchObject(failsAs('aborted'));
    expect(server.requests).toHaveLength(1);
  });
  it('sends every operation to its namespace, without headers of the SDK', async () => {
    const index = indexOf('there');
    server.forgetRequests();
    await index.upsert([{ id: 'a', vector: [1, 0, 0] }]);
    await index.query([1, 0, 0], { limit: 1 });
    for (let page = 0; page < 2; page += 1) await index.list();
    await index.delete(['a']);
    await index.clear();
    const operations = ['upsert', 'query', 'range', 'range', 'delete', 'delete-namespace'];
    expect(server.requests.map(({ path }) => path)).toEqual(
      operations.map((operation) => `/${operation}/there`),
    );
    const names = server.requests.flatMap(({ headers }) => Object.keys(headers));
    expect(names.filter((header) => header.startsWith('upstash-'))).toEqual([]);
  });
  it('drops hits that do not meet the filter', async () => {
    const index = answering({ result: [{ id: 'a', score: 1, metadata: { owner: 'them' } }] });
    expect(
      await index.query([1, 0, 0], { limit: 5, filter: [{ field: 'owner', in: ['me'] }] }),
    ).toEqual([]);
  });
  it.each([
    ['a score that is not a number', [{ id: 'a', score: null }]],
    ['an id that is not a string', [{ id: 5, score: 0.5 }]],
    ['a list within the list', [[{ id: 'a', score: 0.5 }]]],
    ['an object', { id: 'a', score: 0.5 }],
    ['nothing', undefined],
  ])('throws `malformed` for %s', async (_name, result) => {
    await expect(answering({ result }).query([1, 0, 0], { limit: 5 })).rejects.toMatchObject(
      failsAs('malformed'),
    );
  });
  it('stops reading an endless reply', async () => {
    let chunks = 0;
    const pull = (controller: ReadableStreamDefaultController) => {
      chunks += 1;
      controller.enqueue(new Uint8Array(1024 * 1024).fill(32));
    };
    const index = indexOf('n', { fetch: async () => new Response(new ReadableStream({ pull })) });
    await expect(index.query([1, 0, 0], { limit: 5 })).rejects.toMatchObject(failsAs('malformed'));
    expect(chunks).toBeLessThan(20);
  });
  it('reads an unknown namespace as empty, but no other 404', async () => {
    const missing = (error: string) => answering({ error, status: 404 }, { status: 404 });
    const unknown = missing('Namespace n for the index x does not exist');
    expect(await unknown.query([1, 0, 0], { limit: 5 })).toEqual([]);
    expect(await unknown.list()).toEqual({ ids: [] });
    await unknown.delete(['a']);
    await unknown.clear();
    await expect(unknown.upsert([{ id: 'a', vector: VECTOR }])).rejects.toMatchObject(
      failsAs('refused'),
    );
    await expect(missing('Not found').query([1, 0, 0], { limit: 5 })).rejects.toMatchObject(
      failsAs('refused'),
    );
  });
});

describe('filterText()', () => {
  it('puts every clause in parentheses', () => {
    const type = { field: 'type', in: ['a', 'b-1'] };
    const filter = [type, { field: 'at', atLeast: -5 }, { field: 'at', atMost: 0.25 }];
    expect(filterText(filter)).toBe("(type IN ('a', 'b-1')) AND (at >= -5) AND (at <= 0.25)");
  });
  it.each([...HOSTILE.values, '\ud800', 'x'.repeat(257)])(
    'refuses the value %j, not repeating it',
    async (value) => {
      const filter: VectorFilter = [{ field: 'owner', in: ['a', value] }];
      expect(() => filterText(filter)).toThrow('the filter has a value that is not an id');
      server.forgetRequests();
      await expect(indexOf('n').query([1, 0, 0], { limit: 5, filter })).rejects.toThrow(RangeError);
      expect(server.requests).toEqual([]);
    },
  );
  it.each([
    ...[...HOSTILE.fields, 'x'.repeat(65)].map((field) => ({ field, atLeast: 1 })),
    ...[Number.NaN, Number.POSITIVE_INFINITY, 1e21, 1e-10].flatMap((value) => [
      { field: 'at', atLeast: value },
      { field: 'at', atMost: value },
    ]),
    { field: 'id', in: Array.from({ length: 200 }, (_, at) => `id-${at}`) },
  ])('refuses the condition %j', (condition) =>
    expect(() => filterText([condition])).toThrow(RangeError),
  );
});

it.each([
  [{}, { field: 'type', in: ['a'] }],
  [undefined, { field: 'type', in: ['a'] }],
  [{ type: 1 }, { field: 'type', in: ['1'] }],
  [{ at: '5' }, { field: 'at', atLeast: 1 }],
  [{}, { field: 'length', atLeast: 0 }],
  [{}, { field: 'constructor', in: ['Object'] }],
])(
  'meetsFilter() fails for a field that is missing, of another type, or inherited: %j, %j',
  (metadata, condition) => {
    expect(meetsFilter(metadata, [condition])).toBe(false);
  },
);

describe('namespaceOf()', () => {
  const kinds = fc.stringMatching(/^[a-z]{1,16}$/);
  const workspaces = fc.oneof(
    fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/),
    // Similar, long, and with many of the separators.
    fc.stringMatching(/^a[_-]{0,3}[ab]{50,58}[_-]{0,2}$/),
    fc.constantFrom('a', 'a_b', 'b', 'memory_a', '0', 'a-b'),
  );
  it('maps every kind and workspace to a distinct namespace', () => {
    const property = fc.property(
      kinds,
      workspaces,
      kinds,
      workspaces,
      (kind, workspace, otherKind, other) => {
        const namespace = namespaceOf(kind, workspace);
        expect(isNamespace(namespace)).toBe(true);
        expect(namespace === namespaceOf(otherKind, other)).toBe(
          kind === otherKind && workspace === other,
        );
      },
    );
    fc.assert(property, { numRuns: 2000 });
  });
  it('maps lookalikes of a hashed namespace to other namespaces, and keeps a short workspace readable', () => {
    const long = namespaceOf('memory', 'x'.repeat(64));
    for (const each of [long.replace(/^memory-/, ''), long])
      expect(namespaceOf('memory', each)).not.toBe(long);
    expect(namespaceOf('memory', 'acme')).toBe('memory_acme');
  });
  it.each([
    ...['', 'Memory', 'memory_'].map((kind) => [kind, 'a'] as const),
    ...['', '-a', 'a/b', 'a'.repeat(65), 'a\n'].map((workspace) => ['memory', workspace] as const),
  ])('refuses the kind %j with the workspace %j', (kind, workspace) => {
    expect(() => namespaceOf(kind, workspace)).toThrow(RangeError);
  });
});
