import {
  featuresOf,
  type KindModel,
  MESSAGE_KINDS,
  scaleOf,
  sentencesOf,
} from '../../src/language/message-kind.ts';
import { type MessageRow, readMessages, readPhrases, readQuestions } from './message-rows.ts';
import {
  codebookOf,
  fitSoftmax,
  type SoftmaxModel,
  type SparseExample,
  scoresOf,
} from './softmax-fit.ts';

const BITS = 17;
const FEATURES = 23_000;
const CODES = 256;
/** A feature of a single example says nothing about others. */
const LEAST_EXAMPLES = 2;
/** What a phrase, a question and a sentence of a longer message count beside a message. */
const PHRASE_WEIGHT = 0.3;
const QUESTION_WEIGHT = 0.3;
const SENTENCE_WEIGHT = 0.1;
const PIECE_WEIGHT = 0.1;
/** What a danger counts beside other messages: one that is missed is worse than one too many. */
const DANGER_WEIGHT = 2;
const CLASSES = MESSAGE_KINDS.length;
const OPTIONS = { size: 2 ** BITS, classes: CLASSES, scaleOf };

export function exampleOf(
  { kind, text }: Pick<MessageRow, 'kind' | 'text'>,
  weight: number,
): SparseExample {
  return {
    features: featuresOf(text, BITS),
    label: MESSAGE_KINDS.indexOf(kind),
    weight: kind === 'danger' ? weight * DANGER_WEIGHT : weight,
  };
}

/** The features that count most: large weights, in many examples. */
const strongest = (
  examples: readonly SparseExample[],
): { features: number[]; counts: Float32Array } => {
  const { weights } = fitSoftmax(examples, OPTIONS);
  const counts = new Float32Array(2 ** BITS);
  for (const { features } of examples)
    for (const feature of features) counts[feature] = (counts[feature] ?? 0) + 1;
  const strength = counts.map((count, feature) => {
    if (count < LEAST_EXAMPLES) return 0;
    const own = weights.subarray(feature * CLASSES, (feature + 1) * CLASSES);
    return Math.sqrt(own.reduce((sum, weight) => sum + weight * weight, 0)) * Math.log2(1 + count);
  });
  const features = [...strength.keys()].filter((feature) => (strength[feature] ?? 0) > 0);
  features.sort((one, other) => (strength[other] ?? 0) - (strength[one] ?? 0));
  return { features: features.slice(0, FEATURES), counts };
};

/** Fits and packs the model. */
export function fitKinds(examples: readonly SparseExample[]): KindModel {
  const { features, counts } = strongest(examples);
  const isIn = new Set(features);
  const reduced = examples.map((example) => ({
    ...example,
    features: example.features.filter((feature) => isIn.has(feature)),
  }));
  const model = fitSoftmax(reduced, OPTIONS);
  const { means, codes } = codebookOf(centred(model, features), {
    width: CLASSES,
    count: CODES,
    shares: features.map((feature) => Math.sqrt(counts[feature] ?? 0)),
  });
  const codeOf = new Map(features.map((feature, place) => [feature, codes[place] ?? 0]));
  const tuned = tuneCodebook({ weights: means, bias: model.bias }, reduced, codeOf);
  return packed(tuned, codeOf);
}

/** The weights of features, of which only the differences between classes count. */
const centred = ({ weights }: SoftmaxModel, features: readonly number[]): Float32Array => {
  const vectors = new Float32Array(features.length * CLASSES);
  features.forEach((feature, place) => {
    const own = weights.subarray(feature * CLASSES, (feature + 1) * CLASSES);
    const mean = own.reduce((sum, weight) => sum + weight, 0) / CLASSES;
    own.forEach((weight, kind) => {
      vectors[place * CLASSES + kind] = weight - mean;
    });
  });
  return vectors;
};

