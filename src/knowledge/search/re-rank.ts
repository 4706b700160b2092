import type { Edition } from '../edition/open-edition.ts';
import { type EditionIndex, FULL_IMPACT, RANKING, readPostings } from '../edition/open-index.ts';
import { entryBytes, varintReader } from '../edition/text-table.ts';
import type { AnalysedQuery, QueryTerm } from './analyse-query.ts';

/** Evidence for a chunk beyond its score; all but `tightness` in units of summed idf. */
export interface ChunkEvidence {
  /** Indexes of the query terms in its text, headings, title or labels. */
  matched: number[];
  /** Idf of the terms in any of them. */
  matchedIdf: number;
  /** Idf of the question words that occur there as typed, before stemming. */
  exactIdf: number;
  /** Idf of the adjacent question words that are adjacent there; the smaller idf of each pair counts. */
  pairIdf: number;
  /** Idf of the terms in the title. */
  titleIdf: number;
  /**
   * Matched terms divided by the length of the shortest window of text that contains them all; 0 below two terms, at most
   * 1.
   */
  tightness: number;
}

/** Weight of each kind of evidence in a chunk's score. */
const WEIGHTS = { exact: 0.6, pair: 0.33, tight: 0.3, title: 0.6 };

/** The weighted sum of the evidence, in the unit of the score. */
export function bonusOf({
  exactIdf,
  pairIdf,
  tightness,
  matchedIdf,
  titleIdf,
}: ChunkEvidence): number {
  return (
    WEIGHTS.exact * exactIdf +
    WEIGHTS.pair * pairIdf +
    WEIGHTS.tight * tightness * matchedIdf +
    WEIGHTS.title * titleIdf
  );
}

/** Collects the evidence for ranked chunks from their stored word ids; one entry for each of `ranked`. */
export function gatherEvidence(
  { index, texts }: Edition,
  query: AnalysedQuery,
  ranked: readonly RankedChunk[],
): ChunkEvidence[] {
  const { marks, wordTerms } = index;
  const termIds = query.terms.map(({ postings }) => postings.map(({ termId }) => termId));
  termIds.forEach((ids, place) => {
    for (const termId of ids) marks[termId] = place + 1;
  });
  const markOf = (word: number): number => marks[wordTerms[word] ?? -1] ?? 0;
  const read = varintReader();
  const evidenceOf = (chunk: number): ChunkEvidence => {
    const findings = emptyFindings();
    const article = index.articleOf(chunk);
    scanWords(query, findings, { words: read(entryBytes(index.titleWords, article)), markOf });
    const titleTerms = new Set(findings.terms);
    // Labels are not part of the text, so exact and adjacent words in them are no evidence.
    for (const word of read(entryBytes(index.labelWords, article))) {
      if (markOf(word) > 0) findings.terms.add(markOf(word) - 1);
    }
    findings.hits.length = 0;
    scanWords(query, findings, {
      words: read(entryBytes(index.headingWords, index.headingOf(chunk))),
      markOf,
    });
    scanWords(query, findings, { words: read(texts.words(chunk) ?? NO_WORDS), markOf });
    return summarise(query, findings, titleTerms);
  };
  try {
    return ranked.map(({ chunk }) => evidenceOf(chunk));
  } finally {
    for (const ids of termIds) for (const termId of ids) marks[termId] = 0;
  }
}

const NO_WORDS = new Uint8Array(0);

interface Findings {
  /** Number of content words scanned so far. */
  length: number;
  /** Indexes of query terms. */
  terms: Set<number>;
  exact: Set<number>;
  /** Places in the query's `adjacentPairs`. */
  pairs: Set<number>;
  /** Positions of terms in the text, ascending. */
  hits: { term: number; at: number }[];
}

const emptyFindings = (): Findings => ({
  length: 0,
  terms: new Set(),
  exact: new Set(),
  pairs: new Set(),
  hits: [],
});

const scanWords = (
  { terms, adjacentPairs }: AnalysedQuery,
  findings: Findings,
  { words, markOf }: { words: Uint32Array; markOf: (word: number) => number },
): void => {
  let previous = -1;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? 0;
    const term = markOf(word) - 1;
    if (term >= 0) {
      findings.terms.add(term);
      findings.hits.push({ term, at: findings.length + at });
      if (terms[term]?.wordIds.includes(word)) findings.exact.add(term);
      if (previous >= 0) {
        const pair = adjacentPairs.findIndex(
          ([left, right]) => left === previous && right === term,
        );
        if (pair >= 0) findings.pairs.add(pair);
      }
    }
    previous = term;
  }
  findings.length += words.length;
};

