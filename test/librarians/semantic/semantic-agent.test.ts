import { expect, it } from 'vitest';
import { createRetriever, type Retriever } from '../../../src/knowledge/search/retrieve.ts';
import { searchEdition } from '../../../src/knowledge/search/search-edition.ts';
import type { AgentCall } from '../../../src/librarians/agents/agent.ts';
import { createSemanticAgent } from '../../../src/librarians/semantic/semantic-agent.ts';
import { openSmallKb } from '../../answering/write/small-kb.ts';
import { sampleEdition } from '../../support/retrieval/sample-edition.ts';

const { edition } = openSmallKb();
const words = createRetriever({});

const ask = async (query: string, retrieve: Retriever) => {
  const { signal } = new AbortController();
  const call = { options: {}, signal, timeoutMs: 1000, scope: {} } as unknown as AgentCall; // the fields that it reads
  return createSemanticAgent({ editionFor: async () => edition, retrieve })(query, call);
};

it.each([
  ['late', ['embeddings']],
  ['failed', ['embeddings']],
  ['used', undefined],
  ['absent', undefined],
] as const)('reports when embeddings could not be compared: %s', async (semantic, degraded) => {
  const retrieve: Retriever = async (...parameters) => ({
    ...(await words(...parameters)),
    semantic,
  });
  const { result, metadata } = await ask('How often must the boiler be descaled?', retrieve);
  expect([result, metadata]).toMatchObject([
    { document_count: 1 },
    { ...(degraded && { degraded }) },
  ]);
  if (degraded === undefined) expect(metadata).not.toHaveProperty('degraded');
  expect(Reflect.get(metadata, 'partial')).toBe(degraded === undefined ? undefined : true);
});
it.each([
  ['give me a summary of the networking page', 0],
  ['summarise the warranty article', 1],
  ['find the page about shipping', 1],
  ['Which documents are about the dust filter?', 1],
])('finds nothing where only the word for a kind of text fits: %s', async (query, least) => {
  const { signal } = new AbortController();
  const call = { options: {}, signal, timeoutMs: 5000, scope: {} } as unknown as AgentCall; // the fields that it reads
  const reply = await createSemanticAgent({
    editionFor: async () => sampleEdition,
    retrieve: words,
  })(query, call);
  const { document_count } = reply.result as { document_count: number };
  expect(least === 0 ? document_count : Math.min(document_count, least)).toBe(least);
});
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
  expect(reply).toMatchObject({
    result: {
      documents: { 0: { metadata: { source: 'care/descale.md' } } },
      summary: expect.stringContaining('(Descale the boiler)'),
    },
    metadata: { summary_by: 'quotes' },
  });
});
