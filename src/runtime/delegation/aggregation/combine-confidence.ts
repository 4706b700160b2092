import { PARTIAL_BELOW } from '../../../contract/navigator-response.ts';

/** The answers to one question. */
export interface Standing {
  /** Of the answer that leads; undefined when it states none. Unused when nothing answered. */
  confidence: number | undefined;
  isAnswered: boolean;
  /** Of the answers that say the same as the leading one. */
  agreeing: readonly (number | undefined)[];
  /** Of all that take part in a contradiction which one of its answers is part of. */
  disputed: readonly (number | undefined)[];
}

/** An answer that states no confidence counts as this: not known to be unsure, and no more than that. */
const UNSTATED = PARTIAL_BELOW;
/** Librarians may draw on the same source, so that each further voice counts half. */
const WEIGHT_OF_AGREEMENT = 0.5;
/** Agreement alone makes nothing surer than this. */
const MOST_BY_AGREEMENT = 0.95;
/** A contradicted answer is half as sure as the weaker of the two that contradict each other. */
const SHARE_WHEN_DISPUTED = 0.5;

/**
 * How sure a joined answer is, 0 to 1, rounded to three decimals.
 *
 * 1. A question counts as sure as its leading answer, `c`; without a stated confidence 0.6.
 * 2. Agreement raises: `1 - (1 - c) (1 - a/2) (1 - b/2) ...` for agreeing answers of confidence a, b, ...; agreement lifts nothing above 0.95.
 * 3. Contradiction lowers, whatever agrees: at most half of the weaker of the two.
 * 4. The weakest answered question bounds the whole, and it is scaled by the share of questions that were answered.
 *
 * @returns 0 when none was answered.
 */
export const combineConfidence = (standings: readonly Standing[]): number => {
  const answered = standings.filter(({ isAnswered }) => isAnswered);
  if (answered.length === 0) return 0;
  const weakest = Math.min(...answered.map(confidenceOfQuestion));
  return Math.round(((weakest * answered.length) / standings.length) * 1000) / 1000;
};

const confidenceOfQuestion = ({ confidence = UNSTATED, agreeing, disputed }: Standing): number => {
  const doubt = agreeing.reduce<number>(
    (left, each) => left * (1 - WEIGHT_OF_AGREEMENT * (each ?? UNSTATED)),
    1 - confidence,
  );
  const agreed = Math.max(confidence, Math.min(1 - doubt, MOST_BY_AGREEMENT));
  return Math.min(agreed, ...disputed.map((each) => SHARE_WHEN_DISPUTED * (each ?? UNSTATED)));
};