const summarise = (
  { terms, adjacentPairs }: AnalysedQuery,
  findings: Findings,
  titleTerms: ReadonlySet<number>,
): ChunkEvidence => {
  const idfOf = (term: number): number => terms[term]?.idf ?? 0;
  const sumIdf = (places: Iterable<number>): number => {
    let sum = 0;
    for (const place of places) sum += idfOf(place);
    return sum;
  };
  let pairIdf = 0;
  for (const pair of findings.pairs) {
    const [left, right] = adjacentPairs[pair] ?? [-1, -1];
    pairIdf += Math.min(idfOf(left), idfOf(right));
  }
  return {
    matched: [...findings.terms].sort((left, right) => left - right),
    matchedIdf: sumIdf(findings.terms),
    exactIdf: sumIdf(findings.exact),
    pairIdf,
    titleIdf: sumIdf(titleTerms),
    tightness: tightnessOf(findings.hits),
  };
};

const tightnessOf = (hits: readonly { term: number; at: number }[]): number => {
  const distinct = new Set(hits.map(({ term }) => term)).size;
  if (distinct < 2) return 0;
  const counts = new Map<number, number>();
  let shortest = Number.POSITIVE_INFINITY;
  let first = 0;
  for (const { term, at } of hits) {
    counts.set(term, (counts.get(term) ?? 0) + 1);
    for (
      let left = hits[first];
      left !== undefined && counts.size === distinct;
      left = hits[first]
    ) {
      shortest = Math.min(shortest, at - left.at + 1);
      const rest = (counts.get(left.term) ?? 1) - 1;
      if (rest === 0) counts.delete(left.term);
      else counts.set(left.term, rest);
      first++;
    }
  }
  return distinct / shortest;
};

/** A chunk and the sum of its term scores. */
interface RankedChunk {
  chunk: number;
  score: number;
}

interface RankOptions {
  limit: number;
  isAllowed?: ((chunk: number) => boolean) | undefined;
  also?: readonly number[] | undefined;
}

/**
 * Ranks all chunks by BM25F.
 *
 * @param limit Number of results, best first; ties are broken by chunk order.
 * @param isAllowed Filter for chunks; all count if it is missing.
 * @param also Chunks appended to the result whatever their score.
 */
export function rankChunks(
  index: EditionIndex,
  terms: readonly QueryTerm[],
  { limit, isAllowed, also = [] }: RankOptions,
): RankedChunk[] {
  const { scores } = index;
  try {
    for (const { postings } of terms) {
      for (const { termId, weight, idf } of postings) {
        addScores(index, termId, (weight * idf * (RANKING.k1 + 1)) / FULL_IMPACT);
      }
    }
    const best = bestOf(scores, { limit, isAllowed });
    for (const chunk of also) {
      if (!best.some((ranked) => ranked.chunk === chunk))
        best.push({ chunk, score: scores[chunk] ?? 0 });
    }
    return best;
  } finally {
    scores.fill(0);
  }
}

const addScores = (index: EditionIndex, termId: number, unit: number): void => {
  const { scores } = index;
  readPostings(index, termId, (chunk, impact) => {
    // Writes outside a typed array have no effect, so a damaged posting does no harm.
    scores[chunk] = (scores[chunk] ?? 0) + impact * unit;
  });
};

const bestOf = (
  scores: Float32Array,
  { limit, isAllowed }: Pick<RankOptions, 'limit' | 'isAllowed'>,
): RankedChunk[] => {
  const best: RankedChunk[] = [];
  let threshold = 0;
  for (let chunk = 0; chunk < scores.length; chunk++) {
    const score = scores[chunk] ?? 0;
    if (!(score > threshold) || isAllowed?.(chunk) === false) continue;
    let place = best.length;
    while (place > 0 && (best[place - 1]?.score ?? 0) < score) place--;
    best.splice(place, 0, { chunk, score });
    if (best.length > limit) best.pop();
    if (best.length === limit) threshold = best[limit - 1]?.score ?? 0;
  }
  return best;
};
