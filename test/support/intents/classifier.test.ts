import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { IntentClassification } from '../../../src/contract/support-response.ts';
import { Taxonomy } from '../../../src/contract/taxonomy.ts';
import { seededRandom } from '../../../src/runtime/seeded-random.ts';
import {
  confidenceOf,
  emptyClassifier,
  type IntentClassifier,
  openClassifier,
} from '../../../src/support/intents/classifier.ts';
import { holdOut, simulateThreshold } from '../../../src/support/intents/hold-out.ts';
import { trainClassifier, trainOn, trainSeparator } from '../../../src/support/intents/train-classifier.ts';
import { extractFeatures, trainingSetOf } from '../../../src/support/intents/training-features.ts';
import { smallTaxonomy } from './small-taxonomy.ts';

const SAMPLE = Taxonomy.parse(
  JSON.parse(readFileSync(join(import.meta.dirname, '../../../src/dev/sample/taxonomy.json'), 'utf8')),
);
/** The first examples of each intent, for repeated training. */
const CUT: Taxonomy = {
  ...SAMPLE,
  intents: SAMPLE.intents.map((intent) => ({ ...intent, examples: intent.examples.slice(0, 12) })),
};
const classifierOf = (taxonomy: Taxonomy): IntentClassifier => openClassifier(trainClassifier(taxonomy), taxonomy);

let small: IntentClassifier;
let sample: IntentClassifier;
beforeAll(() => {
  small = classifierOf(smallTaxonomy());
  sample = classifierOf(SAMPLE);
});

describe('a classifier', () => {
  it.each([
    ['shipping', 'where on earth is my package'],
    ['password', 'forgot the password again'],
    ['noise', 'this fan is very loud'],
    ['refund', 'please give me my money back'],
  ])('finds %s in a new wording', (intent, message) => {
    expect(small.classify(message).primary_intent).toBe(intent);
  });
  it('finds the intent of the documented example', () => {
    const documented = 'My Apollo shows 0 H/s for 3 days. Already tried restarting.';
    const { primary_intent, confidence } = sample.classify(documented);
    expect(primary_intent).toBe('not_hashing');
    expect(confidence).toBeGreaterThan(0.6);
  });
  it('is sure of its own examples', () => {
    for (const { id, examples } of SAMPLE.intents) {
      const right = examples.filter((text) => sample.classify(text).primary_intent === id);
      expect(right.length / examples.length, id).toBeGreaterThan(0.9);
    }
  });
  it('classifies an unrelated message as unknown, with the confidence of the likeliest intent', () => {
    for (const message of ['Who wrote the ninth symphony?', 'Pasta with tomatoes']) {
      const { primary_intent, confidence } = sample.classify(message);
      expect(primary_intent, message).toBe('unknown');
      expect(confidence).toBeLessThan(sample.threshold);
    }
  });
  it.each(['', ' \n\t', '😡😡😡 🔥', '…!?', '再起動しても動きません', '\u0000\u0000', '\ud800'])(
    'classifies %j as unknown with confidence 0',
    (message) => {
      expect(small.classify(message)).toEqual({ primary_intent: 'unknown', confidence: 0, secondary_intents: [] });
    },
  );
  it('ignores emoji and capitals', () => {
    expect(sample.classify('😡😡 0 H/S AGAIN, MY APOLLO DOES NOT MINE 🔥').primary_intent).toBe('not_hashing');
  });
  it('corrects spelling mistakes', () => {
    expect(small.classify('I forgto my pasword').primary_intent).toBe('password');
    expect(small.classify('wher is my parcle, the delivry is late').primary_intent).toBe('shipping');
  });
  it('names other intents of a message that has two, likeliest first', () => {
    const { primary_intent, secondary_intents = [] } = small.classify(
      'The fan is too loud and rattles. I want my money back, please refund it.',
    );
    expect([primary_intent, secondary_intents[0]?.intent].sort()).toEqual(['noise', 'refund']);
    const confidences = secondary_intents.map(({ confidence }) => confidence);
    expect(confidences).toEqual(confidences.toSorted((left, right) => right - left));
  });
  it('finds a request in a long mail', () => {
    const story = 'We have had the device in our little office since last spring and my colleagues like it very much. ';
    const mail = `Dear team,\n\n${story.repeat(3)}\nHow do I reset the password?\n\nBest wishes and a nice weekend to all of you`;
    expect(small.classify(mail).primary_intent).toBe('password');
  });
  it('returns a classification of the contract', () => {
    for (const message of ['Where is my parcel?', 'nonsense'])
      expect(IntentClassification.safeParse(small.classify(message)).success).toBe(true);
    expect(small.likeliest('Where is my parcel?', 10)).toHaveLength(4);
  });
  it('classifies 32,000 characters of anything', () => {
    const random = seededRandom(5);
    const letters = Array.from({ length: 32_000 }, () => String.fromCharCode(97 + Math.floor(random() * 26))).join('');
    const words = letters.replace(/.{6}/g, '$& ');
    const repeated = ['parcel '.repeat(4571), '> '.repeat(16_000), '.\n'.repeat(16_000)];
    for (const message of [letters, words.slice(0, 32_000), ...repeated])
      expect(IntentClassification.safeParse(sample.classify(message)).success).toBe(true);
  });
});

