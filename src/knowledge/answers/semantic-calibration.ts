import { applyLogistic, type Example, fitLogistic, type LogisticModel } from './fit-logistic.ts';

/**
 * How probably a source answers a question, from two features: its cosine with the question, and its lead over the best
 * other source (negative behind it). Cosines of two models do not compare: one model's unrelated texts are at 0.1, another's
 * at 0.75.
 *
 * To refit: take questions with labelled sources, embed both with the model, give `fitSemanticCalibration` a
 * `semanticFeatures` and a label for each of the nearest twenty sources of each question, and write the weights here.
 */
const CALIBRATIONS: Readonly<Record<string, LogisticModel>> = {
  // Set by what is known of the models' ranges, not yet fitted: unrelated texts at 0.05 to 0.3, answers at 0.45 to 0.7.
  'text-embedding-3-small': { weights: [14, 6], bias: -7.2 },
  'text-embedding-3-large': { weights: [14, 6], bias: -7 },
  // Likewise: unrelated texts at 0.68 to 0.76, answers from 0.8 on.
  'text-embedding-ada-002': { weights: [32, 12], bias: -26.4 },
};

/** Of a model that nobody has calibrated only a cosine that is high by any model's measure tells something. */
const UNKNOWN_MODEL: LogisticModel = { weights: [12, 4], bias: -9.8 };

export const semanticCalibrationOf = (model: string): LogisticModel =>
  (Object.hasOwn(CALIBRATIONS, model) ? CALIBRATIONS[model] : undefined) ?? UNKNOWN_MODEL;

/** Of the calibration: cosine, and lead over the best other source. */
export const semanticFeatures = (similarity: number, bestOther: number): number[] => [
  similarity,
  similarity - bestOther,
];

/**
 * By hit of an outcome: how probably it answers the question, judged by its meaning alone, 0 to 1; undefined where that was
 * not compared.
 */
export const semanticRelevances = ({
  hits,
  model,
}: {
  hits: readonly { similarity?: number | undefined }[];
  /** Whose cosines they are; undefined where none were compared. */
  model?: string | undefined;
}): (number | undefined)[] => {
  if (model === undefined) return hits.map(() => undefined);
  const calibration = semanticCalibrationOf(model);
  // The only one leads nobody.
  const [best = 0, second = best] = hits.flatMap(({ similarity }) => similarity ?? []).toSorted((a, b) => b - a);
  return hits.map(({ similarity }) =>
    similarity === undefined
      ? undefined
      : applyLogistic(calibration, semanticFeatures(similarity, similarity === best ? second : best)),
  );
};

/** Two signs for the same thing, words and meaning, are not independent: the weaker one counts half. */
const SECOND_SIGN = 0.5;

/** The probability from words, raised by what meaning adds: never lowered, for words that match are no chance. */
export const joined = (byWords: number, byMeaning: number | undefined): number => {
  if (byMeaning === undefined) return byWords;
  const [stronger, weaker] = byWords > byMeaning ? [byWords, byMeaning] : [byMeaning, byWords];
  return stronger + (1 - stronger) * SECOND_SIGN * weaker;
};

/**
 * Fits the calibration of a model to labelled sources. The probabilities are those of the examples: give as many right and
 * wrong ones as a search brings up.
 */
export const fitSemanticCalibration = (examples: readonly Example[]): LogisticModel => {
  const { weights, bias } = fitLogistic(examples, { signs: [1, 1], steps: 2000 });
  const right = examples.filter(({ label }) => label).length;
  if (right === 0 || right === examples.length) return { weights, bias };
  // Both classes weigh the same in the fit.
  return { weights, bias: bias + Math.log(right / (examples.length - right)) };
};
