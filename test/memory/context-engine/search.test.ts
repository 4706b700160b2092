import { describe, expect, it } from 'vitest';
import { EmbeddingFailed } from '../../../src/ai/embeddings/base.ts';
import type { SearchOptions } from '../../../src/contract/wire/context-engine.ts';
import type { ContextEngineConfig } from '../../../src/memory/context-engine/config.ts';
import type { LogFields } from '../../../src/memory/context-engine/errors.ts';
import {
  ContextEngine,
  OpenAIEmbeddingProvider,
} from '../../../src/memory/context-engine/index.ts';
import { StoreUnavailable } from '../../../src/platform/storage/store-unavailable.ts';
import { startOpenAIServer } from '../../../tools/stand-ins/openai/openai-server.ts';
import {
  idsOf,
  memoryOf,
  memoryStorage,
  valueIn,
  vectorOf,
  wordEmbeddings,
} from './engine-for-test.ts';

const FEBRUARY = '2026-02-01T00:00:00Z';
const MEMORIES = [
  memoryOf('june', {
    content: 'The project ends in June',
    conversation_id: 'c1',
    created_at: '2026-01-01T00:00:00Z',
  }),
  memoryOf('tea', {
    content: 'Tea is in the kitchen',
    type: 'note',
    confidence: 0.4,
    created_at: FEBRUARY,
  }),
  memoryOf('plan', {
    content: 'The project has a plan',
    type: 'decision',
    created_at: '2026-03-01T00:00:00Z',
  }),
  memoryOf('other', { content: 'The project ends in June', workspace_id: 'w2' }),
];
const stored = MEMORIES.map((memory) => ({ memory, vector: vectorOf(memory.content) }));

const parts = (config: Partial<ContextEngineConfig> = {}) => {
  const storage = memoryStorage(stored);
  const embeddings = wordEmbeddings();
  const engine = new ContextEngine({
    storageClient: storage,
    embeddingProvider: embeddings,
    ...config,
  });
  return { storage, embeddings, engine };
};
/** An engine whose storage or provider has another method. */
const withSearch = (searchMemories: ContextEngineConfig['storageClient']['searchMemories']) =>
  parts({ storageClient: { ...memoryStorage(stored), searchMemories } });
const withEmbed = (embed: (text: string) => Promise<number[]>) =>
  parts({ embeddingProvider: { ...wordEmbeddings(), embed } });
const errorOf = (type: string, message?: string) => ({
  error: { type, ...(message === undefined ? {} : { message }) },
});

