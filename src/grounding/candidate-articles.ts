import { oncePer } from '../runtime/once-per.ts';
import { articleAtHand, chunkAtHand } from '../search/chunks-at-hand.ts';
import type { Edition, EditionArticle } from '../search/open-edition.ts';
import { rankArticles } from '../search/rank-articles.ts';
import type { SearchHit, SearchOutcome } from '../search/search-edition.ts';
import type { ParsedQuestion } from './parse-question.ts';

/** An article that could answer a question, with what searches found of it. */
export interface CandidateArticle {
  source: EditionArticle;
  /** By its passages, from 1. */
  rank: number;
  hits: { chunk: number; start: number; end: number; share: number }[];
  /** Of its best passage against the best of all, 0 to 1: by words and meaning together, and by words. */
  best: number;
  bestWords: number;
  /** As a whole, against the best of all. */
  whole: number;
  wholeRank: number;
}

/** Articles found by their words as a whole that are looked at besides those of the passages found. */
const WHOLE_ARTICLES = 10;
/** Articles whose units are ranked; with 30 of them no more questions are answered (docs/answers.md). */
const MAX_CANDIDATES = 10;
const FAR = 99;

/** The articles that could answer, best first: by the passages that searches found of them, and by their words as a whole. */
export const candidateArticles = (
  edition: Edition,
  { terms, query }: ParsedQuestion,
  { searches, isAllowed }: { searches: readonly SearchOutcome[]; isAllowed?: ((chunk: number) => boolean) | undefined },
): CandidateArticle[] => {
  const candidates = new Map<number, CandidateArticle>();
  const of = (article: number): CandidateArticle => {
    const known = candidates.get(article);
    if (known) return known;
    const source = articleAtHand(edition, article);
    const made = { source, rank: FAR, hits: [], best: 0, bestWords: 0, whole: 0, wholeRank: FAR };
    candidates.set(article, made);
    return made;
  };
  for (const { hits } of searches) {
    const order = [...new Set(hits.map(({ article }) => article))];
    const together = sharesOf(hits, ({ fused, score }) => fused ?? score);
    const byWords = sharesOf(hits, ({ score }) => score);
    hits.forEach(({ article, chunk }, at) => {
      const candidate = of(article);
      const share = together[at] ?? 0;
      const { start, end } = chunkAtHand(edition, chunk);
      candidate.hits.push({ chunk, start, end, share });
      candidate.best = Math.max(candidate.best, share);
      candidate.bestWords = Math.max(candidate.bestWords, byWords[at] ?? 0);
      candidate.rank = Math.min(candidate.rank, order.indexOf(article) + 1);
    });
  }
  const weights = new Map(terms.map(({ stem, weight }) => [stem, weight]));
  const asked = query.terms.map(({ stem, postings }) => ({
    postings: postings.map((posting) => ({ ...posting, weight: posting.weight * (weights.get(stem) ?? 1) })),
  }));
  const ranked = rankArticles(edition, asked, { isAllowed });
  ranked.forEach(({ article, score }, at) => {
    if (at >= WHOLE_ARTICLES && !candidates.has(article)) return;
    Object.assign(of(article), { whole: score / (ranked[0]?.score ?? 1), wholeRank: at + 1 });
  });
  return [...candidates.values()]
    .sort((left, right) => worthOf(right) - worthOf(left) || left.source.index - right.source.index)
    .slice(0, MAX_CANDIDATES);
};

const worthOf = ({ best, whole }: CandidateArticle): number => best + 0.5 * whole;

const sharesOf = (hits: readonly SearchHit[], scoreOf: (hit: SearchHit) => number): number[] => {
  const scores = hits.map(scoreOf);
  const top = Math.max(...scores, Number.EPSILON);
  return scores.map((score) => Math.max(0, score / top));
};

const YEAR_MS = 365.25 * 24 * 3600 * 1000;

/** How old an article is: in years behind the newest, as a share of five; and far behind most. */
export const agesIn = oncePer((edition: Edition) => {
  const dates = Array.from({ length: edition.articleCount }, (_, at) => Date.parse(edition.article(at).lastUpdated))
    .filter((date) => date > 0)
    .sort((left, right) => left - right);
  const newest = dates.at(-1) ?? 0;
  const median = dates[dates.length >> 1] ?? 0;
  const early = dates[Math.floor(dates.length / 10)] ?? 0;
  return ({ lastUpdated }: Pick<EditionArticle, 'lastUpdated'>) => {
    const date = Date.parse(lastUpdated) || newest;
    return {
      isOutdated: median - date > Math.max(3 * YEAR_MS, 1.5 * (median - early)),
      years: Math.min(5, (newest - date) / YEAR_MS) / 5,
    };
  };
});
