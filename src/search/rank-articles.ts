import { oncePer } from '../runtime/once-per.ts';
import type { QueryTerm } from './analyse-query.ts';
import type { Edition } from './open-edition.ts';
import { FULL_IMPACT, RANKING } from './ranking.ts';
import { entryRange } from './text-table.ts';

/** An article and how well it fits a question as a whole. */
export interface RankedArticle {
  /** Place in the edition. */
  article: number;
  /** In units of summed idf. */
  score: number;
}

/**
 * Ranks whole articles: the occurrences of a term in all chunks of an article count together and saturate as they do within a
 * chunk (BM25). An answer may be spread over an article of which no single chunk has every word.
 *
 * @returns Those that hold any of the terms, best first.
 */
export const rankArticles = (
  edition: Edition,
  terms: readonly Pick<QueryTerm, 'postings'>[],
  { isAllowed }: { isAllowed?: ((chunk: number) => boolean) | undefined } = {},
): RankedArticle[] => {
  const { index, articleCount, chunkCount } = edition;
  const chunksOf = chunkCounts(edition);
  const scores = new Map<number, number>();
  const meanChunks = chunkCount / Math.max(1, articleCount);
  for (const { postings } of terms) {
    const best = new Map<number, number>();
    for (const { termId, weight, idf } of postings) {
      const { start, end } = entryRange(index.postingStarts, termId);
      let current = -1;
      let sum = 0;
      const close = () => {
        if (current < 0 || sum === 0) return;
        const length = 1 - LENGTH_DISCOUNT + (LENGTH_DISCOUNT * (chunksOf[current] ?? 1)) / meanChunks;
        const frequency = sum / length;
        const score = (idf * weight * frequency * (RANKING.k1 + 1)) / (frequency + RANKING.k1);
        best.set(current, Math.max(best.get(current) ?? 0, score));
      };
      for (let at = start; at < end; at++) {
        const chunk = index.postingChunks[at] ?? 0;
        if (isAllowed?.(chunk) === false) continue;
        const owner = index.articleOf(chunk);
        if (owner !== current) {
          close();
          current = owner;
          sum = 0;
        }
        const impact = Math.min(0.99, (index.postingImpacts[at] ?? 0) / FULL_IMPACT);
        sum += (RANKING.k1 * impact) / (1 - impact);
      }
      close();
    }
    for (const [place, score] of best) scores.set(place, (scores.get(place) ?? 0) + score);
  }
  return [...scores]
    .map(([place, score]) => ({ article: place, score }))
    .sort((left, right) => right.score - left.score || left.article - right.article);
};

/** How far an article of many chunks has its occurrences discounted, 0 to 1. Impacts are discounted within their chunk already. */
const LENGTH_DISCOUNT = 0.4;

const chunkCounts = oncePer(({ index, articleCount, chunkCount }: Edition): Uint32Array => {
  const counts = new Uint32Array(articleCount);
  for (let chunk = 0; chunk < chunkCount; chunk++) {
    const article = index.articleOf(chunk);
    counts[article] = (counts[article] ?? 0) + 1;
  }
  return counts;
});
