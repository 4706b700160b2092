import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CharacterTokenizer, cl100k, loadTokenizer } from '../../src/ai/tokenizer.ts';
import type { ContextEngineConfig } from '../../src/context-engine/config.ts';
import { InvalidContextConfiguration } from '../../src/context-engine/errors.ts';
import { ContextEngine } from '../../src/context-engine/index.ts';
import { DEFAULT_TEMPLATES } from '../../src/context-engine/registry.ts';
import {
  type ContextOptions,
  ContextPreview,
  ContextResult,
  type RankingFunction,
} from '../../src/contract/context-engine.ts';
import { memoryOf, memoryStorage, valueIn } from './memory-storage.ts';
import { wordEmbeddings } from './word-embeddings.ts';

const NOW = Date.parse('2026-03-01T00:00:00Z');
const MEMORIES = [
  memoryOf('june', { content: 'The project ends in June', confidence: 0.5 }),
  memoryOf('plan', { content: 'The project has a plan', type: 'decision', created_at: '2026-02-28T00:00:00Z' }),
  memoryOf('tea', { content: 'Tea is in the kitchen', confidence: 1, created_at: '2025-01-01T00:00:00Z' }),
  memoryOf('far', { content: 'Ask Ada about budgets', created_at: '2026-01-10T00:00:00Z' }),
];
const SIMILARITIES = [0.9, 0.7, 0.3, 0.2];
/** A query is a unit vector; each memory has the given similarity to it. */
const stored = MEMORIES.map((memory, at) => {
  const similarity = SIMILARITIES[at] ?? 0;
  return { memory, vector: [similarity, Math.sqrt(1 - similarity ** 2)] };
});
const embeddings = { ...wordEmbeddings({ dimensions: 2 }), embed: async () => [1, 0] };
const QUERY = 'When does the project end?';
const RELATED = ['far', 'plan'].map((id) => ['june', id] as const);
const engineOf = (config: Partial<ContextEngineConfig> = {}) =>
  new ContextEngine({
    storageClient: memoryStorage(stored, RELATED),
    embeddingProvider: embeddings,
    now: () => NOW,
    ...config,
  });
const idsIn = async (options: ContextOptions, engine = engineOf()) =>
  valueIn(await engine.previewContext(QUERY, 'w1', options)).memoryIds;

