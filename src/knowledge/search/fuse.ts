import type { SearchHit } from './search-edition.ts';

/** A hit, and what its words alone would order it by. */
interface Candidate {
  hit: SearchHit;
  order: number;
}

/**
 * What closeness in meaning is worth beside the words: the closest of a question gets all of it, the least close that was
 * found none. So it depends on no model's range of cosines, and where words say little, meaning decides.
 */
const MEANING_WEIGHT = 0.5;
/** From this share of four times the total idf on, more words that match make a hit no better: that of a good answer. */
const FULL_QUALITY = 0.5;

/** Orders hits by words and meaning together; those that are near get their similarity. */
export const fuse = (
  candidates: readonly Candidate[],
  { near, total }: { near: ReadonlyMap<number, number>; total: number },
): SearchHit[] => {
  const similarities = [...near.values()];
  const best = Math.max(...similarities);
  const span = best - Math.min(...similarities) || 1;
  return candidates
    .map(({ hit, order }) => {
      const similarity = near.get(hit.chunk);
      const words = total > 0 ? Math.min(1, order / (4 * total * FULL_QUALITY)) : 0;
      const meaning = similarity === undefined ? 0 : 1 - (best - similarity) / span;
      const fused = words + MEANING_WEIGHT * meaning;
      return { hit: similarity === undefined ? hit : { ...hit, similarity }, fused, order };
    })
    .sort((left, right) => right.fused - left.fused || right.order - left.order || left.hit.chunk - right.hit.chunk)
    .map(({ hit }) => hit);
};
