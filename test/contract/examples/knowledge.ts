/** Bodies of a knowledge host (docs/contract.md#knowledge-host) and of knowledge retrieval. */
export const LISTING = {
  articles: [
    {
      id: 'kb-001',
      title: 'Apollo Not Hashing Troubleshooting',
      url: 'https://docs.futurebit.com/apollo-not-hashing',
      content: 'If your Apollo shows 0 H/s...',
      metadata: {
        intent: ['not_hashing', 'performance_issue'],
        device: ['Apollo', 'Apollo II', 'Apollo III'],
        last_updated: '2024-12-15T10:00:00Z',
        author: 'FutureBit Support',
      },
    },
  ],
  total: 25,
  updated_at: '2024-01-15T10:00:00Z',
};

export const HOST_ERROR = { error: 'Internal server error', message: 'Knowledge base unavailable' };

/** With the limit as it stands in an address. */
export const LISTING_QUERY = {
  intent: 'not_hashing',
  device: 'Apollo II',
  updated_since: '2024-01-14',
  limit: '100',
};

export const RETRIEVAL_REQUEST = {
  intent: 'not_hashing',
  message: 'My Apollo shows 0 H/s for 3 days. Already tried restarting.',
  metadata: { product: 'Apollo II', attachments: ['debug.log'] },
};

export const RETRIEVAL_SUCCESS = {
  sources_consulted: [
    {
      title: 'Apollo Not Hashing Troubleshooting',
      url: 'https://docs.futurebit.com/apollo-not-hashing',
      relevance_score: 0.89,
      excerpt: 'If your Apollo shows 0 H/s, first check that your pool configuration is correct...',
      last_updated: '2024-12-15T10:00:00Z',
    },
    {
      title: 'Apollo II Hashrate Issues',
      url: 'https://docs.futurebit.com/apollo-ii-hashrate',
      relevance_score: 0.82,
      excerpt: 'Apollo II devices may show 0 H/s if the Bitcoin node is not fully synced...',
      last_updated: '2024-11-20T14:30:00Z',
    },
  ],
  coverage: 'high',
  gaps: [],
  retrieval_time_ms: 28,
};

/** Shows a source of 0.45, which `include_weak` allows (design 7.1). */
export const RETRIEVAL_LOW_COVERAGE = {
  sources_consulted: [
    {
      title: 'General Mining Troubleshooting',
      url: 'https://docs.futurebit.com/mining-basics',
      relevance_score: 0.45,
      excerpt: 'Mining devices may experience issues for various reasons...',
      last_updated: '2024-10-01T09:00:00Z',
    },
  ],
  coverage: 'low',
  gaps: ['No Apollo II specific troubleshooting guide for this issue'],
  retrieval_time_ms: 32,
};

export const RETRIEVAL_FALLBACK = {
  sources_consulted: [],
  coverage: 'none',
  gaps: ['Knowledge retrieval unavailable'],
  retrieval_time_ms: 0,
};

export const RETRIEVAL_V1 = {
  sources_consulted: [],
  coverage: 'none',
  gaps: ['Knowledge retrieval not yet implemented'],
};

export const RETRIEVAL_V1_1 = {
  sources_consulted: [
    {
      title: 'string',
      url: 'string',
      relevance_score: 0.89,
      excerpt: 'string',
      last_updated: '2024-12-15T10:00:00Z',
    },
  ],
  coverage: 'high',
  gaps: [],
  retrieval_time_ms: 28,
};
