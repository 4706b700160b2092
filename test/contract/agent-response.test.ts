import { describe, expect, it } from 'vitest';
import { AgentRequest, AgentResponse, ATTRIBUTIONS } from '../../src/contract/agent-response.ts';
import * as examples from './examples/agent-response.ts';
import { ABSENT, itRefuses, itTakes } from './it-refuses.ts';

const respond = (type: keyof typeof examples.ATTRIBUTION_EXAMPLES, result: unknown) => ({
  success: true,
  type,
  query: 'How many iPhones are in stock?',
  result,
  source_attribution: examples.ATTRIBUTION_EXAMPLES[type],
  metadata: examples.METADATA,
  error: null,
});
const ANALYTICS = respond('analytics', examples.ANALYTICS_RESULT);
const SEMANTIC = respond('semantic', examples.SEMANTIC_RESULT);
const WEB_SEARCH = respond('web_search', examples.WEB_SEARCH_RESULT);
const HYBRID = { ...respond('mixed', examples.HYBRID_RESULT), type: 'hybrid' };

describe('AgentResponse', () => {
  itTakes(AgentResponse, {
    'an analytics answer': ANALYTICS,
    'a semantic answer': SEMANTIC,
    'a web search answer': WEB_SEARCH,
    'a hybrid answer': HYBRID,
    'a failure': examples.FAILURE,
    'a failure with its attribution': {
      ...examples.FAILURE,
      source_attribution: examples.ATTRIBUTION_EXAMPLES.analytics,
    },
    'an answer of a model alone': { ...SEMANTIC, source_attribution: examples.ATTRIBUTION_EXAMPLES.llm },
    'metadata of its own': { ...HYBRID, metadata: { execution_time: 1, sub_query_count: 2 } },
    'an answer of no rows': { ...ANALYTICS, result: { ...examples.ANALYTICS_RESULT, rows: [], row_count: 0 } },
  });

  describe('of any type', () => {
    itRefuses(AgentResponse, ANALYTICS, [
      ['no success', 'success', ABSENT, /true/],
      ['success as a number', 'success', 1, /true/],
      ['no type', 'type', ABSENT, /analytics/],
      ['another type', 'type', 'sql', /analytics/],
      ['no query', 'query', ABSENT, /is missing/],
      ['an empty query', 'query', '', /empty/],
      ['no result', 'result', ABSENT, /is missing/],
      ['a result that is no object', 'result', 'many', /expected object/],
      ['no attribution', 'source_attribution', ABSENT, /is missing/],
      ['an attribution without a source', 'source_attribution.primary_source', ABSENT, /is missing/],
      ['an attribution without an icon', 'source_attribution.icon', ABSENT, /is missing/],
      ['an attribution without details', 'source_attribution.details', ABSENT, /is missing/],
      ['an attribution without confidence', 'source_attribution.confidence', ABSENT, /is missing/],
      ['a confidence above 1', 'source_attribution.confidence', 90, /<=1/],
      ['no metadata', 'metadata', ABSENT, /is missing/],
      ['a broken common field', 'metadata.cache_hit', 'no', /expected boolean/],
      ['a negative time', 'metadata.execution_time', -1, />=0/],
      ['large metadata', 'metadata.trace', 'x'.repeat(64_000), /larger than 64000/, 'metadata'],
      ['no error member', 'error', ABSENT, /is missing/],
      ['an error, although it succeeded', 'error', 'SQL failed', /although success is true/],
    ]);
  });

  describe('of type analytics', () => {
    itRefuses(AgentResponse, ANALYTICS, [
      ['no query of its own', 'result.sql_query', ABSENT, /is missing/],
      ['a blank query of its own', 'result.sql_query', ' ', /empty/],
      ['no columns', 'result.columns', ABSENT, /is missing/],
      ['rows that are no list', 'result.rows', 'none', /expected array/],
      ['a row that is no object', 'result.rows', [7], /expected record/, 'result.rows.0'],
      ['a count above the rows', 'result.row_count', 2, /is 2, but rows has 1/],
      ['a count below the rows', 'result.row_count', 0, /is 0, but rows has 1/],
      ['no interpretation', 'result.interpretation', ABSENT, /is missing/],
    ]);
  });

  describe('of type semantic', () => {
    itRefuses(AgentResponse, SEMANTIC, [
      ['documents that are no list', 'result.documents', 'none', /expected array/],
      ['a count that is not theirs', 'result.document_count', 3, /is 3, but documents has 1/],
      ['a document without content', 'result.documents.0.content', ABSENT, /is missing/],
      ['a document without a score', 'result.documents.0.score', ABSENT, /is missing/],
      ['no summary', 'result.summary', ABSENT, /is missing/],
      ['a threshold above 1', 'result.similarity_threshold', 70, /<=1/],
    ]);
  });

  describe('of type web_search', () => {
    itRefuses(AgentResponse, WEB_SEARCH, [
      ['no urls', 'result.urls', ABSENT, /is missing/],
      ['urls as text', 'result.urls', 'https://amazon.com', /expected array/],
      ['a url that is none', 'result.urls.1', 'bestbuy', /not an absolute/],
      ['a url that runs code', 'result.urls.1', 'javascript:alert(1)', /not an absolute/],
      ['a result without a title', 'result.external_results.0.title', ABSENT, /is missing/],
      ['an endless result', 'result.external_results.0.note', 'x'.repeat(32_000), /32000/, 'result.external_results.0'],
      ['an endless comparison', 'result.price_comparison.note', 'x'.repeat(32_000), /32000/, 'result.price_comparison'],
      ['no product', 'result.product_info', ABSENT, /is missing/],
      ['no comparison', 'result.price_comparison', ABSENT, /is missing/],
    ]);
  });

  describe('of type hybrid', () => {
    itRefuses(AgentResponse, HYBRID, [
      ['sub-queries that are no list', 'result.sub_queries', {}, /expected array/],
      ['a sub-query without a type', 'result.sub_queries.0.type', ABSENT, /analytics/],
      ['a sub-query without a query', 'result.sub_queries.1.query', ABSENT, /is missing/],
      ['a sub-query without a result', 'result.sub_queries.1.result', ABSENT, /is missing/],
      ['no synthesis', 'result.synthesis', ABSENT, /is missing/],
      ['sources as text', 'result.sources_used', 'analytics', /expected array/],
    ]);
  });

  describe('that failed', () => {
    itRefuses(AgentResponse, examples.FAILURE, [
      ['no error', 'error', null, /although success is false/],
      ['an empty error', 'error', '', /empty/],
      ['no result', 'result', ABSENT, /is missing/],
      ['no attribution', 'source_attribution', ABSENT, /is missing/],
    ]);
  });

  it('reads empty lists as empty objects, as PHP writes them', () => {
    const reply = { ...examples.FAILURE, result: [], source_attribution: [], metadata: [] };
    expect(AgentResponse.parse(reply)).toEqual({
      ...examples.FAILURE,
      result: {},
      source_attribution: {},
      metadata: {},
    });
  });

  it('has the names and icons of the five kinds of source', () => {
    for (const [kind, { primary_source, icon }] of Object.entries(examples.ATTRIBUTION_EXAMPLES)) {
      expect(ATTRIBUTIONS).toHaveProperty(kind, { primary_source, icon });
    }
  });
});

describe('AgentRequest', () => {
  itRefuses(AgentRequest, { query: 'How many?', options: { product_id: 3 } }, [
    ['no query', 'query', ABSENT, /is missing/],
    ['an unknown member', 'sql', 'DROP TABLE a', /not a known member/],
  ]);
});
