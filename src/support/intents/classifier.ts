import type { IntentClassification } from '../../contract/support-response.ts';
import { UNKNOWN_INTENT } from '../../contract/taxonomy.ts';
import { messageFeatures, messageParts } from './message-features.ts';
import { rarity } from './pack-model.ts';
import { contentHash, ModelRefused, type OpenModel, openModel, WEIGHT_STEP } from './packed-model.ts';
import { featureValue, GAIN_UNIT, type LearntFrom } from './training-features.ts';

/** An intent and the chance that it is meant, 0 to 1. */
type LikelyIntent = NonNullable<IntentClassification['secondary_intents']>[number];

/** Tells what a customer wants. */
export interface IntentClassifier {
  /**
   * The likeliest intent and up to three others that are likely too; `unknown` where none is likely enough, with the confidence of
   * the likeliest. Never throws; of a long message the first sentences count, so that a subject belongs before it, on a line of
   * its own.
   */
  classify(message: string): IntentClassification;
  /** The likeliest intents, likeliest first, however unlikely they are. */
  likeliest(message: string, limit: number): LikelyIntent[];
  /** Confidence below which a message is of no intent. */
  readonly threshold: number;
}

const MAX_SECONDARY = 3;
/** Less likely ones are not worth a word. */
const LEAST_SECONDARY = 0.15;

/**
 * Opens what `trainClassifier` has packed, in a few milliseconds.
 *
 * @throws {ModelRefused} When it was trained from another taxonomy or by another version, or is damaged.
 */
export const openClassifier = (packed: Uint8Array, taxonomy: LearntFrom): IntentClassifier => {
  const model = openModel(packed, { contentHash: contentHash(taxonomy) });
  const ids = taxonomy.intents.map(({ id }) => id);
  if (ids.length !== model.intentCount) throw new ModelRefused('Cannot open the trained model: its intents are others');
  const likeliest = (message: string, limit: number): LikelyIntent[] =>
    [...confidencesOf(model, message)]
      .map((confidence, at) => ({ intent: ids[at] ?? UNKNOWN_INTENT, confidence: rounded(confidence) }))
      .sort((left, right) => right.confidence - left.confidence)
      .slice(0, limit);
  return {
    threshold: model.threshold,
    likeliest,
    classify: (message) => classificationOf(likeliest(message, MAX_SECONDARY + 1), model.threshold),
  };
};

/** A desk without intents: every message is of none. */
export const emptyClassifier: IntentClassifier = {
  threshold: 1,
  likeliest: () => [],
  classify: () => ({ primary_intent: UNKNOWN_INTENT, confidence: 0, secondary_intents: [] }),
};

/** @param likely At least one more than the secondary intents that are told. */
const classificationOf = (likely: readonly LikelyIntent[], threshold: number): IntentClassification => {
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
 * By intent, of the message as a whole; of a long one half of it, and half of its best sentence. Found on development tickets and by
 * cross-validation: the whole alone loses requests in long mails, the best sentence alone misreads short messages of two.
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

/** A text of which no word is known is of no intent. */
const knownConfidences = (model: OpenModel, words: readonly string[]): Float64Array => {
  const { confidences, isKnown } = scoreMessage(model, words);
  return isKnown ? confidences : new Float64Array(model.intentCount);
};

const rounded = (share: number): number => Math.round(share * 1000) / 1000;

/** How well a message fits each intent. */
export interface MessageScores {
  /** By intent, 0 to 1. */
  confidences: Float64Array;
  /** Whether any word of it occurs in an example of an intent. */
  isKnown: boolean;
}

/** Scores the words of a text of bounded length; what no example holds counts for nothing but the confidence. */
export const scoreMessage = (model: OpenModel, words: readonly string[]): MessageScores => {
  const known = words.map((word) => correctWord(word, model));
  const features = messageFeatures(known, { isKnown: (hash) => placeOf(model.stemHashes, hash) >= 0 });
  const scores = scoresOf(model, features.blocks);
  const { unseen, covers, isKnown } = signalsOf(model, features.stems);
  return {
    confidences: scores.map((score, intent) => confidenceOf({ score, unseen, cover: covers[intent] ?? 0 })),
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
  return sums.map((sum, intent) => (model.biases[intent] ?? 0) + sum * scale * (model.scales[intent] ?? 0));
};

/** Adds the weights of a block's features, the block scaled to length 1. */
const addBlock = (model: OpenModel, counts: ReadonlyMap<number, number>, sums: Float64Array): void => {
  const { gains, weightCounts, weightIntents, weights } = model;
  let square = 0;
  for (const [place, count] of counts) square += (featureValue(count, gains[place] ?? 0) * GAIN_UNIT) ** 2;
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
  for (let before = step * WEIGHT_STEP; before < place; before += 1) start += weightCounts[before] ?? 0;
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
  return { unseen: unseen / total, covers: covers.map((cover) => cover / total), isKnown: unseen < total };
};

/** Where a hash stands in an ascending list; -1 where it does not. */
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

/** What speaks for one intent being that of a message. */
export interface IntentSignals {
  /** Distance to the plane between the intent and all others; 1 is that of a sure example. */
  score: number;
  /** Share of the message's stems that no example holds, rare ones counting more; 0 to 1. */
  unseen: number;
  /** Share that occurs in examples of this very intent; 0 to 1. */
  cover: number;
}

/**
 * The chance, 0 to 1, that a message is in scope and this its intent. Fitted once, on simulations over small random taxonomies (8 to
 * 30 intents, 5 to 20 examples, 15 % out of scope); fitting it to each taxonomy gained nothing (reference on intents). Chances
 * of several intents need not add up to 1.
 */
export const confidenceOf = ({ score, unseen, cover }: IntentSignals): number =>
  1 / (1 + Math.exp(0.13 - 3.26 * score + 1.47 * unseen - 1.82 * cover));

/** Words that examples hold, sorted by UTF-16 units, and how often they do. */
export interface KnownWords {
  words: readonly string[];
  wordCounts: Uint32Array;
}

/** Shorter words are more often other words than mistakes. */
const LEAST_LETTERS = 5;
const MOST_LETTERS = 32;

/**
 * The word that a misspelt one stands for: the most frequent known one with the same first letter that is one edit away, a swap of
 * neighbours counting as one (reference on intents, step 1). A known word, and one that nothing is near to, comes back.
 */
export const correctWord = (word: string, { words, wordCounts }: KnownWords): string => {
  if (word.length < LEAST_LETTERS || word.length > MOST_LETTERS) return word;
  if (words[placeFrom(words, word)] === word) return word;
  let best = word;
  let most = 0;
  const first = word.charAt(0);
  for (let place = placeFrom(words, first); words[place]?.startsWith(first); place += 1) {
    const known = words[place] ?? '';
    const count = wordCounts[place] ?? 0;
    if (count <= most || Math.abs(known.length - word.length) > 1 || !isOneEditApart(word, known)) continue;
    best = known;
    most = count;
  }
  return best;
};

/** The first place whose word is not before `wanted`. */
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
