import { describe, expect, it } from 'vitest';
import { IntentClassification } from '../../../src/contract/wire/support-response.ts';
import type { Taxonomy } from '../../../src/contract/wire/taxonomy.ts';
import { seededRandom } from '../../../src/platform/seeded-random.ts';
import {
  confidenceOf,
  emptyClassifier,
  openClassifier,
} from '../../../src/support/intents/classifier.ts';
import { holdOut, simulateThreshold } from '../../../src/support/intents/hold-out.ts';
import { trainClassifier } from '../../../src/support/intents/train-classifier.ts';
import { taxonomy as SAMPLE } from '../drafts/tickets.ts';
import { smallTaxonomy, withFirstIntent } from './small-taxonomy.ts';
import cases from './words.json' with { type: 'json' };

/** The sample with the first examples of each intent, for repeated training. */
const CUT: Taxonomy = {
  ...SAMPLE,
  intents: SAMPLE.intents.map((intent) => ({ ...intent, examples: intent.examples.slice(0, 12) })),
};
const classifierOf = (taxonomy: Taxonomy) => openClassifier(trainClassifier(taxonomy), taxonomy);
const small = classifierOf(smallTaxonomy());
const sample = classifierOf(SAMPLE);
const PARCEL = 'Where is my parcel?';

describe('a classifier', () => {
  it.each(cases.wordings)('finds %s in %s', (intent, message) =>
    expect(small.classify(message).primary_intent).toBe(intent),
  );
  it('finds the intent of the documented example, also among emoji and in capitals', () => {
    const documented = sample.classify(
      'My Apollo shows 0 H/s for 3 days. Already tried restarting.',
    );
    expect(documented.primary_intent).toBe('not_hashing');
    expect(documented.confidence).toBeGreaterThan(0.6);
    expect(sample.classify('😡😡 0 H/S AGAIN, MY APOLLO DOES NOT MINE 🔥').primary_intent).toBe(
      'not_hashing',
    );
  });
  it('is sure of its own examples', () => {
    for (const { id, examples } of SAMPLE.intents) {
      const right = examples.filter((text) => sample.classify(text).primary_intent === id);
      expect(right.length / examples.length, id).toBeGreaterThan(0.9);
    }
  });
  it.each(['Who wrote the ninth symphony?', 'Pasta with tomatoes'])(
    'classifies as unrelated: %s',
    (message) => {
      const { primary_intent, confidence } = sample.classify(message);
      expect(primary_intent).toBe('unknown');
      expect(confidence).toBeLessThan(sample.threshold);
    },
  );
  it.each(['', ' \n\t', '😡😡😡 🔥', '…!?', '再起動しても動きません', '\u0000\u0000', '\ud800'])(
    'knows no intent, with confidence 0, in %j',
    (message) =>
      expect(small.classify(message)).toEqual({
        primary_intent: 'unknown',
        confidence: 0,
        secondary_intents: [],
      }),
  );
  it('names other intents of a message that has two, likeliest first', () => {
    const { primary_intent, secondary_intents = [] } = small.classify(
      'The fan is too loud and rattles. I want my money back, please refund it.',
    );
    expect([primary_intent, secondary_intents[0]?.intent].sort()).toEqual(['noise', 'refund']);
    const confidences = secondary_intents.map(({ confidence }) => confidence);
    expect(confidences).toEqual(confidences.toSorted((left, right) => right - left));
  });
  it('returns a classification of the contract, for 32,000 characters of anything', () => {
    const random = seededRandom(5);
    const letters = Array.from({ length: 32_000 }, () =>
      String.fromCharCode(97 + Math.floor(random() * 26)),
    ).join('');
    const words = letters.replace(/.{6}/g, '$& ').slice(0, 32_000);
    const repeated = ['parcel '.repeat(4571), '> '.repeat(16_000), '.\n'.repeat(16_000)];
    for (const message of [PARCEL, 'nonsense', letters, words, ...repeated])
      expect(IntentClassification.safeParse(sample.classify(message)).success).toBe(true);
    expect(small.likeliest(PARCEL, 10)).toHaveLength(4);
  });
  it('has no intents when it is empty', () => {
    expect(emptyClassifier.classify(PARCEL).primary_intent).toBe('unknown');
    expect(emptyClassifier.likeliest(PARCEL, 3)).toEqual([]);
  });
});

