import { seededRandom, shuffle } from '../../runtime/seeded-random.ts';
import { openClassifier } from './open-classifier.ts';
import { type TrainingOptions, trainClassifier } from './train-classifier.ts';
import type { LearntFrom } from './training-set.ts';

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
