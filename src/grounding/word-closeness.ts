import { oncePer } from '../runtime/once-per.ts';
import type { QuestionTerm, TextVectors } from './parse-question.ts';

/** Closeness of a word to each term of a question, 0 to 1; 1 only for a form of the term. Empty when close to none. */
export type Closeness = (word: string) => readonly number[];

/** Smaller cosines are not meaningful. */
const LEAST_COSINE = 0.3;
/** A different word never reaches closeness 1. */
const MOST_CLOSENESS = 0.9999;
/** Words with less closeness count as different, except in `weakCloseness`. */
const LEAST_CLOSENESS = 0.15;

/** Compares words with the terms of a question; without vectors by their forms alone. */
export const closenessTo = (terms: readonly QuestionTerm[], vectors: TextVectors = NO_VECTORS): Closeness => {
  const compare = comparison(terms)(vectors);
  return (word) => compare(word).close;
};

/** The same, with every closeness above 0. */
export const weakClosenessTo = (terms: readonly QuestionTerm[], vectors: TextVectors = NO_VECTORS): Closeness => {
  const compare = comparison(terms)(vectors);
  return (word) => compare(word).weak;
};

interface Compared {
  weak: readonly number[];
  close: readonly number[];
}

/** Compares each word once. */
const comparison = oncePer((terms: readonly QuestionTerm[]) =>
  oncePer((vectors: TextVectors) => {
    const cosines = cosinesWith(terms, vectors);
    const known = new Map<string, Compared>();
    return (word: string): Compared => {
      let compared = known.get(word);
      if (compared === undefined) {
        compared = compareWord(word, terms, cosines(word));
        known.set(word, compared);
      }
      return compared;
    };
  }),
);

const compareWord = (word: string, terms: readonly QuestionTerm[], cosines: Float64Array): Compared => {
  let weak: number[] | undefined;
  let isClose = false;
  let isWeak = false;
  for (let place = 0; place < terms.length; place++) {
    const isForm = terms[place]?.forms.has(word) === true;
    const closeness = isForm
      ? 1
      : Math.min(MOST_CLOSENESS, ((cosines[place] ?? 0) - LEAST_COSINE) / (1 - LEAST_COSINE));
    if (closeness <= 0) continue;
    weak ??= terms.map(() => 0);
    weak[place] = closeness;
    if (closeness < LEAST_CLOSENESS) isWeak = true;
    else isClose = true;
  }
  if (weak === undefined) return CLOSE_TO_NONE;
  if (!isWeak) return { weak, close: weak };
  return { weak, close: isClose ? weak.map((value) => (value < LEAST_CLOSENESS ? 0 : value)) : [] };
};

export const NO_VECTORS: TextVectors = { vectorOf: () => undefined };
const CLOSE_TO_NONE: Compared = { weak: [], close: [] };
const NO_COSINES = new Float64Array(0);
const NO_ROW = new Float32Array(0);

/** Cosines of a word with all terms, in an array that the next call overwrites; empty for an unknown word. */
const cosinesWith = (terms: readonly QuestionTerm[], vectors: TextVectors): ((word: string) => Float64Array) => {
  const rowOf = wordRows(vectors);
  const own = terms.map(({ forms }) => vectors.vectorOf(forms));
  const length = own.find((vector) => vector !== undefined)?.length ?? 0;
  // All terms in one array, in groups of four; zeros for a term without a vector.
  const matrix = new Float64Array(4 * Math.ceil(terms.length / 4) * length);
  own.forEach((vector, place) => void matrix.set(vector ?? NO_ROW, place * length));
  const cosines = new Float64Array(terms.length);
  return (word) => {
    const { block, start, end } = rowOf(word);
    if (start === end || end - start !== length) return NO_COSINES;
    // Four terms at a time: each number of the word is read once, and the additions are independent. With an array for each word and
    // each term this takes twice as long.
    for (let place = 0; place < terms.length; place += 4) {
      const first = place * length;
      const second = first + length;
      const third = second + length;
      const fourth = third + length;
      let a = 0;
      let b = 0;
      let c = 0;
      let d = 0;
      for (let at = 0; at < length; at++) {
        const value = block[start + at] as number;
        a += value * (matrix[first + at] as number);
        b += value * (matrix[second + at] as number);
        c += value * (matrix[third + at] as number);
        d += value * (matrix[fourth + at] as number);
      }
      // Writes beyond the last term are ignored.
      cosines[place] = a;
      cosines[place + 1] = b;
      cosines[place + 2] = c;
      cosines[place + 3] = d;
    }
    return cosines;
  };
};

/** Cached word vectors: 8 MB. */
const MAX_WORDS = 20_000;
const ROWS_A_BLOCK = 500;

/** Numbers of an array from `start` to `end`. */
interface Row {
  block: Float32Array;
  start: number;
  end: number;
}

/** Vectors of single words in contiguous blocks; an array each would take twice the memory. Empty for an unknown word. */
const wordRows = oncePer((vectors: TextVectors) => {
  const known = new Map<string, Row>();
  let block = NO_ROW;
  let used = 0;
  return (word: string): Row => {
    const found = known.get(word);
    if (found !== undefined) return found;
    if (known.size >= MAX_WORDS) known.clear();
    const vector = vectors.vectorOf([word]) ?? NO_ROW;
    if (used + vector.length > block.length) {
      block = new Float32Array(ROWS_A_BLOCK * vector.length);
      used = 0;
    }
    const row = { block, start: used, end: used + vector.length };
    block.set(vector, used);
    used += vector.length;
    known.set(word, row);
    return row;
  };
});

/** Dot product of two vectors of equal length; 0 when one is missing. */
export const dot = (one: Float32Array | undefined, other: Float32Array | undefined): number => {
  if (one === undefined || other === undefined) return 0;
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += (one[at] as number) * (other[at] as number);
  return sum;
};