describe('trainClassifier()', () => {
  it('writes the same bytes for the same seed, and an equivalent model for another', () => {
    const taxonomy = smallTaxonomy();
    const packed = trainClassifier(taxonomy, { seed: 4 });
    expect(trainClassifier(taxonomy, { seed: 4 })).toEqual(packed);
    const other = trainClassifier(taxonomy, { seed: 5 });
    expect(other).not.toEqual(packed);
    const [first, second] = [packed, other].map((each) => openClassifier(each, taxonomy));
    for (const text of taxonomy.intents.flatMap(({ examples }) => examples))
      expect(second?.classify(text).primary_intent).toBe(first?.classify(text).primary_intent);
  });
  it('learns from titles and from each sentence of a description', () => {
    const described = { title: 'Consignments', description: 'Freight of pallets. Customs duties.' };
    const classifier = classifierOf(withFirstIntent(described));
    for (const text of ['consignments', 'freight of pallets', 'customs duties'])
      expect(classifier.classify(text).primary_intent, text).toBe('shipping');
  });
  it('learns from examples of no intent', () => {
    const spam = [
      'Cheap parcel scales for your warehouse',
      'Our parcel scales are on sale',
      'Buy parcel scales now',
    ];
    const after = classifierOf(smallTaxonomy({ out_of_scope_examples: spam })).classify(
      'Parcel scales on sale',
    );
    expect(after.confidence).toBeLessThan(small.classify('Parcel scales on sale').confidence);
  });
  it('trains a single intent, intents of a single example, and examples without words', () => {
    const { intents, ...rest } = smallTaxonomy();
    expect(
      classifierOf({ ...rest, intents: intents.slice(0, 1) }).classify(PARCEL).primary_intent,
    ).toBe('shipping');
    const single = intents.map((intent) => ({ ...intent, examples: intent.examples.slice(0, 1) }));
    expect(classifierOf({ ...rest, intents: single }).likeliest(PARCEL, 1)[0]?.intent).toBe(
      'shipping',
    );
    const blank = withFirstIntent({ examples: ['???', ...(intents[0]?.examples ?? [])] });
    expect(classifierOf(blank).classify('My parcel is late').primary_intent).toBe('shipping');
  });
});

it('trainClassifier() makes models that PUT takes, of any number of words', () => {
  const random = seededRandom(7);
  const word = () => Math.floor(random() * 1e15).toString(36);
  const [intent] = smallTaxonomy().intents as [Taxonomy['intents'][number]];
  const intents = Array.from({ length: 12 }, (_, at) => ({
    ...intent,
    id: `intent_${at}`,
    examples: Array.from({ length: 15 }, () => Array.from({ length: 80 }, word).join(' ')),
  }));
  const taxonomy = smallTaxonomy({ intents });
  const packed = trainClassifier(taxonomy);
  expect(packed.length).toBeLessThanOrEqual(2 ** 21);
  expect(() => openClassifier(packed, taxonomy)).not.toThrow();
});

it('confidenceOf() increases with the score and with the share of words that examples have', () => {
  const base = { score: 0, seen: 0.7 };
  const confidence = confidenceOf(base);
  expect(confidenceOf({ ...base, score: 0.5 })).toBeGreaterThan(confidence);
  expect(confidenceOf({ ...base, seen: 0.4 })).toBeLessThan(confidence);
  expect(confidenceOf({ score: 0.5, seen: 0.98 })).toBeCloseTo(1 / (1 + Math.exp(-3.355)), 10);
});

describe('a classifier of two intents with three examples', () => {
  it.each(cases.fewExamples)('in $language, knows its intents and no others', (each) => {
    const { language, intents, right, unrelated } = each;
    const classifier = classifierOf({
      ...smallTaxonomy({ language }),
      intents: Object.entries(intents).map(([id, examples]) => ({
        ...(smallTaxonomy().intents[0] as Taxonomy['intents'][number]),
        id,
        title: id,
        examples,
      })),
    });
    for (const [intent, message] of right as [string, string][])
      expect(classifier.classify(message).primary_intent, message).toBe(intent);
    for (const message of unrelated)
      expect(classifier.classify(message).primary_intent, message).toBe('unknown');
  });
});

describe('holdOut()', () => {
  it('classifies each example once, by a classifier trained without it', () => {
    const judged = holdOut(smallTaxonomy(), { seed: 3 });
    expect(judged).toHaveLength(32);
    // A model that was trained with them would classify all correctly.
    expect(judged.filter(({ intent, likeliest }) => intent === likeliest).length).toBeLessThan(32);
    expect(holdOut(smallTaxonomy(), { seed: 3 })).toEqual(judged);
  });
  it('classifies no example of an intent that is held out', () => {
    expect(holdOut(smallTaxonomy(), { leavesOutIntents: true }).length).toBeLessThan(32);
  });
});

describe('simulateThreshold()', () => {
  const thresholdAt = (lostShare: number) => simulateThreshold(CUT, { lostShare });
  it('increases with the share that may be lost, between 0.3 and 0.9', () => {
    const [lenient, strict] = [thresholdAt(0.02), thresholdAt(0.6)];
    expect(lenient).toBeGreaterThanOrEqual(0.3);
    expect(strict).toBeGreaterThan(lenient);
    expect(strict).toBeLessThanOrEqual(0.9);
  });
  it('ignores the intents that a round holds out', () => {
    const judged = holdOut(CUT, { leavesOutIntents: true });
    const right = judged
      .filter(({ intent, likeliest }) => intent === likeliest)
      .map(({ confidence }) => confidence);
    expect(thresholdAt(0.5)).toBe(
      right.sort((left, other) => left - other)[Math.floor(right.length / 2)],
    );
  });
  it('is written into the model', () => {
    const taxonomy = smallTaxonomy();
    expect(
      openClassifier(trainClassifier(taxonomy, { threshold: 0.625 }), taxonomy).threshold,
    ).toBe(0.625);
  });
});
