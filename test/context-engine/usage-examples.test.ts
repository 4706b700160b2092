import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { OpenAIEmbeddingProvider } from '../../src/ai/embeddings/openai.ts';
import { cl100k, loadTokenizer } from '../../src/ai/tokenizer.ts';
import { ContextEngine } from '../../src/context-engine/index.ts';
import { type OpenAIServer, startOpenAIServer } from '../../src/dev/stand-ins/openai/openai-server.ts';
import {
  basicSearch,
  contextForPrompt,
  customRanking,
  customTemplate,
  degradingGracefully,
  preview,
} from './fixtures/usage-examples.ts';
import { type MemoryStorage, memoryOf, memoryStorage } from './memory-storage.ts';

const QUESTION = 'What did we discuss about the project timeline?';
const MEMORIES = [
  memoryOf('m1', { content: 'The project timeline ends in June.', created_at: '2026-01-05T00:00:00Z' }),
  memoryOf('m2', { content: 'We discuss the timeline each Monday.', type: 'decision', confidence: 0.6 }),
  memoryOf('m3', { content: 'Coffee is on the third floor.', type: 'chat', created_at: '2026-02-01T00:00:00Z' }),
];

/** A server with the protocol of api.openai.com, which the examples call. */
let server: OpenAIServer;
let storage: MemoryStorage;
let engine: ContextEngine;

beforeAll(async () => {
  server = await startOpenAIServer();
  const { fetch } = globalThis;
  vi.stubGlobal('fetch', (url: string, init: RequestInit) =>
    fetch(url.replace('https://api.openai.com/v1', server.url), init),
  );
  vi.stubEnv('OPENAI_API_KEY', server.apiKey);
  const vectors = await new OpenAIEmbeddingProvider({ apiKey: server.apiKey }).embedBatch(
    MEMORIES.map(({ content }) => content),
  );
  storage = memoryStorage(
    MEMORIES.map((memory, at) => ({ memory, vector: vectors[at] })),
    [['m1', 'm3']],
  );
  engine = new ContextEngine({
    storageClient: storage,
    embeddingProvider: new OpenAIEmbeddingProvider({ apiKey: server.apiKey }),
  });
});
beforeEach(() => {
  vi.spyOn(console, 'log').mockImplementation(() => {});
  vi.spyOn(console, 'error').mockImplementation(() => {});
});
afterEach(() => {
  vi.restoreAllMocks();
  server.faults.none();
});
afterAll(async () => {
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  await server.stop();
});

describe('the usage examples of the context engine', () => {
  it('finds facts and decisions about a question', async () => {
    const found = await basicSearch(storage, 'w1');
    expect(found?.memories.map(({ memory }) => memory.id)).toEqual(['m1', 'm2']);
    expect(storage.queries.at(-1)).toMatchObject({ limit: 5, memoryTypes: ['fact', 'decision'], text: QUESTION });
    expect(storage.queries.at(-1)?.vector).toHaveLength(1536);
  });

  it('logs to the console why a search failed', async () => {
    server.faults.always({ kind: 'status', status: 400 }, '/v1/embeddings');
    expect(await basicSearch(storage, 'w1')).toBeUndefined();
    expect(console.error).toHaveBeenCalledWith('Search failed:', expect.objectContaining({ type: 'embedding_error' }));
  });

  it('puts context before the message of a user', async () => {
    const built = await contextForPrompt(engine, QUESTION, 'w1');
    // The tokens of the model, although the example configures no tokenizer.
    const tokenizer = await loadTokenizer('gpt-4', [cl100k]);
    expect(built.context).toContain('Relevant context from past conversations:\n\n- ');
    expect(built).toMatchObject({
      truncated: false,
      prompt: `${built.context}\n\nUser: ${QUESTION}\nAssistant:`,
      tokenCount: tokenizer.count(built.context),
    });
  });

  it('continues without context when the embedding model is down', async () => {
    server.faults.always({ kind: 'status', status: 400 }, '/v1/embeddings');
    expect(await contextForPrompt(engine, 'a new question', 'w1')).toEqual({ context: '', memories: [] });
    expect(await degradingGracefully(engine, 'another new question', 'w1')).toEqual({ context: '', memories: [] });
  });

  it('shows a preview', async () => {
    await preview(engine, QUESTION, 'w1');
    expect(vi.mocked(console.log).mock.calls.flat()).toEqual([
      'Context preview:',
      expect.stringMatching(/^- Token count: \d+$/),
      '- Memories included: 3',
      '- Truncated: false',
      expect.stringMatching(/^- Budget used: [\d.]+%$/),
    ]);
  });

  it('writes memories with a template of the caller', async () => {
    const built = await customTemplate(engine, QUESTION, 'w1');
    expect(built).toMatchObject({ ok: true, value: { template: 'code-focused' } });
    const context = built.ok ? built.value.context : '';
    expect(context).toMatch(/^# Relevant Code Context\n\n## fact\n```\nThe project timeline ends in June.\n```\n\n## /);
    expect(context).toMatch(/```\n\n---\n$/);
  });

  it('ranks with a function of the caller', async () => {
    const built = await customRanking(engine, QUESTION, 'w1');
    expect(built.ok && built.value.memories.map(({ memory }) => memory.id)).toEqual(['m3', 'm1', 'm2']);
  });
});
