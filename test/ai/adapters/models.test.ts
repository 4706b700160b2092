import { describe, expect, it } from 'vitest';
import {
  adapterHealth,
  chatModelOf,
  embeddingProviderOf,
  rerankerOf,
} from '../../../src/ai/adapters/models.ts';
import {
  type AdapterVariables,
  readAdapters,
  readModels,
} from '../../../src/ai/adapters/settings.ts';

describe('chatModelOf() and embeddingProviderOf()', () => {
  const KEY = { OPENAI_API_KEY: 'sk-1' };
  it.each([{}, { ...KEY, CHAT_MODEL: 'none', EMBEDDING_MODEL: 'none' }])(
    'return nothing for %j',
    (variables) => {
      const settings = readAdapters(variables);
      expect([chatModelOf(settings), embeddingProviderOf(settings)]).toEqual([{}, undefined]);
    },
  );
  it('return the configured models, and a price if there is one', () => {
    const MODEL_PRICES = '{"gpt-4.1-mini": {"inputPerMillion": 0.4, "outputPerMillion": 1.6}}';
    const settings = readAdapters({ ...KEY, MODEL_PRICES, EMBEDDING_DIMENSIONS: '256' });
    expect(chatModelOf(settings)).toMatchObject({
      ai: { model: 'gpt-4.1-mini' },
      aiPrice: { inputPerMillion: 0.4 },
    });
    expect(chatModelOf(readAdapters(KEY))).not.toHaveProperty('aiPrice');
    expect(embeddingProviderOf(settings)).toMatchObject({
      model: 'text-embedding-3-small',
      dimensions: 256,
    });
  });
});

describe('readModels()', () => {
  it('accepts any address and key where there are to be no models', () => {
    const variables = { OPENAI_BASE_URL: 'nonsense', OPENAI_API_KEY: 'two words' };
    expect(readModels({ ...variables, MODELS: 'none' })).toMatchObject({
      isOff: true,
      openai: undefined,
    });
    expect(() => readModels(variables)).toThrow('OPENAI_BASE_URL');
  });
});

describe('adapterHealth()', () => {
  it('names the models of Workers AI', () => {
    const health = (variables: AdapterVariables) => adapterHealth(variables, readModels(variables));
    expect(health({ WORKERS_AI: 'yes' })).toMatchObject({
      model: '@cf/meta/llama-3.3-70b-instruct-fp8-fast',
      embeddings: '@cf/baai/bge-m3',
    });
    expect(health({ WORKERS_AI: 'yes', MODELS: 'none' })).toMatchObject({ model: 'none' });
  });
});

describe('rerankerOf()', () => {
  const AI = { run: async () => ({}) };
  const API = { RERANK_BASE_URL: 'https://api.jina.ai/v1', RERANK_API_KEY: 'k' };
  const BGE = { RERANK_MODEL: '@cf/baai/bge-reranker-base' };
  it.each([
    ['the service', { ...API, RERANK_MODEL: 'jina-reranker-v2', AI }, 'jina-reranker-v2'],
    ['Workers AI when its model is named', { ...BGE, AI }, BGE.RERANK_MODEL],
    ['none without the binding', BGE, undefined],
    ['none without a model', { AI }, undefined],
    ['that of Workers AI where it has all models', { WORKERS_AI: 'yes', AI }, BGE.RERANK_MODEL],
    ['another one there', { WORKERS_AI: 'yes', AI, RERANK_MODEL: '@cf/x/y' }, '@cf/x/y'],
    [
      'none where another service has the models',
      { WORKERS_AI: 'yes', AI, OPENAI_API_KEY: 'sk-1' },
      undefined,
    ],
    ['none with RERANK_MODEL=none', { WORKERS_AI: 'yes', AI, RERANK_MODEL: 'none' }, undefined],
    ['none with MODELS=none', { ...API, RERANK_MODEL: 'm', MODELS: 'none' }, undefined],
  ])('chooses %s', (_, variables, model) =>
    expect(rerankerOf(variables).reranker?.model).toBe(model),
  );
  it.each([
    ['RERANK_MODEL', API],
    ['RERANK_API_KEY', { RERANK_BASE_URL: API.RERANK_BASE_URL, RERANK_MODEL: 'm' }],
  ])('refuses a service without %s', (name, variables) =>
    expect(() => rerankerOf(variables)).toThrow(name),
  );
});
