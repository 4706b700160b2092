import { applyLogistic, type Example, fitLogistic, type LogisticModel } from './fit-logistic.ts';

/**
 * How a model's cosines are read (docs/calibration.md). The logistic model tells how probably a source answers a question, from
 * two features: its cosine with the question, and its lead over the best other source (negative behind it).
 */
export interface SemanticCalibration extends LogisticModel {
  /** Between two sources of one question: by how much a cosine that is 1 higher raises the log-odds of answering, 1 to 100. */
  slope: number;
}

/**
 * Cosines of two models do not compare: one model's unrelated texts are at 0.1, another's at 0.75. `npm run eval -- calibration`
 * fits the model that is configured and prints its line.
 *
 * OpenAI's models were not at hand, so theirs are no measurement: the line that was fitted, stretched and moved so that answers
 * have the relevance they have there. What is published of the ranges: answers of `text-embedding-3` at 0.40 to 0.65 and
 * unrelated texts at 0.05 to 0.25, of `ada-002` at 0.75 to 0.85 and 0.68 to 0.78 (sources: docs/calibration.md).
 */
const CALIBRATIONS: Readonly<Record<string, SemanticCalibration>> = {
  // The slope was chosen on development sets: the fitted one, 9.3, trusts it too much where the words are right.
  'static-words-2': { weights: [7.1, 10.4], bias: -6.2, slope: 5.6 },
  // Fitted; for evaluations.
  'universal-sentence-encoder-lite': { weights: [7.06, 17.4], bias: -5.8, slope: 10.5 },
  // There eight in ten answers are at 0.41 to 0.70: stretched by 1.16, 0.525 read as 0.565.
  'text-embedding-3-small': { weights: [8.2, 20], bias: -6.1, slope: 12 },
  'text-embedding-3-large': { weights: [8.2, 20], bias: -6.1, slope: 12 },
  // By 2.9, 0.80 read as 0.565.
  'text-embedding-ada-002': { weights: [20.5, 50], bias: -18.2, slope: 30 },
};

/** Of a model that nobody has calibrated only a cosine that is high by any model's measure tells something. */
const UNKNOWN_MODEL: SemanticCalibration = { weights: [12, 4], bias: -9.8, slope: 8 };

export const semanticCalibrationOf = (model: string): SemanticCalibration =>
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
 * Fits the calibration of a model to labelled sources, the nearest twenty of each question. The probabilities are those of the
 * examples: what is asked and answered nowhere has to be among them as it will be among questions.
 *
 * @param answerable Of questions that some source answers; the slope is fitted on these alone.
 * @param others Of questions that none answers.
 */
export const fitSemanticCalibration = (
  answerable: readonly Example[],
  others: readonly Example[] = [],
): SemanticCalibration => {
  const { weights, bias } = fitAsFound([...answerable, ...others]);
  const cosines = answerable.map(({ features: [similarity = 0], label }) => ({ features: [similarity], label }));
  const [slope = 0] = fitAsFound(cosines).weights;
  return { weights, bias, slope: Math.min(MOST_SLOPE, Math.max(LEAST_SLOPE, slope)) };
};

const LEAST_SLOPE = 1;
const MOST_SLOPE = 100;

const fitAsFound = (examples: readonly Example[]): LogisticModel =>
  fitLogistic(examples, { signs: [1, 1], weigh: 'examples', steps: 1000, rate: 4, l2: 1e-5 });
