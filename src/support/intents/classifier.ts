import type { IntentClassification } from '../../contract/wire/support-response.ts';
import { UNKNOWN_INTENT } from '../../contract/wire/taxonomy.ts';
import {
  contentHash,
  InvalidModel,
  type OpenModel,
  openModel,
  rarity,
  WEIGHT_STEP,
} from './packed-model.ts';
import {
  featureValue,
  GAIN_UNIT,
  messageFeatures,
  messageParts,
  type TrainingSource,
} from './training-features.ts';

/** An intent and its confidence, 0 to 1. */
type LikelyIntent = NonNullable<IntentClassification['secondary_intents']>[number];

/** Classifies messages by intent. */
export interface IntentClassifier {
  /**
   * The likeliest intent and up to three others that are likely too; `unknown` when none is likely enough, with the confidence of the
   * likeliest. Never throws. Only the first sentences of a long message count, so a subject belongs before it, on a line of its own.
   */
  classify(message: string): IntentClassification;
  /** The best intents, likeliest first, whatever their confidence. */
  likeliest(message: string, limit: number): LikelyIntent[];
  /** Confidence below which a message has no intent. */
  readonly threshold: number;
}

const MAX_SECONDARY = 3;
/** Least confidence of a secondary intent. */
const LEAST_SECONDARY = 0.15;

/**
 * Opens a model that `trainClassifier` has packed, in a few milliseconds.
 *
 * @throws {InvalidModel} When it was trained from another taxonomy or by another version, or is damaged.
 */
export function openClassifier(packed: Uint8Array, taxonomy: TrainingSource): IntentClassifier {
  const model = openModel(packed, { contentHash: contentHash(taxonomy) });
  const ids = taxonomy.intents.map(({ id }) => id);
  if (ids.length !== model.intentCount)
    throw new InvalidModel('Cannot open the trained model: its intents are others');
  const likeliest = (message: string, limit: number): LikelyIntent[] =>
    [...confidencesOf(model, message)]
      .map((confidence, at) => ({
        intent: ids[at] ?? UNKNOWN_INTENT,
        confidence: rounded(confidence),
      }))
      .sort((left, right) => right.confidence - left.confidence)
      .slice(0, limit);
  return {
    threshold: model.threshold,
    likeliest,
    classify: (message) => classificationOf(likeliest(message, MAX_SECONDARY + 1), model.threshold),
  };
}

/** The classifier of a taxonomy without intents. */
export const emptyClassifier: IntentClassifier = {
  threshold: 1,
  likeliest: () => [],
  classify: () => ({ primary_intent: UNKNOWN_INTENT, confidence: 0, secondary_intents: [] }),
};

/** @param likely One more than `MAX_SECONDARY`, likeliest first. */
const classificationOf = (
  likely: readonly LikelyIntent[],
  threshold: number,
): IntentClassification => {
  const [best] = likely;
  const isKnown = best !== undefined && best.confidence >= threshold;
  return {
    primary_intent: isKnown ? best.intent : UNKNOWN_INTENT,
    confidence: best?.confidence ?? 0,
    secondary_intents: likely
      .slice(isKnown ? 1 : 0)
      .filter(({ confidence }) => confidence >= LEAST_SECONDARY)
      .slice(0, MAX_SECONDARY),
  };
};

/**
 * Confidences by intent: of the whole message; for a long one, the mean of the whole and of its best sentence. Chosen on development
 * tickets and by cross-validation: the whole alone loses requests in long mails, the best sentence alone misreads messages of two sentences.
 */
const confidencesOf = (model: OpenModel, message: string): Float64Array => {
  const { whole, sentences } = messageParts(message);
  const all = knownConfidences(model, whole);
  if (sentences.length === 0) return all;
  const each = sentences.map((words) => knownConfidences(model, words));
  return all.map((confidence, intent) => {
    const best = each.reduce((most, own) => Math.max(most, own[intent] ?? 0), confidence);
    return (confidence + best) / 2;
  });
};

/** All 0 when no word of the text is known. */
const knownConfidences = (model: OpenModel, words: readonly string[]): Float64Array => {
  const { confidences, isKnown } = scoreMessage(model, words);
  return isKnown ? confidences : new Float64Array(model.intentCount);
};

const rounded = (share: number): number => Math.round(share * 1000) / 1000;

/** The scores of a message. */
interface MessageScores {
  /** Confidences by intent, 0 to 1. */
  confidences: Float64Array;
  /** Whether any word of it occurs in an example of an intent. */
  isKnown: boolean;
}

/** Scores the words of a text; words that no example has only lower the confidence. */
const scoreMessage = (model: OpenModel, words: readonly string[]): MessageScores => {
  const known = words.map((word) => correctWord(word, model));
  const features = messageFeatures(known, {
    isKnown: (hash) => placeOf(model.stemHashes, hash) >= 0,
  });
  const scores = scoresOf(model, features.blocks);
  const { unseen, covers, isKnown } = signalsOf(model, features.stems);
  return {
    confidences: scores.map((score, intent) =>
      confidenceOf({ score, unseen, cover: covers[intent] ?? 0 }),
    ),
    isKnown,
  };
};

const scoresOf = (model: OpenModel, blocks: readonly number[][]): Float64Array => {
  const sums = new Float64Array(model.intentCount);
  let filled = 0;
  for (const block of blocks) {
    const counts = new Map<number, number>();
    for (const hash of block) {
      const place = placeOf(model.hashes, hash);
      if (place >= 0) counts.set(place, (counts.get(place) ?? 0) + 1);
    }
    if (counts.size === 0) continue;
    filled += 1;
    addBlock(model, counts, sums);
  }
  const scale = filled === 0 ? 0 : 1 / Math.sqrt(filled);
  return sums.map(
    (sum, intent) => (model.biases[intent] ?? 0) + sum * scale * (model.scales[intent] ?? 0),
  );
};

