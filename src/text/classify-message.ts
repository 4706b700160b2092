import { withoutMarks } from './analyse-text.ts';

/**
 * A linear model over the features of `messageFeatures`, as `src/dev/eval/fit-messages.ts` writes it. Only features that matter have
 * weights, and each of them for few kinds.
 */
export interface MessageModel {
  kinds: readonly string[];
  /** By kind. */
  bias: readonly number[];
  /** What one unit of a weight is worth. */
  step: number;
  /**
   * Base64 of entries in the order of their features: the distance to the feature before as a varint, then one byte with the kind in its
   * upper bits and the signed weight in the others.
   */
  weights: string;
}

/** Probabilities in the order of a model's kinds. */
export type MessageClassifier = (message: string) => number[];

/** Reads a model. Its weights are decoded at the first message. */
export function messageClassifier({ kinds, bias, step, weights }: MessageModel): MessageClassifier {
  let table: Weights | undefined;
  return (message) => {
    table ??= decodeWeights(weights, bitsOfKind(kinds.length));
    const scores = [...bias];
    for (const feature of messageFeatures(message))
      for (const { kind, weight } of table.get(feature) ?? []) scores[kind] = (scores[kind] ?? 0) + weight * step;
    return softmax(scores);
  };
}

/** The rest of a byte holds the weight. */
export function bitsOfKind(kinds: number): number {
  return Math.ceil(Math.log2(kinds));
}

/** Turns log-odds into probabilities. */
export function softmax(scores: readonly number[]): number[] {
  const highest = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - highest));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
}

type Weights = ReadonlyMap<number, readonly { kind: number; weight: number }[]>;

const decodeWeights = (weights: string, kindBits: number): Weights => {
  const bytes = Uint8Array.from(atob(weights), (character) => character.charCodeAt(0));
  const table = new Map<number, { kind: number; weight: number }[]>();
  let feature = 0;
  let distance = 0;
  let shift = 0;
  let isEntry = false;
  for (const byte of bytes) {
    if (isEntry) {
      feature += distance;
      const entries = table.get(feature) ?? [];
      entries.push({ kind: byte >> (8 - kindBits), weight: (byte << (24 + kindBits)) >> (24 + kindBits) });
      table.set(feature, entries);
      distance = 0;
      shift = 0;
      isEntry = false;
      continue;
    }
    distance |= (byte & 0x7f) << shift;
    shift += 7;
    isEntry = byte < 0x80;
  }
  return table;
};

/**
 * What a message consists of: its words, pairs of neighbours, beginnings and ends of words; in scripts without spaces its characters in
 * ones, twos and threes. Each word is one more feature that is the same for all, by which a word that a model has never seen counts. Case, marks,
 * repeated letters, digits and punctuation make no difference.
 *
 * @returns Numbers of 24 bits; one that occurs twice twice.
 */
export function messageFeatures(message: string): number[] {
  const features: number[] = [];
  const add = (feature: string) => void features.push(hashOf(feature));
  let last = '';
  let before = '^';
  for (const [match] of plainText(message).matchAll(TOKEN)) {
    const token = /\p{N}/u.test(match) ? '0' : match;
    add('*');
    add(token);
    add(`${before} ${token}`);
    if (UNSPACED.test(token)) add(`${last} ${before} ${token}`);
    if (token.length > PIECE) {
      add(`<${token.slice(0, PIECE)}`);
      add(`${token.slice(-PIECE)}>`);
    }
    last = before;
    before = token;
  }
  add(`${before} $`);
  return features;
}

const PIECE = 4;
const UNSPACED = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}ー]/u;
/** A character of a script without spaces, a word, a number, an emoji. */
const TOKEN = new RegExp(
  `${UNSPACED.source}|(?:(?!${UNSPACED.source})\\p{L})+|\\p{N}+|\\p{Extended_Pictographic}`,
  'gu',
);

const plainText = (message: string): string => withoutMarks(message.toLowerCase()).replace(/(\p{L})\1{2,}/gu, '$1');

/** FNV-1a, folded. */
const hashOf = (text: string): number => {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash ^ (hash >>> 24)) & 0xffffff;
};
