import { oncePer } from '../runtime/once-per.ts';
import type { QueryTerm } from '../search/analyse-query.ts';
import { cachedArticle, cachedChunk, type Edition, type EditionArticle } from '../search/open-edition.ts';
import { FULL_IMPACT, inverseFrequency, RANKING, readPostings } from '../search/open-index.ts';
import { allowedChunks, type SearchHit, type SearchOptions, type SearchOutcome } from '../search/search-edition.ts';
import { semanticCalibrationOf } from '../search/semantic-calibration.ts';
import { entryBytes, varintReader } from '../search/text-table.ts';
import { withoutTranslations } from '../search/translations.ts';
import MODEL from './answer-model.json' with { type: 'json' };
import type { ParsedQuestion, TextVectors } from './parse-question.ts';
import { stemsOf } from './sections.ts';
import { closeWordsIn, dot, NO_VECTORS } from './word-closeness.ts';

/** An article that may answer a question, with its search hits. */
export interface CandidateArticle {
  source: EditionArticle;
  /** Rank of its best passage, from 1. */
  rank: number;
  hits: { chunk: number; start: number; end: number; share: number }[];
  /** Score of its best passage relative to the best of all articles, 0 to 1: hybrid, and by words alone. */
  best: number;
  bestWords: number;
  /** In the order of `ARTICLE_FEATURES`. */
  features: readonly number[];
  /** Rank among the candidates, from 1. */
  place: number;
  /** Odds relative to the best candidate, by the weighted sum of the features, 0 to 1. */
  odds: number;
}

/** Names of the ranking features, in their order. */
export const ARTICLE_FEATURES = [
  'passage',
  'passageWords',
  'closeWords',
  'closeWordsInTitle',
  'meaning',
  'meaningOfTitle',
] as const;

/** Articles considered by the score of the whole article, in addition to those with passage hits. */
const WHOLE_ARTICLES = 40;
/** Articles whose units are ranked; 30 do not answer more questions (docs/answers.md). */
const MAX_CANDIDATES = 10;
const FAR = 99;

interface CandidateOptions extends Pick<SearchOptions, 'filter' | 'language'> {
  searches: readonly SearchOutcome[];
  vectors?: TextVectors | undefined;
  /** Indexes in the edition of articles that stay candidates at any rank, if anything was found in them. */
  always?: readonly number[] | undefined;
}

const WEIGHTS = ARTICLE_FEATURES.map((name) => MODEL.articles[name]);

/** The articles that most probably answer, best first, ranked by a linear model (docs/answers.md). */
export const candidateArticles = (
  edition: Edition,
  question: ParsedQuestion,
  options: CandidateOptions,
  weights: readonly number[] = WEIGHTS,
): CandidateArticle[] => {
  const scored = articlesFound(edition, question, options).map((candidate) => ({
    candidate,
    score: candidate.features.reduce((sum, value, at) => sum + value * (weights[at] ?? 0), 0),
  }));
  scored.sort((left, right) => right.score - left.score || left.candidate.source.index - right.candidate.source.index);
  const top = scored[0]?.score ?? 0;
  const chosen = withoutTranslations(edition, scored, ({ candidate }) => candidate.source.index)
    .filter(({ candidate }, at) => at < MAX_CANDIDATES || options.always?.includes(candidate.source.index))
    .map(({ candidate, score }, at) => ({ ...candidate, place: at + 1, odds: Math.exp(score - top) }));
  const { texts } = edition;
  if (texts.paged === undefined) return chosen;
  texts.need(chosen.flatMap(chunksOf));
  // An article that cannot be read is no candidate.
  return chosen.filter((candidate) => chunksOf(candidate).every((chunk) => texts.words(chunk) !== undefined));
};

const chunksOf = ({ source: { firstChunk, endChunk } }: CandidateArticle): number[] =>
  Array.from({ length: endChunk - firstChunk }, (_, at) => firstChunk + at);