describe('ContextEngine.search()', () => {
  it('finds memories of the workspace, the most similar first, with scores from 0 to 1', async () => {
    const results = valueIn(await parts().engine.search('The project ends in June', 'w1'));
    expect(idsOf(results)).toEqual(['june', 'plan', 'tea']);
    expect(results[0]?.score).toBeCloseTo(1, 9);
    expect(results.every((result) => !('rank' in result) && !('relationships' in result))).toBe(
      true,
    );
  });
  it('passes words, vector and filters to the storage, by default for ten results', async () => {
    const { engine, storage } = parts();
    const given = {
      limit: 5,
      memoryTypes: ['fact'],
      dateFrom: new Date(FEBRUARY),
      minConfidence: 0.5,
    };
    await engine.search('  the project  ', 'w1', given);
    await engine.search('the project', 'w1');
    const target = { text: 'the project', vector: vectorOf('the project') };
    expect(storage.queries).toEqual([
      { ...target, ...given },
      { ...target, limit: 10 },
    ]);
  });
  it.each<[SearchOptions, string[]]>([
    [{ limit: 1 }, ['june']],
    [{ memoryTypes: ['note', 'decision'] }, ['plan', 'tea']],
    [{ memoryTypes: [] }, []],
    [{ dateFrom: new Date(FEBRUARY) }, ['plan', 'tea']],
    [{ dateTo: new Date(FEBRUARY) }, ['june', 'tea']],
    [{ minConfidence: 0.5 }, ['june', 'plan']],
    [{ conversationId: 'c1' }, ['june']],
    [{ conversationId: 'c2' }, []],
  ])('filters by %j, although the storage does not', async (options, expected) => {
    const { searchMemories } = memoryStorage(stored);
    const { engine } = withSearch((id, { text, vector }) =>
      searchMemories(id, { text, vector, limit: 100 }),
    );
    const results = valueIn(await engine.search('When does the project end?', 'w1', options));
    expect(idsOf(results).toSorted()).toEqual(expected);
  });
  it('searches by words alone without a model', async () => {
    const { engine, storage } = parts({ embeddingProvider: undefined });
    expect(idsOf(valueIn(await engine.search('tea kitchen', 'w1')))).toEqual(['tea']);
    expect(storage.queries[0]).not.toHaveProperty('vector');
  });
  it('embeds a query once while it is cached, and again when its entry has expired', async () => {
    const small = parts({ cacheConfig: { maxSize: 2 } });
    for (const query of ['one', 'one', ' one ', 'two', 'one', 'three', 'two'])
      await small.engine.search(query, 'w1');
    expect(small.embeddings.calls).toEqual([['one'], ['two'], ['three'], ['two']]);
    let now = 0;
    const { engine, embeddings } = parts({ cacheConfig: { ttl: 60 }, now: () => now });
    for (now of [0, 59_999, 60_000]) await engine.search('one', 'w1');
    expect(embeddings.calls).toEqual([['one'], ['one']]);
  });
  it('uses a model of OpenAI, and is an error, never an empty result, while it is down', async () => {
    const { apiKey, url: baseURL, faults, stop } = await startOpenAIServer();
    const embeddingProvider = new OpenAIEmbeddingProvider({ apiKey, baseURL });
    const vectors = await embeddingProvider.embedBatch(MEMORIES.map(({ content }) => content));
    const storageClient = memoryStorage(
      MEMORIES.map((memory, at) => ({ memory, vector: vectors[at] })),
    );
    const { engine } = parts({ embeddingProvider, storageClient });
    const [first] = valueIn(await engine.search('The project ends in June', 'w1'));
    expect(first).toMatchObject({ memory: { id: 'june' }, score: expect.closeTo(1, 3) });
    expect(storageClient.queries[0]?.vector).toHaveLength(1536);
    faults.always({ kind: 'status', status: 400 }, '/v1/embeddings');
    expect(await engine.search('a new question', 'w1')).toMatchObject(errorOf('embedding_error'));
    await stop();
  });
  it('drops repeated memories and invalid scores', async () => {
    const scores = [Number.NaN, 7, -1];
    const { engine } = withSearch(async () =>
      scores.map((score, at) => ({ memory: memoryOf(`m${at % 2}`), score })),
    );
    const results = valueIn(await engine.search('x', 'w1'));
    expect(results.map(({ memory, score }) => `${memory.id} ${score}`)).toEqual(['m1 1', 'm0 0']);
  });
});

describe('ContextEngine.searchByVector()', () => {
  it('returns the results of search() for the vector of the query', async () => {
    const { engine, embeddings } = parts();
    const byText = valueIn(await engine.search('the project', 'w1'));
    expect(valueIn(await engine.searchByVector(vectorOf('the project'), 'w1'))).toEqual(byText);
    expect(embeddings.calls).toHaveLength(1);
  });

  const VECTORS: unknown[][] = [
    [[]],
    [[1, 2]],
    [[...vectorOf('x').slice(1), Number.NaN]],
    ['vector'],
    [undefined],
  ];
  it.each(VECTORS)('refuses %j', async (vector) => {
    const { engine, storage } = parts();
    expect(await engine.searchByVector(vector as number[], 'w1')).toMatchObject(
      errorOf('validation_error'),
    );
    expect(storage.queries).toEqual([]);
  });
});

