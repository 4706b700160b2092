import { letterMask } from '../../language/analyse-text.ts';
import { languagesOf } from '../edition/edition-stems.ts';
import type { Edition } from '../edition/open-edition.ts';
import { findWord } from '../edition/open-index.ts';
import { entryText } from '../edition/text-table.ts';

/** Letters of a word that may be a compound, and of its parts. */
const MIN_COMPOUND = 8;
const MIN_HEAD = 3;
const MIN_TAIL = 4;
const MAX_LENGTH = 40;
/** What joins the parts, and endings that the first part loses. */
const LINKS = ['', 's', 'n', 'en', 'es', 'er', 'e'];
const ENDINGS = ['', 'e', 'en'];

/**
 * The places of the words that a word of a question is made of, then of those that it is a part of, most frequent first: "Rechnung" and
 * "Adresse" for "Rechnungsadresse", and the other way round. Empty where most articles are in a language that does not join words.
 */
export function relatedByParts(edition: Edition, word: string): number[] {
  if (!languagesOf(edition)[0].isCompounding || !/^\p{L}+$/u.test(word)) return [];
  const parts = partsIn(edition, word).map((part) => findWord(edition.index, part));
  return [...parts, ...compoundsWith(edition, word)];
}

/** Both parts of a compound, by the words that the knowledge base has; of all ways to divide it, that of the most frequent parts. */
const partsIn = (edition: Edition, word: string): readonly string[] => {
  if (word.length < MIN_COMPOUND || word.length > MAX_LENGTH) return [];
  let best: { parts: string[]; count: number } | undefined;
  for (let at = MIN_HEAD; at <= word.length - MIN_TAIL; at += 1) {
    const tail = word.slice(at);
    const tailCount = countOf(edition, tail);
    if (tailCount === 0) continue;
    for (const head of headsIn(word.slice(0, at))) {
      const count = Math.min(tailCount, countOf(edition, head));
      if (count > (best?.count ?? 0)) best = { parts: [head, tail], count };
    }
  }
  return best?.parts ?? [];
};

/** The words that the beginning of a compound may stand for. */
const headsIn = (beginning: string): string[] =>
  LINKS.filter(
    (link) => beginning.endsWith(link) && beginning.length - link.length >= MIN_HEAD,
  ).flatMap((link) =>
    ENDINGS.map((ending) => beginning.slice(0, beginning.length - link.length) + ending),
  );

const countOf = ({ index }: Edition, word: string): number =>
  index.wordCounts[findWord(index, word)] ?? 0;

/** Words that are read as compounds of a part, and compounds of it that count. */
const MAX_READ = 32;
const MAX_COMPOUNDS = 8;

const compoundsWith = (edition: Edition, part: string): number[] => {
  if (part.length < MIN_HEAD) return [];
  const { words, wordMasks, wordCounts } = edition.index;
  const bytes = new TextEncoder().encode(part);
  const mask = letterMask(bytes);
  const isAt = (start: number): boolean =>
    bytes.every((byte, at) => words.bytes[start + at] === byte);
  const places: number[] = [];
  for (let place = 0; place < words.count; place += 1) {
    // Most words lack a letter of the part.
    if (((wordMasks[place] ?? 0) & mask) >>> 0 !== mask || wordCounts[place] === 0) continue;
    const [start, end] = [words.starts[place] ?? 0, words.starts[place + 1] ?? 0];
    if (end - start <= bytes.length || end - start < MIN_COMPOUND) continue;
    if (isAt(start) || isAt(end - bytes.length)) places.push(place);
  }
  return places
    .sort((one, other) => (wordCounts[other] ?? 0) - (wordCounts[one] ?? 0) || one - other)
    .slice(0, MAX_READ)
    .filter((place) => partsIn(edition, entryText(words, place)).includes(part))
    .slice(0, MAX_COMPOUNDS);
};
