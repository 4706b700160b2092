import { semanticRelevances } from '../answers/semantic-calibration.ts';

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
 * What meaning is worth beside words that match as well as a good answer's do, which count 1: this much between the least
 * close of what was found and the closest, whatever the range of the model's cosines ...
 */
const CLOSENESS = 0.1;
/** ... and this much with the probability, by the model's calibration, that a hit answers: the better the model, the more. */
const PROBABILITY = 0.25;
/** From this share of four times the total idf on, more words that match make a hit no better: that of a good answer. */
const FULL_QUALITY = 0.5;

/**
 * Orders hits by words and meaning together, and tells by what; those that are near get their similarity. The weights are a wide plateau, chosen
 * on halves of two public sets with a weak model (docs/vectors.md).
 */
export const fuse = <Hit extends { chunk: number }>(
  candidates: readonly Candidate<Hit>[],
  { model, near, total }: Near,
): (Hit & { similarity?: number; fused: number })[] => {
  const hits = candidates.map(({ hit }) => {
    const similarity = near.get(hit.chunk);
    return similarity === undefined ? hit : { ...hit, similarity };
  });
  const probabilities = semanticRelevances({
    hits: candidates.map(({ hit: { chunk } }) => ({ similarity: near.get(chunk) })),
    model,
  });
  const similarities = [...near.values()];
  const best = Math.max(...similarities);
  const span = best - Math.min(...similarities) || 1;
  const fused = candidates.map(({ hit: { chunk }, order }, at) => {
    const similarity = near.get(chunk);
    const words = total > 0 ? Math.min(1, order / (4 * total * FULL_QUALITY)) : 0;
    const closeness = similarity === undefined ? 0 : 1 - (best - similarity) / span;
    return { at, order, chunk, score: words + CLOSENESS * closeness + PROBABILITY * (probabilities[at] ?? 0) };
  });
  fused.sort((left, right) => right.score - left.score || right.order - left.order || left.chunk - right.chunk);
  return fused.flatMap(({ at, score }) => {
    const hit = hits[at];
    return hit === undefined ? [] : { ...hit, fused: score };
  });
};
