import { simulateThreshold } from '../../src/support/intents/hold-out.ts';
import { contentHash, type TrainingSource } from '../../src/support/intents/intent-model.ts';
import {
  type TrainingOptions,
  trainClassifier,
} from '../../src/support/intents/train-classifier.ts';

/** A trained classifier for a taxonomy. */
export interface TrainedAhead {
  packed: Uint8Array;
  /** Confidence below which a message is of no intent, 0 to 1, as a simulation found it. */
  threshold: number;
  /** Hash of its training data, 16 hex digits: its name in KV. */
  hash: string;
}

/** Trains with the care that takes too long where a taxonomy is loaded: some two seconds for 2,000 examples. */
export function trainAhead(
  taxonomy: TrainingSource,
  { seed = 1 }: Pick<TrainingOptions, 'seed'> = {},
): TrainedAhead {
  const threshold = simulateThreshold(taxonomy, { seed });
  return {
    packed: trainClassifier(taxonomy, { seed, threshold }),
    threshold,
    hash: contentHash(taxonomy),
  };
}
