import { describe, expect, it } from 'vitest';
import {
  KnowledgeRetrieval,
  KnowledgeRetrievalV1,
  RetrievalRequest,
  unavailableRetrieval,
  WeakKnowledgeRetrieval,
} from '../../src/contract/knowledge-retrieval.ts';
import { SupportRequest, SupportResponse, SupportResponseV1 } from '../../src/contract/support-response.ts';
import * as examples from './examples/knowledge.ts';
import { ABSENT, itRefuses, itTakes } from './it-refuses.ts';

describe('RetrievalRequest', () => {
  itTakes(RetrievalRequest, {
    'a request with a product and attachments': examples.RETRIEVAL_REQUEST,
    'one that wants weak sources': { ...examples.RETRIEVAL_REQUEST, include_weak: true },
    'one without metadata': { intent: 'a', message: 'b' },
    'metadata that is absent': { intent: 'a', message: 'b', metadata: null },
    'unknown, absent and empty metadata': {
      ...{ intent: 'a', message: 'b' },
      metadata: { colour: 'blue', product: null, attachments: null, person_id: '' },
    },
  });
  itRefuses(RetrievalRequest, examples.RETRIEVAL_REQUEST, [
    ['no intent', 'intent', ABSENT, /is missing/],
    ['a blank intent', 'intent', ' ', /empty/],
    ['no message', 'message', ABSENT, /is missing/],
    ['a blank message', 'message', '\n', /empty/],
    ['a message of 32,001 characters', 'message', 'x'.repeat(32_001), /<=32000/],
    ['a product that is no text', 'metadata.product', 2, /expected string/],
    ['attachments as text', 'metadata.attachments', 'debug.log', /expected array/],
    ['large metadata', 'metadata.note', 'x'.repeat(16_000), /larger than 16000/, 'metadata'],
    ['a person that is no id', 'metadata.person_id', 'Ada Lovelace', /.+/],
    ['include_weak as a word', 'include_weak', 'yes', /expected boolean/],
    ['an unknown member', 'top_k', 5, /not a known member/],
  ]);
});

describe('KnowledgeRetrieval', () => {
  const [SOURCE] = examples.RETRIEVAL_SUCCESS.sources_consulted;

  itTakes(KnowledgeRetrieval, {
    'a block with sources': examples.RETRIEVAL_SUCCESS,
    'the block for a failed retrieval': examples.RETRIEVAL_FALLBACK,
    'a block with one source': examples.RETRIEVAL_V1_1,
    'a source of exactly 0.7': {
      ...examples.RETRIEVAL_SUCCESS,
      sources_consulted: [{ ...SOURCE, relevance_score: 0.7 }],
    },
  });
  itRefuses(KnowledgeRetrieval, examples.RETRIEVAL_SUCCESS, [
    ['a weak source', 'sources_consulted.1.relevance_score', 0.69, /0.69, below the 0.7/],
    ['no sources member', 'sources_consulted', ABSENT, /is missing/],
    ['four sources', 'sources_consulted', Array(4).fill(SOURCE), /<=3/],
    ['a source without a title', 'sources_consulted.0.title', ABSENT, /is missing/],
    ['a title of 201 characters', 'sources_consulted.0.title', 'x'.repeat(201), /<=200/],
    ['a source without a url', 'sources_consulted.0.url', ABSENT, /is missing/],
    ['a url of 501 characters', 'sources_consulted.0.url', 'x'.repeat(501), /<=500/],
    ['a source without a score', 'sources_consulted.0.relevance_score', ABSENT, /is missing/],
    ['a score above 1', 'sources_consulted.0.relevance_score', 1.1, /<=1/],
    ['a source without an excerpt', 'sources_consulted.0.excerpt', ABSENT, /is missing/],
    ['an excerpt of 151 characters', 'sources_consulted.0.excerpt', 'x'.repeat(151), /<=150/],
    ['a source without a time', 'sources_consulted.0.last_updated', ABSENT, /is missing/],
    ['a time that is none', 'sources_consulted.0.last_updated', '15 Dec', /moment/],
    ['no coverage', 'coverage', ABSENT, /high/],
    ['another word for coverage', 'coverage', 'full', /high/],
    ['no gaps', 'gaps', ABSENT, /is missing/],
    ['an empty gap', 'gaps', [''], /empty/, 'gaps.0'],
    ['no time taken', 'retrieval_time_ms', ABSENT, /is missing/],
    ['half a millisecond', 'retrieval_time_ms', 0.5, /int/],
    ['a time below 0', 'retrieval_time_ms', -1, />=0/],
  ]);

  it('refuses a weak source unless weak sources were requested', () => {
    expect(KnowledgeRetrieval.safeParse(examples.RETRIEVAL_LOW_COVERAGE).success).toBe(false);
    expect(WeakKnowledgeRetrieval.parse(examples.RETRIEVAL_LOW_COVERAGE)).toEqual(examples.RETRIEVAL_LOW_COVERAGE);
  });

  it('returns a new fallback block each time', () => {
    expect(unavailableRetrieval()).toEqual(examples.RETRIEVAL_FALLBACK);
    unavailableRetrieval().gaps.push('changed');
    expect(KnowledgeRetrieval.parse(unavailableRetrieval())).toEqual(examples.RETRIEVAL_FALLBACK);
  });

  it('is readable for a v1.0 client, as are v1.0 replies', () => {
    for (const block of [
      examples.RETRIEVAL_V1,
      examples.RETRIEVAL_SUCCESS,
      examples.RETRIEVAL_LOW_COVERAGE,
      examples.RETRIEVAL_FALLBACK,
    ]) {
      const { sources_consulted, coverage, gaps } = block;
      expect(KnowledgeRetrievalV1.parse(block)).toEqual({ sources_consulted, coverage, gaps });
    }
  });
});

