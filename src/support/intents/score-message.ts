import { confidenceOf } from './confidence.ts';
import { correctWord } from './correct-word.ts';
import { featureValue, GAIN_UNIT } from './learnt-features.ts';
import { messageFeatures } from './message-features.ts';
import { WEIGHT_STEP } from './model-format.ts';
import type { OpenModel } from './open-model.ts';
import { rarity } from './pack-model.ts';

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
