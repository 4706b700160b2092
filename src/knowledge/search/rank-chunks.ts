import type { EditionIndex } from '../edition/open-index.ts';
import { entryRange } from '../edition/text-table.ts';
import type { QueryTerm } from './analyse-query.ts';
import { FULL_IMPACT, RANKING } from './ranking.ts';

/** A chunk with the sum of what its terms earn. */
export interface RankedChunk {
  chunk: number;
  score: number;
}

/**
 * Ranks all chunks by BM25F.
 *
 * @param limit How many to return, the best first; of equal ones the earlier.
 * @param isAllowed Leaves chunks out; all count when it is missing.
 */
export const rankChunks = (
  index: EditionIndex,
  terms: readonly QueryTerm[],
  { limit, isAllowed }: { limit: number; isAllowed?: ((chunk: number) => boolean) | undefined },
): RankedChunk[] => {
  const { scores } = index;
  try {
    for (const { postings } of terms) {
      for (const { termId, weight, idf } of postings) {
        addScores(index, termId, (weight * idf * (RANKING.k1 + 1)) / FULL_IMPACT);
      }
    }
    return bestOf(scores, { limit, isAllowed });
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
  { limit, isAllowed }: { limit: number; isAllowed?: ((chunk: number) => boolean) | undefined },
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
