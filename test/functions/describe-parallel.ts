import { describe, expect, it } from 'vitest';
import { LibrarianResponse } from '../../src/contract/core/response.ts';
import { ArticleListing } from '../../src/contract/wire/host-article.ts';
import { KnowledgeSearchResponse } from '../../src/contract/wire/knowledge.ts';
import type { Product } from '../../tools/run/product.ts';
import { send } from './product-for-test.ts';

const AT_ONCE = 50;

/** Many callers at the same moment. */
export function describeParallel(productOf: () => Product): void {
  const titles = async (): Promise<string[]> => {
    const listing = await send(productOf(), 'GET /api/kb/articles?limit=500');
    const { articles } = ArticleListing.parse(await listing.json());
    return Array.from({ length: AT_ONCE }, (_, at) => {
      const { title } = articles[at % articles.length]!;
      return at < articles.length ? `What about ${title}?` : `Tell me about ${title} please`;
    });
  };
  const searched = async (query: string) => {
    const response = await send(productOf(), 'POST /v1/knowledge/search', { query, limit: 5 });
    const { hits } = KnowledgeSearchResponse.parse(await response.json());
    return { status: response.status, hits };
  };
  const asked = async (query: string) => {
    const response = await send(productOf(), 'POST /v1/ask', { query, librarian: 'navigator' });
    const { answer, sources, confidence } = LibrarianResponse.parse(await response.json());
    return { status: response.status, answer, sources, confidence };
  };

  describe.each<[string, (query: string) => Promise<{ status: number }>]>([
    ['searches', searched],
    ['questions', asked],
  ])(`fifty %s at once`, (_, reply) => {
    it('are all answered, each as when it is sent alone', async () => {
      const queries = await titles();
      expect(new Set(queries).size).toBe(AT_ONCE);
      const alone: unknown[] = [];
      for (const query of queries) alone.push(await reply(query));
      expect(new Set(alone.map((each) => JSON.stringify(each))).size).toBeGreaterThan(AT_ONCE / 2);
      const together = await Promise.all(queries.map(reply));
      expect(together.map(({ status }) => status)).toEqual(queries.map(() => 200));
      expect(together).toEqual(alone);
    });
  });
}
