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

const TEXTS = ['Descale the boiler every two months.', 'The filter goes into the tank.'];

/** A library over the real adapters, in its own namespace. */
const setUp = () => {
  const { url, token } = vector;
  const provider = new OpenAIEmbeddingProvider({ baseURL: openai.url, apiKey: openai.apiKey });
  const index = upstashVectorIndex({ url, token, namespace: `kb_test${++spaces}`, dimensions: provider.dimensions });
  const host = hostWith(TEXTS.map((text, at) => hostArticle(`a${at}.md`, text)));
  const parts = libraryForTest(host, { embedding: { provider, index, indexName: url } });
  const sync = async () => {
    parts.library.startSync({ full: true });
    // The server has its own clock: the library polls until stored vectors are visible.
    await workThrough(parts, { withinMs: 200_000 });
    return parts.library.status().last_report;
  };
  const search = async () => {
    const retrieve = createRetriever({ embeddings: provider, indexOf: () => index, deadlineMs: 5000 });
    const { outcome, semantic } = await retrieve(await editionOf(parts.library), 'descale the boiler');
    return { semantic, similarity: outcome.hits[0]?.similarity };
  };
  return { index, sync, search };
};

it.each([
  ['status 429', { kind: 'status', status: 429 }],
  ['status 500', { kind: 'status', status: 500 }],
  ['a connection that ends', { kind: 'reset' }],
  ['a truncated reply', { kind: 'reset-in-body' }],
  ['a reply that is not JSON', { kind: 'malformed-json' }],
] as const)('a sync publishes without vectors when OpenAI answers with %s, and adds them later', async (_, fault) => {
  const { sync, search, index } = setUp();
  openai.faults.always(fault);
  expect(await sync()).toMatchObject({ outcome: 'published', embeddings: 0, embeddings_missing: 2 });
  expect(await search()).toEqual({ semantic: 'absent', similarity: undefined });
  openai.faults.none();
  expect(await sync()).toMatchObject({ outcome: 'published', embeddings: 2 });
  await expect.poll(() => index.pending(), { timeout: 5000, interval: 20 }).toBe(0);
  expect(await search()).toEqual({ semantic: 'used', similarity: expect.any(Number) });
});

it.each([
  ['status 500', { kind: 'status', status: 500 }],
  ['a connection that ends', { kind: 'reset', executed: true }],
  ['an HTML page of a proxy', { kind: 'html-502' }],
] as const)('a sync continues after Upstash Vector answers once with %s', async (_, fault) => {
  const { sync, index } = setUp();
  vector.faults.next(1, fault, '/upsert');
  expect(await sync()).toMatchObject({ outcome: 'published', embeddings: 2 });
  expect((await index.list()).ids).toHaveLength(2);
});
