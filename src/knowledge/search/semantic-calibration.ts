import { applyLogistic, type LogisticModel } from './logistic.ts';

/**
 * Calibration of a model's cosines (docs/calibration.md). The logistic model gives the probability that a source answers a
 * question from two features: its cosine with the question, and its lead over the best other source (negative if it
 * trails).
 */
export interface SemanticCalibration extends LogisticModel {
  /** Increase of the log-odds of answering per unit of cosine, between two sources of one question, 1 to 100. */
  slope: number;
}

/**
 * Cosines of different models are not comparable: unrelated texts are at 0.1 in one model and at 0.75 in another. `npm run
 * eval -- calibration` fits the configured model and prints its line.
 *
 * OpenAI's models were not available for measurement: their lines are the fitted one, scaled and shifted so that answers
 * have the same relevance. Published ranges: answers of `text-embedding-3` at 0.40 to 0.65 and unrelated texts at 0.05 to
 * 0.25, of `ada-002` at 0.75 to 0.85 and 0.68 to 0.78 (sources: docs/calibration.md).
 */
const CALIBRATIONS: Readonly<Record<string, SemanticCalibration>> = {
  // The slope was chosen on development sets: the fitted one, 9.3, trusts meaning too much where words are right.
  'static-words-2': { weights: [7.1, 10.4], bias: -6.2, slope: 5.6 },
  // Fitted; for evaluations.
  'universal-sentence-encoder-lite': { weights: [7.06, 17.4], bias: -5.8, slope: 10.5 },
  // Eight in ten answers are at 0.41 to 0.70 there: scaled by 1.16, 0.525 reads as 0.565.
  'text-embedding-3-small': { weights: [8.2, 20], bias: -6.1, slope: 12 },
  'text-embedding-3-large': { weights: [8.2, 20], bias: -6.1, slope: 12 },
  // Scaled by 2.9, 0.80 reads as 0.565.
  'text-embedding-ada-002': { weights: [20.5, 50], bias: -18.2, slope: 30 },
};

/** For a model without calibration only a cosine that is high in every model counts. */
const UNKNOWN_MODEL: SemanticCalibration = { weights: [12, 4], bias: -9.8, slope: 8 };

export function semanticCalibrationOf(model: string): SemanticCalibration {
  return (Object.hasOwn(CALIBRATIONS, model) ? CALIBRATIONS[model] : undefined) ?? UNKNOWN_MODEL;
}

/** Features of the calibration: cosine, and lead over the best other source. */
export function semanticFeatures(similarity: number, bestOther: number): number[] {
  return [similarity, similarity - bestOther];
}

/** Probability by meaning alone that each hit answers the question, 0 to 1; `undefined` for hits that were not compared. */
export function semanticRelevances({
  hits,
  model,
}: {
  hits: readonly { similarity?: number | undefined }[];
  /** Model of the cosines; `undefined` if none were compared. */
  model?: string | undefined;
}): (number | undefined)[] {
  if (model === undefined) return hits.map(() => undefined);
  const calibration = semanticCalibrationOf(model);
  // A single source has no lead.
  const [best = 0, second = best] = hits
    .flatMap(({ similarity }) => similarity ?? [])
    .toSorted((a, b) => b - a);
  return hits.map(({ similarity }) =>
    similarity === undefined
      ? undefined
      : applyLogistic(
          calibration,
          semanticFeatures(similarity, similarity === best ? second : best),
        ),
  );
}

/** Words and meaning are not independent evidence: the weaker one counts half. */
const SECOND_SIGN = 0.5;

/** The probability by words, raised by meaning and never lowered: matching words are not a coincidence. */
export function joined(byWords: number, byMeaning: number | undefined): number {
  if (byMeaning === undefined) return byWords;
  const [stronger, weaker] = byWords > byMeaning ? [byWords, byMeaning] : [byMeaning, byWords];
  return stronger + (1 - stronger) * SECOND_SIGN * weaker;
}
