import { isMisspelling } from '../../language/spelling.ts';
import { oncePer } from '../../platform/once-per.ts';
import { type QuestionWord, wordsOfQuestion } from './question-words.ts';
import WORDS from './word-lists.json' with { type: 'json' };

/** Names by the id of their list. */
export type NameLists = Readonly<Record<string, readonly string[]>>;

/** A name in a question. */
export interface FoundName {
  /** As the database writes it, by the lists that contain it. */
  names: Readonly<Record<string, string>>;
  start: number;
  end: number;
  /** The matched part of the name when the question omits the size at its end. */
  beginning?: string | undefined;
}

interface Candidate {
  list: string;
  name: string;
  /** Word positions in the question; `to` is exclusive. */
  from: number;
  to: number;
  /** Higher is better: 2 for the whole name as written, 1 with an inflected or misspelt word, 0 for its beginning alone. */
  quality: number;
  beginning?: string | undefined;
}

/**
 * Finds the names that a question contains, in order and without overlap: the longest first, then those without a misspelling.
 * One letter of a word of five or more letters may be wrong. The size at the end of a name may be omitted, as in `Model 2 Cable`
 * for `Model 2 Cable 3 m`, when no other name begins like that.
 */
export function findNames(words: readonly QuestionWord[], lists: NameLists): FoundName[] {
  const isLike = cachedLikeness();
  const candidates = Object.entries(lists).flatMap(([list, names]) =>
    candidatesIn(words, { list, index: indexNames(names), isLike }),
  );
  candidates.sort(
    (a, b) => b.to - b.from - (a.to - a.from) || b.quality - a.quality || a.from - b.from,
  );
  const chosen: Candidate[] = [];
  for (const candidate of candidates) {
    const { list, from, to, quality } = candidate;
    const overlapping = chosen.filter((other) => from < other.to && other.from < to);
    const isSameName = (other: Candidate): boolean =>
      other.from === from && other.to === to && other.quality === quality && other.list !== list;
    if (overlapping.every(isSameName)) chosen.push(candidate);
  }
  const byPlace = Map.groupBy(chosen, ({ from }) => from);
  return [...byPlace.values()]
    .map((same) => ({
      names: Object.fromEntries(same.map(({ list, name }) => [list, name])),
      start: words[same[0]?.from ?? 0]?.start ?? 0,
      end: words[(same[0]?.to ?? 1) - 1]?.end ?? 0,
      beginning: same[0]?.beginning,
    }))
    .sort((a, b) => a.start - b.start);
}

/** Names that share words with a question, and the words that they share. */
export interface SimilarNames {
  names: string[];
  words: ReadonlySet<QuestionWord>;
}

/** The names that share a word of four letters or more with the question: candidates for what the caller meant. */
export function similarNames(
  words: readonly QuestionWord[],
  list: readonly string[],
): SimilarNames {
  const longWords = words.filter(({ text }) => text.length > 3);
  const stems = new Set(longWords.map(({ stem }) => stem));
  const similar = indexNames(list).names.filter((name) =>
    name.words.some(({ stem }) => stems.has(stem)),
  );
  const shared = new Set(similar.flatMap((name) => name.words.map(({ stem }) => stem)));
  return {
    names: similar.map(({ name }) => name),
    words: new Set(longWords.filter(({ stem }) => shared.has(stem))),
  };
}

type IsLike = (word: QuestionWord, other: QuestionWord) => boolean;

/** Whether words are the same, inflected or misspelt. Questions and names repeat words, so that results are cached. */
const cachedLikeness = (): IsLike => {
  const cache = new Map<string, Map<string, boolean>>();
  return (word, other) => {
    const likenesses = cache.get(word.text) ?? new Map<string, boolean>();
    cache.set(word.text, likenesses);
    const isLike =
      likenesses.get(other.text) ??
      (word.text === other.text ||
        word.stem === other.stem ||
        isMisspelling(word.text, other.text));
    likenesses.set(other.text, isLike);
    return isLike;
  };
};

const candidatesIn = (
  words: readonly QuestionWord[],
  { list, index, isLike }: { list: string; index: NameIndex; isLike: IsLike },
): Candidate[] =>
  words.flatMap((first, from) =>
    [...index.byFirstWord].flatMap(([, indexed]) => {
      const [start] = indexed[0]?.words ?? [];
      if (start === undefined || !isLike(first, start)) return [];
      return indexed.flatMap((entry): Candidate[] => {
        const { name, words: parts, beginning } = entry;
        const matched = parts.findIndex((part, at) => {
          const word = words[from + at];
          return word === undefined || !isLike(word, part);
        });
        const isExact = parts.every(({ text }, at) => words[from + at]?.text === text);
        if (matched < 0)
          return [{ list, name, from, to: from + parts.length, quality: isExact ? 2 : 1 }];
        // Only a size may be omitted: "Model 2" must not match "Model 2 Cable", which is another thing.
        if (beginning === undefined || matched < beginning.length) return [];
        return [
          { list, name, from, to: from + beginning.length, quality: 0, beginning: beginning.text },
        ];
      });
    }),
  );

interface IndexedName {
  name: string;
  words: readonly QuestionWord[];
  /** What stands before the size, in words and as written, when no other name begins like that. */
  beginning: { length: number; text: string } | undefined;
}

interface NameIndex {
  /** In the order of the list. */
  names: readonly IndexedName[];
  byFirstWord: ReadonlyMap<string | undefined, readonly IndexedName[]>;
}

/** Lists are cached for a minute and shared by all questions, so that each is indexed once. */
const indexNames = oncePer((list: readonly string[]): NameIndex => {
  const read = list
    .map((name) => ({ name, words: wordsOfQuestion(name) }))
    .filter(({ words }) => words.length > 0);
  const keyOf = (words: readonly QuestionWord[], length: number): string =>
    words
      .slice(0, length)
      .map(({ text }) => text)
      .join(' ');
  const counts = new Map<string, number>();
  for (const { words } of read)
    for (let length = 1; length <= words.length; length++) {
      const key = keyOf(words, length);
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  const names = read.map(({ name, words }): IndexedName => {
    const length = wordsBeforeSize(name, words);
    const isOnly = length >= 2 && length < words.length && counts.get(keyOf(words, length)) === 1;
    const text = name.slice(0, words[length - 1]?.end);
    return { name, words, beginning: isOnly ? { length, text } : undefined };
  });
  return { names, byFirstWord: Map.groupBy(names, ({ words }) => words[0]?.text) };
});

const UNITS = WORDS.sizeUnits.split(' ').join('|');
/** `32 GB`, `1.5 m`, `92 x 92 mm` at the end. A number without a unit is not a size: it may tell one model from another. */
const SIZE = new RegExp(
  `\\s(?:\\d+(?:[.,]\\d+)?\\s*x\\s*)*\\d+(?:[.,]\\d+)?\\s*(?:${UNITS})$`,
  'i',
);

const wordsBeforeSize = (name: string, words: readonly QuestionWord[]): number => {
  const place = name.search(SIZE);
  return place < 0 ? words.length : words.filter(({ start }) => start < place).length;
};
