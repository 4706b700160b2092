import { describe, expect, it } from 'vitest';
import { chatModelOf, embeddingProviderOf, rerankerOf } from '../../src/adapters/models.ts';
import { readSettings } from '../../src/adapters/settings.ts';

describe('chatModelOf() and embeddingProviderOf()', () => {
  const prices = JSON.stringify({ 'gpt-4.1-mini': { inputPerMillion: 0.4, outputPerMillion: 1.6 } });

  it('return nothing when no model is configured', () => {
    const settings = readSettings({ OPENAI_API_KEY: 'sk-1', CHAT_MODEL: 'none', EMBEDDING_MODEL: 'none' });
    for (const each of [settings, readSettings({})]) {
      expect([chatModelOf(each), embeddingProviderOf(each)]).toEqual([{}, undefined]);
    }
  });

  it('return the configured models, and a price if there is one', () => {
    const settings = readSettings({ OPENAI_API_KEY: 'sk-1', MODEL_PRICES: prices, EMBEDDING_DIMENSIONS: '256' });
    expect(chatModelOf(settings)).toMatchObject({ ai: { model: 'gpt-4.1-mini' }, aiPrice: { inputPerMillion: 0.4 } });
    expect(chatModelOf(readSettings({ OPENAI_API_KEY: 'sk-1' }))).not.toHaveProperty('aiPrice');
    expect(embeddingProviderOf(settings)).toMatchObject({ model: 'text-embedding-3-small', dimensions: 256 });
  });
});

describe('rerankerOf()', () => {
  const AI = { run: async () => ({}) };
  const api = { RERANK_BASE_URL: 'https://api.jina.ai/v1', RERANK_API_KEY: 'k' };

  it('chooses the service, else Workers AI when its model is named, else none', () => {
    expect(rerankerOf({ ...api, RERANK_MODEL: 'jina-reranker-v2', AI }).reranker?.model).toBe('jina-reranker-v2');
    expect(rerankerOf({ RERANK_MODEL: '@cf/baai/bge-reranker-base', AI }).reranker?.model).toMatch(/^@cf/);
    expect(rerankerOf({ RERANK_MODEL: '@cf/baai/bge-reranker-base' })).toEqual({});
    expect(rerankerOf({ AI })).toEqual({});
  });

  it('refuses a service without a model or a key', () => {
    expect(() => rerankerOf(api)).toThrow('RERANK_MODEL');
    expect(() => rerankerOf({ RERANK_BASE_URL: 'https://api.jina.ai/v1', RERANK_MODEL: 'm' })).toThrow(
      'RERANK_API_KEY',
    );
  });
});
