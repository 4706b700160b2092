import { describe, expect, it } from 'vitest';
import { EmbeddingCache } from '../../src/ai/embeddings/cached-embeddings.ts';
import { TiktokenTokenizer } from '../../src/ai/tokenizer.ts';
import { ErrorCode } from '../../src/contract/core/error-info.ts';
import type { Librarian } from '../../src/contract/core/librarian.ts';
import { NavigatorResponse } from '../../src/contract/core/navigator-response.ts';
import { readRequest } from '../../src/contract/core/read-request.ts';
import { validateResponse } from '../../src/contract/core/validate-response.ts';
import { AgentResponse as WireAgentResponse } from '../../src/contract/wire/agent-response.ts';
import { ContextTemplatePut } from '../../src/contract/wire/context-engine.ts';
import {
  RetrievalRequest,
  unavailableRetrieval,
  WeakKnowledgeRetrieval,
} from '../../src/contract/wire/knowledge.ts';
import { SupportRequest } from '../../src/contract/wire/support-response.ts';
import { AgentResponse } from '../../src/librarians/agents/agent-response.ts';
import { ContextFormatter } from '../../src/memory/context-engine/build-context.ts';
import { DEFAULT_TEMPLATES } from '../../src/memory/context-engine/registry.ts';

/** The literal examples of the source documents: what a reader of them writes must work as it stands there. */

describe('the librarian', () => {
  const resilient: Librarian = async (query) => {
    try {
      if (query === 'cause-error') throw new Error('down');
      return { answer: `About ${query}.` };
    } catch {
      return {
        error: {
          code: 'INTERNAL_ERROR',
          message: 'Failed to generate answer',
          recoverable: true,
          suggestion: 'Try rephrasing your query',
        },
      };
    }
  };

  it('answers simple queries, and handles errors gracefully', async () => {
    const response = await resilient('test query');
    expect(response.answer).toBeDefined();
    expect(response.error).toBeUndefined();
    const failed = await resilient('cause-error');
    expect(failed.error?.code).toBe('INTERNAL_ERROR');
    expect(failed.error?.code === ErrorCode.INTERNAL_ERROR).toBe(true);
    expect(ErrorCode.INVALID_QUERY).toBe('INVALID_QUERY');
    expect(Object.values(ErrorCode.enum)).toHaveLength(12);
  });

  it.each([
    ['an answer', { answer: 'The answer to your query...', sources: [], confidence: 0.9 }],
    ['a delegation', { delegate: { to: 'expert-librarian', query: 'refined query' } }],
    [
      'an error',
      { error: { code: 'NOT_FOUND', message: 'Could not find information', recoverable: true } },
    ],
    ['a partial answer', { answer: 'Partial information...', partial: true, confidence: 0.5 }],
  ])('may return %s', (_, response) => {
    expect(validateResponse(response)).toMatchObject({ ok: true });
  });
});