describe('ContextEngine.buildContext()', () => {
  it('formats the results, by default with the chat template and 2,000 tokens', async () => {
    const built = valueIn(await engineOf().buildContext(QUERY, 'w1', { limit: 2 }));
    expect(ContextResult.strict().parse(built)).toEqual(built);
    expect(built).toMatchObject({
      context: 'Relevant context from past conversations:\n\n- The project has a plan\n- The project ends in June\n',
      template: 'chat',
      truncated: false,
    });
    const expected = [
      ['plan', 1],
      ['june', 2],
    ];
    expect(built.memories.map(({ memory, rank }) => [memory.id, rank])).toEqual(expected);
  });

  it('is the same for a text and its vector', async () => {
    const engine = engineOf();
    const byText = await engine.buildContext(QUERY, 'w1', { limit: 2 });
    expect(await engine.buildContextByVector([2, 0], 'w1', { limit: 2 })).toEqual(byText);
  });

  it('uses the template and budget of the engine by default', async () => {
    const engine = engineOf({ defaultTemplate: 'summary', defaultTokenBudget: 12 });
    const built = valueIn(await engine.buildContext(QUERY, 'w1'));
    const context = expect.stringMatching(/^Key information/);
    expect(built).toMatchObject({ template: 'summary', truncated: true, context });
    expect(built.tokenCount).toBeLessThanOrEqual(12);
  });

  it('is empty, not an error, without results', async () => {
    expect(await engineOf().buildContext(QUERY, 'w9')).toEqual({
      ok: true,
      value: { context: '', tokenCount: 0, memories: [], truncated: false, tokenizer: 'cl100k_base', template: 'chat' },
    });
  });

  it('counts the tokens of the model by default and names the tokenizer', async () => {
    const content = '会議では来月の予定について話し合い、東京の新しい事務所への引っ越しを決めました。'.repeat(4);
    const memory = memoryOf('m', { content: `会議 ${content}` });
    const many = Array.from({ length: 40 }, (_, at) => ({ memory: { ...memory, id: `m${at}` } }));
    const engine = new ContextEngine({ storageClient: memoryStorage(many) });
    const built = await engine.buildContext('会議', 'w1', { limit: 40, tokenBudget: 500 });
    const { context, tokenCount, tokenizer } = valueIn(built);
    const exact = await loadTokenizer('gpt-4', [cl100k]);
    expect(exact.count(context)).toBe(tokenCount);
    expect(tokenCount).toBeLessThanOrEqual(500);
    expect(tokenizer).toBe('cl100k_base');
    const estimated = engineOf({ tokenizer: new CharacterTokenizer() });
    expect(valueIn(await estimated.buildContext(QUERY, 'w1')).tokenizer).toBe('characters');
  });

  it('limits text and memories together to maxResultBytes', async () => {
    const content = `project ${'龍'.repeat(9_000)}`;
    const many = Array.from({ length: 20 }, (_, at) => ({ memory: memoryOf(`m${at}`, { content }) }));
    const tokenizer = new CharacterTokenizer();
    const engine = new ContextEngine({ storageClient: memoryStorage(many), tokenizer, maxResultBytes: 200_000 });
    const preview = valueIn(await engine.previewContext('project', 'w1', { limit: 20, tokenBudget: 200_000 }));
    expect(Buffer.byteLength(JSON.stringify(preview))).toBeLessThan(200_000);
    expect(preview.memories).toHaveLength(3);
    expect(preview.truncated).toBe(true);
    expect(ContextPreview.parse(preview)).toEqual(preview);
  });

  it('counts with the configured tokenizer, loaded for the first context only', async () => {
    let loads = 0;
    const tokenizer = () => {
      loads += 1;
      return loadTokenizer('gpt-4', [cl100k]);
    };
    const engine = engineOf({ tokenizer });
    await engine.search(QUERY, 'w1');
    expect(loads).toBe(0);
    const built = valueIn(await engine.buildContext(QUERY, 'w1', { limit: 2 }));
    await engine.buildContext(QUERY, 'w1');
    expect([built.tokenCount, loads]).toEqual([21, 1]);
    expect(built.tokenCount).not.toBe(new CharacterTokenizer().count(built.context));
  });

  it('estimates the tokens when the tokenizer cannot be loaded, and loads it again for the next context', async () => {
    let isDown = true;
    const warnings: string[] = [];
    const logger = { warn: (message: string) => warnings.push(message), error: () => {} };
    const tokenizer = async () => (isDown ? Promise.reject(new Error('cut off')) : loadTokenizer('gpt-4', [cl100k]));
    const engine = engineOf({ tokenizer, logger });
    const estimated = valueIn(await engine.buildContext(QUERY, 'w1', { limit: 2 }));
    expect(estimated.tokenCount).toBe(Math.ceil(estimated.context.length / 4));
    expect(warnings).toEqual([expect.stringMatching(/estimated/)]);
    isDown = false;
    expect(valueIn(await engine.buildContext(QUERY, 'w1', { limit: 2 })).tokenCount).toBe(21);
  });

  it('includes or omits metadata on request', async () => {
    const withMetadata = valueIn(await engineOf().buildContext(QUERY, 'w1', { limit: 1, includeMetadata: true }));
    expect(withMetadata.context).toContain('- The project ends in June (fact, confidence: 0.50, 2026-01-01T00:00:00Z)');
    const without = { template: 'detailed', limit: 1, includeMetadata: false };
    expect(valueIn(await engineOf().buildContext(QUERY, 'w1', without)).context).toBe(
      'Relevant memories:\n\nThe project ends in June\n',
    );
  });

  it('includes related memories once, with half the score at each step', async () => {
    const engine = engineOf({ rankingOptions: { similarityWeight: 1, recencyWeight: 0, confidenceWeight: 0 } });
    const options = { limit: 1, includeRelationships: true };
    const built = valueIn(await engine.buildContext(QUERY, 'w1', options));
    expect(built.memories.map(({ memory }) => memory.id)).toEqual(['june', 'far', 'plan']);
    const [june, far] = built.memories;
    expect(far?.score).toBeCloseTo((june?.score ?? 0) / 2, 12);
    expect(june?.relationships?.map(({ memory }) => memory.id)).toEqual(['far', 'plan']);
    expect(ContextResult.parse(built)).toEqual(built);
  });

  it('accepts a template in the call, checked like a registered one', async () => {
    const template = { name: 'mine', header: '# ', memoryFormat: '{{type}}', separator: '+', includeMetadata: false };
    const built = valueIn(await engineOf().buildContext(QUERY, 'w1', { template, limit: 2 }));
    expect(built).toMatchObject({ context: '# decision+fact', template: 'mine' });
    const wrong = { ...template, memoryFormat: '{{person}}' };
    expect(await engineOf().buildContext(QUERY, 'w1', { template: wrong })).toMatchObject({
      error: { type: 'validation_error', message: expect.stringContaining('unknown variable: person') },
    });
  });

  it('lists the registered templates for an unknown one', async () => {
    const engine = engineOf();
    engine.registerTemplate('mine', { name: 'x', memoryFormat: '{{content}}', separator: ' ', includeMetadata: false });
    expect(await engine.buildContext(QUERY, 'w1', { template: 'missing' })).toEqual({
      ok: false,
      error: {
        type: 'template_not_found',
        template: 'missing',
        available: [...Object.keys(DEFAULT_TEMPLATES), 'mine'],
      },
    });
    expect(await engine.buildContext(QUERY, 'w1', { template: 'constructor' })).toMatchObject({ ok: false });
    expect(engine.searchAnalytics('w1')).toBeUndefined();
  });

  it.each<[unknown, string]>([
    [{ tokenBudget: 0 }, 'options.tokenBudget'],
    [{ tokenBudget: 1.5 }, 'options.tokenBudget'],
    [{ template: '' }, 'options.template'],
    [{ ranker: 7 }, 'options.ranker'],
    [{ ranker: () => [], limit: 0 }, 'options.limit'],
    [{ ranker: 'magic' }, 'options.ranker: is unknown; available are default, similarity, recency, confidence'],
    [null, 'options'],
  ])('refuses %j', async (options, message) => {
    expect(await engineOf().buildContext(QUERY, 'w1', options as ContextOptions)).toMatchObject({
      error: { type: 'validation_error', message: expect.stringContaining(message) },
    });
  });
});

