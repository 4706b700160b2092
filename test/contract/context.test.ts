import { describe, expect, it } from 'vitest';
import {
  CacheConfig,
  ContextError,
  type ContextOptions,
  ContextPreview,
  ContextRequest,
  ContextResult,
  ContextTemplate,
  MemorySearchRequest,
  RankingOptions,
  SearchOptions,
  WireContextOptions,
} from '../../src/contract/context-engine.ts';
import { Memory, MemoryInput, SearchResult } from '../../src/contract/memory.ts';
import examples from './examples/context-engine.json' with { type: 'json' };
import { ABSENT, itRefuses, itTakes } from './it-refuses.ts';

const { contextOptions, searchOptions, templates, preview } = examples;
const { memoryIds: _ids, rankingScores: _scores, budgetUsed: _used, ...result } = preview;
const [found] = preview.memories;
const memory = found?.memory;

describe('Memory', () => {
  itTakes(Memory, { 'a memory': memory });
  itRefuses(Memory, memory, [
    ['blank content', 'content', ' ', /empty/],
    ['an invalid time', 'created_at', 'May', /moment/],
  ]);
});

describe('MemoryInput', () => {
  const INPUT = { type: 'fact', content: 'x', confidence: 1, related_to: [{ memory_id: 'm-1', type: 'supports' }] };
  itTakes(MemoryInput, { 'a full one': INPUT, 'a bare one': { type: 'fact', content: 'x' } });
  itRefuses(MemoryInput, INPUT, [['a workspace in the body', 'workspace_id', 'other', /not a known member/]]);
});

describe('SearchOptions', () => {
  itTakes(SearchOptions, {
    'a limit and types': searchOptions,
    'no options': {},
    'a start without an end': { dateFrom: new Date('2024-01-01') },
    'an end without a start': { dateTo: new Date('2024-01-01') },
    'a range of one moment': { dateFrom: new Date('2024-01-01'), dateTo: new Date('2024-01-01') },
  });

  it('accepts dates as `Date`, and as strings on the wire', () => {
    const options = { dateFrom: new Date('2024-01-01'), dateTo: new Date('2024-02-01T10:00:00Z') };
    expect(SearchOptions.parse(options)).toEqual(options);
    expect(SearchOptions.parse({ dateFrom: '2024-01-01', dateTo: '2024-02-01T11:00:00+01:00' })).toEqual(options);
  });

  itRefuses(SearchOptions, { limit: 10, dateFrom: '2024-01-01', dateTo: '2024-02-01', minConfidence: 0.5 }, [
    ['one type as text', 'memoryTypes', 'fact', /expected array/],
    ['an invalid date', 'dateFrom', 'May', /not a date/],
    ['an invalid `Date`', 'dateTo', new Date(Number.NaN), /not a date/],
    ['an end before the start', 'dateTo', '2023-12-31', /before dateFrom/],
    ['a depth of 6', 'relationshipDepth', 6, /<=5/],
  ]);
});

describe('WireContextOptions', () => {
  itTakes(WireContextOptions, contextOptions);
  itRefuses(WireContextOptions, { template: 'chat', tokenBudget: 2000, ranker: 'default', includeMetadata: true }, [
    ['an invalid date', 'dateTo', 'May', /not a date/],
  ]);

  it('equals the options in code, except that a ranker may be a function there', () => {
    const options: ContextOptions = { ranker: (results) => results.toReversed() };
    expect(WireContextOptions.safeParse(options).success).toBe(false);
  });
});

describe('RankingOptions and CacheConfig', () => {
  itRefuses(RankingOptions, { recencyWeight: 0.2, confidenceWeight: 0.2, similarityWeight: 0.6 }, [
    ['an unknown weight', 'lengthWeight', 0.1, /not a known member/],
  ]);
  itRefuses(CacheConfig, { maxSize: 1000, ttl: 3600 });
});

describe('MemorySearchRequest and ContextRequest', () => {
  itTakes(MemorySearchRequest, { 'a text': { query: 'When does it end?' }, 'a vector': { vector: [0.1, -0.2] } });
  itRefuses(MemorySearchRequest, { query: 'When?', options: searchOptions }, [
    ['neither text nor vector', 'query', ABSENT, /has to be there/],
    ['both', 'vector', [1], /only then/, 'query'],
    ['an empty vector', '', { vector: [] }, />=1/, 'vector'],
    ['a vector of something else', '', { vector: ['1'] }, /expected number/, 'vector.0'],
    ['an unknown option', 'options.workspaceId', 'other', /not a known member/],
  ]);
  itRefuses(ContextRequest, { query: 'When?', options: { template: 'chat' } }, [
    ['a broken option', 'options.tokenBudget', 0, />=1/],
  ]);
});

describe('ContextResult and ContextPreview', () => {
  itTakes(SearchResult, { 'a result with relations': found });
  itTakes(ContextResult, { 'a result': result });
  itTakes(ContextPreview, { 'a preview': preview });
  itRefuses(ContextResult, result);
  itRefuses(ContextPreview, preview, [
    ['ids of other memories', 'memoryIds', [], /differs/],
    ['a memory without a score', 'rankingScores', {}, /no score for m-1/],
  ]);
});

describe('ContextTemplate', () => {
  itTakes(ContextTemplate, templates);
  itRefuses(ContextTemplate, templates.detailed, [
    ['an unknown variable', 'memoryFormat', '{{content}} {{author}}', /unknown variable: author/],
  ]);
});

describe('ContextError', () => {
  itTakes(ContextError, {
    'an embedding error': { type: 'embedding_error', message: 'Cannot embed the query', cause: { status: 503 } },
    'a search error': { type: 'search_error', message: 'x' },
    'a storage error': { type: 'storage_error', message: 'x' },
    'a validation error': { type: 'validation_error', message: 'x' },
    'an unknown template': { type: 'template_not_found', template: 'chta' },
  });
  itRefuses(ContextError, { type: 'search_error', message: 'x' }, [['another type', 'type', 'oops', /search_error/]]);
});
