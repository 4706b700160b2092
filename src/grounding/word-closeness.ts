import { oncePer } from '../runtime/once-per.ts';
import { nearestRows, quantise, signsOf, signWords } from '../search/nearest-rows.ts';
import type { Edition } from '../search/open-edition.ts';
import { findTerm } from '../search/open-index.ts';
import { entryText } from '../search/text-table.ts';
import type { TextVectors } from './parse-question.ts';

/**
 * The words of an edition that equal a word of a question or are close to it in meaning, closest first. Closeness is 0 to 1; 1 only for the
 * word itself.
 */
export interface CloseWords {
  /** For finding articles: the closest ones, by term id, compared with one byte a number. */
  inIndex: readonly { termId: number; closeness: number }[];
  /** For reading articles, by stem. */
  inArticles: readonly { word: string; closeness: number }[];
}

/** Minimum cosines for finding and for reading articles. */
const LEAST_TO_FIND = 0.35;
const LEAST_TO_READ = 0.3;
/** Cosines differ by less than this when numbers are stored in a byte. */
const ROUNDING = 0.03;
/** Maximum number of words that find articles. */
const MOST_TO_FIND = 25;
/** Maximum number of words with a vector that are considered. A word has some 30 close words among 7,000. */
const MOST_CLOSE = 250;
/** A different word never reaches closeness 1. */
const MOST_CLOSENESS = 0.9999;
/** Close words that are cached per edition: about 5 MB. */
const MAX_CACHED = 60_000;

/**
 * Finds the words of an edition that are close to a word of a question, given as its stem and other forms of it; without vectors only the
 * forms themselves.
 */
export const closeWordsIn = (
  edition: Edition,
  vectors: TextVectors = NO_VECTORS,
): ((forms: ReadonlySet<string>) => CloseWords) => cachedCloseWords(edition)(vectors);

const cachedCloseWords = oncePer((edition: Edition) =>
  oncePer((vectors: TextVectors) => {
    const known = new Map<string, CloseWords>();
    let cachedWords = 0;
    const nearest = vectors === NO_VECTORS ? () => [] : nearestTerms(edition, vectors);
    return (forms: ReadonlySet<string>): CloseWords => {
      const key = [...forms].join(' ');
      const cached = known.get(key);
      if (cached !== undefined) return cached;
      const found = closeWords(edition, forms, nearest(vectors.vectorOf(forms)));
      cachedWords += found.inArticles.length;
      if (cachedWords > MAX_CACHED) {
        known.clear();
        cachedWords = found.inArticles.length;
      }
      known.set(key, found);
      return found;
    };
  }),
);

interface NearTerm {
  termId: number;
  stem: string;
  /** Cosine, of vectors with one byte a number and exactly. */
  similarity: number;
  cosine: number;
}

const closeWords = ({ index }: Edition, forms: ReadonlySet<string>, near: readonly NearTerm[]): CloseWords => {
  const same = [...forms].flatMap((form) => {
    const termId = findTerm(index, form);
    return termId < 0 ? [] : [{ termId, closeness: 1 }];
  });
  const close = near
    .slice(0, MOST_TO_FIND)
    .filter(({ stem, similarity }) => similarity > LEAST_TO_FIND && !forms.has(stem))
    .map(({ termId, similarity }) => ({
      termId,
      closeness: (similarity - LEAST_TO_FIND) / (1 - LEAST_TO_FIND),
    }));
  const words = near
    .filter(({ stem, cosine }) => cosine > LEAST_TO_READ && !forms.has(stem))
    .map(({ stem, cosine }) => ({
      word: stem,
      closeness: Math.min(MOST_CLOSENESS, (cosine - LEAST_TO_READ) / (1 - LEAST_TO_READ)),
    }))
    .sort((one, other) => other.closeness - one.closeness);
  return {
    inIndex: [...same, ...close].slice(0, MOST_TO_FIND),
    inArticles: [...Array.from(forms, (word) => ({ word, closeness: 1 })), ...words],
  };
};

/** Vectors of terms, one byte per number: at most 4 MB, as the table of words is finite. */
const nearestTerms = ({ index: { terms, termCounts } }: Edition, { vectorOf }: TextVectors) => {
  const vectorOfTerm = (termId: number) => vectorOf([entryText(terms, termId)]);
  const known: number[] = [];
  for (let termId = 0; termId < terms.count; termId++)
    if (termCounts[termId] !== 0 && vectorOfTerm(termId) !== undefined) known.push(termId);
  const dimensions = vectorOfTerm(known[0] ?? -1)?.length ?? 0;
  if (dimensions === 0) return () => [];
  // Looked up twice, so that an object for each term is never in memory.
  const scales = new Float32Array(known.length);
  const rows = new Int8Array(known.length * dimensions);
  const words = signWords(dimensions);
  const signs = new Int32Array(known.length * words);
  known.forEach((termId, at) => {
    const { row, scale } = quantise(vectorOfTerm(termId) ?? []);
    scales[at] = scale;
    rows.set(row, at * dimensions);
    signs.set(signsOf(row), at * words);
  });
  const nearest = nearestRows({ dimensions, scales, rows, signs });
  const from = { limit: MOST_CLOSE, above: LEAST_TO_READ - ROUNDING };
  return (vector: Float32Array | undefined): NearTerm[] =>
    vector === undefined
      ? []
      : nearest(vector, from).flatMap(({ chunk: at, similarity }) => {
          const termId = known[at];
          if (termId === undefined) return [];
          const stem = entryText(terms, termId);
          return [{ termId, stem, similarity, cosine: dot(vectorOf([stem]), vector) }];
        });
};

export const NO_VECTORS: TextVectors = { vectorOf: () => undefined };

/** Dot product of two vectors of equal length; 0 when one is missing. */
export const dot = (one: Float32Array | undefined, other: Float32Array | undefined): number => {
  if (one === undefined || other === undefined) return 0;
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += (one[at] as number) * (other[at] as number);
  return sum;
};