/** All articles with search hits, and those with words close to the question's. */
export const articlesFound = (
  edition: Edition,
  { text, terms, total, vector }: ParsedQuestion,
  { searches, vectors, filter, language }: CandidateOptions,
): CandidateArticle[] => {
  const closeWords = closeWordsIn(edition, vectors);
  const close = terms.map(({ forms }) => closeWords(forms).inIndex);
  const asked = terms.map(({ weight }, place) => ({
    postings: (close[place] ?? []).map(({ termId, closeness }) => ({
      termId,
      weight: weight * closeness ** CLOSENESS_EXPONENT,
      idf: inverseFrequency(edition.index.termChunks[termId] ?? 0, edition.chunkCount),
    })),
  }));
  const ranked = rankArticles(edition, asked, { isAllowed: allowedChunks(edition, text, { filter, language }) });
  const whole = new Map(ranked.map(({ article, score }) => [article, score / (ranked[0]?.score ?? 1)]));
  const passages = passagesFound(edition, searches);
  const meaningOf = meaningsFound(edition, searches);
  const found = new Set([
    ...passages.keys(),
    ...ranked.slice(0, WHOLE_ARTICLES).map(({ article }) => article),
    ...meaningOf.articles().slice(0, WHOLE_ARTICLES),
  ]);
  const closest = termsByClosest(close);
  const meaningOfTitle = titleMeanings(edition)(vectors ?? NO_VECTORS);
  return [...found].map((article) => {
    const passage = passages.get(article) ?? { rank: FAR, hits: [], best: 0, bestWords: 0 };
    const most = terms.map(() => 0);
    for (const termId of titleTerms(edition, article)) {
      for (const { place, closeness } of closest.get(termId) ?? [])
        if (closeness > (most[place] as number)) most[place] = closeness;
    }
    const inTitle = terms.reduce((sum, { idf }, place) => sum + idf * (most[place] as number) ** CLOSENESS_EXPONENT, 0);
    return {
      ...passage,
      source: cachedArticle(edition, article),
      features: [
        passage.best,
        passage.bestWords,
        whole.get(article) ?? 0,
        total > 0 ? inTitle / total : 0,
        meaningOf.of(article),
        dot(vector, meaningOfTitle(article)),
      ],
      place: FAR,
      odds: 0,
    };
  });
};

/** The places of the question's words that each term is close to. */
const termsByClosest = (close: readonly (readonly { termId: number; closeness: number }[])[]) => {
  const found = new Map<number, { place: number; closeness: number }[]>();
  close.forEach((words, place) => {
    for (const { termId, closeness } of words) {
      const known = found.get(termId);
      if (known === undefined) found.set(termId, [{ place, closeness }]);
      else known.push({ place, closeness });
    }
  });
  return found;
};

/** A word with closeness 0.5 counts about a third. */
const CLOSENESS_EXPONENT = 1.5;

type PassagesFound = Pick<CandidateArticle, 'rank' | 'hits' | 'best' | 'bestWords'>;

const passagesFound = (edition: Edition, searches: readonly SearchOutcome[]): Map<number, PassagesFound> => {
  const found = new Map<number, PassagesFound>();
  for (const { hits } of searches) {
    const order = [...new Set(hits.map(({ article }) => article))];
    const together = sharesOf(hits, ({ fused, score }) => fused ?? score);
    const byWords = sharesOf(hits, ({ score }) => score);
    hits.forEach(({ article, chunk }, at) => {
      const known = found.get(article) ?? { rank: FAR, hits: [], best: 0, bestWords: 0 };
      const share = together[at] ?? 0;
      const { start, end } = cachedChunk(edition, chunk);
      known.hits.push({ chunk, start, end, share });
      found.set(article, {
        hits: known.hits,
        best: Math.max(known.best, share),
        bestWords: Math.max(known.bestWords, byWords[at] ?? 0),
        rank: Math.min(known.rank, order.indexOf(article) + 1),
      });
    });
  }
  return found;
};

/** Per article: log-odds of its closest passage relative to the closest of all, at most 0. */
const meaningsFound = (edition: Edition, searches: readonly SearchOutcome[]) => {
  const found = new Map<number, number>();
  let least = 0;
  for (const { near = [], model } of searches) {
    if (model === undefined) continue;
    const { slope } = semanticCalibrationOf(model);
    const [first] = near;
    for (const { chunk, similarity } of near) {
      const article = edition.index.articleOf(chunk);
      const meaning = slope * (similarity - (first?.similarity ?? 0));
      found.set(article, Math.max(found.get(article) ?? Number.NEGATIVE_INFINITY, meaning));
      least = Math.min(least, meaning);
    }
  }
  return {
    of: (article: number) => found.get(article) ?? least,
    articles: () => [...found].sort((l, r) => r[1] - l[1]).map(([a]) => a),
  };
};

const sharesOf = (hits: readonly SearchHit[], scoreOf: (hit: SearchHit) => number): number[] => {
  const scores = hits.map(scoreOf);
  const top = Math.max(...scores, Number.EPSILON);
  return scores.map((score) => Math.max(0, score / top));
};

