import { describe, expect, it } from 'vitest';
import type { ContextEngineConfig } from '../../src/context-engine/config.ts';
import { InvalidContextConfiguration } from '../../src/context-engine/errors.ts';
import { ContextEngine } from '../../src/context-engine/index.ts';
import { DEFAULT_RANKINGS } from '../../src/context-engine/ranker.ts';
import { searchAnalytics } from '../../src/context-engine/search.ts';
import { memoryOf, memoryStorage } from './memory-storage.ts';
import { wordEmbeddings } from './word-embeddings.ts';

const storageClient = memoryStorage([{ memory: memoryOf('m', { content: 'tea' }) }]);

describe('new ContextEngine()', () => {
  it('requires only a storage', () => expect(() => new ContextEngine({ storageClient })).not.toThrow());

  it('compares the dimensions of the provider with the expected ones', () => {
    const embeddingProvider = wordEmbeddings({ dimensions: 8 });
    const make = (expectedEmbeddingDimensions: number) => () =>
      new ContextEngine({ storageClient, embeddingProvider, expectedEmbeddingDimensions });
    expect(make(8)).not.toThrow();
    expect(make(1536)).toThrow(InvalidContextConfiguration);
    expect(make(1536)).toThrow('Cannot make a context engine: embeddingProvider: has 8 dimensions, 1536 are expected');
  });

  it.each<[string, unknown]>([
    ['storageClient: is missing', {}],
    ['storageClient.getMemoryRelationships: is no function', { storageClient: { searchMemories: () => [] } }],
    [
      'embeddingProvider.embedBatch',
      { storageClient, embeddingProvider: { embed: () => [], dimensions: 1, model: 'm' } },
    ],
    ['embeddingProvider.dimensions', { storageClient, embeddingProvider: wordEmbeddings({ dimensions: 0 }) }],
    ['defaultTemplate: is empty', { storageClient, defaultTemplate: '' }],
    ['defaultTokenBudget', { storageClient, defaultTokenBudget: 0 }],
    ['cacheConfig.ttl', { storageClient, cacheConfig: { ttl: -1 } }],
    ['cacheConfig.size: is not a known member', { storageClient, cacheConfig: { size: 1 } }],
    ['logger.error', { storageClient, logger: { warn: () => {} } }],
    ['rankingOptions.recencyWeight', { storageClient, rankingOptions: { recencyWeight: 2 } }],
    ['tokenizer', { storageClient, tokenizer: 'gpt-4' }],
    ['modell: is not a known member', { storageClient, modell: 'gpt-4' }],
  ])('refuses and names: %s', (message, config) => {
    const make = () => new ContextEngine(config as ContextEngineConfig);
    expect(make).toThrow(InvalidContextConfiguration);
    expect(make).toThrow(message);
  });

  it('registers at most a hundred names', () => {
    const engine = new ContextEngine({ storageClient });
    const register = (name: string) => engine.registerRanker(name, (results) => results);
    for (let at = Object.keys(DEFAULT_RANKINGS).length; at < 100; at += 1) register(`r${at}`);
    expect(() => register('one-more')).toThrow(InvalidContextConfiguration);
    expect(() => register('r99')).not.toThrow();
  });

  it('refuses an invalid template and keeps the registered one', async () => {
    const engine = new ContextEngine({ storageClient });
    const wrong = { name: 'chat', memoryFormat: '{{person}}', separator: '', includeMetadata: false };
    expect(() => engine.registerTemplate('chat', wrong)).toThrow(/unknown variable: person/);
    expect(await engine.buildContext('tea', 'w1')).toMatchObject({
      value: { context: expect.stringContaining('- tea') },
    });
  });
});

it('ContextEngine.searchAnalytics() counts searches, empty results, errors and latencies by workspace', async () => {
  let now = 1000;
  const slow = {
    ...storageClient,
    searchMemories: async (...query: Parameters<typeof storageClient.searchMemories>) => {
      now += 40;
      if (query[1].text === 'fail') throw new Error('down');
      return storageClient.searchMemories(...query);
    },
  };
  const engine = new ContextEngine({ storageClient: slow, now: () => now });
  expect(engine.searchAnalytics('w1')).toBeUndefined();
  await engine.search('tea', 'w1');
  await engine.buildContext('nothing', 'w1');
  await engine.searchBatch(['tea', 'fail'], 'w1');
  await engine.search('', 'w1');
  await engine.previewContext('tea', 'w2');
  const figures = engine.searchAnalytics('w1');
  expect(figures).toMatchObject({ count: 4, empty: 1, failed: 1, since: 1000 });
  expect(figures?.latencyMs?.max).toBeGreaterThanOrEqual(40);
  expect(figures?.latencyMs?.p50).toBeLessThanOrEqual(50);
  expect(engine.searchAnalytics('w2')).toMatchObject({ count: 1, empty: 1, failed: 0 });
});

describe('searchAnalytics()', () => {
  it('overstates latencies by at most 25%', () => {
    const analytics = searchAnalytics();
    for (let ms = 1; ms <= 100; ms += 1) analytics.record('w', { outcome: 'found', latencyMs: ms }, 0);
    const latency = analytics.read('w')?.latencyMs;
    expect(latency).toMatchObject({ mean: 50.5, max: 100 });
    expect(latency?.p50).toBeGreaterThanOrEqual(50);
    expect(latency?.p50).toBeLessThanOrEqual(50 * 1.25);
    expect(latency?.p95).toBeGreaterThanOrEqual(95);
    expect(latency?.p95).toBeLessThanOrEqual(100);
  });

  it('has no latencies before the first successful search', () => {
    const analytics = searchAnalytics();
    analytics.record('w', { outcome: 'failed', latencyMs: 5 }, 7);
    expect(analytics.read('w')).toEqual({ count: 1, empty: 0, failed: 1, since: 7 });
  });

  it('accepts latencies of 0 ms and of hours', () => {
    const analytics = searchAnalytics();
    analytics.record('w', { outcome: 'found', latencyMs: 0 }, 0);
    analytics.record('w', { outcome: 'found', latencyMs: 1e7 }, 0);
    expect(analytics.read('w')?.latencyMs).toEqual({ mean: 5e6, p50: 0.1, p95: 1e7, max: 1e7 });
  });

  it('keeps the thousand most recently searched workspaces', () => {
    const analytics = searchAnalytics();
    const search = (workspace: string) => analytics.record(workspace, { outcome: 'found', latencyMs: 1 }, 0);
    for (let at = 0; at < 1000; at += 1) search(`w${at}`);
    search('w0');
    search('new');
    expect(analytics.read('w0')?.count).toBe(2);
    expect(analytics.read('w1')).toBeUndefined();
  });
});