/** Fits the shared weights once more, with each feature at its code: most of what sharing lost comes back. */
const tuneCodebook = (
  { weights: means, bias }: SoftmaxModel,
  examples: readonly SparseExample[],
  codeOf: ReadonlyMap<number, number>,
): SoftmaxModel => {
  const weights = Float32Array.from(means);
  const model = { weights, bias: Float32Array.from(bias) };
  const squares = new Float32Array(weights.length).fill(1e-4);
  for (let epoch = 0; epoch < 4; epoch += 1)
    for (const { features, label, weight } of examples) {
      const scale = scaleOf(features.length);
      const codes = features.map((feature) => codeOf.get(feature) ?? 0);
      const odds = scoresOf(model, codes, scale);
      for (let kind = 0; kind < CLASSES; kind += 1) {
        const error = ((odds[kind] ?? 0) - (kind === label ? 1 : 0)) * weight;
        model.bias[kind] = (model.bias[kind] ?? 0) - 0.002 * error;
        for (const code of codes) {
          const at = code * CLASSES + kind;
          const slope = error * scale;
          squares[at] = (squares[at] ?? 0) + slope * slope;
          weights[at] = (weights[at] ?? 0) - (0.02 * slope) / Math.sqrt(squares[at] ?? 1);
        }
      }
    }
  return model;
};

const packed = (
  { weights, bias }: SoftmaxModel,
  codeOf: ReadonlyMap<number, number>,
): KindModel => {
  const features = [...codeOf.keys()].toSorted((one, other) => one - other);
  const distances: number[] = [];
  let before = -1;
  for (const feature of features) {
    let distance = feature - before - 1;
    for (; distance >= 255; distance -= 255) distances.push(255);
    distances.push(distance);
    before = feature;
  }
  const unit = weights.reduce((most, weight) => Math.max(most, Math.abs(weight)), 0) / 127;
  return {
    bits: BITS,
    bias: [...bias].map((value) => Math.round(value * 100) / 100),
    codebook: base64([...weights].map((weight) => Math.round(weight / unit))),
    unit: Number(unit.toPrecision(6)),
    hashes: base64(distances),
    codes: base64(features.map((feature) => codeOf.get(feature) ?? 0)),
  };
};

/** Negative numbers in two's complement. */
const base64 = (bytes: readonly number[]): string =>
  Buffer.from(Uint8Array.from(bytes)).toString('base64');

/**
 * What is fitted besides the messages: phrases, questions of which none is small talk, danger or automatic, and short pieces of these and of the
 * other messages. Without pieces, a message of one or two words is read by the phrases alone.
 */
export function furtherExamples(data: string): SparseExample[] {
  const phrases = readPhrases();
  const questions = readQuestions(data);
  const rows = readMessages('train');
  const telling = new Set(
    [...rows, ...phrases]
      .filter(({ kind }) => kind !== 'other')
      .flatMap(({ text }) => wordsIn(text)),
  );
  const others = [
    ...questions,
    ...rows.filter(({ kind }) => kind === 'other').map(({ text }) => text),
  ];
  return [
    ...phrases.map((row) => exampleOf(row, PHRASE_WEIGHT)),
    ...questions.map((text) => exampleOf({ kind: 'other', text }, QUESTION_WEIGHT)),
    // Danger is looked for in each sentence.
    ...others
      .flatMap((text) => sentencesOf(text).filter((sentence) => sentence !== text))
      .map((text) => exampleOf({ kind: 'other', text }, SENTENCE_WEIGHT)),
    ...others
      .flatMap((text) => piecesOf(text, telling))
      .map((text) => exampleOf({ kind: 'other', text }, PIECE_WEIGHT)),
  ];
}

const segmenter = new Intl.Segmenter('und', { granularity: 'word' });
const wordsIn = (text: string): string[] =>
  [...segmenter.segment(text.toLowerCase())].flatMap(({ segment, isWordLike }) =>
    isWordLike ? [segment] : [],
  );

/** The first run of one to three words that no message of another kind has. */
const piecesOf = (text: string, telling: ReadonlySet<string>): string[] => {
  const words = wordsIn(text);
  const start = words.findIndex((word) => !telling.has(word));
  if (start < 0) return [];
  const end = words.findIndex((word, at) => at > start && (telling.has(word) || at === start + 3));
  return [words.slice(start, end < 0 ? words.length : end).join(' ')];
};
