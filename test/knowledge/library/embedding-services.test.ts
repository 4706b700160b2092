import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { OpenAIEmbeddingProvider } from '../../../src/ai/embeddings/openai.ts';
import { type OpenAIServer, startOpenAIServer } from '../../../src/dev/stand-ins/openai/openai-server.ts';
import { startVectorServer, type VectorServer } from '../../../src/dev/stand-ins/vector/vector-server.ts';
import { createRetriever } from '../../../src/search/retrieve.ts';
import { upstashVectorIndex } from '../../../src/storage/upstash-vector-index.ts';
import { editionOf, type FakeHost, hostArticle, hostWith, libraryForTest, workThrough } from './library-for-test.ts';

let openai: OpenAIServer;
let vector: VectorServer;
let spaces = 0;

beforeAll(async () => {
  [openai, vector] = await Promise.all([startOpenAIServer(), startVectorServer({ indexingDelayMs: 50 })]);
});
afterAll(async () => Promise.all([openai.stop(), vector.stop()]));
beforeEach(() => {
  openai.faults.none();
  vector.faults.none();
  openai.forgetRequests();
  vector.forgetRequests();
});

const TEXTS = [
  'Descale the boiler every two months.',
  'The filter goes into the tank.',
  'Press the button for ten seconds.',
  'The fan hums when dust blocks it.',
];
const hostOf = (texts: readonly string[]) => hostWith(texts.map((text, at) => hostArticle(`a${at}.md`, text)));

/** A library over the real adapters, in its own namespace. */
const setUp = (host: FakeHost) => {
  const namespace = `kb_test${++spaces}`;
  const provider = new OpenAIEmbeddingProvider({ baseURL: openai.url, apiKey: openai.apiKey });
  const index = upstashVectorIndex({
    url: vector.url,
    token: vector.token,
    namespace,
    dimensions: provider.dimensions,
  });
  const parts = libraryForTest(host, { embedding: { provider, index, indexName: vector.url } });
  const sync = async () => {
    parts.library.startSync({ full: true });
    // The server has its own clock: the library polls until stored vectors are visible.
    await workThrough(parts, { withinMs: 200_000 });
    return parts.library.status().last_report;
  };
  const search = async (question: string) => {
    const edition = await editionOf(parts.library);
    const retrieve = createRetriever({ embeddings: provider, indexOf: () => index, deadlineMs: 5000 });
    const { outcome, semantic } = await retrieve(edition, question);
    return { semantic, hits: outcome.hits.map((hit) => [edition.article(hit.article).id, hit.similarity] as const) };
  };
  return { ...parts, index, sync, search };
};

const calls = () => ({
  embeddings: openai.requests.length,
  upserts: vector.requests.filter(({ path }) => path.startsWith('/upsert')).length,
});

/** Waits until the index shows all stored vectors; the timeout is generous. */
const visible = async (index: { pending: () => Promise<number> }): Promise<void> => {
  await expect.poll(() => index.pending(), { timeout: 5000, interval: 20 }).toBe(0);
};

describe('a sync with Upstash Vector and OpenAI', () => {
  it('embeds, stores and finds every chunk, and does nothing the second time', async () => {
    const { sync, search, index } = setUp(hostOf(TEXTS));
    expect(await sync()).toMatchObject({ outcome: 'published', embeddings: 4, error: null });
    expect(calls()).toEqual({ embeddings: 1, upserts: 1 });
    await visible(index);
    const { semantic, hits } = await search('descale the boiler');
    expect(semantic).toBe('used');
    expect(hits[0]?.[0]).toBe('a0.md');
    expect(hits[0]?.[1]).toBeGreaterThan(0.3);
    expect(hits.map(([id]) => id).sort()).toEqual(['a0.md', 'a1.md', 'a2.md', 'a3.md']);
    openai.forgetRequests();
    vector.forgetRequests();
    expect(await sync()).toMatchObject({ outcome: 'unchanged', embeddings: 0, writes: 0 });
    // A full sync lists the vectors of the index.
    expect([...openai.requests, ...vector.requests].map(({ path }) => path.split('/')[1])).toEqual(['range']);
  });

  it('embeds changed chunks, and removes vectors of deleted ones', async () => {
    const host = hostOf(TEXTS);
    const { sync, index } = setUp(host);
    await sync();
    const before = (await index.list()).ids;
    host.articles = hostOf([...TEXTS.slice(0, 3), 'The fan is silent.']).articles;
    expect(await sync()).toMatchObject({ embeddings: 1, changed: 1 });
    const after = (await index.list()).ids;
    expect(after).toHaveLength(4);
    expect(after.filter((id) => before.includes(id))).toHaveLength(3);
  });

  it.each([
    ['status 429', { kind: 'status', status: 429 }],
    ['status 500', { kind: 'status', status: 500 }],
    ['a connection that ends', { kind: 'reset' }],
    ['a truncated reply', { kind: 'reset-in-body' }],
    ['a reply that is not JSON', { kind: 'malformed-json' }],
  ] as const)(
    'publishes without vectors when every embedding fails with %s, and adds them later',
    async (_, fault) => {
      const parts = setUp(hostOf(TEXTS));
      openai.faults.always(fault);
      expect(await parts.sync()).toMatchObject({ outcome: 'published', embeddings: 0, embeddings_missing: 4 });
      const expected = { semantic: 'absent', hits: [['a0.md', undefined]] };
      expect(await parts.search('descale the boiler')).toMatchObject(expected);
      openai.faults.none();
      expect(await parts.sync()).toMatchObject({ outcome: 'published', embeddings: 4 });
    },
    60_000,
  );

  it.each([
    ['status 500', { kind: 'status', status: 500 }],
    ['a connection that ends', { kind: 'reset', executed: true }],
    ['an HTML page of a proxy', { kind: 'html-502' }],
  ] as const)('continues after %s of the index', async (_, fault) => {
    const { sync, index } = setUp(hostOf(TEXTS));
    vector.faults.next(1, fault, '/upsert');
    expect(await sync()).toMatchObject({ outcome: 'published', embeddings: 4 });
    expect((await index.list()).ids).toHaveLength(4);
  });

  it('keeps two workspaces apart', async () => {
    const [one, other] = [setUp(hostOf(TEXTS.slice(0, 2))), setUp(hostOf(TEXTS.slice(2)))];
    await one.sync();
    await other.sync();
    await Promise.all([visible(one.index), visible(other.index)]);
    expect((await one.search('boiler')).hits.map(([id]) => id).sort()).toEqual(['a0.md', 'a1.md']);
    expect((await one.index.list()).ids).toHaveLength(2);
  });

  it('searches by words when the index fails', async () => {
    const { sync, search } = setUp(hostOf(TEXTS));
    await sync();
    vector.faults.always({ kind: 'status', status: 500 }, '/query');
    expect(await search('descale the boiler')).toMatchObject({ semantic: 'failed', hits: [['a0.md', undefined]] });
  });
});
