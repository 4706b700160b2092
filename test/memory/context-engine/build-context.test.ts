import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CharacterTokenizer, cl100k, loadTokenizer } from '../../../src/ai/tokenizer.ts';
import type { ContextOptions, RankingFunction } from '../../../src/contract/wire/context-engine.ts';
import { ContextPreview, ContextResult } from '../../../src/contract/wire/context-engine.ts';
import type { ContextEngineConfig } from '../../../src/memory/context-engine/config.ts';
import { InvalidContextConfiguration } from '../../../src/memory/context-engine/errors.ts';
import { ContextEngine } from '../../../src/memory/context-engine/index.ts';
import { DEFAULT_TEMPLATES } from '../../../src/memory/context-engine/registry.ts';
import { idsOf, memoryOf, memoryStorage, valueIn, wordEmbeddings } from './engine-for-test.ts';

const NOW = Date.parse('2026-03-01T00:00:00Z');
/** A query is a unit vector; a memory has the given similarity to it. */
const similar = (similarity: number, ...[id, fields]: Parameters<typeof memoryOf>) => ({
  memory: memoryOf(id, fields),
  vector: [similarity, Math.sqrt(1 - similarity ** 2)],
});
const STORED = [
  similar(0.9, 'june', { content: 'The project ends in June', confidence: 0.5 }),
  similar(0.7, 'plan', {
    content: 'The project has a plan',
    type: 'decision',
    created_at: '2026-02-28T00:00:00Z',
  }),
  similar(0.3, 'tea', {
    content: 'Tea is in the kitchen',
    confidence: 1,
    created_at: '2025-01-01T00:00:00Z',
  }),
  similar(0.2, 'far', { content: 'Ask Ada about budgets', created_at: '2026-01-10T00:00:00Z' }),
];
const RELATED = ['far', 'plan'].map((id) => ['june', id] as const);
const QUERY = 'When does the project end?';

const engineOf = (config: Partial<ContextEngineConfig> = {}) =>
  new ContextEngine({
    storageClient: memoryStorage(STORED, RELATED),
    embeddingProvider: { ...wordEmbeddings({ dimensions: 2 }), embed: async () => [1, 0] },
    now: () => NOW,
    ...config,
  });
const build = async (options?: ContextOptions, engine = engineOf()) =>
  valueIn(await engine.buildContext(QUERY, 'w1', options));
const orderBy = async (ranker: ContextOptions['ranker'], engine = engineOf()) =>
  valueIn(await engine.previewContext(QUERY, 'w1', { ranker })).memoryIds.join(' ');
const invalid = (message: string) => ({
  error: { type: 'validation_error', message: expect.stringContaining(message) },
});

