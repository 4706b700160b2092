import type { SearchHit } from './search-edition.ts';

/** The hits of one article, best first. */
export interface ArticleHits {
  /** Index of the article in the edition. */
  article: number;
  /** Score of the best hit plus a tenth of the scores of the next two. */
  score: number;
  hits: SearchHit[];
}

/** Groups hits by article, best article first; mostly the best chunk counts. */
export const groupByArticle = (hits: readonly SearchHit[]): ArticleHits[] => {
  const groups = new Map<number, SearchHit[]>();
  for (const hit of hits) {
    const group = groups.get(hit.article);
    if (group === undefined) groups.set(hit.article, [hit]);
    else group.push(hit);
  }
  return [...groups]
    .map(([article, group]) => ({ article, score: groupScore(group), hits: group }))
    .sort((left, right) => right.score - left.score || left.article - right.article);
};

const groupScore = ([best, second, third]: readonly SearchHit[]): number =>
  scoreOf(best) + 0.1 * (scoreOf(second) + scoreOf(third));

/** By words and meaning if both were compared. */
const scoreOf = (hit: SearchHit | undefined): number => hit?.fused ?? hit?.score ?? 0;
