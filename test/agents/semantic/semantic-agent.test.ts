import { describe, expect, it } from 'vitest';
import type { AgentCall } from '../../../src/agents/agent.ts';
import { createSemanticAgent } from '../../../src/agents/semantic/semantic-agent.ts';
import { createRetriever, type Retriever } from '../../../src/search/retrieve.ts';
import { searchEdition } from '../../../src/search/search-edition.ts';
import { openSmallKb } from '../../navigator/small-kb.ts';

const { edition } = openSmallKb();
const words = createRetriever({});

const ask = async (query: string, retrieve: Retriever) => {
  const { signal } = new AbortController();
  const call = { options: {}, signal, timeoutMs: 1000, scope: {} } as unknown as AgentCall; // the fields that it reads
  // The agent envelope with the result of the semantic agent.
  return (await createSemanticAgent({ editionFor: async () => edition, retrieve })(query, call)) as unknown as {
    metadata: Record<string, unknown>;
    result: { document_count: number; summary: string; documents: { metadata: unknown }[] };
  };
};

describe('createSemanticAgent()', () => {
  it.each(['late', 'failed', 'used', 'absent'] as const)(
    'reports when embeddings could not be compared: %s',
    async (semantic) => {
      const reply = await ask('How often must the boiler be descaled?', async (...parameters) => ({
        ...(await words(...parameters)),
        semantic,
      }));
      expect(reply.result.document_count).toBe(1);
      expect(reply.metadata.degraded).toEqual(
        semantic === 'late' || semantic === 'failed' ? ['embeddings'] : undefined,
      );
    },
  );

  it('finds a document of the same meaning without a common word, and quotes its beginning', async () => {
    const chunk = edition.article(edition.findArticle('care/descale.md')).firstChunk;
    const near = [
      { chunk, similarity: 0.92 },
      { chunk: chunk === 0 ? 1 : 0, similarity: 0.78 },
    ];
    const reply = await ask('lime scale', async (over, question, options) => ({
      outcome: searchEdition(over, question, options, { model: 'text-embedding-ada-002', near }),
      semantic: 'used',
    }));
    expect(reply.result.documents[0]).toMatchObject({ metadata: { source: 'care/descale.md' } });
    expect(reply.result.summary).toContain('care/descale.md');
    expect(reply.metadata.summary_by).toBe('quotes');
  });
});