describe('ContextEngine.searchBatch()', () => {
  it('returns the results of each search(), with all queries embedded in one call', async () => {
    const { engine, embeddings } = parts();
    const queries = ['the project', 'tea', 'the project', 'plan'];
    const batch = valueIn(await engine.searchBatch(queries, 'w1', { limit: 2 }));
    expect(embeddings.calls).toEqual([['the project', 'tea', 'plan']]);
    const alone = await Promise.all(
      queries.map((query) => engine.search(query, 'w1', { limit: 2 })),
    );
    expect(batch).toEqual(alone.map(valueIn));
  });
  it('returns nothing for no queries, and refuses an empty one or more than a hundred', async () => {
    const { engine } = parts();
    expect(valueIn(await engine.searchBatch([], 'w1'))).toEqual([]);
    const empty = errorOf('validation_error', 'queries.1: is empty');
    expect(await engine.searchBatch(['a', ' '], 'w1')).toMatchObject(empty);
    expect(await engine.searchBatch(Array(101).fill('a'), 'w1')).toMatchObject(
      errorOf('validation_error'),
    );
  });
});

describe('errors of a search', () => {
  it('is embedding_error, never an empty result, when embedding fails', async () => {
    const cause = new EmbeddingFailed('rate_limited', 'Cannot embed');
    const { engine, storage } = parts({ embeddingProvider: wordEmbeddings({ fail: () => cause }) });
    const message = 'Cannot embed the query: the model is rate limited';
    const error = { type: 'embedding_error', message, cause };
    expect(await engine.search('x', 'w1')).toEqual({ ok: false, error });
    expect(await engine.searchBatch(['x'], 'w1')).toEqual({ ok: false, error });
    expect(storage.queries).toEqual([]);
    expect(engine.searchAnalytics('w1')).toMatchObject({ count: 2, failed: 2 });
  });
  it.each([
    ['of another dimension', [1, 2, 3]],
    ['with something that is no number', [...vectorOf('x').slice(1), Number.NaN]],
    ['that is not there', undefined],
  ])('is embedding_error for a vector %s', async (_, vector) => {
    const message = 'Cannot embed the query: the model returned a malformed vector';
    const found = await withEmbed(async () => vector as number[]).engine.search('x', 'w1');
    expect(found).toMatchObject(errorOf('embedding_error', message));
  });
  it('is not cached: the next search tries again', async () => {
    let isDown = true;
    const { engine } = withEmbed(async (text) =>
      isDown ? Promise.reject(new Error('down')) : vectorOf(text),
    );
    expect(await engine.search('x', 'w1')).toMatchObject({ ok: false });
    isDown = false;
    expect(await engine.search('x', 'w1')).toMatchObject({ ok: true });
  });
  it('is storage_error when the storage fails, without its message', async () => {
    const cause = new StoreUnavailable('unavailable', 'host 10.0.0.7 refused');
    const { engine } = withSearch(async () => Promise.reject(cause));
    const error = {
      type: 'storage_error',
      message: 'Cannot read memories: the storage is not available',
      cause,
    };
    expect(await engine.search('x', 'w1')).toEqual({ ok: false, error });
  });
  it('is search_error when the storage returns a memory of another workspace', async () => {
    const { engine } = withSearch(async () => MEMORIES.map((memory) => ({ memory, score: 1 })));
    expect(await engine.search('x', 'w1')).toMatchObject(errorOf('search_error'));
  });
  it.each<[string, unknown[], RegExp]>([
    ['an empty query', ['  ', 'w1'], /^query: is empty/],
    ['no query', [undefined, 'w1'], /^query: is missing/],
    ['a long query', ['x'.repeat(4001), 'w1'], /^query: is longer/],
    ['no workspace', ['x', ''], /^workspaceId: is not a workspace id/],
    ['a workspace with a slash', ['x', 'w1/../w2'], /^workspaceId/],
    ['no limit', ['x', 'w1', { limit: 0 }], /^options.limit/],
    ['a limit of 101', ['x', 'w1', { limit: 101 }], /^options.limit/],
    ['a confidence of 2', ['x', 'w1', { minConfidence: 2 }], /^options.minConfidence/],
    [
      'dates in the wrong order',
      ['x', 'w1', { dateFrom: new Date(2), dateTo: new Date(1) }],
      /^options.dateTo/,
    ],
    ['an invalid date', ['x', 'w1', { dateFrom: new Date('x') }], /^options.dateFrom/],
    ['a depth of 6', ['x', 'w1', { relationshipDepth: 6 }], /^options.relationshipDepth/],
    ['an unknown option', ['x', 'w1', { colour: 'red' }], /^options.colour: is not a known member/],
    ['options that are a text', ['x', 'w1', 'all'], /^options/],
  ])('is validation_error for %s, before any call', async (_, input, message) => {
    const { engine, storage, embeddings } = parts();
    const found = await engine.search(...(input as Parameters<typeof engine.search>));
    expect(found).toMatchObject(errorOf('validation_error', expect.stringMatching(message)));
    expect([storage.queries, embeddings.calls]).toEqual([[], []]);
  });
  it('is logged with length and hash of the query, never with its text', async () => {
    const SECRET = 'my secret illness';
    const lines: { level: string; fields: LogFields }[] = [];
    const logAs = (level: string) => (_: string, fields: LogFields) =>
      void lines.push({ level, fields });
    const embeddingProvider = wordEmbeddings({
      fail: () => new Error(`the service said "${SECRET}"`),
    });
    const { engine } = parts({
      embeddingProvider,
      logger: { warn: logAs('warn'), error: logAs('error') },
    });
    await engine.search(SECRET, 'w1');
    await engine.search(SECRET, `w1 ${SECRET}`);
    const query = {
      query_length: SECRET.length,
      query_hash: expect.stringMatching(/^[0-9a-f]{16}$/),
    };
    const fields = { operation: 'search', workspace_id: 'w1', ...query, error: 'embedding_error' };
    expect(lines).toMatchObject([
      { level: 'error', fields },
      { level: 'warn', fields: { workspace_id: undefined, error: 'validation_error' } },
    ]);
    expect(JSON.stringify(lines)).not.toContain('illness');
  });
  it('is the same when the logger fails', async () => {
    const broken = () => {
      throw new Error('disk full');
    };
    const { engine } = parts({ logger: { warn: broken, error: broken } });
    expect(await engine.search('', 'w1')).toMatchObject(errorOf('validation_error'));
  });
});