describe('ContextEngine.buildContext()', () => {
  it('formats the results, by default with the chat template and 2,000 tokens', async () => {
    const built = await build({ limit: 2 });
    expect(ContextResult.strict().parse(built)).toEqual(built);
    expect(built).toMatchObject({
      context:
        'Relevant context from past conversations:\n\n- The project has a plan\n- The project ends in June\n',
      template: 'chat',
      truncated: false,
    });
    expect(built.memories.map(({ memory, rank }) => `${rank} ${memory.id}`)).toEqual([
      '1 plan',
      '2 june',
    ]);
  });
  it('is the same for a text and its vector', async () => {
    const engine = engineOf();
    const byVector = valueIn(await engine.buildContextByVector([2, 0], 'w1', { limit: 2 }));
    expect(byVector).toEqual(await build({ limit: 2 }, engine));
  });
  it('uses the template and budget of the engine by default', async () => {
    const built = await build({}, engineOf({ defaultTemplate: 'summary', defaultTokenBudget: 12 }));
    const context = expect.stringMatching(/^Key information/);
    expect(built).toMatchObject({ template: 'summary', truncated: true, context });
    expect(built.tokenCount).toBeLessThanOrEqual(12);
  });
  it('is empty, not an error, without results', async () => {
    const nothing = { context: '', tokenCount: 0, memories: [], truncated: false };
    const value = { ...nothing, tokenizer: 'cl100k_base', template: 'chat' };
    expect(await engineOf().buildContext(QUERY, 'w9')).toEqual({ ok: true, value });
  });
  it('counts the tokens of the model by default and names the tokenizer', async () => {
    const content = `会議 ${'会議では来月の予定について話し合い、東京の新しい事務所への引っ越しを決めました。'.repeat(4)}`;
    const many = Array.from({ length: 40 }, (_, at) => ({
      memory: memoryOf(`m${at}`, { content }),
    }));
    const engine = new ContextEngine({ storageClient: memoryStorage(many) });
    const built = await engine.buildContext('会議', 'w1', { limit: 40, tokenBudget: 500 });
    const { context, tokenCount, tokenizer } = valueIn(built);
    const exact = await loadTokenizer('gpt-4', [cl100k]);
    expect([exact.count(context), tokenizer]).toEqual([tokenCount, 'cl100k_base']);
    expect(tokenCount).toBeLessThanOrEqual(500);
    expect((await build({}, engineOf({ tokenizer: new CharacterTokenizer() }))).tokenizer).toBe(
      'characters',
    );
  });
  it('limits text and memories together to maxResultBytes', async () => {
    const content = `project ${'龍'.repeat(9_000)}`;
    const many = Array.from({ length: 20 }, (_, at) => ({
      memory: memoryOf(`m${at}`, { content }),
    }));
    const tokenizer = new CharacterTokenizer();
    const engine = new ContextEngine({
      storageClient: memoryStorage(many),
      tokenizer,
      maxResultBytes: 200_000,
    });
    const preview = valueIn(
      await engine.previewContext('project', 'w1', { limit: 20, tokenBudget: 200_000 }),
    );
    expect(Buffer.byteLength(JSON.stringify(preview))).toBeLessThan(200_000);
    expect([preview.memories.length, preview.truncated]).toEqual([3, true]);
  });
  it('loads the tokenizer for the first context only, and estimates while it cannot be loaded', async () => {
    let isDown = true;
    let loads = 0;
    const warnings: string[] = [];
    const engine = engineOf({
      logger: { warn: (message) => warnings.push(message), error: () => {} },
      tokenizer: async () => {
        loads += 1;
        return isDown ? Promise.reject(new Error('cut off')) : loadTokenizer('gpt-4', [cl100k]);
      },
    });
    await engine.search(QUERY, 'w1');
    expect(loads).toBe(0);
    const estimated = await build({ limit: 2 }, engine);
    expect(estimated.tokenCount).toBe(Math.ceil(estimated.context.length / 4));
    expect(warnings).toEqual([expect.stringMatching(/estimated/)]);
    isDown = false;
    for (let time = 0; time < 2; time += 1)
      expect((await build({ limit: 2 }, engine)).tokenCount).toBe(21);
    expect(loads).toBe(2);
  });
  it.each<[ContextOptions, string]>([
    [
      { includeMetadata: true },
      '- The project ends in June (fact, confidence: 0.50, 2026-01-01T00:00:00Z)',
    ],
    [
      { includeMetadata: false, template: 'detailed' },
      'Relevant memories:\n\nThe project ends in June\n',
    ],
  ])('includes or omits metadata on request: %j', async (options, expected) => {
    expect((await build({ ...options, limit: 1 })).context).toContain(expected);
  });
  it('includes related memories once, with half the score at each step', async () => {
    const engine = engineOf({
      rankingOptions: { similarityWeight: 1, recencyWeight: 0, confidenceWeight: 0 },
    });
    const { memories } = await build({ limit: 1, includeRelationships: true }, engine);
    expect(idsOf(memories)).toEqual(['june', 'far', 'plan']);
    const [june, far] = memories;
    expect(far?.score).toBeCloseTo((june?.score ?? 0) / 2, 12);
    expect(idsOf((june?.relationships ?? []).map(({ memory }) => ({ memory, score: 1 })))).toEqual([
      'far',
      'plan',
    ]);
  });
  it('accepts a template in the call, checked like a registered one', async () => {
    const template = {
      name: 'mine',
      header: '# ',
      memoryFormat: '{{type}}',
      separator: '+',
      includeMetadata: false,
    };
    expect(await build({ template, limit: 2 })).toMatchObject({
      context: '# decision+fact',
      template: 'mine',
    });
    const wrong = { ...template, memoryFormat: '{{person}}' };
    const refused = await engineOf().buildContext(QUERY, 'w1', { template: wrong });
    expect(refused).toMatchObject(invalid('unknown variable: person'));
  });
  it.each(['missing', 'constructor'])(
    'lists the registered templates for an unknown one: %s',
    async (template) => {
      const engine = engineOf();
      engine.registerTemplate('mine', {
        name: 'x',
        memoryFormat: '{{content}}',
        separator: ' ',
        includeMetadata: false,
      });
      const available = [...Object.keys(DEFAULT_TEMPLATES), 'mine'];
      const error = { type: 'template_not_found', template, available };
      expect(await engine.buildContext(QUERY, 'w1', { template })).toEqual({ ok: false, error });
      expect(engine.searchAnalytics('w1')).toBeUndefined();
    },
  );
  it.each<[unknown, string]>([
    [{ tokenBudget: 0 }, 'options.tokenBudget'],
    [{ tokenBudget: 1.5 }, 'options.tokenBudget'],
    [{ template: '' }, 'options.template'],
    [{ ranker: 7 }, 'options.ranker'],
    [{ ranker: () => [], limit: 0 }, 'options.limit'],
    [
      { ranker: 'magic' },
      'options.ranker: is unknown; available are default, similarity, recency, confidence',
    ],
  ])('refuses %j', async (options, message) => {
    expect(await engineOf().buildContext(QUERY, 'w1', options as ContextOptions)).toMatchObject(
      invalid(message),
    );
  });
});