const raise = (message: string): never => {
  throw new Error(message);
};

describe('rankers', () => {
  it.each([
    ['default', ['plan', 'june', 'tea', 'far']],
    ['similarity', ['june', 'plan', 'tea', 'far']],
    ['recency', ['plan', 'far', 'june', 'tea']],
    ['confidence', ['tea', 'plan', 'far', 'june']],
  ])('change the order of memories: %s', async (ranker, expected) => expect(await idsIn({ ranker })).toEqual(expected));

  it('may be weights in the call; absent ones are those of the engine', async () => {
    const similarity = { similarityWeight: 1, recencyWeight: 0, confidenceWeight: 0 };
    expect(await idsIn({ ranker: similarity })).toEqual(['june', 'plan', 'tea', 'far']);
    expect(await idsIn({ ranker: { ...similarity, similarityWeight: 0, confidenceWeight: 1 } })).toEqual([
      'tea',
      'plan',
      'far',
      'june',
    ]);
    expect(await idsIn({ ranker: {} })).toEqual(await idsIn({ ranker: 'default' }));
    const engine = engineOf({ rankingOptions: { recencyWeight: 1 } });
    expect(await idsIn({ ranker: {} }, engine)).toEqual(await idsIn({ ranker: 'default' }, engine));
  });

  it('avoid similar memories by maximal marginal relevance, weighted by lambda', async () => {
    const say = (id: string, content: string, similarity: number) => ({
      memory: memoryOf(id, { content }),
      vector: [similarity, Math.sqrt(1 - similarity ** 2)],
    });
    const storageClient = memoryStorage([
      say('one', 'The project ends in June', 0.9),
      say('same', 'The project ends in June, they said', 0.88),
      say('budget', 'Ada keeps the budget', 0.6),
      say('tea', 'Tea is in the kitchen', 0.1),
    ]);
    const engine = engineOf({ storageClient });
    const similarity = { similarityWeight: 1, recencyWeight: 0, confidenceWeight: 0 };
    const plain = ['one', 'same', 'budget', 'tea'];
    expect(await idsIn({ ranker: 'similarity' }, engine)).toEqual(plain);
    expect(await idsIn({ ranker: { ...similarity, lambda: 1 } }, engine)).toEqual(plain);
    expect(await idsIn({ ranker: 'mmr' }, engine)).toEqual(['one', 'budget', 'same', 'tea']);
    expect(await idsIn({ ranker: { ...similarity, lambda: 0 } }, engine)).toEqual(['one', 'budget', 'tea', 'same']);
    const { rankingScores } = valueIn(await engine.previewContext(QUERY, 'w1', { ranker: 'mmr' }));
    expect(rankingScores.one).toBeCloseTo(0.7 * 0.9);
    expect(rankingScores.budget).toBeCloseTo(0.7 * 0.6);
    expect(rankingScores.same).toBeLessThan(0.7 * 0.88 - 0.3 * 0.5);
  });

  it('may be functions, registered or in the call, that receive the weights of the engine', async () => {
    const weights = { similarityWeight: 0.1 };
    const engine = engineOf({ rankingOptions: weights });
    const byId: RankingFunction = (results, options) => {
      expect(options).toEqual({ similarityWeight: 0.1, recencyWeight: 0.2, confidenceWeight: 0.2 });
      return results.sort((left, right) => (left.memory.id < right.memory.id ? -1 : 1));
    };
    engine.registerRanker('by-id', byId);
    expect(await idsIn({ ranker: 'by-id' }, engine)).toEqual(['far', 'june', 'plan', 'tea']);
    expect(await idsIn({ ranker: byId }, engine)).toEqual(['far', 'june', 'plan', 'tea']);
  });

  it('score a preview: by their scores, or 1/rank for a function', async () => {
    const preview = valueIn(await engineOf().previewContext(QUERY, 'w1', { ranker: 'confidence' }));
    expect(preview.rankingScores).toEqual({ tea: 1, plan: 0.8, far: 0.8, june: 0.5 });
    const reversed = valueIn(await engineOf().previewContext(QUERY, 'w1', { ranker: (results) => results.reverse() }));
    expect(Object.values(reversed.rankingScores)).toEqual([1, 1 / 2, 1 / 3, 1 / 4]);
  });

  it('may omit memories, but not add, repeat or change any', async () => {
    const inventive: RankingFunction = (results) => {
      const [first, second] = results;
      if (first === undefined || second === undefined) return [];
      first.memory.content = 'changed';
      return [second, { memory: memoryOf('invented'), score: 1 }, second, first, undefined as never, 7 as never];
    };
    const built = valueIn(await engineOf().buildContext(QUERY, 'w1', { ranker: inventive }));
    const contents = built.memories.map(({ memory }) => memory.content);
    expect(contents).toEqual(['The project has a plan', 'The project ends in June']);
    expect(built.truncated).toBe(false);
  });

  it.each<[string, RankingFunction]>([
    ['throws', (): never => raise('no idea')],
    ['returns no list', () => new Map() as never],
    ['returns a promise', (async () => []) as never],
  ])('end in search_error when a function %s', async (_, ranker) => {
    expect(await engineOf().buildContext(QUERY, 'w1', { ranker })).toMatchObject({ error: { type: 'search_error' } });
  });

  it.each<[string, unknown]>([
    ['', () => []],
    ['x'.repeat(65), () => []],
    ['none', undefined],
  ])('are refused with an invalid name or function: %j', (name, ranker) => {
    expect(() => engineOf().registerRanker(name, ranker as RankingFunction)).toThrow(InvalidContextConfiguration);
  });
});

