import { nearestRows, quantise, signsOf, signWords } from '../../knowledge/edition/nearest-rows.ts';
import type { Edition } from '../../knowledge/edition/open-edition.ts';
import { entryText } from '../../knowledge/edition/text-table.ts';
import { oncePer } from '../../platform/once-per.ts';
import type { TextVectors } from '../understand/parse-question.ts';

/** A word of an edition that equals a word of a question or is close to it in meaning, by its stem. */
export interface CloseWord {
  word: string;
  /** 0 to 1; 1 only for the word itself. */
  closeness: number;
}

/** Minimum cosine of a close word. */
const LEAST_COSINE = 0.3;
/** Cosines differ by less than this when numbers are stored in a byte. */
const ROUNDING = 0.03;
/** Maximum number of words with a vector that are considered. A word has some 30 close words among 7,000. */
const MOST_CLOSE = 250;
/** A different word never reaches closeness 1. */
const MOST_CLOSENESS = 0.9999;
/** Close words that are cached per edition: about 5 MB. */
const MAX_CACHED = 60_000;

/**
 * Finds the words of an edition that are close to a word of a question, given as its stem and other forms of it, closest first; without
 * vectors only the forms themselves.
 */
export function closeWordsIn(
  edition: Edition,
  vectors: TextVectors = NO_VECTORS,
): (forms: ReadonlySet<string>) => readonly CloseWord[] {
  return cachedCloseWords(edition)(vectors);
}

const cachedCloseWords = oncePer((edition: Edition) =>
  oncePer((vectors: TextVectors) => {
    const wordsByForms = new Map<string, readonly CloseWord[]>();
    let cachedWords = 0;
    const nearest = vectors === NO_VECTORS ? () => [] : nearestTerms(edition, vectors);
    return (forms: ReadonlySet<string>): readonly CloseWord[] => {
      const key = [...forms].join(' ');
      const cached = wordsByForms.get(key);
      if (cached !== undefined) return cached;
      const words = closeWords(forms, nearest(vectors.vectorOf(forms)));
      cachedWords += words.length;
      if (cachedWords > MAX_CACHED) {
        wordsByForms.clear();
        cachedWords = words.length;
      }
      wordsByForms.set(key, words);
      return words;
    };
  }),
);

interface NearTerm {
  stem: string;
  cosine: number;
}

const closeWords = (forms: ReadonlySet<string>, near: readonly NearTerm[]): CloseWord[] => {
  const others = near
    .filter(({ stem, cosine }) => cosine > LEAST_COSINE && !forms.has(stem))
    .map(({ stem, cosine }) => ({
      word: stem,
      closeness: Math.min(MOST_CLOSENESS, (cosine - LEAST_COSINE) / (1 - LEAST_COSINE)),
    }))
    .sort((one, other) => other.closeness - one.closeness);
  return [...Array.from(forms, (word) => ({ word, closeness: 1 })), ...others];
};

/** Vectors of terms, one byte per number: at most 4 MB, as the table of words is finite. */
const nearestTerms = ({ index: { terms, termCounts } }: Edition, { vectorOf }: TextVectors) => {
  const vectorOfTerm = (termId: number) => vectorOf([entryText(terms, termId)]);
  const termIds: number[] = [];
  for (let termId = 0; termId < terms.count; termId++)
    if (termCounts[termId] !== 0 && vectorOfTerm(termId) !== undefined) termIds.push(termId);
  const dimensions = vectorOfTerm(termIds[0] ?? -1)?.length ?? 0;
  if (dimensions === 0) return () => [];
  // Looked up twice, so that an object for each term is never in memory.
  const scales = new Float32Array(termIds.length);
  const rows = new Int8Array(termIds.length * dimensions);
  const words = signWords(dimensions);
  const signs = new Int32Array(termIds.length * words);
  termIds.forEach((termId, at) => {
    const { row, scale } = quantise(vectorOfTerm(termId) ?? []);
    scales[at] = scale;
    rows.set(row, at * dimensions);
    signs.set(signsOf(row), at * words);
  });
  const nearest = nearestRows({ dimensions, scales, rows, signs });
  const from = { limit: MOST_CLOSE, above: LEAST_COSINE - ROUNDING };
  return (vector: Float32Array | undefined): NearTerm[] =>
    vector === undefined
      ? []
      : nearest(vector, from).flatMap(({ chunk: at }) => {
          const termId = termIds[at];
          if (termId === undefined) return [];
          const stem = entryText(terms, termId);
          return [{ stem, cosine: dot(vectorOf([stem]), vector) }];
        });
};

const NO_VECTORS: TextVectors = { vectorOf: () => undefined };

/** Dot product of two vectors of equal length; 0 when one is missing. */
function dot(one: Float32Array | undefined, other: Float32Array | undefined): number {
  if (one === undefined || other === undefined) return 0;
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += (one[at] as number) * (other[at] as number);
  return sum;
}
