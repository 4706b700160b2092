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
import { CONTEXT_OPTIONS, SEARCH_OPTIONS, TEMPLATES } from './examples/context-engine.ts';
import { ABSENT, itRefuses, itTakes } from './it-refuses.ts';

const MEMORY = {
  id: 'm-1',
  workspace_id: 'acme',
  type: 'fact',
  content: 'The project ends in May.',
  confidence: 0.9,
  conversation_id: 'c-1',
  created_at: '2024-12-15T10:00:00Z',
  metadata: { by: 'Ann' },
};
const RELATIONSHIP = {
  from_memory_id: 'm-1',
  to_memory_id: 'm-2',
  type: 'supports',
  created_at: '2024-12-15T10:00:00Z',
};
const FOUND = {
  memory: MEMORY,
  score: 0.8,
  rank: 1,
  relationships: [{ memory: { ...MEMORY, id: 'm-2' }, relationship: RELATIONSHIP, depth: 1 }],
};
const RESULT = {
  context: '- The project ends in May.',
  tokenCount: 7,
  memories: [FOUND],
  truncated: false,
  template: 'chat',
};
const PREVIEW = { ...RESULT, memoryIds: ['m-1'], rankingScores: { 'm-1': 0.83 }, budgetUsed: 0.35 };

describe('Memory', () => {
  itTakes(Memory, { 'a memory': MEMORY });
  itRefuses(Memory, MEMORY, [
    ['no id', 'id', ABSENT, /is missing/],
    ['no workspace', 'workspace_id', ABSENT, /is missing/],
    ['blank content', 'content', ' ', /empty/],
    ['a confidence above 1', 'confidence', 90, /<=1/],
    ['a time that is none', 'created_at', 'May', /moment/],
  ]);
});

describe('MemoryInput', () => {
  const INPUT = { type: 'fact', content: 'x', confidence: 1, related_to: [{ memory_id: 'm-1', type: 'supports' }] };
  itTakes(MemoryInput, { 'a full one': INPUT, 'a bare one': { type: 'fact', content: 'x' } });
  itRefuses(MemoryInput, INPUT, [
    ['no content', 'content', ABSENT, /is missing/],
    ['a workspace in the body', 'workspace_id', 'other', /not a known member/],
    ['content of 32,001 characters', 'content', 'x'.repeat(32_001), /<=32000/],
    ['a relation to nothing', 'related_to.0.memory_id', ABSENT, /is missing/],
  ]);
});

describe('SearchOptions', () => {
  itTakes(SearchOptions, {
    'a limit and types': SEARCH_OPTIONS,
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
    ['a limit of 0', 'limit', 0, />=1/],
    ['a limit of 101', 'limit', 101, /<=100/],
    ['one type as text', 'memoryTypes', 'fact', /expected array/],
    ['a date that is none', 'dateFrom', 'May', /not a date/],
    ['a date that cannot be', 'dateTo', new Date(Number.NaN), /not a date/],
    ['an end before the start', 'dateTo', '2023-12-31', /before dateFrom/],
    ['a confidence above 1', 'minConfidence', 50, /<=1/],
    ['a depth of 6', 'relationshipDepth', 6, /<=5/],
    ['an unknown member', 'workspaceId', 'other', /not a known member/],
  ]);
});

describe('WireContextOptions', () => {
  itTakes(WireContextOptions, CONTEXT_OPTIONS);
  itRefuses(WireContextOptions, { template: 'chat', tokenBudget: 2000, ranker: 'default', includeMetadata: true }, [
    ['no tokens', 'tokenBudget', 0, />=1/],
    ['half a token', 'tokenBudget', 0.5, /int/],
    ['a blank template', 'template', '', /empty/],
    ['a ranker that is no name', 'ranker', {}, /expected string/],
    ['a date that is none', 'dateTo', 'May', /not a date/],
    ['an unknown member', 'tokens', 5, /not a known member/],
  ]);

  it('equals the options in code, except that a ranker may be a function there', () => {
    const options: ContextOptions = { ranker: (results) => results.toReversed() };
    expect(WireContextOptions.safeParse(options).success).toBe(false);
  });
});

describe('RankingOptions and CacheConfig', () => {
  itRefuses(RankingOptions, { recencyWeight: 0.2, confidenceWeight: 0.2, similarityWeight: 0.6 }, [
    ['a weight above 1', 'recencyWeight', 2, /<=1/],
    ['an unknown weight', 'lengthWeight', 0.1, /not a known member/],
  ]);
  itRefuses(CacheConfig, { maxSize: 1000, ttl: 3600 }, [
    ['an empty cache', 'maxSize', 0, />=1/],
    ['no time to live', 'ttl', 0, />0/],
  ]);
});

describe('MemorySearchRequest and ContextRequest', () => {
  itTakes(MemorySearchRequest, { 'a text': { query: 'When does it end?' }, 'a vector': { vector: [0.1, -0.2] } });
  itRefuses(MemorySearchRequest, { query: 'When?', options: SEARCH_OPTIONS }, [
    ['neither text nor vector', 'query', ABSENT, /has to be there/],
    ['both', 'vector', [1], /only then/, 'query'],
    ['a vector of no numbers', '', { vector: [] }, />=1/, 'vector'],
    ['a vector of something else', '', { vector: ['1'] }, /expected number/, 'vector.0'],
    ['an unknown option', 'options.workspaceId', 'other', /not a known member/],
  ]);
  itRefuses(ContextRequest, { query: 'When?', options: { template: 'chat' } }, [
    ['an unknown member', 'template', 'chat', /not a known member/],
    ['a broken option', 'options.tokenBudget', 0, />=1/],
  ]);
});

describe('ContextResult and ContextPreview', () => {
  itTakes(SearchResult, { 'a result with relations': FOUND });
  itTakes(ContextResult, { 'a result': RESULT });
  itTakes(ContextPreview, { 'a preview': PREVIEW });
  itRefuses(ContextResult, RESULT, [
    ['no context', 'context', ABSENT, /is missing/],
    ['half a token', 'tokenCount', 7.5, /int/],
    ['no word on truncation', 'truncated', ABSENT, /is missing/],
    ['a score above 1', 'memories.0.score', 80, /<=1/],
    ['a depth of 0', 'memories.0.relationships.0.depth', 0, />=1/],
  ]);
  itRefuses(ContextPreview, PREVIEW, [
    ['ids of other memories', 'memoryIds', [], /differs/],
    ['a memory without a score', 'rankingScores', {}, /no score for m-1/],
    ['a negative use', 'budgetUsed', -1, />=0/],
  ]);
});

describe('ContextTemplate', () => {
  itTakes(ContextTemplate, TEMPLATES);
  itRefuses(ContextTemplate, TEMPLATES.detailed, [
    ['no name', 'name', ABSENT, /is missing/],
    ['no format', 'memoryFormat', ABSENT, /is missing/],
    ['an unknown variable', 'memoryFormat', '{{content}} {{author}}', /unknown variable: author/],
    ['no separator', 'separator', ABSENT, /is missing/],
    ['no word on metadata', 'includeMetadata', ABSENT, /is missing/],
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
  itRefuses(ContextError, { type: 'search_error', message: 'x' }, [
    ['another type', 'type', 'oops', /search_error/],
    ['no message', 'message', ABSENT, /is missing/],
  ]);
});