describe('trainClassifier()', () => {
  it('writes the same bytes for the same seed, and an equivalent model for another', () => {
    const taxonomy = smallTaxonomy();
    const packed = trainClassifier(taxonomy, { seed: 4 });
    expect(trainClassifier(taxonomy, { seed: 4 })).toEqual(packed);
    const other = trainClassifier(taxonomy, { seed: 5, effort: 'quick' });
    expect(other).not.toEqual(packed);
    for (const text of taxonomy.intents.flatMap(({ examples }) => examples)) {
      const [first, second] = [packed, other].map((each) => openClassifier(each, taxonomy).classify(text));
      expect(second?.primary_intent).toBe(first?.primary_intent);
    }
  });
  it('learns from titles and from each sentence of a description', () => {
    const taxonomy = smallTaxonomy();
    const [first, ...rest] = taxonomy.intents;
    const described = { ...first, title: 'Consignments', description: 'Freight of pallets. Customs duties.' };
    const classifier = classifierOf({ ...taxonomy, intents: [described as (typeof rest)[number], ...rest] });
    for (const text of ['consignments', 'freight of pallets', 'customs duties'])
      expect(classifier.classify(text).primary_intent, text).toBe('shipping');
  });
  it('learns from examples of no intent', () => {
    const spam = ['Cheap parcel scales for your warehouse', 'Our parcel scales are on sale', 'Buy parcel scales now'];
    const before = small.classify('Parcel scales on sale').confidence;
    const after = classifierOf(smallTaxonomy({ out_of_scope_examples: spam })).classify('Parcel scales on sale');
    expect(after.confidence).toBeLessThan(before);
  });
  it('trains a single intent, and intents of a single example', () => {
    const taxonomy = smallTaxonomy();
    const one = { ...taxonomy, intents: taxonomy.intents.slice(0, 1) };
    expect(classifierOf(one).classify('Where is my parcel?').primary_intent).toBe('shipping');
    const intents = taxonomy.intents.map((intent) => ({ ...intent, examples: intent.examples.slice(0, 1) }));
    expect(classifierOf({ ...taxonomy, intents }).likeliest('Where is my parcel?', 1)[0]?.intent).toBe('shipping');
  });
  it('accepts examples without words', () => {
    const taxonomy = smallTaxonomy();
    const [first, ...rest] = taxonomy.intents;
    const blank = { ...first, examples: ['???', ...(first?.examples ?? [])] } as (typeof rest)[number];
    const classifier = classifierOf({ ...taxonomy, intents: [blank, ...rest] });
    expect(classifier.classify('My parcel is late').primary_intent).toBe('shipping');
  });
  it('loses almost no accuracy by quantised weights', () => {
    const set = trainingSetOf(CUT);
    const { features, weights } = trainOn(set);
    const dense = new Float64Array(features.hashes.length);
    const isOf = Uint8Array.from(set.examples, ({ intent }) => (intent === 3 ? 1 : 0));
    trainSeparator(features.rows, isOf, { weights: dense, random: seededRandom(9), sweeps: 200, tolerance: 0.001 });
    const scale = weights.scales[3] ?? 0;
    const farthest = dense.reduce(
      (most, weight, at) => Math.max(most, Math.abs(weight - (weights.weights[3]?.[at] ?? 0) * scale)),
      0,
    );
    const greatest = dense.reduce((most, weight) => Math.max(most, Math.abs(weight)), 0);
    expect(farthest / greatest).toBeLessThan(0.05);
  });
  it('weights a feature of one intent above one of all intents', () => {
    const examples = ['the parcel', 'the parcel', 'the fan', 'the fan'].map((text, at) => ({ text, intent: at >> 1 }));
    const { gains, hashes } = extractFeatures({ intentCount: 2, examples });
    const gainOf = (text: string) => {
      const own = extractFeatures({ intentCount: 1, examples: [{ text, intent: 0 }] }).stems[0]?.hash ?? 0;
      return gains[hashes.indexOf(own)] ?? 0;
    };
    expect(gainOf('parcel')).toBeGreaterThan(2 * gainOf('the'));
  });
});

