import { memo, SHORT_TEXTS } from '../platform/lru-cache.ts';
import { hashText, placeOfHash, visitPartsOfWord } from './hashed-features.ts';
import SHIPPED from './message-kinds.json' with { type: 'json' };

/** What a message does; `other` is whatever a desk is asked. */
export const MESSAGE_KINDS = [
  'other',
  'thanks',
  'greeting',
  'goodbye',
  'person',
  'danger',
  'automatic',
] as const;
export type MessageKind = (typeof MESSAGE_KINDS)[number];

/** Probability of each kind, 0 to 1; together 1. */
export type KindProbabilities = Readonly<Record<MessageKind, number>>;

/**
 * A softmax regression over words, pairs of words and parts of words, fitted on labelled messages in sixteen languages
 * (`research/eval/fit-messages.ts`). Features share their weights by codes, which makes the table small.
 */
export interface KindModel {
  /** Features are hashed to so many bits. */
  bits: number;
  /** By kind. */
  bias: readonly number[];
  /** Weights by code, then kind, as signed bytes; `unit` is what 1 means. A feature that is not in the model counts nothing. Base64. */
  codebook: string;
  unit: number;
  /** Hashes of the features in ascending order: distance to the one before less one, in bytes, 255 for "255 and more". Base64. */
  hashes: string;
  /** The code of each feature, a byte. Base64. */
  codes: string;
}

export type KindReader = (text: string) => KindProbabilities;

let shipped: KindReader | undefined;

/**
 * Reads what a message does, with the model of the product. The model is opened at the first message, in some milliseconds.
 *
 * @param text A sentence or a short message; its first 16,000 UTF-16 units are read.
 */
export function readKind(text: string): KindProbabilities {
  shipped ??= memo(openKindModel(SHIPPED), SHORT_TEXTS);
  return shipped(text);
}

/** Opens a model as `fit-messages.ts` writes it. */
export function openKindModel({
  bits,
  bias,
  codebook,
  unit,
  hashes,
  codes,
}: KindModel): KindReader {
  const weights = Int8Array.from(bytesOf(codebook));
  const codeOf = new Uint16Array(2 ** bits);
  const codeBytes = bytesOf(codes);
  let hash = -1;
  let place = 0;
  for (const distance of bytesOf(hashes)) {
    hash += distance;
    if (distance === 255) continue;
    hash += 1;
    codeOf[hash] = (codeBytes[place] ?? 0) + 1;
    place += 1;
  }
  return (text) => {
    const features = featuresOf(text, bits).filter((feature) => codeOf[feature] !== 0);
    if (features.length === 0) return UNKNOWN;
    const sums = bias.map(() => 0);
    for (const feature of features) {
      const row = ((codeOf[feature] ?? 1) - 1) * sums.length;
      for (let kind = 0; kind < sums.length; kind += 1)
        sums[kind] = (sums[kind] ?? 0) + (weights[row + kind] ?? 0);
    }
    const scale = unit * scaleOf(features.length);
    return probabilities(sums.map((sum, kind) => sum * scale + (bias[kind] ?? 0)));
  };
}

/** Nothing that the model knows. */
const UNKNOWN: KindProbabilities = {
  other: 1,
  thanks: 0,
  greeting: 0,
  goodbye: 0,
  person: 0,
  danger: 0,
  automatic: 0,
};

/** What each of so many features counts: a long text is as sure as a short one that says the same. */
export function scaleOf(count: number): number {
  return 1 / Math.sqrt(Math.max(1, count));
}

const probabilities = (scores: readonly number[]): KindProbabilities => {
  const highest = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - highest));
  const total = powers.reduce((sum, power) => sum + power, 0);
  const entries = MESSAGE_KINDS.map((kind, place) => [kind, (powers[place] ?? 0) / total] as const);
  // `fromEntries` gives each kind its probability.
  return Object.fromEntries(entries) as Record<MessageKind, number>;
};

const bytesOf = (base64: string): Uint8Array =>
  Uint8Array.from(atob(base64), (unit) => unit.charCodeAt(0));

/**
 * The features of a text, each once: its words, pairs of neighbouring words with the ends of the text, the parts of words of 2 to 5 characters
 * (of 1 to 5 where words are not separated), and about how many words there are. Without letter case, diacritics of Latin and Cyrillic letters,
 * digits and drawn-out letters. A question mark and an emoji are words.
 */
export function featuresOf(text: string, bits: number): number[] {
  const features = new Set<number>();
  const add = (hash: number): unknown => features.add(placeOfHash(hash, bits));
  const words = plainText(text).match(WORD) ?? [];
  if (words.length === 0) return [];
  let before = '^';
  for (const word of words) {
    add(hashText(`${before} ${word}`, SEEDS.pair));
    add(hashText(word, SEEDS.word));
    visitPartsOfWord(word, add);
    before = word;
  }
  add(hashText(`${before} $`, SEEDS.pair));
  add(hashText(`${Math.min(6, Math.ceil(Math.log2(words.length + 1)))}`, SEEDS.length));
  return [...features];
}

/** UTF-16 units of a text that are read. */
const MAX_LENGTH = 16_000;

const WORD = /[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}\p{N}]+)*|[?？]|\p{Extended_Pictographic}/gu;

const plainText = (text: string): string =>
  text
    .normalize('NFKC')
    // One character may become eighteen.
    .slice(0, MAX_LENGTH)
    .toLowerCase()
    .normalize('NFD')
    .replace(/(?<=[\p{sc=Latin}\p{sc=Cyrillic}])\p{M}+/gu, '')
    .normalize('NFC')
    .replace(/\p{N}/gu, '0')
    .replace(/(\p{L})\1{2,}/gu, '$1');

/** Beginnings of the hashes of each sort of feature. */
const SEEDS = { pair: 0x50000001, word: 0x70000001, length: 0x40000001 } as const;

/** The sentences of a message, at most 400, each with the marks at its end. A full stop within a word or number ends none. */
export function sentencesOf(text: string): string[] {
  return text
    .split(/(?<=[.!?;…])\s+|(?<=[。！？；])|\n+/u, MAX_SENTENCES)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '');
}
const MAX_SENTENCES = 400;

/** Each run of so many words of a longer text. */
export function runsOf(text: string, length: number): string[] {
  const words = text.split(/\s+/).filter((word) => word !== '');
  if (words.length <= length) return [];
  return words.slice(length - 1).map((_, at) => words.slice(at, at + length).join(' '));
}
