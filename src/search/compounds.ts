import { oncePer } from '../runtime/once-per.ts';
import { languagesOf } from './edition-stems.ts';
import type { Edition } from './open-edition.ts';
import { entryText } from './text-table.ts';

/** Letters of a word that may be a compound, and of its parts. */
const MIN_COMPOUND = 8;
const MIN_HEAD = 3;
const MIN_TAIL = 4;
const MAX_LENGTH = 40;
/** What joins the parts, and endings that the first part loses. */
const LINKS = ['', 's', 'n', 'en', 'es', 'er', 'e'];
const ENDINGS = ['', 'e', 'en'];
/** Words of an edition that are read; a larger vocabulary would take too long when it is first needed. */
const MAX_WORDS = 120_000;

interface Vocabulary {
  /** By word: its place among the sorted words, and how often it occurs. */
  words: ReadonlyMap<string, { place: number; count: number }>;
  /** By part: the places of the compounds that have it. */
  compounds: ReadonlyMap<string, readonly number[]>;
}

/** Both parts of a compound, by the words that the knowledge base has; of all ways to divide it, that of the most frequent parts. */
const partsIn = (words: Vocabulary['words'], word: string): readonly string[] => {
  if (word.length < MIN_COMPOUND || word.length > MAX_LENGTH || !/^\p{L}+$/u.test(word)) return [];
  let best: { parts: string[]; count: number } | undefined;
  for (let at = MIN_HEAD; at <= word.length - MIN_TAIL; at += 1) {
    const tail = word.slice(at);
    const tailCount = words.get(tail)?.count ?? 0;
    if (tailCount === 0) continue;
    const before = word.slice(0, at);
    for (const link of LINKS) {
      if (!before.endsWith(link) || before.length - link.length < MIN_HEAD) continue;
      const stem = before.slice(0, before.length - link.length);
      const head = ENDINGS.map((ending) => stem + ending).find((each) => words.has(each));
      const count = head === undefined ? 0 : Math.min(tailCount, words.get(head)?.count ?? 0);
      if (head !== undefined && count > (best?.count ?? 0)) best = { parts: [head, tail], count };
    }
  }
  return best?.parts ?? [];
};

/** The words of an edition in a language that joins them; undefined for others. */
const vocabularyOf = oncePer((edition: Edition): { vocabulary: Vocabulary | undefined } => {
  const { words: table, wordCounts } = edition.index;
  if (!languagesOf(edition)[0].isCompounding || table.count > MAX_WORDS) return { vocabulary: undefined };
  const words = new Map<string, { place: number; count: number }>();
  for (let place = 0; place < table.count; place += 1) {
    const count = wordCounts[place] ?? 0;
    if (count > 0) words.set(entryText(table, place), { place, count });
  }
  const compounds = new Map<string, number[]>();
  for (const [word, { place }] of words) {
    for (const part of partsIn(words, word)) {
      const known = compounds.get(part);
      if (known === undefined) compounds.set(part, [place]);
      else known.push(place);
    }
  }
  return { vocabulary: { words, compounds } };
});

/** Compounds that a word stands for at most. */
const MAX_COMPOUNDS = 8;

/**
 * The places of the words that a word of a question is a part of, or is made of, most frequent first: "Rechnung" for "Rechnungsadresse" and
 * the other way round. Empty in languages that do not join words.
 */
export const relatedByParts = (edition: Edition, word: string): readonly number[] => {
  const { vocabulary } = vocabularyOf(edition);
  if (vocabulary === undefined) return [];
  const { words, compounds } = vocabulary;
  const countAt = (place: number): number => edition.index.wordCounts[place] ?? 0;
  const parts = partsIn(words, word).flatMap((part) => words.get(part)?.place ?? []);
  const wholes = (compounds.get(word) ?? []).toSorted((one, other) => countAt(other) - countAt(one));
  return [...parts, ...wholes.slice(0, MAX_COMPOUNDS)];
};
