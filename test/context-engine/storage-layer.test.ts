import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { OpenAIEmbeddingProvider } from '../../src/ai/embeddings/openai.ts';
import { cl100k, loadTokenizer } from '../../src/ai/tokenizer.ts';
import { ContextEngine } from '../../src/context-engine/index.ts';
import { ContextPreview } from '../../src/contract/context-engine.ts';
import { type OpenAIServer, startOpenAIServer } from '../../src/dev/stand-ins/openai/openai-server.ts';
import { DIMENSIONS, embeddedStore, type StoreUnderTest, upstashStore } from '../storage/memory-stores.ts';
import { memoryOf, valueIn } from './memory-storage.ts';

const MEMORIES = [
  memoryOf('timeline', { content: 'The project timeline ends in June.', conversation_id: 'c1', confidence: 0.9 }),
  memoryOf('budget', { content: 'The budget of the project is approved.', type: 'decision', confidence: 0.4 }),
  memoryOf('kettle', { content: 'Descale the kettle with citric acid once a month.', type: 'note' }),
  memoryOf('ada', { content: 'Ada signs what is approved.', created_at: '2026-02-01T00:00:00Z' }),
  memoryOf('long', {
    content: 'The project archive. '.repeat(400),
    created_at: '2025-01-01T00:00:00Z',
    type: 'archive',
  }),
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
    engine = new ContextEngine({
      storageClient: made.store,
      embeddingProvider,
      expectedEmbeddingDimensions: DIMENSIONS,
      tokenizer: () => loadTokenizer('gpt-4', [cl100k]),
    });
    // The vector index of Upstash is updated some time after a write.
    await vi.waitFor(async () => {
      const found = await made.store.searchMemories('w1', { vector: vectors[0], limit: 10 });
      expect(found).toHaveLength(5);
    });
  });
  afterAll(async () => {
    await made.stop();
    await server.stop();
  });

  it('ranks the same meaning first, and no memory of another workspace', async () => {
    const results = valueIn(await engine.search('The project timeline ends in June.', 'w1'));
    expect(results[0]).toMatchObject({ memory: { id: 'timeline' }, score: expect.closeTo(1, 3) });
    expect(results.every(({ memory }) => memory.workspace_id === 'w1')).toBe(true);
    expect(valueIn(await engine.search(QUESTION, 'w2')).map(({ memory }) => memory.id)).toEqual(['theirs']);
  });

  it('filters by type, confidence, conversation and date', async () => {
    const found = async (options: Parameters<ContextEngine['search']>[2]) =>
      valueIn(await engine.search(QUESTION, 'w1', options)).map(({ memory }) => memory.id);
    expect(await found({ memoryTypes: ['decision'] })).toEqual(['budget']);
    expect(await found({ conversationId: 'c1' })).toEqual(['timeline']);
    expect(await found({ minConfidence: 0.85 })).toEqual(['timeline']);
    expect(await found({ dateFrom: new Date('2026-01-15T00:00:00Z') })).toEqual(['ada']);
    expect(await found({ dateTo: new Date('2025-06-01T00:00:00Z') })).toEqual(['long']);
  });

  it('follows relations down to the depth', async () => {
    const related = async (relationshipDepth: number) => {
      const options = { conversationId: 'c1', includeRelationships: true, relationshipDepth };
      const [result] = valueIn(await engine.search(QUESTION, 'w1', options));
      return result?.relationships?.map(({ memory, depth }) => [memory.id, depth]);
    };
    expect(await related(1)).toEqual([['budget', 1]]);
    const expected = [
      ['budget', 1],
      ['ada', 2],
    ];
    expect(await related(3)).toEqual(expected);
  });

  it.each([15, 40, 100, 2000, 5000])(
    'returns at most %d tokens, and the same text in a preview',
    async (tokenBudget) => {
      const options = { tokenBudget, template: 'detailed', includeRelationships: true };
      const built = valueIn(await engine.buildContext(QUESTION, 'w1', options));
      const preview = valueIn(await engine.previewContext(QUESTION, 'w1', options));
      expect(ContextPreview.parse(preview)).toEqual(preview);
      const expected = { context: built.context, tokenCount: built.tokenCount, truncated: built.truncated };
      expect(preview).toMatchObject(expected);
      expect(built.tokenCount).toBeLessThanOrEqual(tokenBudget);
      expect(built.truncated).toBe(tokenBudget < 2000);
    },
  );

  it('falls back to words when no memory has a vector', async () => {
    const lexical = new ContextEngine({ storageClient: made.store });
    const results = valueIn(await lexical.search('descale kettle', 'w1'));
    expect(results.map(({ memory }) => memory.id)).toEqual(['kettle']);
  });
});
