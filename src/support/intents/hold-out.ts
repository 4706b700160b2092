import type { TaxonomyAccuracy } from '../../contract/wire/taxonomy.ts';
import { seededRandom, shuffle } from '../../platform/seeded-random.ts';
import { openClassifier } from './classifier.ts';
import { contentHash, type TrainingSource } from './intent-model.ts';
import { DEFAULT_THRESHOLD, trainClassifier } from './train-classifier.ts';

/** A held-out example and its classification. */
export interface HeldOut {
  /** The intent of the example. */
  intent: string;
  /** The likeliest intent according to the classifier. */
  likeliest: string;
  /** 0 to 1. */
  confidence: number;
}

const ROUNDS = 5;

interface HoldOutOptions {
  /** The same seed holds out the same examples. */
  seed?: number | undefined;
  /** Number of parts, each of which one round holds out; 5 when absent. */
  rounds?: number | undefined;
  /** Whether each round also holds out a part of the intents, since real taxonomies are incomplete. */
  leavesOutIntents?: boolean | undefined;
}

/** Cross-validates a taxonomy: trains on a part of the examples and classifies the rest, in rounds. */
export function holdOut(
  taxonomy: TrainingSource,
  { seed = 1, rounds = ROUNDS, leavesOutIntents = false }: HoldOutOptions = {},
): HeldOut[] {
  const random = seededRandom(seed);
  const partsOfIntents = partsOf(taxonomy.intents.length, rounds, random);
  const partsOfExamples = taxonomy.intents.map(({ examples }) =>
    partsOf(examples.length, rounds, random),
  );
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
    const classifier = openClassifier(trainClassifier(reduced, { seed: seed + round }), reduced);
    return kept.flatMap(({ trained: { id: intent }, held }) =>
      held.map((text) => {
        const [best] = classifier.likeliest(text, 1);
        return { intent, likeliest: best?.intent ?? '', confidence: best?.confidence ?? 0 };
      }),
    );
  }).flat();
}

/** Assigns things to parts of equal size, at random. */
const partsOf = (count: number, parts: number, random: () => number): number[] => {
  const order = shuffle(
    Uint32Array.from({ length: count }, (_, at) => at),
    random,
  );
  return Array.from(order, (place) => place % parts);
};

const MAX_TAKEN_FOR = 3;

/** How well each intent is recognised by what the other examples teach. Some seconds for 2,000 examples. */
export function accuracyOf(taxonomy: TrainingSource): TaxonomyAccuracy {
  const judged = Map.groupBy(holdOut(taxonomy), ({ intent }) => intent);
  const intents = [...judged].map(([intent, own]) => {
    const wrong = Map.groupBy(
      own.filter(({ likeliest }) => likeliest !== intent && likeliest !== ''),
      ({ likeliest }) => likeliest,
    );
    const taken = [...wrong].map(([other, those]) => ({ intent: other, examples: those.length }));
    return {
      intent,
      examples: own.length,
      right: own.filter(({ likeliest }) => likeliest === intent).length,
      taken_for: taken
        .toSorted((one, other) => other.examples - one.examples)
        .slice(0, MAX_TAKEN_FOR),
    };
  });
  const order = new Map(taxonomy.intents.map(({ id }, at) => [id, at]));
  intents.sort((one, other) => (order.get(one.intent) ?? 0) - (order.get(other.intent) ?? 0));
  const sum = (name: 'examples' | 'right'): number =>
    intents.reduce((total, intent) => total + intent[name], 0);
  return {
    rounds: ROUNDS,
    examples: sum('examples'),
    right: sum('right'),
    intents,
    content_hash: contentHash(taxonomy),
  };
}

/** Share of correct classifications that may be lost to `unknown`: 0.02 is lenient, 0.1 strict. */
const LOST_SHARE = 0.05;
/** Below this threshold one in five out-of-scope questions gets an intent. */
const LEAST = 0.3;
const MOST = 0.9;

/**
 * Finds the confidence below which a message has no intent, by simulating unseen messages and unlisted intents. It
 * costs up to four trainings and has to be repeated whenever the taxonomy changes.
 */
export function simulateThreshold(
  taxonomy: TrainingSource,
  {
    lostShare = LOST_SHARE,
    ...options
  }: Omit<HoldOutOptions, 'leavesOutIntents'> & { lostShare?: number } = {},
): number {
  const right = holdOut(taxonomy, { ...options, leavesOutIntents: true })
    .filter(({ intent, likeliest }) => intent === likeliest)
    .map(({ confidence }) => confidence)
    .sort((left, other) => left - other);
  const found = right[Math.floor(right.length * lostShare)] ?? DEFAULT_THRESHOLD;
  return Math.min(MOST, Math.max(LEAST, found));
}