describe('confidenceOf()', () => {
  it('increases with the score and with covered words, and decreases with unseen ones', () => {
    const base = { score: 0, unseen: 0.3, cover: 0.5 };
    const confidence = confidenceOf(base);
    expect(confidenceOf({ ...base, score: 0.5 })).toBeGreaterThan(confidence);
    expect(confidenceOf({ ...base, cover: 0.8 })).toBeGreaterThan(confidence);
    expect(confidenceOf({ ...base, unseen: 0.6 })).toBeLessThan(confidence);
    // sigmoid(-0.13 + 3.26 * 0.5 - 1.47 * 0.2 + 1.82 * 0.4)
    expect(confidenceOf({ score: 0.5, unseen: 0.2, cover: 0.4 })).toBeCloseTo(1 / (1 + Math.exp(-1.934)), 10);
  });
});

describe('holdOut()', () => {
  it('classifies each example once, by a classifier trained without it', () => {
    const taxonomy = smallTaxonomy();
    const judged = holdOut(taxonomy);
    expect(judged).toHaveLength(32);
    // A model that was trained with them would classify all correctly.
    expect(judged.filter(({ intent, likeliest }) => intent === likeliest).length).toBeLessThan(32);
  });
  it('returns the same for the same seed', () => {
    expect(holdOut(smallTaxonomy(), { seed: 3 })).toEqual(holdOut(smallTaxonomy(), { seed: 3 }));
  });
  it('classifies no example of an intent that is held out', () => {
    expect(holdOut(smallTaxonomy(), { leavesOutIntents: true }).length).toBeLessThan(32);
  });
});

describe('simulateThreshold()', () => {
  it('increases with the share that may be lost, between 0.3 and 0.9', () => {
    const lenient = simulateThreshold(CUT, { effort: 'quick', lostShare: 0.02 });
    const strict = simulateThreshold(CUT, { effort: 'quick', lostShare: 0.6 });
    expect(lenient).toBeGreaterThanOrEqual(0.3);
    expect(strict).toBeGreaterThan(lenient);
    expect(strict).toBeLessThanOrEqual(0.9);
  });
  it('ignores the intents that a round holds out', () => {
    const judged = holdOut(CUT, { effort: 'quick', leavesOutIntents: true });
    const right = judged.filter(({ intent, likeliest }) => intent === likeliest).map(({ confidence }) => confidence);
    const half = right.sort((left, other) => left - other)[Math.floor(right.length / 2)];
    expect(simulateThreshold(CUT, { effort: 'quick', lostShare: 0.5 })).toBe(half);
  });
  it('is written into the model', () => {
    const taxonomy = smallTaxonomy();
    expect(openClassifier(trainClassifier(taxonomy, { threshold: 0.625 }), taxonomy).threshold).toBe(0.625);
  });
});

describe('the empty classifier', () => {
  it('has no intents', () => {
    expect(emptyClassifier.classify('Where is my parcel?').primary_intent).toBe('unknown');
    expect(emptyClassifier.likeliest('Where is my parcel?', 3)).toEqual([]);
  });
});