describe('rankers', () => {
  const bySimilarity = { similarityWeight: 1, recencyWeight: 0, confidenceWeight: 0 };
  it.each<[ContextOptions['ranker'], string]>([
    ['default', 'plan june tea far'],
    ['similarity', 'june plan tea far'],
    ['recency', 'plan far june tea'],
    ['confidence', 'tea plan far june'],
    [bySimilarity, 'june plan tea far'],
    [{ ...bySimilarity, similarityWeight: 0, confidenceWeight: 1 }, 'tea plan far june'],
    [{}, 'plan june tea far'],
  ])('change the order of memories: %j', async (ranker, expected) =>
    expect(await orderBy(ranker)).toBe(expected),
  );
  it('have the weights of the engine where the call has none', async () => {
    const engine = engineOf({
      rankingOptions: { similarityWeight: 0, recencyWeight: 0, confidenceWeight: 1 },
    });
    for (const ranker of ['default', {}])
      expect(await orderBy(ranker, engine)).toBe('tea plan far june');
  });
  it('avoid similar memories by maximal marginal relevance, weighted by lambda', async () => {
    const storageClient = memoryStorage([
      similar(0.9, 'one', { content: 'The project ends in June' }),
      similar(0.88, 'same', { content: 'The project ends in June, they said' }),
      similar(0.6, 'budget', { content: 'Ada keeps the budget' }),
      similar(0.1, 'tea', { content: 'Tea is in the kitchen' }),
    ]);
    const engine = engineOf({ storageClient });
    for (const [ranker, expected] of [
      ['similarity', 'one same budget tea'],
      [{ ...bySimilarity, lambda: 1 }, 'one same budget tea'],
      ['mmr', 'one budget same tea'],
      [{ ...bySimilarity, lambda: 0 }, 'one budget tea same'],
    ] as const)
      expect(await orderBy(ranker, engine)).toBe(expected);
    const { rankingScores } = valueIn(await engine.previewContext(QUERY, 'w1', { ranker: 'mmr' }));
    expect(rankingScores).toMatchObject({
      one: expect.closeTo(0.7 * 0.9),
      budget: expect.closeTo(0.7 * 0.6),
    });
    expect(rankingScores.same).toBeLessThan(0.7 * 0.88 - 0.3 * 0.5);
  });
  it('may be functions, registered or in the call, that receive the weights of the engine', async () => {
    const engine = engineOf({ rankingOptions: { similarityWeight: 0.1 } });
    const byId: RankingFunction = (results, options) => {
      expect(options).toEqual({ similarityWeight: 0.1, recencyWeight: 0.2, confidenceWeight: 0.2 });
      return results.sort((left, right) => (left.memory.id < right.memory.id ? -1 : 1));
    };
    engine.registerRanker('by-id', byId);
    for (const ranker of ['by-id', byId])
      expect(await orderBy(ranker, engine)).toBe('far june plan tea');
  });
  it('score a preview: by their scores, or 1/rank for a function', async () => {
    const scores = async (ranker: ContextOptions['ranker']) =>
      valueIn(await engineOf().previewContext(QUERY, 'w1', { ranker })).rankingScores;
    expect(await scores('confidence')).toEqual({ tea: 1, plan: 0.8, far: 0.8, june: 0.5 });
    expect(Object.values(await scores((results) => results.reverse()))).toEqual([
      1,
      1 / 2,
      1 / 3,
      1 / 4,
    ]);
  });
  it('may omit memories, but not add, repeat or change any', async () => {
    const inventive: RankingFunction = (results) => {
      const [first, second] = results;
      if (first === undefined || second === undefined) return [];
      first.memory.content = 'changed';
      return [
        second,
        { memory: memoryOf('invented'), score: 1 },
        second,
        first,
        undefined as never,
        7 as never,
      ];
    };
    const { memories, truncated } = await build({ ranker: inventive });
    const contents = memories.map(({ memory }) => memory.content);
    expect([contents, truncated]).toEqual([
      ['The project has a plan', 'The project ends in June'],
      false,
    ]);
  });

  const raise = (): never => {
    throw new Error('no idea');
  };
  it.each<[string, unknown]>([
    ['throws', raise],
    ['returns no list', () => new Map()],
    ['returns a promise', async () => []],
  ])('end in search_error when a function %s', async (_, ranker) => {
    const built = await engineOf().buildContext(QUERY, 'w1', { ranker: ranker as RankingFunction });
    expect(built).toMatchObject({ error: { type: 'search_error' } });
  });
  it.each<[string, unknown]>([
    ['', () => []],
    ['x'.repeat(65), () => []],
    ['none', undefined],
  ])('are refused with an invalid name or function: %j', (name, ranker) => {
    expect(() => engineOf().registerRanker(name, ranker as RankingFunction)).toThrow(
      InvalidContextConfiguration,
    );
  });
});

