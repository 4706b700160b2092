import { semanticCalibrationOf } from './semantic-calibration.ts';

/** A hit, and what its words alone would order it by. */
interface Candidate<Hit> {
  hit: Hit;
  order: number;
}

interface Near {
  model: string;
  /** By chunk: its cosine with the question. */
  near: ReadonlyMap<number, number>;
  /** Of the query: the most that words could match. */
  total: number;
}

/**
 * What a unit of log-odds from the meaning is worth beside the words, whose unit is a perfect match. Chosen with a weak model,
 * both halves of two public sets in view: what they gain tells little of other sets (docs/calibration.md).
 */
const MEANING = 0.04;

/**
 * Orders hits by words and meaning together, and tells by what; those that are near get their similarity. Meaning counts from
 * the least close of those on: so the range of a model's cosines does not matter, and how well they tell answers apart does.
 */
export const fuse = <Hit extends { chunk: number }>(
  candidates: readonly Candidate<Hit>[],
  { model, near, total }: Near,
): (Hit & { similarity?: number; fused: number })[] => {
  const hits = candidates.map(({ hit }) => {
    const similarity = near.get(hit.chunk);
    return similarity === undefined ? hit : { ...hit, similarity };
  });
  const { slope } = semanticCalibrationOf(model);
  const least = Math.min(...near.values());
  const fused = candidates.map(({ hit: { chunk }, order }, at) => {
    const words = total > 0 ? order / (4 * total) : 0;
    const meaning = slope * ((near.get(chunk) ?? least) - least);
    return { at, order, chunk, score: near.size === 0 ? words : words + MEANING * meaning };
  });
  fused.sort((left, right) => right.score - left.score || right.order - left.order || left.chunk - right.chunk);
  return fused.flatMap(({ at, score }) => {
    const hit = hits[at];
    return hit === undefined ? [] : { ...hit, fused: score };
  });
};