describe('ContextEngine.previewContext()', () => {
  it('equals buildContext byte for byte, with ids, scores and the used budget', async () => {
    const engine = engineOf();
    await fc.assert(
      fc.asyncProperty(
        fc.record(
          {
            template: fc.constantFrom('chat', 'detailed', 'summary'),
            tokenBudget: fc.integer({ min: 1, max: 80 }),
            limit: fc.integer({ min: 1, max: 4 }),
            ranker: fc.constantFrom('default', 'recency', 'similarity', 'confidence'),
            includeMetadata: fc.boolean(),
            includeRelationships: fc.boolean(),
          },
          { requiredKeys: [] },
        ),
        async (options) => {
          const built = valueIn(await engine.buildContext(QUERY, 'w1', options));
          const preview = valueIn(await engine.previewContext(QUERY, 'w1', options));
          expect(ContextPreview.parse(preview)).toEqual(preview);
          const { memoryIds, rankingScores, budgetUsed, ...rest } = preview;
          expect(rest).toEqual(built);
          expect(memoryIds).toEqual(built.memories.map(({ memory }) => memory.id));
          expect(Object.keys(rankingScores).toSorted()).toEqual(memoryIds.toSorted());
          expect(budgetUsed).toBeCloseTo((100 * built.tokenCount) / (options.tokenBudget ?? 2000), 0);
          expect(budgetUsed).toBeLessThanOrEqual(100);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('fails like buildContext', async () => {
    const engine = engineOf({ embeddingProvider: wordEmbeddings({ fail: () => new Error('down') }) });
    expect(await engine.previewContext(QUERY, 'w1')).toEqual(await engine.buildContext(QUERY, 'w1'));
  });
});
