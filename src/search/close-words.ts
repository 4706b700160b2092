import type { WordVectors } from '../ai/embeddings/word-vectors.ts';
import { oncePer } from '../runtime/once-per.ts';
import { nearestRows } from './nearest-rows.ts';
import type { Edition } from './open-edition.ts';
import { findTerm } from './open-index.ts';
import { quantise, signsOf, signWords } from './quantise.ts';
import { entryText } from './text-table.ts';

/** A word of an edition that equals or is close in meaning to a question word. */
export interface CloseWord {
  /** Term id of its stem. */
  termId: number;
  /** Similarity, 0 to 1; 1 for the word itself. */
  closeness: number;
}

/** Minimum cosine. */
const LEAST_COSINE = 0.35;
/** Maximum number of close words per word. */
const LIMIT = 25;
/** Number of question words whose close words are cached per edition: about 1 MB. */
const MAX_REMEMBERED = 4000;

/** Finds the words of an edition that are close in meaning to a question word, closest first. */
export const closeWordsIn = (
  edition: Edition,
  vectors: Pick<WordVectors, 'vectorOf'> | undefined,
): ((forms: ReadonlySet<string>) => readonly CloseWord[]) =>
  vectors === undefined ? (forms) => sameWords(edition, forms) : withVectors(edition)(vectors);

const withVectors = oncePer((edition: Edition) =>
  oncePer((vectors: Pick<WordVectors, 'vectorOf'>) => {
    const known = new Map<string, readonly CloseWord[]>();
    const nearest = nearestTerms(edition, vectors);
    return (forms: ReadonlySet<string>): readonly CloseWord[] => {
      const key = [...forms].join(' ');
      const remembered = known.get(key);
      if (remembered !== undefined) return remembered;
      const same = sameWords(edition, forms);
      const vector = vectors.vectorOf(forms);
      const close = (vector === undefined ? [] : nearest(vector, LIMIT))
        .filter(({ termId, similarity }) => similarity > LEAST_COSINE && same.every((each) => each.termId !== termId))
        .map(({ termId, similarity }) => ({
          termId,
          closeness: (similarity - LEAST_COSINE) / (1 - LEAST_COSINE),
        }));
      const found = [...same, ...close].slice(0, LIMIT);
      if (known.size >= MAX_REMEMBERED) known.clear();
      known.set(key, found);
      return found;
    };
  }),
);

const sameWords = ({ index }: Edition, forms: ReadonlySet<string>): CloseWord[] =>
  [...forms].flatMap((form) => {
    const termId = findTerm(index, form);
    return termId < 0 ? [] : [{ termId, closeness: 1 }];
  });

/** Vectors of terms, one byte per number: at most 4 MB, as the table of words is finite. */
const nearestTerms = ({ index: { terms, termCounts } }: Edition, { vectorOf }: Pick<WordVectors, 'vectorOf'>) => {
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
  return (vector: Float32Array, limit: number): { termId: number; similarity: number }[] =>
    nearest(vector, { limit }).flatMap(({ chunk: at, similarity }) => {
      const termId = known[at];
      return termId === undefined ? [] : [{ termId, similarity }];
    });
};
