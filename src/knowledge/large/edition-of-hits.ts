import type { EditionEntry } from '../articles/article.ts';
import { buildEdition } from '../edition/build-edition.ts';
import { findWordOf, languagesOf } from '../edition/edition-stems.ts';
import { type Edition, openEdition } from '../edition/open-edition.ts';
import { REPEATED_SECTION } from '../edition/repeated-blocks.ts';
import { entryText, placesOf } from '../edition/text-table.ts';
import type { AnalysedQuery } from '../search/analyse-query.ts';
import type { LargeManifest } from './large-manifest.ts';
import type { Passage } from './passage-record.ts';

/**
 * An edition made of the passages that a question found, on which search, ranking and answering run as on a whole one: document frequencies,
 * lengths and languages are those of all passages, and the words of the question are there whether or not a passage has them.
 *
 * @param passages At most some 100, each once.
 * @param options.lexicon `lexiconOf` of the edition in large mode.
 * @param options.queries The question and its parts, analysed by the lexicon.
 */
export function editionOfHits(
  passages: readonly Passage[],
  {
    lexicon,
    manifest,
    queries,
  }: {
    lexicon: Edition;
    manifest: LargeManifest;
    queries: readonly AnalysedQuery[];
  },
): Edition {
  const { id, workspace, createdAt, languages } = lexicon;
  const bytes = buildEdition(
    entriesOf(passages),
    { id, workspace, createdAt },
    {
      within: {
        usual: languagesOf(lexicon)[0].tag,
        vocabulary: vocabularyOf(lexicon, queries),
        meanLengths: manifest.meanLengths,
      },
    },
  );
  const edition = openEdition(bytes);
  takeCounts(edition, lexicon);
  return {
    ...edition,
    languages,
    chunkTotal: manifest.chunks,
    wordTotal: manifest.wordTotal,
    section: (name) => (name === REPEATED_SECTION ? lexicon : edition).section(name),
  };
}

/** The articles with those of their chunks that are here, in order. */
const entriesOf = (passages: readonly Passage[]): EditionEntry[] => {
  const entries = new Map<string, EditionEntry>();
  for (const { article, chunk } of passages) {
    const entry = entries.get(article.id) ?? { article: { ...article, text: '' }, chunks: [] };
    entry.chunks.push({ ...chunk, articleId: article.id });
    entries.set(article.id, entry);
  }
  for (const { chunks } of entries.values())
    chunks.sort((left, right) => left.position - right.position);
  return [...entries.values()];
};

/** The words of the questions with their corrections, each with the term of the lexicon. */
const vocabularyOf = function* (
  lexicon: Edition,
  queries: readonly AnalysedQuery[],
): Generator<readonly [string, string]> {
  for (const { terms } of queries)
    for (const { word, corrections } of terms)
      for (const each of [word, ...corrections]) {
        const { termId } = findWordOf(lexicon, each);
        if (termId >= 0) yield [each, entryText(lexicon.index.terms, termId)];
      }
};

/** Counts of the lexicon in place of those of the passages, in the memory of an edition that was just built. */
const takeCounts = ({ index }: Edition, { index: all }: Edition): void => {
  for (const [term, known] of placesOf(index.terms, all.terms).entries()) {
    if (known < 0) continue;
    index.termChunks[term] = all.termChunks[known] ?? 0;
    index.termCounts[term] = all.termCounts[known] ?? 0;
  }
  for (const [place, known] of placesOf(index.words, all.words).entries())
    if (known >= 0) index.wordCounts[place] = all.wordCounts[known] ?? 0;
};
