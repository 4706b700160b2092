import { describe, expect, it } from 'vitest';
import { type AdapterVariables, readSettings } from '../../src/adapters/settings.ts';

const PRODUCTION: AdapterVariables = {
  UPSTASH_VECTOR_REST_URL: 'https://vector-1.upstash.io',
  UPSTASH_VECTOR_REST_TOKEN: 'vector-secret',
  UPSTASH_REDIS_REST_URL: 'https://redis-1.upstash.io/',
  UPSTASH_REDIS_REST_TOKEN: 'redis-secret',
  OPENAI_API_KEY: 'sk-secret',
};

const LOCAL: AdapterVariables = {
  ENVIRONMENT: 'development',
  UPSTASH_VECTOR_REST_URL: 'http://127.0.0.1:9001',
  UPSTASH_REDIS_REST_URL: 'http://127.0.0.1:9002',
  OPENAI_BASE_URL: 'http://127.0.0.1:9003/v1',
};

describe('readSettings()', () => {
  it('chooses the embedded adapters when variables are unset or empty', () => {
    const nothing = Object.fromEntries(Object.keys(PRODUCTION).map((name) => [name, ' ']));
    for (const variables of [{}, nothing]) {
      const [cache, budgets] = [{ maxSize: 2000, ttlSeconds: 86_400 }, { tokens: 30_000 }];
      expect(readSettings(variables)).toEqual({ cache, budgets, factTokens: 300 });
    }
  });

  it('reads a production configuration', () => {
    expect(readSettings(PRODUCTION)).toMatchObject({
      vector: { url: 'https://vector-1.upstash.io', token: 'vector-secret' },
      redis: { url: 'https://redis-1.upstash.io', token: 'redis-secret' },
      openai: { url: 'https://api.openai.com/v1', token: 'sk-secret' },
      embedding: { model: 'text-embedding-3-small', dimensions: 1536 },
    });
  });

  it('needs only three variables when the services are on this machine', () => {
    expect(readSettings(LOCAL)).toMatchObject({
      vector: { url: 'http://127.0.0.1:9001', token: 'local' },
      redis: { url: 'http://127.0.0.1:9002', token: 'local' },
      openai: { url: 'http://127.0.0.1:9003/v1', token: 'local' },
    });
  });

  it('accepts any model with dimensions, a shorter vector of a known one, and none', () => {
    const own = { ...PRODUCTION, EMBEDDING_MODEL: 'nomic-embed-text:v1.5', EMBEDDING_DIMENSIONS: '768' };
    expect(readSettings(own).embedding).toEqual({ model: 'nomic-embed-text:v1.5', dimensions: 768 });
    expect(readSettings({ ...PRODUCTION, EMBEDDING_DIMENSIONS: '512' }).embedding?.dimensions).toBe(512);
    const without = { OPENAI_API_KEY: 'sk-secret', CHAT_MODEL: 'none', EMBEDDING_MODEL: 'none' };
    expect(readSettings(without)).toMatchObject({ chat: undefined, embedding: undefined });
  });

  it('reads the ids of languages', () => {
    expect(readSettings({ LANGUAGE_IDS: '{"en": 1, "de": 2}' }).languageIds).toEqual({ en: 1, de: 2 });
  });

  it('reads prices and the limits of a question', () => {
    const MODEL_PRICES = '{"gpt-4.1-mini": {"inputPerMillion": 0.4, "outputPerMillion": 1.6}}';
    const limits = { TOKENS_PER_QUESTION: '0', COST_MICROS_PER_QUESTION: '2500' };
    const { chat, budgets } = readSettings({ ...PRODUCTION, MODEL_PRICES, ...limits });
    expect([chat?.prices, budgets]).toEqual([JSON.parse(MODEL_PRICES), { tokens: 0, cost_micros: 2500 }]);
  });

  const WRONG: [name: string, variables: AdapterVariables, message: RegExp][] = [
    ['a token without an address', { UPSTASH_REDIS_REST_TOKEN: 's' }, /UPSTASH_REDIS_REST_URL is not set/],
    ['an address without a token', { ...PRODUCTION, UPSTASH_VECTOR_REST_TOKEN: '' }, /UPSTASH_VECTOR_REST_TOKEN is/],
    ['an invalid address', { ...PRODUCTION, UPSTASH_REDIS_REST_URL: 'redis-1' }, /UPSTASH_REDIS_REST_URL: it is/],
    ['plain http', { ...PRODUCTION, OPENAI_BASE_URL: 'http://api.example.com/v1' }, /OPENAI_BASE_URL: it is not an/],
    ['a private address', { ...PRODUCTION, OPENAI_BASE_URL: 'https://10.0.0.1/v1' }, /OPENAI_BASE_URL: it does not/],
    ['this machine in production', { ...LOCAL, ENVIRONMENT: 'production' }, /OPENAI_BASE_URL: it is not an https/],
    ['credentials in an address', { ...PRODUCTION, OPENAI_BASE_URL: 'https://a:b@example.com' }, /holds credentials/],
    ['a key in a query', { ...PRODUCTION, OPENAI_BASE_URL: 'https://example.com/v1?key=1' }, /has a query/],
    [
      'a secret with a line break',
      { ...PRODUCTION, OPENAI_API_KEY: 'sk-secret\nx' },
      /OPENAI_API_KEY: it is not a token/,
    ],
    ['an index without a model', { ...PRODUCTION, EMBEDDING_MODEL: 'none' }, /UPSTASH_VECTOR_REST_URL: there is no/],
    ['an unknown model', { ...PRODUCTION, EMBEDDING_MODEL: 'mine' }, /EMBEDDING_MODEL: set EMBEDDING_DIMENSIONS/],
    ['too many dimensions', { ...PRODUCTION, EMBEDDING_DIMENSIONS: '3000' }, /EMBEDDING_DIMENSIONS: vectors/],
    ['an invalid number', { ...PRODUCTION, EMBEDDING_DIMENSIONS: 'many' }, /EMBEDDING_DIMENSIONS: is not a number/],
    ['a size out of range', { EMBEDDING_CACHE_SIZE: '0' }, /EMBEDDING_CACHE_SIZE/],
    ['prices that are no JSON', { MODEL_PRICES: '{0.4}' }, /MODEL_PRICES/],
    ['tokens out of range', { TOKENS_PER_QUESTION: '-1' }, /TOKENS_PER_QUESTION/],
    ['facts out of range', { FACT_TOKENS_PER_QUESTION: '2001' }, /FACT_TOKENS_PER_QUESTION/],
    ['half a token', { TOKENS_PER_QUESTION: '0.5' }, /TOKENS_PER_QUESTION/],
    ['a cost that is no number', { COST_MICROS_PER_QUESTION: '$1' }, /COST_MICROS_PER_QUESTION: is not a number/],
    ['a cost limit without a price', { ...PRODUCTION, COST_MICROS_PER_QUESTION: '1000' }, /MODEL_PRICES has no price/],
    ['a language without a number', { LANGUAGE_IDS: '{"en": "one"}' }, /LANGUAGE_IDS: en/],
    ['ids that are no JSON', { LANGUAGE_IDS: 'en=1' }, /LANGUAGE_IDS/],
    ['prices of another form', { MODEL_PRICES: '{"m": {"input": 1}}' }, /MODEL_PRICES: m/],
  ];
  for (const [name, variables, message] of WRONG) {
    it(`refuses ${name} by its name, without a secret`, () => {
      expect(() => readSettings(variables)).toThrow(message);
      expect(() => readSettings(variables)).not.toThrow(/secret/);
    });
  }
});