const titleTerms = ({ index }: Edition, article: number): number[] => {
  const words = readVarints(entryBytes(index.titleWords, article));
  return [...words].flatMap((word) => index.wordTerms[word] ?? []);
};
const readVarints = varintReader();

const titleMeanings = oncePer((edition: Edition) =>
  oncePer((vectors: TextVectors) => {
    const known = new Map<number, Float32Array | undefined>();
    return (article: number): Float32Array | undefined => {
      if (!known.has(article)) {
        if (known.size >= MAX_TITLES) known.clear();
        known.set(article, vectors.vectorOf(stemsOf(edition.article(article).title)));
      }
      return known.get(article);
    };
  }),
);

/** Cached title vectors: 4 MB. */
const MAX_TITLES = 10_000;

const YEAR_MS = 365.25 * 24 * 3600 * 1000;

/** Whether an article is far older than the median. */
export const isOutdatedIn = oncePer((edition: Edition) => {
  const dates = Array.from({ length: edition.articleCount }, (_, at) => Date.parse(edition.article(at).lastUpdated))
    .filter((date) => date > 0)
    .sort((left, right) => left - right);
  const newest = dates.at(-1) ?? 0;
  const median = dates[dates.length >> 1] ?? 0;
  const early = dates[Math.floor(dates.length / 10)] ?? 0;
  return ({ lastUpdated }: Pick<EditionArticle, 'lastUpdated'>): boolean =>
    median - (Date.parse(lastUpdated) || newest) > Math.max(3 * YEAR_MS, 1.5 * (median - early));
});

/** An article and its score as a whole. */
export interface RankedArticle {
  /** Index in the edition. */
  article: number;
  /** In units of summed idf. */
  score: number;
}

/**
 * Ranks whole articles with BM25: the occurrences of a term in all chunks of an article are summed and saturate as they do within a
 * chunk. This finds answers that are spread over several chunks.
 *
 * @returns Articles with at least one of the terms, best first.
 */
export const rankArticles = (
  edition: Edition,
  terms: readonly Pick<QueryTerm, 'postings'>[],
  { isAllowed }: { isAllowed?: ((chunk: number) => boolean) | undefined } = {},
): RankedArticle[] => {
  const { index, articleCount, chunkCount } = edition;
  const chunksOf = chunkCounts(edition);
  const scores = new Float64Array(articleCount);
  const best = new Float64Array(articleCount);
  const meanChunks = chunkCount / Math.max(1, articleCount);
  for (const { postings } of terms) {
    best.fill(0);
    for (const { termId, weight, idf } of postings) {
      let current = -1;
      let sum = 0;
      const close = () => {
        if (current < 0 || sum === 0) return;
        const length = 1 - LENGTH_DISCOUNT + (LENGTH_DISCOUNT * (chunksOf[current] ?? 1)) / meanChunks;
        const frequency = sum / length;
        const score = (idf * weight * frequency * (RANKING.k1 + 1)) / (frequency + RANKING.k1);
        if (score > (best[current] as number)) best[current] = score;
      };
      readPostings(index, termId, (chunk, weighed) => {
        if (isAllowed?.(chunk) === false) return;
        const owner = index.articleOf(chunk);
        if (owner !== current) {
          close();
          current = owner;
          sum = 0;
        }
        sum += FREQUENCIES[weighed] as number;
      });
      close();
    }
    for (let article = 0; article < articleCount; article++)
      scores[article] = (scores[article] as number) + (best[article] as number);
  }
  const ranked: RankedArticle[] = [];
  scores.forEach((score, article) => {
    if (score > 0) ranked.push({ article, score });
  });
  return ranked.sort((left, right) => right.score - left.score || left.article - right.article);
};

/** By the impact of a term in a chunk, 0 to 255: the normalised frequency that it stands for. */
const FREQUENCIES = Float64Array.from({ length: FULL_IMPACT + 1 }, (_, weighed) => {
  const impact = Math.min(0.99, weighed / FULL_IMPACT);
  return (RANKING.k1 * impact) / (1 - impact);
});

/** Length normalisation of articles by their number of chunks, 0 to 1. Impacts are already normalised within their chunk. */
const LENGTH_DISCOUNT = 0.4;

const chunkCounts = oncePer(({ index, articleCount, chunkCount }: Edition): Uint32Array => {
  const counts = new Uint32Array(articleCount);
  for (let chunk = 0; chunk < chunkCount; chunk++) {
    const article = index.articleOf(chunk);
    counts[article] = (counts[article] ?? 0) + 1;
  }
  return counts;
});
