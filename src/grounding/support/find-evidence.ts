import type { PreparedSource, SourceSentence } from './prepare-source.ts';
import { isSought, type Word } from './read-words.ts';

/** Where a sentence of an answer may come from. */
export interface Evidence {
  /** Place of the source in the list given. */
  source: number;
  sentence: SourceSentence;
  /** What stands around it: title and the sentences next to it. */
  near: readonly SourceSentence[];
  title: SourceSentence;
  next: SourceSentence | undefined;
}

/** The sentence that shares most with `words`, rare words counting more; of equals the first. `undefined` when none shares any. */
export const findEvidence = (words: readonly Word[], sources: readonly PreparedSource[]): Evidence | undefined => {
  let best = { score: 0, source: -1, at: -1 };
  sources.forEach((prepared, source) => {
    const scores = scoresOf(words, prepared);
    scores.forEach((score, at) => {
      if (score > best.score) best = { score, source, at };
    });
  });
  const { sentences = [], title } = sources[best.source] ?? {};
  const sentence = sentences[best.at];
  if (!sentence || !title) return undefined;
  const next = sentences[best.at + 1];
  const near = [title, sentences[best.at - 1], next].filter((each) => each !== undefined);
  return { source: best.source, sentence, near, title, next };
};

/** Of a word that stands in more sentences than this only the first ones are looked at: it tells little. */
const MAX_PLACES = 200;

const scoresOf = (words: readonly Word[], { index, sentences }: PreparedSource): Float64Array => {
  const scores = new Float64Array(sentences.length);
  const seen = new Set<string>();
  for (const word of words) {
    if (!isSought(word) || seen.has(word.key)) continue;
    seen.add(word.key);
    const gains = new Map<number, number>();
    for (const form of word.forms) {
      const where = index.get(form) ?? [];
      const rarity = Math.log(1 + sentences.length / Math.max(1, where.length)) + 0.5;
      const gain = word.weight * worthOf(form, word) * rarity;
      for (const at of where.slice(0, MAX_PLACES)) if (gain > (gains.get(at) ?? 0)) gains.set(at, gain);
    }
    for (const [at, gain] of gains) scores[at] = (scores[at] ?? 0) + gain;
  }
  return scores;
};

/** How much a word found under this form counts, 0 to 1. */
const worthOf = (form: string, { key }: Word): number => (form === key ? 1 : form.endsWith('-') ? 0.6 : 0.8);

/** How well a word is found in sentences, 0 to 1. */
export const foundIn = (word: Word, places: readonly ReadonlyMap<string, unknown>[]): number => {
  let best = 0;
  for (const form of word.forms) {
    const worth = worthOf(form, word);
    if (worth > best && places.some((forms) => forms.has(form))) best = worth;
  }
  return best;
};
