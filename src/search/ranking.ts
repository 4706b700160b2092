/**
 * The parameters of BM25F. Fitted on one public set and validated on others; results vary little around them
 * (docs/edition-format.md).
 */
export const RANKING = {
  /** Term frequency saturation. */
  k1: 1.2,
  /** Length normalisation of a field: 0 (none) to 1. */
  b: 0.75,
  title: 2.5,
  /** Intents and devices of the article. */
  label: 1,
  heading: 1,
  body: 1,
} as const;

/** Largest stored impact; it stands for `f / (f + k1)` = 1. */
export const FULL_IMPACT = 255;

/** Inverse document frequency of a term in `containing` of `total` chunks; above 0, at most ln(2 total + 2). */
export const inverseFrequency = (containing: number, total: number): number =>
  Math.log(1 + (total - containing + 0.5) / (containing + 0.5));
