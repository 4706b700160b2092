import type { QueryTerm } from './analyse-query.ts';
import type { EditionIndex } from './open-index.ts';
import { FULL_IMPACT, RANKING } from './ranking.ts';
import { entryRange } from './text-table.ts';

/** A chunk with the sum of what its terms earn. */
export interface RankedChunk {
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
 * @param limit How many to return, the best first; of equal ones the earlier.
 * @param isAllowed Leaves chunks out; all count when it is missing.
 * @param also Chunks to return besides, last, whatever their score.
 */
export const rankChunks = (
  index: EditionIndex,
  terms: readonly QueryTerm[],
  { limit, isAllowed, also = [] }: RankOptions,
): RankedChunk[] => {
  const { scores } = index;
  try {
    for (const { postings } of terms) {
      for (const { termId, weight, idf } of postings) {
        addScores(index, termId, (weight * idf * (RANKING.k1 + 1)) / FULL_IMPACT);
      }
    }
    const best = bestOf(scores, { limit, isAllowed });
    for (const chunk of also) {
      if (!best.some((ranked) => ranked.chunk === chunk)) best.push({ chunk, score: scores[chunk] ?? 0 });
    }
    return best;
  } finally {
    scores.fill(0);
  }
};

const addScores = (index: EditionIndex, termId: number, unit: number): void => {
  const { scores, postingStarts, postingChunks, postingImpacts } = index;
  const { start, end } = entryRange(postingStarts, termId);
  for (let at = start; at < end; at++) {
    const chunk = postingChunks[at] ?? 0;
    // A write outside of a typed array does nothing, so a damaged posting cannot do harm.
    scores[chunk] = (scores[chunk] ?? 0) + (postingImpacts[at] ?? 0) * unit;
  }
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
