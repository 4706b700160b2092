import { describe, expect, it } from 'vitest';
import { KnowledgeSearchResponse } from '../../src/contract/knowledge-search.ts';
import { createRetriever } from '../../src/search/retrieve.ts';
import { searchKnowledge } from '../../src/search/search-knowledge.ts';
import { openSmallKb } from '../navigator/small-kb.ts';

const { edition } = openSmallKb();
const words = createRetriever({});

describe('searchKnowledge()', () => {
  it.each(['late', 'failed', 'used', 'absent'] as const)(
    'reports when embeddings could not be compared: %s',
    async (semantic) => {
      const found = await searchKnowledge(
        edition,
        { query: 'descale the boiler', limit: 2 },
        { retrieve: async (...parameters) => ({ ...(await words(...parameters)), semantic }) },
      );
      expect(KnowledgeSearchResponse.parse(found)).toEqual(found);
      expect(found.hits).toHaveLength(2);
      expect(found.degraded).toEqual(semantic === 'late' || semantic === 'failed' ? ['embeddings'] : undefined);
    },
  );

  it('passes the time left to the search', async () => {
    const seen: unknown[] = [];
    const signal = new AbortController().signal;
    await searchKnowledge(
      edition,
      { query: 'boiler', filter: { device: 'x' } },
      {
        ...{ signal, timeLeftMs: 40 },
        retrieve: (over, question, options) => {
          seen.push(options);
          return words(over, question, options);
        },
      },
    );
    expect(seen).toMatchObject([{ signal, timeLeftMs: 40, filter: { device: 'x' } }]);
  });
});
