import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { cl100k, loadTokenizer } from '../../src/ai/tokenizer.ts';
import { ContextEngine, OpenAIEmbeddingProvider } from '../../src/context-engine/index.ts';
import type { SearchOptions } from '../../src/contract/context-engine.ts';
import { type OpenAIServer, startOpenAIServer } from '../../src/dev/stand-ins/openai/openai-server.ts';
import { DIMENSIONS, embeddedStore, type StoreUnderTest, upstashStore } from '../storage/memory-stores.ts';
import { idsOf, memoryOf, valueIn } from './engine-for-test.ts';

const MEMORIES = [
  memoryOf('timeline', { content: 'The project timeline ends in June.', conversation_id: 'c1', confidence: 0.9 }),
  memoryOf('budget', { content: 'The budget of the project is approved.', type: 'decision', confidence: 0.4 }),
  memoryOf('kettle', { content: 'Descale the kettle with citric acid once a month.', type: 'note' }),
  memoryOf('ada', { content: 'Ada signs what is approved.', created_at: '2026-02-01T00:00:00Z' }),
  memoryOf('old', { content: 'The project archive.', created_at: '2025-01-01T00:00:00Z' }),
  memoryOf('theirs', { content: 'The project timeline ends in June.', workspace_id: 'w2' }),
];
const RELATED: Record<string, string> = { budget: 'timeline', ada: 'budget' };
const QUESTION = 'When does the project timeline end?';

describe.each([
  ['embedded', embeddedStore],
  ['Upstash', upstashStore],
])('ContextEngine over the %s storage', (_, makeStore) => {
  let server: OpenAIServer;
  let made: StoreUnderTest;
  let engine: ContextEngine;

  beforeAll(async () => {
    server = await startOpenAIServer();
    made = await makeStore();
    const { apiKey, url: baseURL } = server;
    const embeddingProvider = new OpenAIEmbeddingProvider({ apiKey, baseURL, dimensions: DIMENSIONS });
    const vectors = await embeddingProvider.embedBatch(MEMORIES.map(({ content }) => content));
    for (const [at, memory] of MEMORIES.entries()) {
      const to = RELATED[memory.id];
      const relatedTo = to === undefined ? [] : [{ memory_id: to, type: 'supports' }];
      expect(await made.store.put(memory, { vector: vectors[at], relatedTo })).toBe(true);
    }
    engine = new ContextEngine({ storageClient: made.store, embeddingProvider });
    // The vector index of Upstash is updated some time after a write.
    await vi.waitFor(async () => {
      expect(await made.store.searchMemories('w1', { vector: vectors[0], limit: 10 })).toHaveLength(5);
    });
  });
  afterAll(async () => {
    await made.stop();
    await server.stop();
  });

  it('ranks the same meaning first, and finds no memory of another workspace', async () => {
    const [first, ...more] = valueIn(await engine.search('The project timeline ends in June.', 'w1'));
    expect(first).toMatchObject({ memory: { id: 'timeline' }, score: expect.closeTo(1, 3) });
    expect(idsOf(more)).not.toContain('theirs');
    expect(idsOf(valueIn(await engine.search(QUESTION, 'w2')))).toEqual(['theirs']);
  });

  it.each<[SearchOptions, string]>([
    [{ memoryTypes: ['decision'] }, 'budget'],
    [{ conversationId: 'c1' }, 'timeline'],
    [{ minConfidence: 0.85 }, 'timeline'],
    [{ dateFrom: new Date('2026-01-15T00:00:00Z') }, 'ada'],
    [{ dateTo: new Date('2025-06-01T00:00:00Z') }, 'old'],
  ])('filters by %j', async (options, id) => {
    expect(idsOf(valueIn(await engine.search(QUESTION, 'w1', options)))).toEqual([id]);
  });

  it.each([
    [1, 'budget 1'],
    [3, 'budget 1, ada 2'],
  ])('follows relations down to the depth %d', async (relationshipDepth, expected) => {
    const options = { conversationId: 'c1', includeRelationships: true, relationshipDepth };
    const [result] = valueIn(await engine.search(QUESTION, 'w1', options));
    expect(result?.relationships?.map(({ memory, depth }) => `${memory.id} ${depth}`).join(', ')).toBe(expected);
  });

  it.each([15, 40, 2000])('builds a context of at most %d tokens of gpt-4, like its preview', async (tokenBudget) => {
    const options = { template: 'detailed', tokenBudget, includeRelationships: true };
    const preview = valueIn(await engine.previewContext(QUESTION, 'w1', options));
    expect(preview).toMatchObject(valueIn(await engine.buildContext(QUESTION, 'w1', options)));
    expect(preview.tokenCount).toBe((await loadTokenizer('gpt-4', [cl100k])).count(preview.context));
    expect([preview.tokenCount <= tokenBudget, preview.truncated]).toEqual([true, tokenBudget < 2000]);
  });

  it('is an error, never an empty result, when the model is down', async () => {
    server.faults.next(1, { kind: 'status', status: 400 }, '/v1/embeddings');
    expect(await engine.buildContext('a new question', 'w1')).toMatchObject({ error: { type: 'embedding_error' } });
  });

  it('falls back to words without a model', async () => {
    const lexical = new ContextEngine({ storageClient: made.store });
    expect(idsOf(valueIn(await lexical.search('descale kettle', 'w1')))).toEqual(['kettle']);
  });
});
