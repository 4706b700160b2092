import examples from './agent-response.json' with { type: 'json' };

/** Results and attributions of agents (docs/contract.md#agents). */
export const {
  analyticsResult: ANALYTICS_RESULT,
  semanticResult: SEMANTIC_RESULT,
  webSearchResult: WEB_SEARCH_RESULT,
  hybridResult: HYBRID_RESULT,
  attributionExamples: ATTRIBUTION_EXAMPLES,
} = examples;
