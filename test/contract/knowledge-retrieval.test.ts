import { describe, expect, it } from 'vitest';
import {
  KnowledgeRetrieval,
  KnowledgeRetrievalV1,
  RetrievalRequest,
  unavailableRetrieval,
  WeakKnowledgeRetrieval,
} from '../../src/contract/knowledge.ts';
import { SupportRequest, SupportResponse, SupportResponseV1 } from '../../src/contract/support-response.ts';
import examples from './examples/knowledge.json' with { type: 'json' };
import { itRefuses, itTakes } from './it-refuses.ts';

describe('RetrievalRequest', () => {
  itTakes(RetrievalRequest, {
    'a request with a product and attachments': examples.retrievalRequest,
    'one that wants weak sources': { ...examples.retrievalRequest, include_weak: true },
    'one without metadata': { intent: 'a', message: 'b' },
    'metadata that is absent': { intent: 'a', message: 'b', metadata: null },
    'unknown, absent and empty metadata': {
      ...{ intent: 'a', message: 'b' },
      metadata: { colour: 'blue', product: null, attachments: null, person_id: '' },
    },
  });
  itRefuses(RetrievalRequest, examples.retrievalRequest, [
    ['a blank intent', 'intent', ' ', /empty/],
    ['a blank message', 'message', '\n', /empty/],
    ['large metadata', 'metadata.note', 'x'.repeat(16_000), /larger than 16000/, 'metadata'],
    ['a name as person id', 'metadata.person_id', 'Ada Lovelace', /.+/],
    ['include_weak as a word', 'include_weak', 'yes', /expected boolean/],
  ]);
});

describe('KnowledgeRetrieval', () => {
  const [SOURCE] = examples.retrievalSuccess.sources_consulted;

  itTakes(KnowledgeRetrieval, {
    'a block with sources': examples.retrievalSuccess,
    'the block for a failed retrieval': examples.retrievalFallback,
    'a block with one source': examples.retrievalOfOneSource,
    'a source of exactly 0.7': {
      ...examples.retrievalSuccess,
      sources_consulted: [{ ...SOURCE, relevance_score: 0.7 }],
    },
  });
  itRefuses(KnowledgeRetrieval, examples.retrievalSuccess, [
    ['a weak source', 'sources_consulted.1.relevance_score', 0.69, /0.69, below the 0.7/],
    ['an invalid time', 'sources_consulted.0.last_updated', '15 Dec', /moment/],
    ['an empty gap', 'gaps', [''], /empty/, 'gaps.0'],
  ]);

  it('refuses a weak source unless weak sources were requested', () => {
    expect(KnowledgeRetrieval.safeParse(examples.retrievalLowCoverage).success).toBe(false);
    expect(WeakKnowledgeRetrieval.parse(examples.retrievalLowCoverage)).toEqual(examples.retrievalLowCoverage);
  });

  it('returns a new fallback block each time', () => {
    expect(unavailableRetrieval()).toEqual(examples.retrievalFallback);
    unavailableRetrieval().gaps.push('changed');
    expect(KnowledgeRetrieval.parse(unavailableRetrieval())).toEqual(examples.retrievalFallback);
  });

  it('is readable for a v1.0 client, as are v1.0 replies', () => {
    for (const block of [
      examples.retrievalV1,
      examples.retrievalSuccess,
      examples.retrievalLowCoverage,
      examples.retrievalFallback,
    ]) {
      const { sources_consulted, coverage, gaps } = block;
      expect(KnowledgeRetrievalV1.parse(block)).toEqual({ sources_consulted, coverage, gaps });
    }
  });
});

describe('SupportResponse', () => {
  const { supportResponse: RESPONSE } = examples;

  itTakes(SupportResponse, {
    'a full response': RESPONSE,
    'one with weak sources': { ...RESPONSE, knowledge_retrieval: examples.retrievalLowCoverage },
  });
  itRefuses(SupportResponse, RESPONSE, [
    ['an oversized block', 'draft.note', 'x'.repeat(200_000), /larger than 200000/, 'draft'],
    [
      "a draft without a reference's address",
      'draft.references',
      [{ title: 'x' }],
      /is missing/,
      'draft.references.0.url',
    ],
    ['a grounding above 1', 'draft.source_grounding', 1.1, /<=1/],
    ['an oversized guidance', 'agent_guidance.note', 'x'.repeat(64_000), /larger than 64000/, 'agent_guidance'],
    [
      'an oversized classification',
      'intent_classification.note',
      'x'.repeat(64_000),
      /larger than 64000/,
      'intent_classification',
    ],
  ]);

  it('is readable for a v1.0 client: the four blocks have all earlier members', () => {
    const read = SupportResponseV1.parse(RESPONSE);
    expect(Object.keys(read)).toEqual(Object.keys(RESPONSE));
    expect(read.draft).toEqual(RESPONSE.draft);
  });
});

describe('SupportRequest', () => {
  const { supportRequest: REQUEST } = examples;
  itTakes(SupportRequest, {
    'a full request': REQUEST,
    'a bare message': { message: 'Help' },
    'absent metadata': { message: 'Help', metadata: null },
  });
  itRefuses(SupportRequest, REQUEST, [
    ['large metadata', 'metadata.note', 'x'.repeat(16_000), /larger than 16000/, 'metadata'],
  ]);
});