describe('ContextEngine.forRequest()', () => {
  const never = <T>(): Promise<T> => new Promise<T>(() => {});

  it('aborts an embedding with the signal, even when the provider ignores it', async () => {
    const controller = new AbortController();
    const { engine } = withEmbed(() => never());
    const searching = engine.forRequest({ signal: controller.signal }).search('x', 'w1');
    controller.abort();
    expect(await searching).toMatchObject(errorOf('embedding_error'));
  });
  it('aborts a storage call with the signal and makes no further call', async () => {
    const controller = new AbortController();
    const { engine, storage } = withSearch(() => {
      controller.abort();
      return never();
    });
    const searching = engine.forRequest({ signal: controller.signal }).search('x', 'w1');
    expect(await searching).toMatchObject(errorOf('storage_error'));
    const late = engine.forRequest({ signal: AbortSignal.abort(), storageClient: storage });
    expect(await late.searchByVector(vectorOf('x'), 'w1')).toMatchObject(errorOf('storage_error'));
    expect(storage.queries).toEqual([]);
  });
  it('shares cached vectors, templates and figures with the engine, and uses its own clients', async () => {
    const { engine, embeddings } = parts();
    await engine.search('the project', 'w1');
    const request = engine.forRequest({ storageClient: memoryStorage([]) });
    const template = {
      name: 'mine',
      memoryFormat: '{{content}}',
      separator: '',
      includeMetadata: false,
    };
    request.registerTemplate('mine', template);
    expect(valueIn(await request.search('the project', 'w1'))).toEqual([]);
    expect(embeddings.calls).toHaveLength(1);
    expect(await engine.buildContext('the project', 'w1', { template: 'mine' })).toMatchObject({
      ok: true,
    });
    expect(engine.searchAnalytics('w1')).toMatchObject({ count: 3, empty: 1 });
  });
});
