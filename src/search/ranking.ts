/** The weights of BM25F. Fitted on one public set and checked on others; a wide plateau (see docs/edition-format.md). */
export const RANKING = {
  /** How soon further occurrences of a term stop counting. */
  k1: 1.2,
  /** How far a field's length discounts its occurrences; 0 (not at all) to 1. */
  b: 0.75,
  title: 2.5,
  /** Intents and devices of the article. */
  label: 1,
  heading: 1,
  body: 1,
} as const;

/** Largest value of a stored impact; it stands for `f / (f + k1)` = 1. */
export const FULL_IMPACT = 255;

/** How much a term that stands in `containing` of `total` chunks tells; above 0, at most ln(2 total + 2). */
export const inverseFrequency = (containing: number, total: number): number =>
  Math.log(1 + (total - containing + 0.5) / (containing + 0.5));