describe('knowledge retrieval', () => {
  const QUESTION = {
    intent: 'not_hashing',
    message: 'My Apollo shows 0 H/s for 3 days. Already tried restarting.',
    metadata: { product: 'Apollo II', attachments: ['debug.log'] },
  };
  const LOW = {
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

  it('takes the request and returns the blocks of the document', () => {
    expect(readRequest(RetrievalRequest, QUESTION)).toMatchObject({ ok: true, value: QUESTION });
    expect(WeakKnowledgeRetrieval.parse(LOW)).toEqual(LOW);
    expect(unavailableRetrieval()).toEqual({
      sources_consulted: [],
      coverage: 'none',
      gaps: ['Knowledge retrieval unavailable'],
      retrieval_time_ms: 0,
    });
  });

  it('takes the defaults of generate_draft as they are: None for name and metadata', () => {
    const request = { message: QUESTION.message, customer_name: null, metadata: null };
    expect(readRequest(SupportRequest, request).ok).toBe(true);
  });
});

describe('the context engine', () => {
  it('counts tokens at once', () => {
    expect(new TiktokenTokenizer('gpt-4').count('Hello, how are you?')).toBe(6);
    const formatter = new ContextFormatter(new TiktokenTokenizer('gpt-3.5-turbo'));
    expect(formatter.estimateTokens('Hello')).toBe(1);
    expect(formatter.format([], DEFAULT_TEMPLATES.chat, 2000)).toMatchObject({
      memories: [],
      truncated: false,
    });
  });

  it('caches what is set', () => {
    const cache = new EmbeddingCache({ maxSize: 10, ttl: 60 });
    const key = cache.generateKey('text', 'text-embedding-3-small');
    cache.set(key, [0.1, 0.2, 0.3]);
    expect(cache.get(key)).toEqual([0.1, 0.2, 0.3]);
    expect(key).toMatch(/^text-embedding-3-small:[0-9a-f]{64}$/);
    cache.clear();
    expect(cache.get(key)).toBeUndefined();
  });

  it('takes a template with its name', () => {
    const template = {
      name: 'code-focused',
      header: '# Relevant Code Context\n\n',
      memoryFormat: '## {{type}}\n```\n{{content}}\n```\n',
      separator: '\n',
      footer: '\n---\n',
      includeMetadata: true,
    };
    expect(ContextTemplatePut.parse(template)).toEqual(template);
  });
});

describe('agents', () => {
  it('build the analytics answer of the document', () => {
    const rows = [{ products_name: 'iPhone 17', products_quantity: 50 }];
    const response = AgentResponse.success('analytics', 'How many iPhone 17 are in stock?')
      .setResult({
        sql_query:
          'SELECT products_name, products_quantity FROM clic_products WHERE products_id = 123',
        columns: ['products_name', 'products_quantity'],
        rows,
        row_count: rows.length,
        interpretation: 'The iPhone 17 has 50 units in stock.',
      })
      .setSourceAttribution(AgentResponse.createAnalyticsSourceAttribution('clic_products', 0.9))
      .setMetadata({
        entity_id: 123,
        entity_type: 'product',
        execution_time: 0.2,
        language_id: 1,
        user_id: 'user:1',
      })
      .toArray();
    expect(WireAgentResponse.parse(response)).toEqual(response);
    expect(response.source_attribution).toEqual({
      primary_source: 'Analytics Database',
      icon: '📊',
      details: { table: 'clic_products' },
      confidence: 0.9,
    });
  });
});

describe('the navigator', () => {
  const source = (file: string, section: string, relevance: string) => ({
    file,
    section,
    relevance,
  });
  it.each([
    [
      'high confidence',
      {
        answer:
          "To rollback a deployment, use 'kubectl rollout undo deployment/<name>' as documented in troubleshooting/rollback-procedures.md. This will revert to the previous revision.",
        sources: [
          source(
            'troubleshooting/rollback-procedures.md',
            'Quick Rollback',
            'Contains the exact kubectl command and rollback process',
          ),
        ],
        confidence: 'high',
        confidenceReason:
          'Direct answer found with exact command syntax in two authoritative sources',
        relatedTopics: ['deployment history', 'rollout status', 'revision management'],
        outOfDomain: false,
      },
    ],
    [
      'no information',
      {
        answer:
          "I don't have information about database migration procedures in my knowledge base. My documentation focuses on Kubernetes operations and deployments.",
        sources: [],
        confidence: 'high',
        confidenceReason:
          'Thoroughly searched knowledge base with no relevant results. High confidence in the absence of information.',
        relatedTopics: [],
        outOfDomain: false,
      },
    ],
    [
      'out of domain',
      {
        answer:
          'This question is about AWS IAM policies, which is outside my domain. I specialize in Kubernetes operations. You might want to consult the AWS navigator or the security team for IAM-related questions.',
        sources: [],
        confidence: 'high',
        confidenceReason:
          'Question clearly outside my configured knowledge domain (Kubernetes ops)',
        relatedTopics: ['AWS navigator', 'security team contact'],
        outOfDomain: true,
      },
    ],
  ])('has the pattern of %s', (_, pattern) => {
    expect(NavigatorResponse.parse(pattern)).toEqual(pattern);
  });
});
