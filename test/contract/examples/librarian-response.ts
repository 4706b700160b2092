/** Responses, one of each kind (docs/contract.md#response). */
export const RESPONSES = {
  'an answer with sources': {
    answer: 'According to our documentation...',
    sources: [{ name: 'Deployment Guide', url: 'https://docs.example.com/deploy', type: 'document', relevance: 0.9 }],
  },
  'an answer with confidence': { answer: 'The answer to your query...', sources: [], confidence: 0.9 },
  'a bare answer': { answer: '...' },
  'a delegation': { delegate: { to: 'expert-librarian', query: 'refined query' } },
  'a delegation with context': {
    delegate: {
      to: 'k8s-expert',
      query: 'Why does my pod restart?',
      context: { reason: 'Complex Kubernetes query' },
    },
  },
  'an error': { error: { code: 'NOT_FOUND', message: 'Could not find information', recoverable: true } },
  'an error with a suggestion': {
    error: {
      code: 'INTERNAL_ERROR',
      message: 'Failed to generate answer',
      recoverable: true,
      suggestion: 'Try rephrasing your query',
    },
  },
  'a partial answer': { answer: 'Partial information...', partial: true, confidence: 0.5 },
  'an unsure answer': { answer: 'Based on limited data...', confidence: 0.3, partial: true },
} as const;

/** The codes in the order of the enumeration. */
export const ERROR_CODES = [
  'INVALID_QUERY',
  'UNAUTHORIZED',
  'NOT_FOUND',
  'RATE_LIMITED',
  'INTERNAL_ERROR',
  'TIMEOUT',
  'SERVICE_UNAVAILABLE',
  'DELEGATION_FAILED',
  'LOOP_DETECTED',
  'MAX_DEPTH_EXCEEDED',
  'AI_UNAVAILABLE',
  'DATA_SOURCE_ERROR',
];
