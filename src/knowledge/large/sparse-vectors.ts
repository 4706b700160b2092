import { type Language, languageNamed } from '../../language/language.ts';
import type { EditionEntry } from '../articles/article.ts';
import { labelsOf, languageOfArticle, readWords } from '../edition/collect-words.ts';
import { languagesOf } from '../edition/edition-stems.ts';
import type { Edition } from '../edition/open-edition.ts';
import { RANKING } from '../edition/open-index.ts';
import { entryText } from '../edition/text-table.ts';
import type { AnalysedQuery } from '../search/analyse-query.ts';
import { MAX_NON_ZEROS, type SparseVector } from './hybrid-index.ts';
import { hash31 } from './passage-record.ts';

/**
 * Mean lengths of fields that weights refer to, in words. Records never change, so they cannot be those of the articles; ranking the hits
 * again uses those of the manifest (docs/large.md).
 */
const FIXED_LENGTHS = { title: 6, label: 4, heading: 3, body: 100 };

/**
 * The sparse vectors of an article's chunks: for each stem its BM25F weight, which times the inverse document frequency of the index is its
 * score.
 *
 * @param usual Language of most articles, for one whose language is in doubt.
 */
export function sparseVectorsOf(entry: EditionEntry, usual: string): SparseVector[] {
  const { article, chunks } = entry;
  const language = languageNamed(languageOfArticle(entry) ?? usual);
  const fieldOf = (name: keyof typeof FIXED_LENGTHS, text: string): Field => ({
    stems: stemsOf(text, language),
    weight: RANKING[name],
    meanLength: FIXED_LENGTHS[name],
  });
  const shared = [fieldOf('title', article.title), fieldOf('label', labelsOf(article))];
  return chunks.map(({ headingPath, text }) =>
    vectorOf([...shared, fieldOf('heading', headingPath.join('\n')), fieldOf('body', text)]),
  );
}

interface Field {
  stems: readonly string[];
  weight: number;
  meanLength: number;
}

const stemsOf = (text: string, language: Language): string[] => {
  const stems: string[] = [];
  readWords(text, language, (_, written) => stems.push(language.stem(written)));
  return stems;
};

const vectorOf = (fields: readonly Field[]): SparseVector => {
  const frequencies = new Map<number, number>();
  for (const { stems, weight, meanLength } of fields) {
    const share = weight / (1 - RANKING.b + (RANKING.b * stems.length) / meanLength);
    for (const stem of stems) {
      const index = hash31(stem);
      frequencies.set(index, (frequencies.get(index) ?? 0) + share);
    }
  }
  return sparseOf(
    [...frequencies].map(([index, frequency]) => [
      index,
      ((RANKING.k1 + 1) * frequency) / (frequency + RANKING.k1),
    ]),
  );
};

/** At most `MAX_NON_ZEROS`, the largest; ascending by index. Four digits suffice for a score that only chooses candidates. */
const sparseOf = (weights: readonly [index: number, weight: number][]): SparseVector => {
  const most =
    weights.length <= MAX_NON_ZEROS
      ? [...weights]
      : weights.toSorted((left, right) => right[1] - left[1]).slice(0, MAX_NON_ZEROS);
  most.sort((left, right) => left[0] - right[0]);
  return {
    indices: most.map(([index]) => index),
    values: most.map(([, weight]) => Number(weight.toPrecision(4))),
  };
};

/**
 * The sparse vector of a question: the terms that the lexicon has for its words, corrected ones among them, and the stems of words that it
 * lacks, which one or two passages may have.
 */
export function sparseQueryOf(
  lexicon: Edition,
  { terms }: Pick<AnalysedQuery, 'terms'>,
): SparseVector {
  const weights = new Map<number, number>();
  const add = (stem: string, weight: number): void => {
    const index = hash31(stem);
    weights.set(index, Math.max(weight, weights.get(index) ?? 0));
  };
  for (const { word, stem, isKnown, postings } of terms) {
    for (const { termId, weight } of postings) add(entryText(lexicon.index.terms, termId), weight);
    if (isKnown) continue;
    add(stem, 1);
    for (const language of languagesOf(lexicon)) add(language.stem(word), 1);
  }
  return sparseOf([...weights]);
}
