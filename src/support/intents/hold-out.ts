import { seededRandom, shuffle } from '../../runtime/seeded-random.ts';
import { openClassifier } from './classifier.ts';
import { DEFAULT_THRESHOLD, type TrainingOptions, trainClassifier } from './train-classifier.ts';
import type { LearntFrom } from './training-features.ts';

/** An example that a classifier was asked which had not been trained with it. */
export interface HeldOut {
  /** What it is an example of. */
  intent: string;
  /** What the classifier took for the likeliest. */
  likeliest: string;
  /** 0 to 1. */
  confidence: number;
}

export interface HoldOutOptions extends Pick<TrainingOptions, 'effort'> {
  /** The same seed leaves out the same examples. */
  seed?: number | undefined;
  /** Each round leaves out one of so many parts of the examples; 5 when absent. */
  rounds?: number | undefined;
  /** Whether each round also leaves out that part of the intents wholly, as in life some are not listed. */
  leavesOutIntents?: boolean | undefined;
}

/** Trains on a part of the examples of a taxonomy and judges the rest of the intents that were trained, in rounds. */
export const holdOut = (
  taxonomy: LearntFrom,
  { seed = 1, rounds = 5, leavesOutIntents = false, effort = 'full' }: HoldOutOptions = {},
): HeldOut[] => {
  const random = seededRandom(seed);
  const partsOfIntents = partsOf(taxonomy.intents.length, rounds, random);
  const partsOfExamples = taxonomy.intents.map(({ examples }) => partsOf(examples.length, rounds, random));
  return Array.from({ length: rounds }, (_, round) => {
    const kept = taxonomy.intents.flatMap((intent, at) => {
      if (leavesOutIntents && partsOfIntents[at] === round) return [];
      const isHeld = (place: number) => partsOfExamples[at]?.[place] === round;
      return [
        {
          trained: { ...intent, examples: intent.examples.filter((_, place) => !isHeld(place)) },
          held: intent.examples.filter((_, place) => isHeld(place)),
        },
      ];
    });
    if (kept.length === 0) return [];
    const reduced = { ...taxonomy, intents: kept.map(({ trained }) => trained) };
    const classifier = openClassifier(trainClassifier(reduced, { seed: seed + round, effort }), reduced);
    return kept.flatMap(({ trained: { id: intent }, held }) =>
      held.map((text) => {
        const [best] = classifier.likeliest(text, 1);
        return { intent, likeliest: best?.intent ?? '', confidence: best?.confidence ?? 0 };
      }),
    );
  }).flat();
};

/** For each of so many things the part it belongs to; the parts are as equal as can be. */
const partsOf = (count: number, parts: number, random: () => number): number[] => {
  const order = shuffle(
    Uint32Array.from({ length: count }, (_, at) => at),
    random,
  );
  return Array.from(order, (place) => place % parts);
};

/** Of what a classifier would answer rightly, the share that may be taken for unknown: 0.02 is lenient, 0.1 strict. */
const LOST_SHARE = 0.05;
/** Where examples have little in common, a share of them is found by chance alone: below, one in five foreign questions passes. */
const LEAST = 0.3;
const MOST = 0.9;

/**
 * The confidence below which a message is of no intent, from the examples alone (reference on intents): a simulation of messages that
 * were not seen before and intents that nobody listed. Costs up to four times a training. Belongs to this number of examples: to be
 * found anew whenever the taxonomy changes.
 */
export const simulateThreshold = (
  taxonomy: LearntFrom,
  { lostShare = LOST_SHARE, ...options }: Omit<HoldOutOptions, 'leavesOutIntents'> & { lostShare?: number } = {},
): number => {
  const right = holdOut(taxonomy, { ...options, leavesOutIntents: true })
    .filter(({ intent, likeliest }) => intent === likeliest)
    .map(({ confidence }) => confidence)
    .sort((left, other) => left - other);
  const found = right[Math.floor(right.length * lostShare)] ?? DEFAULT_THRESHOLD;
  return Math.min(MOST, Math.max(LEAST, found));
};
