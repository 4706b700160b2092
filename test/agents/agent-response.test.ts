import { describe, expect, it } from 'vitest';
import { executionMetadata } from '../../src/agents/agent.ts';
import { AgentResponse, validateAgentResponse } from '../../src/agents/agent-response.ts';
import { ANALYTICS_RESULT, ATTRIBUTION_EXAMPLES, SEMANTIC_RESULT } from '../contract/examples/agent-response.ts';
import { ANSWERS } from './agents-for-test.ts';

const QUERY = 'How many iPhone 17 are in stock?';

describe('AgentResponse builds the examples of the agent contract:', () => {
  it('a successful analytics response', () => {
    const metadata = { entity_id: 123, entity_type: 'product', execution_time: 0.2, language_id: 1, user_id: 'u1' };
    const response = AgentResponse.success('analytics', QUERY)
      .setResult(ANALYTICS_RESULT)
      .setSourceAttribution(AgentResponse.createAnalyticsSourceAttribution('clic_products', 0.9))
      .setMetadata(metadata);
    const wire = response.toArray();
    expect(validateAgentResponse(wire)).toEqual({ ok: true, value: wire });
    expect(wire).toEqual({
      ...{ success: true, type: 'analytics', query: QUERY, result: ANALYTICS_RESULT, metadata, error: null },
      source_attribution: ATTRIBUTION_EXAMPLES.analytics,
    });
  });

  it('an error response', () => {
    const wire = AgentResponse.error('analytics', QUERY, 'Cannot run the query')
      .setMetadata({ error_code: 'DATA_SOURCE_ERROR', execution_time: 0.1 })
      .toArray();
    expect(validateAgentResponse(wire).ok).toBe(true);
    expect(wire).toMatchObject({ success: false, result: {}, source_attribution: {}, error: 'Cannot run the query' });
  });

  it('a semantic, a web search and a hybrid response', () => {
    for (const answer of Object.values(ANSWERS)) expect(validateAgentResponse(answer)).toMatchObject({ ok: true });
  });

  it('the attributions of all five kinds, with their usual confidence', () => {
    expect(AgentResponse.createAnalyticsSourceAttribution('clic_products')).toEqual(ATTRIBUTION_EXAMPLES.analytics);
    expect(AgentResponse.createSemanticSourceAttribution(3)).toEqual(ATTRIBUTION_EXAMPLES.semantic);
    expect(AgentResponse.createWebSearchSourceAttribution(5)).toEqual(ATTRIBUTION_EXAMPLES.web_search);
    expect(AgentResponse.createLlmSourceAttribution()).toEqual(ATTRIBUTION_EXAMPLES.llm);
    const sources = ['analytics', 'semantic'];
    expect(AgentResponse.createHybridSourceAttribution(sources)).toEqual(ATTRIBUTION_EXAMPLES.mixed);
  });
});

describe('AgentResponse', () => {
  it('returns the values that were set', () => {
    const metadata = { cache_hit: true };
    const attribution = AgentResponse.createSemanticSourceAttribution(1);
    const response = AgentResponse.success('semantic', QUERY)
      .setResult(SEMANTIC_RESULT)
      .setSourceAttribution(attribution)
      .setMetadata({ cache_hit: false })
      .setMetadata(metadata);
    const fields = [response.getType(), response.getQuery(), response.isSuccess(), response.getError()];
    expect(fields).toEqual(['semantic', QUERY, true, null]);
    const set = [response.getResult(), response.getSourceAttribution(), response.getMetadata()];
    expect(set).toEqual([SEMANTIC_RESULT, attribution, metadata]);
    const failed = AgentResponse.error('hybrid', QUERY, 'Cannot answer');
    expect([failed.isSuccess(), failed.getError(), failed.getResult()]).toEqual([false, 'Cannot answer', {}]);
  });

  it('names all tables when several were read', () => {
    const { details } = AgentResponse.createAnalyticsSourceAttribution(['orders', 'customers']);
    expect(details).toEqual({ tables: ['orders', 'customers'] });
  });

  it('is not valid before a result is set', () => {
    const response = AgentResponse.success('analytics', QUERY).toArray();
    expect(validateAgentResponse(response)).toMatchObject({ ok: false, issues: expect.any(Array) });
  });
});

describe('executionMetadata()', () => {
  it('returns seconds, and the time in ISO 8601', () => {
    const timestamp = '1970-01-01T00:00:01.250Z';
    expect(executionMetadata({ startedMs: 1000, now: 1250 })).toEqual({ execution_time: 0.25, timestamp });
  });

  it('never returns a negative time, even when the clock is set back', () => {
    expect(executionMetadata({ startedMs: 2000, now: 1000 }).execution_time).toBe(0);
  });
});