describe('SupportResponse', () => {
  const RESPONSE = {
    intent_classification: { primary_intent: 'not_hashing', confidence: 0.9, secondary_intents: [], model: 'x' },
    draft: { text: 'Hello, ...', template: 'not_hashing', auto_send: false },
    knowledge_retrieval: examples.RETRIEVAL_SUCCESS,
    agent_guidance: {
      summary: 'The node is not synced.',
      recommended_steps: [{ step: 'Wait for the node', title: 'Apollo II', url: 'https://docs.example.com/a2' }],
      missing_information: ['Which firmware does it run?'],
      risks: [],
      escalation: { needed: false, reasons: [] },
      auto_send: { allowed: false, reasons: ['Drafts of this intent are sent by a person'] },
    },
  };

  itTakes(SupportResponse, {
    'a full response': RESPONSE,
    'one with weak sources': { ...RESPONSE, knowledge_retrieval: examples.RETRIEVAL_LOW_COVERAGE },
  });
  itRefuses(SupportResponse, RESPONSE, [
    ['no classification', 'intent_classification', ABSENT, /is missing/],
    ['no primary intent', 'intent_classification.primary_intent', ABSENT, /is missing/],
    ['a confidence above 1', 'intent_classification.confidence', 1.5, /<=1/],
    ['an endless block', 'draft.note', 'x'.repeat(200_000), /larger than 200000/, 'draft'],
    [
      "a draft without a reference's address",
      'draft.references',
      [{ title: 'x' }],
      /is missing/,
      'draft.references.0.url',
    ],
    ['a grounding above 1', 'draft.source_grounding', 1.1, /<=1/],
    ['no reason for sending or not', 'agent_guidance.auto_send.reasons', [], />=1/],
    ['a step without words', 'agent_guidance.recommended_steps.0.step', '', /is empty/],
    ['no word on escalation', 'agent_guidance.escalation', ABSENT, /is missing/],
    ['an endless guidance', 'agent_guidance.note', 'x'.repeat(64_000), /larger than 64000/, 'agent_guidance'],
    [
      'an endless classification',
      'intent_classification.note',
      'x'.repeat(64_000),
      /larger than 64000/,
      'intent_classification',
    ],
    ['no draft', 'draft', ABSENT, /is missing/],
    ['a draft without text', 'draft.text', ABSENT, /is missing/],
    ['no word on sending', 'draft.auto_send', ABSENT, /is missing/],
    ['no retrieval', 'knowledge_retrieval', ABSENT, /is missing/],
    ['a broken retrieval', 'knowledge_retrieval.coverage', 'full', /high/],
    ['no guidance', 'agent_guidance', ABSENT, /is missing/],
  ]);

  it('is readable for a v1.0 client: the four blocks have all earlier members', () => {
    const read = SupportResponseV1.parse(RESPONSE);
    expect(Object.keys(read)).toEqual(Object.keys(RESPONSE));
    expect(read.draft).toEqual(RESPONSE.draft);
  });
});

describe('SupportRequest', () => {
  const REQUEST = {
    message: 'It shows 0 H/s.',
    subject: 'Help',
    customer_name: 'Ann',
    metadata: { product: 'Apollo II', ticket: { id: 4 } },
    history: [{ from: 'agent', text: 'Did you restart it?', sent_at: '2024-12-15T10:00:00Z' }],
  };
  itTakes(SupportRequest, {
    'a full request': REQUEST,
    'a bare message': { message: 'Help' },
    'absent metadata': { message: 'Help', metadata: null },
  });
  itRefuses(SupportRequest, REQUEST, [
    ['no message', 'message', ABSENT, /is missing/],
    ['an unknown member', 'intent', 'x', /not a known member/],
    ['a stranger in the history', 'history.0.from', 'bot', /customer/],
    ['large metadata', 'metadata.note', 'x'.repeat(16_000), /larger than 16000/, 'metadata'],
  ]);
});
