import { describe, expect, it } from 'vitest';
import { AgentRequest, AgentResponse, ATTRIBUTIONS } from '../../src/contract/agent-response.ts';
import examples from './examples/agent-response.json' with { type: 'json' };
import { itRefuses, itTakes } from './it-refuses.ts';

const respond = (type: keyof typeof examples.attributionExamples, result: unknown) => ({
  success: true,
  type,
  query: 'How many iPhones are in stock?',
  result,
  source_attribution: examples.attributionExamples[type],
  metadata: examples.metadata,
  error: null,
});
const ANALYTICS = respond('analytics', examples.analyticsResult);
const SEMANTIC = respond('semantic', examples.semanticResult);
const WEB_SEARCH = respond('web_search', examples.webSearchResult);
const HYBRID = { ...respond('mixed', examples.hybridResult), type: 'hybrid' };

describe('AgentResponse', () => {
  itTakes(AgentResponse, {
    'an analytics answer': ANALYTICS,
    'a semantic answer': SEMANTIC,
    'a web search answer': WEB_SEARCH,
    'a hybrid answer': HYBRID,
    'a failure': examples.failure,
    'a failure with its attribution': {
      ...examples.failure,
      source_attribution: examples.attributionExamples.analytics,
    },
    'an answer of a model alone': { ...SEMANTIC, source_attribution: examples.attributionExamples.llm },
    'metadata of its own': { ...HYBRID, metadata: { execution_time: 1, sub_query_count: 2 } },
    'an answer of no rows': { ...ANALYTICS, result: { ...examples.analyticsResult, rows: [], row_count: 0 } },
  });

  describe('of any type', () => {
    itRefuses(AgentResponse, ANALYTICS, [
      ['an empty query', 'query', '', /empty/],
      ['large metadata', 'metadata.trace', 'x'.repeat(64_000), /larger than 64000/, 'metadata'],
      ['an error, although it succeeded', 'error', 'SQL failed', /although success is true/],
    ]);
  });

  describe('of type analytics', () => {
    itRefuses(AgentResponse, ANALYTICS, [
      ['a blank SQL query', 'result.sql_query', ' ', /empty/],
      ['a row that is not an object', 'result.rows', [7], /expected record/, 'result.rows.0'],
      ['a count above the rows', 'result.row_count', 2, /is 2, but rows has 1/],
      ['a count below the rows', 'result.row_count', 0, /is 0, but rows has 1/],
    ]);
  });

  describe('of type semantic', () => {
    itRefuses(AgentResponse, SEMANTIC, [
      ['a count that is not theirs', 'result.document_count', 3, /is 3, but documents has 1/],
    ]);
  });

  describe('of type web_search', () => {
    itRefuses(AgentResponse, WEB_SEARCH, [
      ['an invalid url', 'result.urls.1', 'bestbuy', /not an absolute/],
      ['a url that runs code', 'result.urls.1', 'javascript:alert(1)', /not an absolute/],
      ['an endless result', 'result.external_results.0.note', 'x'.repeat(32_000), /32000/, 'result.external_results.0'],
      ['an endless comparison', 'result.price_comparison.note', 'x'.repeat(32_000), /32000/, 'result.price_comparison'],
    ]);
  });

  describe('of type hybrid', () => {
    itRefuses(AgentResponse, HYBRID);
  });

  describe('that failed', () => {
    itRefuses(AgentResponse, examples.failure, [
      ['a missing error', 'error', null, /although success is false/],
      ['an empty error', 'error', '', /empty/],
    ]);
  });

  it('reads the empty lists that PHP writes for empty objects', () => {
    const reply = { ...examples.failure, result: [], source_attribution: [], metadata: [] };
    expect(AgentResponse.parse(reply)).toEqual({
      ...examples.failure,
      result: {},
      source_attribution: {},
      metadata: {},
    });
  });

  it('has the names and icons of the five kinds of source', () => {
    for (const [kind, { primary_source, icon }] of Object.entries(examples.attributionExamples)) {
      expect(ATTRIBUTIONS).toHaveProperty(kind, { primary_source, icon });
    }
  });
});

describe('AgentRequest', () => {
  itRefuses(AgentRequest, { query: 'How many?', options: { product_id: 3 } });
});