/** Adds the weights of a block's features, the block scaled to length 1. */
const addBlock = (
  model: OpenModel,
  counts: ReadonlyMap<number, number>,
  sums: Float64Array,
): void => {
  const { gains, weightCounts, weightIntents, weights } = model;
  let square = 0;
  for (const [place, count] of counts)
    square += (featureValue(count, gains[place] ?? 0) * GAIN_UNIT) ** 2;
  const scale = GAIN_UNIT / Math.sqrt(square);
  for (const [place, count] of counts) {
    const value = featureValue(count, gains[place] ?? 0) * scale;
    const start = firstWeight(model, place);
    const end = start + (weightCounts[place] ?? 0);
    for (let at = start; at < end; at += 1) {
      const intent = weightIntents[at] as number;
      sums[intent] = (sums[intent] as number) + value * (weights[at] as number);
    }
  }
};

const firstWeight = ({ weightStarts, weightCounts }: OpenModel, place: number): number => {
  const step = Math.floor(place / WEIGHT_STEP);
  let start = weightStarts[step] ?? 0;
  for (let before = step * WEIGHT_STEP; before < place; before += 1)
    start += weightCounts[before] ?? 0;
  return start;
};

const signalsOf = (model: OpenModel, stems: readonly number[]) => {
  const covers = new Float64Array(model.intentCount);
  let unseen = 0;
  let total = 0;
  for (const hash of stems) {
    const place = placeOf(model.stemHashes, hash);
    if (place < 0) {
      unseen += rarity(0, model.exampleCount);
      total += rarity(0, model.exampleCount);
      continue;
    }
    const weight = model.stemRarity[place] ?? 0;
    total += weight;
    for (let at = model.stemStarts[place] ?? 0; at < (model.stemStarts[place + 1] ?? 0); at += 1) {
      const intent = model.stemIntents[at] ?? 0;
      covers[intent] = (covers[intent] ?? 0) + weight;
    }
  }
  if (total === 0) return { unseen: 1, covers, isKnown: false };
  return {
    unseen: unseen / total,
    covers: covers.map((cover) => cover / total),
    isKnown: unseen < total,
  };
};

/** Place of a hash in an ascending list; -1 when it is missing. */
const placeOf = (hashes: Uint32Array, hash: number): number => {
  let low = 0;
  let high = hashes.length - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const found = hashes[middle] as number;
    if (found === hash) return middle;
    if (found < hash) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
};

/** The signals that the confidence of an intent is computed from. */
interface IntentSignals {
  /** Distance to the hyperplane between the intent and all others; 1 is that of a clear example. */
  score: number;
  /** Share of the message's stems that no example has, weighted by rarity; 0 to 1. */
  unseen: number;
  /** Share of the stems that occur in examples of this intent; 0 to 1. */
  cover: number;
}

/**
 * Probability, 0 to 1, that a message is in scope and has this intent. Fitted once, on simulations over small random taxonomies (8 to
 * 30 intents, 5 to 20 examples, 15 % out of scope); fitting it to each taxonomy gained nothing. The
 * probabilities of all intents need not add up to 1.
 */
export function confidenceOf({ score, unseen, cover }: IntentSignals): number {
  return 1 / (1 + Math.exp(0.13 - 3.26 * score + 1.47 * unseen - 1.82 * cover));
}

/** Words of the examples, sorted by UTF-16 units, and their frequencies. */
interface KnownWords {
  words: readonly string[];
  wordCounts: Uint32Array;
}

/** A shorter word is more often another word than a spelling mistake. */
const LEAST_LETTERS = 5;
const MOST_LETTERS = 32;

/**
 * Corrects a spelling mistake: the most frequent known word with the same first letter at an edit distance of one, where a transposition
 * counts as one edit. Returns a known word, or one without a close word, as it is.
 */
export function correctWord(word: string, { words, wordCounts }: KnownWords): string {
  if (word.length < LEAST_LETTERS || word.length > MOST_LETTERS) return word;
  if (words[placeFrom(words, word)] === word) return word;
  let best = word;
  let most = 0;
  const first = word.charAt(0);
  for (let place = placeFrom(words, first); words[place]?.startsWith(first); place += 1) {
    const known = words[place] ?? '';
    const count = wordCounts[place] ?? 0;
    if (count <= most || Math.abs(known.length - word.length) > 1 || !isOneEditApart(word, known))
      continue;
    best = known;
    most = count;
  }
  return best;
}

/** The first place with a word that is not before `wanted`. */
const placeFrom = (words: readonly string[], wanted: string): number => {
  let low = 0;
  let high = words.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((words[middle] ?? '') < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
};

const isOneEditApart = (left: string, right: string): boolean => {
  let start = 0;
  while (start < left.length && left.charCodeAt(start) === right.charCodeAt(start)) start += 1;
  if (left.length !== right.length) {
    const [longer, shorter] = left.length > right.length ? [left, right] : [right, left];
    return longer.slice(start + 1) === shorter.slice(start);
  }
  if (left.slice(start + 1) === right.slice(start + 1)) return true;
  return (
    left.charAt(start) === right.charAt(start + 1) &&
    left.charAt(start + 1) === right.charAt(start) &&
    left.slice(start + 2) === right.slice(start + 2)
  );
};
