import { inverseFrequency, RANKING } from '../../search/ranking.ts';

/** Few texts, ready to be ranked by BM25 as the retrieval ranks its passages; lighter than an edition. */
export interface WordIndex {
  has(word: string): boolean;
  /** What each text earns by these words, 0 upwards, in the order of the texts; a word that comes twice counts twice. */
  scoresFor(words: Iterable<string>): Float64Array;
}

/** @param texts Each as its words, stemmed or whatever else the words of a question will be. */
export const createWordIndex = (texts: readonly (readonly string[])[]): WordIndex => {
  const postings = new Map<string, { text: number; impact: number }[]>();
  const meanLength = Math.max(1, texts.reduce((sum, words) => sum + words.length, 0) / Math.max(1, texts.length));
  for (const [text, words] of texts.entries()) {
    const lengthFactor = 1 - RANKING.b + (RANKING.b * words.length) / meanLength;
    for (const [word, count] of countsOf(words)) {
      const frequency = count / lengthFactor;
      const posting = { text, impact: ((RANKING.k1 + 1) * frequency) / (frequency + RANKING.k1) };
      const known = postings.get(word);
      if (known === undefined) postings.set(word, [posting]);
      else known.push(posting);
    }
  }
  return {
    has: (word) => postings.has(word),
    scoresFor: (words) => {
      const scores = new Float64Array(texts.length);
      for (const word of words) {
        const found = postings.get(word) ?? [];
        const idf = inverseFrequency(found.length, texts.length);
        for (const { text, impact } of found) scores[text] = (scores[text] ?? 0) + idf * impact;
      }
      return scores;
    },
  };
};

const countsOf = (words: readonly string[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
};
