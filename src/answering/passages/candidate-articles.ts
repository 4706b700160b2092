import {
  cachedArticle,
  cachedChunk,
  type Edition,
  type EditionArticle,
} from '../../knowledge/edition/open-edition.ts';
import { withoutTranslations } from '../../knowledge/edition/translations.ts';
import type { SearchOutcome } from '../../knowledge/search/search-edition.ts';
import { oncePer } from '../../platform/once-per.ts';

/** An article that may answer a question, with its search hits. */
export interface CandidateArticle {
  source: EditionArticle;
  hits: { chunk: number; start: number; end: number; share: number }[];
  /** Score of its best passage relative to the best of all articles, 0 to 1. */
  best: number;
}

/** Articles whose units are ranked; 30 do not answer more questions (docs/answers.md). */
const MAX_CANDIDATES = 10;

/**
 * The articles of the best passages, best first.
 *
 * @param always Indexes in the edition of articles that stay candidates at any rank.
 */
export function candidateArticles(
  edition: Edition,
  searches: readonly SearchOutcome[],
  always: readonly number[] = [],
): CandidateArticle[] {
  const ranked = articlesWithHits(edition, searches).sort(
    (left, right) => right.best - left.best || left.source.index - right.source.index,
  );
  const candidates = withoutTranslations(edition, ranked, ({ source }) => source.index).filter(
    ({ source }, at) => at < MAX_CANDIDATES || always.includes(source.index),
  );
  const { texts } = edition;
  if (texts.paged === undefined) return candidates;
  texts.need(candidates.flatMap(chunksOf));
  // An article that cannot be read is no candidate.
  return candidates.filter((candidate) =>
    chunksOf(candidate).every((chunk) => texts.words(chunk) !== undefined),
  );
}

const chunksOf = ({ source: { firstChunk, endChunk } }: CandidateArticle): number[] =>
  Array.from({ length: endChunk - firstChunk }, (_, at) => firstChunk + at);

const articlesWithHits = (
  edition: Edition,
  searches: readonly SearchOutcome[],
): CandidateArticle[] => {
  const byArticle = new Map<number, CandidateArticle>();
  for (const { hits } of searches) {
    const top = Math.max(...hits.map(({ fused, score }) => fused ?? score), Number.EPSILON);
    for (const { article, chunk, fused, score } of hits) {
      const candidate = byArticle.get(article) ?? {
        source: cachedArticle(edition, article),
        hits: [],
        best: 0,
      };
      const share = Math.max(0, (fused ?? score) / top);
      const { start, end } = cachedChunk(edition, chunk);
      candidate.hits.push({ chunk, start, end, share });
      candidate.best = Math.max(candidate.best, share);
      byArticle.set(article, candidate);
    }
  }
  return [...byArticle.values()];
};

const YEAR_MS = 365.25 * 24 * 3600 * 1000;

/** Whether an article is far older than the median. */
export const isOutdatedIn = oncePer((edition: Edition) => {
  const dates = Array.from({ length: edition.articleCount }, (_, at) =>
    Date.parse(edition.article(at).lastUpdated),
  )
    .filter((date) => date > 0)
    .sort((left, right) => left - right);
  const newest = dates.at(-1) ?? 0;
  const median = dates[dates.length >> 1] ?? 0;
  const early = dates[Math.floor(dates.length / 10)] ?? 0;
  return ({ lastUpdated }: Pick<EditionArticle, 'lastUpdated'>): boolean =>
    median - (Date.parse(lastUpdated) || newest) > Math.max(3 * YEAR_MS, 1.5 * (median - early));
});
