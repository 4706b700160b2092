import { expect, it } from 'vitest';
import { KnowledgeSearchResponse } from '../../../src/contract/wire/knowledge.ts';
import {
  createRetriever,
  type Retriever,
  searchKnowledge,
} from '../../../src/knowledge/search/retrieve.ts';
import { openSmallKb } from '../../answering/write/small-kb.ts';

const { edition } = openSmallKb();
const words = createRetriever({});

it.each([
  ['late', ['embeddings']],
  ['failed', ['embeddings']],
  ['used', undefined],
  ['absent', undefined],
] as const)(
  'searchKnowledge() reports embeddings that are %s as degraded: %j',
  async (semantic, degraded) => {
    const retrieve: Retriever = async (...given) => ({ ...(await words(...given)), semantic });
    const found = await searchKnowledge(
      edition,
      { query: 'descale the boiler', limit: 2 },
      { retrieve },
    );
    expect(KnowledgeSearchResponse.parse(found)).toEqual(found);
    expect(found.hits).toHaveLength(2);
    expect(found.degraded).toEqual(degraded);
  },
);

it('searchKnowledge() passes the time left to the search', async () => {
  const seen: unknown[] = [];
  const retrieve: Retriever = (over, question, options) => {
    seen.push(options);
    return words(over, question, options);
  };
  const { signal } = new AbortController();
  const query = { query: 'boiler', filter: { device: 'x' } };
  await searchKnowledge(edition, query, { signal, timeLeftMs: 40, retrieve });
  expect(seen).toMatchObject([{ signal, timeLeftMs: 40, filter: { device: 'x' } }]);
});