describe('ContextEngine.previewContext()', () => {
  it('equals buildContext byte for byte, with ids, scores and the used budget', async () => {
    const engine = engineOf();
    const anyOptions = fc.record(
      {
        template: fc.constantFrom('chat', 'detailed', 'summary'),
        tokenBudget: fc.integer({ min: 1, max: 80 }),
        limit: fc.integer({ min: 1, max: 4 }),
        ranker: fc.constantFrom('default', 'recency', 'similarity', 'confidence'),
        includeMetadata: fc.boolean(),
        includeRelationships: fc.boolean(),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(anyOptions, async (options) => {
        const built = await build(options, engine);
        const preview = valueIn(await engine.previewContext(QUERY, 'w1', options));
        expect(ContextPreview.parse(preview)).toEqual(preview);
        const { memoryIds, rankingScores, budgetUsed, ...rest } = preview;
        expect(rest).toEqual(built);
        expect(memoryIds).toEqual(idsOf(built.memories));
        expect(Object.keys(rankingScores).toSorted()).toEqual(memoryIds.toSorted());
        expect(budgetUsed).toBeCloseTo((100 * built.tokenCount) / (options.tokenBudget ?? 2000), 0);
        expect(budgetUsed).toBeLessThanOrEqual(100);
      }),
      { numRuns: 300 },
    );
  });
  it('fails like buildContext', async () => {
    const engine = engineOf({
      embeddingProvider: wordEmbeddings({ fail: () => new Error('down') }),
    });
    expect(await engine.previewContext(QUERY, 'w1')).toEqual(
      await engine.buildContext(QUERY, 'w1'),
    );
  });
});
