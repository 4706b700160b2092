import { describe, expect, it } from 'vitest';
import { AgentRequest, AgentResponse, ATTRIBUTIONS } from '../../src/contract/agent-response.ts';
import examples from './examples/agent-response.json' with { type: 'json' };
import { ABSENT, itNeeds, itRefuses, itTakes } from './it-refuses.ts';

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
    itNeeds(
      AgentResponse,
      ANALYTICS,
      'query result source_attribution source_attribution.primary_source source_attribution.icon source_attribution.details source_attribution.confidence metadata error',
    );
    itRefuses(AgentResponse, ANALYTICS, [
      ['no success', 'success', ABSENT, /true/],
      ['success as a number', 'success', 1, /true/],
      ['no type', 'type', ABSENT, /analytics/],
      ['another type', 'type', 'sql', /analytics/],
      ['an empty query', 'query', '', /empty/],
      ['a result that is no object', 'result', 'many', /expected object/],
      ['a confidence above 1', 'source_attribution.confidence', 90, /<=1/],
      ['a broken common field', 'metadata.cache_hit', 'no', /expected boolean/],
      ['a negative time', 'metadata.execution_time', -1, />=0/],
      ['large metadata', 'metadata.trace', 'x'.repeat(64_000), /larger than 64000/, 'metadata'],
      ['an error, although it succeeded', 'error', 'SQL failed', /although success is true/],
    ]);
  });

  describe('of type analytics', () => {
    itNeeds(AgentResponse, ANALYTICS, 'result.sql_query result.columns result.interpretation');
    itRefuses(AgentResponse, ANALYTICS, [
      ['a blank query of its own', 'result.sql_query', ' ', /empty/],
      ['rows that are no list', 'result.rows', 'none', /expected array/],
      ['a row that is no object', 'result.rows', [7], /expected record/, 'result.rows.0'],
      ['a count above the rows', 'result.row_count', 2, /is 2, but rows has 1/],
      ['a count below the rows', 'result.row_count', 0, /is 0, but rows has 1/],
    ]);
  });

  describe('of type semantic', () => {
    itNeeds(AgentResponse, SEMANTIC, 'result.documents.0.content result.documents.0.score result.summary');
    itRefuses(AgentResponse, SEMANTIC, [
      ['documents that are no list', 'result.documents', 'none', /expected array/],
      ['a count that is not theirs', 'result.document_count', 3, /is 3, but documents has 1/],
      ['a threshold above 1', 'result.similarity_threshold', 70, /<=1/],
    ]);
  });

  describe('of type web_search', () => {
    itNeeds(
      AgentResponse,
      WEB_SEARCH,
      'result.urls result.external_results.0.title result.product_info result.price_comparison',
    );
    itRefuses(AgentResponse, WEB_SEARCH, [
      ['urls as text', 'result.urls', 'https://amazon.com', /expected array/],
      ['a url that is none', 'result.urls.1', 'bestbuy', /not an absolute/],
      ['a url that runs code', 'result.urls.1', 'javascript:alert(1)', /not an absolute/],
      ['an endless result', 'result.external_results.0.note', 'x'.repeat(32_000), /32000/, 'result.external_results.0'],
      ['an endless comparison', 'result.price_comparison.note', 'x'.repeat(32_000), /32000/, 'result.price_comparison'],
    ]);
  });

  describe('of type hybrid', () => {
    itNeeds(AgentResponse, HYBRID, 'result.sub_queries.1.query result.sub_queries.1.result result.synthesis');
    itRefuses(AgentResponse, HYBRID, [
      ['sub-queries that are no list', 'result.sub_queries', {}, /expected array/],
      ['a sub-query without a type', 'result.sub_queries.0.type', ABSENT, /analytics/],
      ['sources as text', 'result.sources_used', 'analytics', /expected array/],
    ]);
  });

  describe('that failed', () => {
    itNeeds(AgentResponse, examples.failure, 'result source_attribution');
    itRefuses(AgentResponse, examples.failure, [
      ['no error', 'error', null, /although success is false/],
      ['an empty error', 'error', '', /empty/],
    ]);
  });

  it('reads empty lists as empty objects, as PHP writes them', () => {
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
  itNeeds(AgentRequest, { query: 'How many?', options: { product_id: 3 } }, 'query');
});
