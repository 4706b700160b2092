import { oncePer } from '../runtime/once-per.ts';
import type { QuestionTerm, TextVectors } from './parse-question.ts';

/** How close a word is to each term of a question, 0 to 1; 1 only to a term that it is a form of. Undefined when close to none. */
export type Closeness = (word: string) => Float64Array | undefined;

/** A cosine below this says nothing. */
const LEAST_COSINE = 0.3;
/** Whatever its vector, another word is not the same. */
const MOST_CLOSENESS = 0.9999;

/**
 * Compares words with the terms of a question, each word once. By their forms alone without vectors.
 *
 * @param least What is less close counts as not close at all.
 */
export const closenessTo = (
  terms: readonly QuestionTerm[],
  vectors: TextVectors | undefined,
  least: number,
): Closeness => {
  const cosines = vectors && cosinesWith(terms, vectors);
  const known = new Map<string, Float64Array | undefined>();
  const compare = (word: string): Float64Array | undefined => {
    const values = new Float64Array(terms.length);
    cosines?.(word, values);
    for (let place = 0; place < terms.length; place++) {
      // Of as many numbers as there are terms.
      const closeness = ((values[place] as number) - LEAST_COSINE) / (1 - LEAST_COSINE);
      const isForm = terms[place]?.forms.has(word);
      values[place] = isForm ? 1 : closeness < least || closeness < 0 ? 0 : Math.min(MOST_CLOSENESS, closeness);
    }
    return values.some((value) => value > 0) ? values : undefined;
  };
  return (word) => {
    const found = known.get(word);
    if (found !== undefined || known.has(word)) return found;
    const values = compare(word);
    known.set(word, values);
    return values;
  };
};

/** Writes the cosine of a word with every term; leaves 0 where one of them has no vector. */
const cosinesWith = (terms: readonly QuestionTerm[], vectors: TextVectors) => {
  const rows = wordRows(vectors);
  const own = terms.map(({ forms }) => vectors.vectorOf(forms));
  return (word: string, cosines: Float64Array): void => {
    const row = rows(word);
    if (row === undefined) return;
    for (let place = 0; place < own.length; place++) cosines[place] = dot(own[place], row);
  };
};

/** Words whose vectors are kept: 8 MB. */
const MAX_WORDS = 20_000;
const ROWS_A_BLOCK = 500;

/** The vectors of single words, packed into blocks: one array each would cost as much again, and lie apart in memory. */
const wordRows = oncePer((vectors: TextVectors) => {
  const known = new Map<string, Float32Array | undefined>();
  let block = new Float32Array(0);
  let used = 0;
  return (word: string): Float32Array | undefined => {
    if (known.has(word)) return known.get(word);
    if (known.size >= MAX_WORDS) known.clear();
    const vector = vectors.vectorOf([word]);
    if (vector !== undefined && used + vector.length > block.length) {
      block = new Float32Array(ROWS_A_BLOCK * vector.length);
      used = 0;
    }
    const row = vector && block.subarray(used, used + vector.length);
    if (vector !== undefined) row?.set(vector);
    used += vector?.length ?? 0;
    known.set(word, row);
    return row;
  };
});

/** 0 where one of them is missing. */
export const dot = (one: Float32Array | undefined, other: Float32Array | undefined): number => {
  if (one === undefined || other === undefined) return 0;
  // Four sums, so that none waits for the one before; both have as many numbers, and models have a multiple of four.
  let [first, second, third, fourth] = [0, 0, 0, 0];
  for (let at = 0; at < one.length; at += 4) {
    first += (one[at] as number) * (other[at] as number);
    second += (one[at + 1] as number) * (other[at + 1] as number);
    third += (one[at + 2] as number) * (other[at + 2] as number);
    fourth += (one[at + 3] as number) * (other[at + 3] as number);
  }
  return first + second + third + fourth;
};
