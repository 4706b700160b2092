import { describe, expect, it } from 'vitest';
import type { ContextEngineConfig } from '../../../src/memory/context-engine/config.ts';
import { InvalidContextConfiguration } from '../../../src/memory/context-engine/errors.ts';
import { ContextEngine } from '../../../src/memory/context-engine/index.ts';
import { DEFAULT_RANKINGS } from '../../../src/memory/context-engine/ranker.ts';
import { searchAnalytics } from '../../../src/memory/context-engine/search.ts';
import { memoryOf, memoryStorage, wordEmbeddings } from './engine-for-test.ts';

const storageClient = memoryStorage([{ memory: memoryOf('m', { content: 'tea' }) }]);

describe('new ContextEngine()', () => {
  const embeddingProvider = wordEmbeddings({ dimensions: 8 });
  it.each([{}, { embeddingProvider, expectedEmbeddingDimensions: 8 }])(
    'accepts a storage and %j',
    (config) => {
      expect(() => new ContextEngine({ storageClient, ...config })).not.toThrow();
    },
  );
  it.each<[string, unknown]>([
    ['storageClient: is missing', { storageClient: undefined }],
    [
      'storageClient.getMemoryRelationships: is no function',
      { storageClient: { searchMemories: () => [] } },
    ],
    [
      'embeddingProvider: has 8 dimensions, 1536 are expected',
      { embeddingProvider, expectedEmbeddingDimensions: 1536 },
    ],
    [
      'embeddingProvider.embedBatch',
      { embeddingProvider: { ...embeddingProvider, embedBatch: undefined } },
    ],
    ['embeddingProvider.dimensions', { embeddingProvider: wordEmbeddings({ dimensions: 0 }) }],
    ['defaultTemplate: is empty', { defaultTemplate: '' }],
    ['defaultTokenBudget', { defaultTokenBudget: 0 }],
    ['cacheConfig.ttl', { cacheConfig: { ttl: -1 } }],
    ['cacheConfig.size: is not a known member', { cacheConfig: { size: 1 } }],
    ['logger.error', { logger: { warn: () => {} } }],
    ['rankingOptions.recencyWeight', { rankingOptions: { recencyWeight: 2 } }],
    ['tokenizer', { tokenizer: 'gpt-4' }],
    ['modell: is not a known member', { modell: 'gpt-4' }],
  ])('refuses and names: %s', (message, config) => {
    const make = () =>
      new ContextEngine({ storageClient, ...(config as Partial<ContextEngineConfig>) });
    expect(make).toThrow(InvalidContextConfiguration);
    expect(make).toThrow(`Cannot make a context engine: ${message}`);
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
    const wrong = {
      name: 'chat',
      memoryFormat: '{{person}}',
      separator: '',
      includeMetadata: false,
    };
    expect(() => engine.registerTemplate('chat', wrong)).toThrow(/unknown variable: person/);
    const value = { context: expect.stringContaining('- tea') };
    expect(await engine.buildContext('tea', 'w1')).toMatchObject({ value });
  });
});
it('ContextEngine.searchAnalytics() counts searches, empty results, errors and latencies by workspace', async () => {
  let now = 1000;
  const searchMemories: typeof storageClient.searchMemories = async (id, query) => {
    now += 40;
    if (query.text === 'fail') throw new Error('down');
    return storageClient.searchMemories(id, query);
  };
  const engine = new ContextEngine({
    storageClient: { ...storageClient, searchMemories },
    now: () => now,
  });
  expect(engine.searchAnalytics('w1')).toBeUndefined();
  await engine.search('tea', 'w1');
  await engine.buildContext('nothing', 'w1');
  await engine.searchBatch(['tea', 'fail'], 'w1');
  await engine.search('', 'w1');
  await engine.previewContext('tea', 'w2');
  const figures = engine.searchAnalytics('w1');
  expect(figures).toMatchObject({ count: 4, empty: 1, failed: 1, since: 1000 });
  expect(figures?.latencyMs?.max).toBeGreaterThanOrEqual(40);
  expect(engine.searchAnalytics('w2')).toMatchObject({ count: 1, empty: 1, failed: 0 });
});

describe('searchAnalytics()', () => {
  const analyticsOf = (...latencies: number[]) => {
    const { record, read } = searchAnalytics();
    for (const latencyMs of latencies) record('w', { outcome: 'found', latencyMs }, 0);
    return read('w')?.latencyMs;
  };
  it('overstates latencies by at most 25%', () => {
    const latency = analyticsOf(...Array.from({ length: 100 }, (_, at) => at + 1));
    expect(latency).toMatchObject({ mean: 50.5, max: 100 });
    for (const [reported = 0, exact] of [
      [latency?.p50, 50],
      [latency?.p95, 95],
    ] as const) {
      expect(reported).toBeGreaterThanOrEqual(exact);
      expect(reported).toBeLessThanOrEqual(Math.min(100, exact * 1.25));
    }
  });
  it('accepts latencies of 0 ms and of hours', () => {
    expect(analyticsOf(0, 1e7)).toEqual({ mean: 5e6, p50: 0.1, p95: 1e7, max: 1e7 });
  });
  it('has no latencies before the first successful search', () => {
    const analytics = searchAnalytics();
    analytics.record('w', { outcome: 'failed', latencyMs: 5 }, 7);
    expect(analytics.read('w')).toEqual({ count: 1, empty: 0, failed: 1, since: 7 });
  });
  it('keeps the thousand most recently searched workspaces', () => {
    const analytics = searchAnalytics();
    const names = [...Array.from({ length: 1000 }, (_, at) => `w${at}`), 'w0', 'new'];
    for (const name of names) analytics.record(name, { outcome: 'found', latencyMs: 1 }, 0);
    expect([analytics.read('w0')?.count, analytics.read('w1')]).toEqual([2, undefined]);
  });
});
