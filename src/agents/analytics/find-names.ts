import { isNearWord } from './is-near-word.ts';
import { type QuestionWord, wordsOfQuestion } from './words-of-question.ts';

/** Names by the id of their list. */
export type NameLists = Readonly<Record<string, readonly string[]>>;

/** A name in a question. */
export interface FoundName {
  /** As the database writes it, by the lists that have it. */
  names: Readonly<Record<string, string>>;
  start: number;
  end: number;
}

interface Candidate {
  list: string;
  name: string;
  /** Places of the words in the question, the end excluded. */
  from: number;
  to: number;
  /** Better first: 2 for the whole name as written, 1 with a typing mistake, 0 for its beginning alone. */
  quality: number;
}

/**
 * The names that a question contains, in order, none overlapping: the longest first, then those written without a mistake.
 * A word of five letters may have one letter wrong; of a long name the first two words will do when no other begins so.
 */
export const findNames = (words: readonly QuestionWord[], lists: NameLists): FoundName[] => {
  const candidates = Object.entries(lists).flatMap(([list, names]) => candidatesOf(words, { list, names }));
  candidates.sort((a, b) => b.to - b.from - (a.to - a.from) || b.quality - a.quality || a.from - b.from);
  const taken: Candidate[][] = [];
  for (const candidate of candidates) {
    const same = taken.find(([first]) => first?.from === candidate.from && first.to === candidate.to);
    const overlaps = taken.some(([first]) => first && candidate.from < first.to && first.from < candidate.to);
    if (same === undefined && !overlaps) taken.push([candidate]);
    else if (same?.[0]?.quality === candidate.quality && same.every(({ list }) => list !== candidate.list)) {
      same.push(candidate);
    }
  }
  return taken
    .map((same) => ({
      names: Object.fromEntries(same.map(({ list, name }) => [list, name])),
      start: words[same[0]?.from ?? 0]?.start ?? 0,
      end: words[(same[0]?.to ?? 1) - 1]?.end ?? 0,
    }))
    .sort((a, b) => a.start - b.start);
};

/** Names that share a word of four letters or more with the question, and those words: what it may have meant. */
export const similarNames = (words: readonly QuestionWord[], names: readonly string[]): SimilarNames => {
  const asked = words.filter(({ text }) => text.length > 3);
  const similar = names.map((name) => ({ name, stems: wordsOfQuestion(name).map((word) => word.stem) }));
  const found = similar.filter(({ stems }) => asked.some((word) => stems.includes(word.stem)));
  const stems = new Set(found.flatMap((each) => each.stems));
  return { names: found.map(({ name }) => name), words: new Set(asked.filter((word) => stems.has(word.stem))) };
};

export interface SimilarNames {
  names: string[];
  words: ReadonlySet<QuestionWord>;
}

const candidatesOf = (
  words: readonly QuestionWord[],
  { list, names }: { list: string; names: readonly string[] },
): Candidate[] => {
  const found: Candidate[] = [];
  for (const name of names) {
    const nameWords = wordsOfQuestion(name);
    for (let from = 0; from < words.length; from++) {
      const { length, isExact } = runFrom(words, from, nameWords);
      const isWhole = length > 0 && length === nameWords.length;
      const isBeginning = length >= 2 && isOnlyOne(nameWords.slice(0, length), names);
      if (!isWhole && !isBeginning) continue;
      found.push({ list, name, from, to: from + length, quality: isWhole ? (isExact ? 2 : 1) : 0 });
    }
  }
  return found;
};

/** How many words from `from` on are those of the name. */
const runFrom = (words: readonly QuestionWord[], from: number, nameWords: readonly QuestionWord[]) => {
  let length = 0;
  let isExact = true;
  for (const nameWord of nameWords) {
    const word = words[from + length];
    if (word === undefined) break;
    const isSame = word.text === nameWord.text;
    if (!isSame && word.stem !== nameWord.stem && !isNearWord(word.text, nameWord.text)) break;
    isExact &&= isSame;
    length++;
  }
  return { length, isExact };
};

const isOnlyOne = (beginning: readonly QuestionWord[], names: readonly string[]): boolean =>
  names.filter((name) => {
    const nameWords = wordsOfQuestion(name);
    return beginning.every(({ text }, place) => nameWords[place]?.text === text);
  }).length === 1;
