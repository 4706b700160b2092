import { languageNamed } from '../../language/language.ts';
import { oncePer } from '../../platform/once-per.ts';
import type { EditionEntry, EditionIdentity } from '../articles/article.ts';
import { buildVocabulary, meansOf } from '../edition/build-edition.ts';
import {
  type CollectedWords,
  countChunk,
  emptyCollection,
  labelsOf,
  languageOfArticle,
  wordNumbering,
} from '../edition/collect-words.ts';
import { languagesOf } from '../edition/edition-sections.ts';
import type { Edition } from '../edition/open-edition.ts';
import { entryText } from '../edition/text-table.ts';
import { type LargeManifest, largeManifestOf } from './large-manifest.ts';

/** A word is in the lexicon if so many passages have a form of it. Rarer ones are found by the index itself. */
const LEAST_CHUNKS = 3;

/** What counting the words gives the manifest. */
export type LexiconCounts = Pick<LargeManifest, 'wordTotal' | 'meanLengths'> & {
  /** Passages that everybody may read, which the frequencies refer to. */
  chunks: number;
};

/**
 * Counts the words of the articles that everybody may read: by them questions are corrected and ranked, so what only some may read must not
 * be in them.
 *
 * @param usual Language of most articles, for one whose language is in doubt.
 */
export function lexiconCounter(usual: string) {
  const collected = emptyCollection();
  const numbering = wordNumbering(collected);
  const lengths = { title: 0, label: 0, heading: 0, body: 0 };
  let articles = 0;
  let chunkCount = 0;
  const add = (entry: EditionEntry): void => {
    const { article, chunks } = entry;
    if (article.audiences !== undefined) return;
    const own = languageOfArticle(entry);
    const language = languageNamed(own ?? usual);
    articles += 1;
    if (own !== undefined) collected.languages.set(own, (collected.languages.get(own) ?? 0) + 1);
    const read = (text: string): number[] => numbering.count(text, language);
    const title = read(article.title);
    const label = read(labelsOf(article));
    for (const { headingPath, text } of chunks) {
      const heading = read(headingPath.join('\n'));
      const body = read(text);
      countChunk(collected, { chunk: chunkCount, texts: [title, heading, body], label, bit: 0 });
      chunkCount += 1;
      lengths.title += title.length;
      lengths.label += label.length;
      lengths.heading += heading.length;
      lengths.body += body.length;
    }
  };
  const counts = (): LexiconCounts => ({
    chunks: chunkCount,
    wordTotal: collected.termCounts.view().reduce((sum, count) => sum + count, 0),
    meanLengths: meansOf(lengths, chunkCount),
  });
  return {
    add,
    counts,
    /** The lexicon as a file of the edition format without articles; `attachLargeManifest` completes it. */
    build: (identity: EditionIdentity): Uint8Array<ArrayBuffer> => {
      const languages = languagesOf(collected.languages, articles);
      return buildVocabulary(
        frequentWords(collected, languages.length > 0 ? languages : [usual]),
        identity,
      );
    },
  };
}

const frequentWords = (all: CollectedWords, languages: readonly string[]): CollectedWords => {
  const some = emptyCollection();
  languages.forEach((tag, at) => {
    some.languages.set(tag, languages.length - at);
  });
  const words = all.words.table();
  const terms = all.terms.table();
  const isFrequent = (term: number): boolean =>
    (all.termTextChunks.get(term) || all.termChunks.get(term)) >= LEAST_CHUNKS;
  const termOf = new Map<number, number>();
  for (let term = 0; term < terms.count; term++) {
    if (!isFrequent(term)) continue;
    termOf.set(term, some.terms.numberOf(entryText(terms, term)));
    some.termChunks.push(all.termChunks.get(term));
    some.termTextChunks.push(all.termTextChunks.get(term));
    some.termCounts.push(all.termCounts.get(term));
    some.postingBytes.push(0);
  }
  for (let word = 0; word < words.count; word++) {
    const term = termOf.get(all.wordTerms.get(word));
    // A rare form of a frequent word is found by its stem.
    if (term === undefined || all.wordCounts.get(word) < LEAST_CHUNKS) continue;
    some.words.numberOf(entryText(words, word));
    some.wordTerms.push(term);
    some.wordCounts.push(all.wordCounts.get(word));
  }
  return some;
};

/** The lexicon of an edition in large mode, as questions are analysed by it: its counts are those of the manifest. */
export const lexiconOf = oncePer((edition: Edition): Edition => {
  const manifest = largeManifestOf(edition);
  if (manifest === undefined) throw new RangeError('Cannot read a lexicon: the edition has none');
  return { ...edition, chunkTotal: manifest.chunks, wordTotal: manifest.wordTotal };
});
