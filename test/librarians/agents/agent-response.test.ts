import { expect, it } from 'vitest';
import { executionMetadata } from '../../../src/librarians/agents/agent.ts';
import {
  AgentResponse,
  validateAgentResponse,
} from '../../../src/librarians/agents/agent-response.ts';
import { ANSWERS } from './agents-for-test.ts';

const QUERY = 'How many iPhone 17 are in stock?';
const BOTH = ['a', 'b'];

it('builds a response of each type that the contract accepts', () => {
  for (const answer of Object.values(ANSWERS))
    expect(validateAgentResponse(answer)).toEqual({ ok: true, value: answer });
});
it('returns the values that were set last', () => {
  const attribution = AgentResponse.createSemanticSourceAttribution(1);
  const { result } = ANSWERS.semantic;
  const response = AgentResponse.success('semantic', QUERY)
    .setResult(result as Parameters<AgentResponse<'semantic'>['setResult']>[0]) // set above, so not empty
    .setSourceAttribution(attribution)
    .setMetadata({ cache_hit: false })
    .setMetadata({ cache_hit: true });
  expect([response.getType(), response.getQuery(), response.isSuccess()]).toEqual([
    'semantic',
    QUERY,
    true,
  ]);
  expect([response.getResult(), response.getSourceAttribution()]).toEqual([result, attribution]);
  expect([response.getMetadata(), response.getError()]).toEqual([{ cache_hit: true }, null]);
});
it('builds an error, and is not valid before a result is set', () => {
  const response = AgentResponse.error('hybrid', QUERY, 'Cannot answer').setMetadata({
    execution_time: 0.1,
  });
  const [error, result] = ['Cannot answer', {}];
  expect([response.isSuccess(), response.getError(), response.getResult()]).toEqual([
    false,
    error,
    result,
  ]);
  const wire = response.toArray();
  expect(validateAgentResponse(wire).ok).toBe(true);
  expect(wire).toMatchObject({ success: false, result, source_attribution: {}, error });
  const incomplete = AgentResponse.success('analytics', QUERY).toArray();
  expect(validateAgentResponse(incomplete)).toMatchObject({ ok: false, issues: expect.any(Array) });
});
it.each([
  [
    AgentResponse.createAnalyticsSourceAttribution('a'),
    'Analytics Database',
    '📊',
    { table: 'a' },
    0.9,
  ],
  [
    AgentResponse.createAnalyticsSourceAttribution(BOTH),
    'Analytics Database',
    '📊',
    { tables: BOTH },
    0.9,
  ],
  [
    AgentResponse.createSemanticSourceAttribution(3),
    'RAG Knowledge Base',
    '📚',
    { document_count: 3 },
    0.85,
  ],
  [AgentResponse.createWebSearchSourceAttribution(5), 'Web Search', '🌐', { url_count: 5 }, 0.7],
  [AgentResponse.createLlmSourceAttribution(), 'LLM', '🤖', { fallback: true }, 0.5],
  [AgentResponse.createHybridSourceAttribution(BOTH), 'Mixed', '🔀', { sources: BOTH }, 0.8],
])('attributes %o', (attribution, primary_source, icon, details, confidence) => {
  expect(attribution).toEqual({ primary_source, icon, details, confidence });
});
it.each([
  [1000, 1250, 0.25, '1970-01-01T00:00:01.250Z'],
  // The clock was set back.
  [2000, 1000, 0, '1970-01-01T00:00:01.000Z'],
])(
  'states the duration in seconds, never negative, and the time in ISO 8601',
  (startedMs, now, seconds, timestamp) => {
    expect(executionMetadata({ startedMs, now })).toEqual({ execution_time: seconds, timestamp });
  },
);
