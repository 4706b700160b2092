import type { LogisticModel } from '../../src/knowledge/search/logistic.ts';
import type { SemanticCalibration } from '../../src/knowledge/search/semantic-calibration.ts';
import { type Example, fitLogistic } from './fit-logistic.ts';

/**
 * Fits the calibration of a model to labelled sources, the nearest twenty of each question. Probabilities match the
 * examples, which must contain the same share of unanswerable questions as real traffic.
 *
 * @param answerable Examples of questions that some source answers; the slope is fitted on these alone.
 * @param others Examples of questions that no source answers.
 */
export function fitSemanticCalibration(
  answerable: readonly Example[],
  others: readonly Example[] = [],
): SemanticCalibration {
  const { weights, bias } = fitAsFound([...answerable, ...others]);
  const cosines = answerable.map(({ features: [similarity = 0], label }) => ({
    features: [similarity],
    label,
  }));
  const [slope = 0] = fitAsFound(cosines).weights;
  return { weights, bias, slope: Math.min(MOST_SLOPE, Math.max(LEAST_SLOPE, slope)) };
}

const LEAST_SLOPE = 1;
const MOST_SLOPE = 100;

const fitAsFound = (examples: readonly Example[]): LogisticModel =>
  fitLogistic(examples, { signs: [1, 1], weigh: 'examples', steps: 1000, rate: 4, l2: 1e-5 });
