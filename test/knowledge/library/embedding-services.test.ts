import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { OpenAIEmbeddingProvider } from '../../../src/ai/embeddings/openai.ts';
import { type OpenAIServer, startOpenAIServer } from '../../../src/dev/stand-ins/openai/openai-server.ts';
import { startVectorServer, type VectorServer } from '../../../src/dev/stand-ins/vector/vector-server.ts';
import { createRetriever } from '../../../src/search/retrieve.ts';
import { upstashVectorIndex } from '../../../src/storage/upstash-vector-index.ts';
import { editionOf, hostArticle, hostWith, libraryForTest, workThrough } from './library-for-test.ts';

let openai: OpenAIServer;
let vector: VectorServer;
let spaces = 0;

beforeAll(async () => {
  [openai, vector] = await Promise.all([startOpenAIServer(), startVectorServer({ indexingDelayMs: 50 })]);
});
afterAll(async () => Promise.all([openai.stop(), vector.stop()]));
beforeEach(() => {
  for (const server of [openai, vector]) {
    server.faults.none();
    server.forgetRequests();
  }
});

const BOILER = ['Descale the boiler every two months.', 'The filter goes into the tank.'];
const FAN = ['Press the button for ten seconds.', 'The fan hums when dust blocks it.'];

/** A library with an article per text over the real adapters, in its own namespace. */
const setUp = (texts: readonly string[]) => {
  const { url, token } = vector;
  const provider = new OpenAIEmbeddingProvider({ baseURL: openai.url, apiKey: openai.apiKey });
  const index = upstashVectorIndex({ url, token, namespace: `kb_test${++spaces}`, dimensions: provider.dimensions });
  const host = hostWith(texts.map((text, at) => hostArticle(`a${at}.md`, text)));
  const parts = libraryForTest(host, { embedding: { provider, index, indexName: url } });
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
  /** Waits until the index shows all stored vectors; the timeout is generous. */
  const visible = () => expect.poll(() => index.pending(), { timeout: 5000, interval: 20 }).toBe(0);
  return { index, sync, search, visible };
};

it('a sync with OpenAI and Upstash Vector stores every chunk, separates workspaces, and writes nothing the second time', async () => {
  const [one, other] = [setUp([...BOILER, ...FAN]), setUp(FAN)];
  expect(await one.sync()).toMatchObject({ outcome: 'published', embeddings: 4, error: null });
  const upserts = vector.requests.filter(({ path }) => path.startsWith('/upsert'));
  expect([openai.requests.length, upserts.length]).toEqual([1, 1]);
  await other.sync();
  for (const { visible } of [one, other]) await visible();
  const { semantic, hits } = await one.search('descale the boiler');
  expect([semantic, hits[0]]).toEqual(['used', ['a0.md', expect.any(Number)]]);
  expect(hits[0]?.[1]).toBeGreaterThan(0.3);
  expect(hits.map(([id]) => id).sort()).toEqual(['a0.md', 'a1.md', 'a2.md', 'a3.md']);
  expect((await other.index.list()).ids).toHaveLength(2);
  for (const server of [openai, vector]) server.forgetRequests();
  expect(await one.sync()).toMatchObject({ outcome: 'unchanged', embeddings: 0, writes: 0 });
  // A full sync lists the vectors of the index.
  expect([...openai.requests, ...vector.requests].map(({ path }) => path.split('/')[1])).toEqual(['range']);
  vector.faults.always({ kind: 'status', status: 500 }, '/query');
  expect(await one.search('descale the boiler')).toMatchObject({ semantic: 'failed', hits: [['a0.md', undefined]] });
});

it.each([
  ['status 429', { kind: 'status', status: 429 }],
  ['status 500', { kind: 'status', status: 500 }],
  ['a connection that ends', { kind: 'reset' }],
  ['a truncated reply', { kind: 'reset-in-body' }],
  ['a reply that is not JSON', { kind: 'malformed-json' }],
] as const)(
  'a sync publishes without vectors when every embedding fails with %s, and adds them later',
  async (_, fault) => {
    const { sync, search } = setUp(BOILER);
    openai.faults.always(fault);
    expect(await sync()).toMatchObject({ outcome: 'published', embeddings: 0, embeddings_missing: 2 });
    expect(await search('descale the boiler')).toMatchObject({ semantic: 'absent', hits: [['a0.md', undefined]] });
    openai.faults.none();
    expect(await sync()).toMatchObject({ outcome: 'published', embeddings: 2 });
  },
);

it.each([
  ['status 500', { kind: 'status', status: 500 }],
  ['a connection that ends', { kind: 'reset', executed: true }],
  ['an HTML page of a proxy', { kind: 'html-502' }],
] as const)('a sync continues after %s of the index', async (_, fault) => {
  const { sync, index } = setUp(BOILER);
  vector.faults.next(1, fault, '/upsert');
  expect(await sync()).toMatchObject({ outcome: 'published', embeddings: 2 });
  expect((await index.list()).ids).toHaveLength(2);
});
