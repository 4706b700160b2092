/** Results and attributions of agents (docs/contract.md#agents). */
export const ANALYTICS_RESULT = {
  sql_query: 'SELECT products_name, products_quantity FROM clic_products WHERE products_id = 123',
  columns: ['products_name', 'products_quantity'],
  rows: [{ products_name: 'iPhone 17', products_quantity: 50 }],
  row_count: 1,
  interpretation: 'The iPhone 17 has 50 units in stock.',
};

export const SEMANTIC_RESULT = {
  documents: [
    {
      content: 'Our return policy allows returns within 14 days...',
      score: 0.92,
      metadata: { source: 'policies.pdf', page: 3 },
    },
  ],
  summary: 'Our return policy allows returns within 14 days of purchase.',
  document_count: 1,
  similarity_threshold: 0.7,
};

export const WEB_SEARCH_RESULT = {
  product_info: { product_id: 123, name: 'iPhone 17', price: 999.99 },
  external_results: [{ title: 'iPhone 17 on Amazon', price: 949.99, url: 'https://amazon.com/...' }],
  price_comparison: {
    internal_price: 999.99,
    cheapest_external: 949.99,
    difference: -50.0,
    percentage: -5.0,
  },
  urls: ['https://amazon.com/...', 'https://bestbuy.com/...'],
};

export const ATTRIBUTION_EXAMPLES = {
  analytics: {
    primary_source: 'Analytics Database',
    icon: '📊',
    details: { table: 'clic_products' },
    confidence: 0.9,
  },
  semantic: { primary_source: 'RAG Knowledge Base', icon: '📚', details: { document_count: 3 }, confidence: 0.85 },
  web_search: { primary_source: 'Web Search', icon: '🌐', details: { url_count: 5 }, confidence: 0.7 },
  llm: { primary_source: 'LLM', icon: '🤖', details: { fallback: true }, confidence: 0.5 },
  mixed: { primary_source: 'Mixed', icon: '🔀', details: { sources: ['analytics', 'semantic'] }, confidence: 0.8 },
};

/** Composed of the results above. */
export const HYBRID_RESULT = {
  sub_queries: [
    {
      type: 'analytics',
      query: 'Show Q1 sales',
      result: ANALYTICS_RESULT,
      source_attribution: ATTRIBUTION_EXAMPLES.analytics,
    },
    {
      type: 'semantic',
      query: 'Summarize return policy',
      result: SEMANTIC_RESULT,
      source_attribution: ATTRIBUTION_EXAMPLES.semantic,
    },
  ],
  synthesis: 'Q1 sales totaled $1.2M. Our return policy allows returns within 14 days.',
  sources_used: ['analytics', 'semantic'],
};

/** All of the common fields. */
export const METADATA = {
  entity_id: 123,
  entity_type: 'product',
  execution_time: 0.12,
  timestamp: '2025-11-14 10:00:00',
  language_id: 1,
  user_id: 'u-1',
  confidence_score: 0.9,
  classification_reasoning: ['asks for a quantity'],
  cache_hit: false,
  feedback_influenced: false,
  memory_context_used: true,
};

/** The error response of the usage examples. */
export const FAILURE = {
  success: false,
  type: 'analytics',
  query: 'How many?',
  result: {},
  source_attribution: {},
  metadata: { error_code: 'SQL_EXECUTION_ERROR', execution_time: 0.02 },
  error: 'SQL execution failed: no such table',
};
