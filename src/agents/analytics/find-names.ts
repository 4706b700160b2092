import { cutNames, type NameNode } from './cut-names.ts';
import { isNearWord } from './is-near-word.ts';
import type { QuestionWord } from './words-of-question.ts';

/** Names by the id of their list. */
export type NameLists = Readonly<Record<string, readonly string[]>>;

/** A name in a question. */
export interface FoundName {
  /** As the database writes it, by the lists that have it. */
  names: Readonly<Record<string, string>>;
  start: number;
  end: number;
  /** What of the name stands there, when its size does not. */
  beginning?: string | undefined;
}

interface Candidate {
  list: string;
  name: string;
  /** Places of the words in the question, the end excluded. */
  from: number;
  to: number;
  /** Better first: 2 for the whole name as written, 1 with a typing mistake, 0 for its beginning alone. */
  quality: number;
  beginning?: string | undefined;
}

/**
 * The names that a question contains, in order, none overlapping: the longest first, then those written without a mistake.
 * A word of five letters may have one letter wrong; the size at the end of a name may be left out, of `Apollo II Fan 120 mm`, when no other name begins so.
 */
export const findNames = (words: readonly QuestionWord[], lists: NameLists): FoundName[] => {
  const following = followingNodes();
  const candidates = Object.entries(lists).flatMap(([list, names]) =>
    candidatesOf(words, { list, root: cutNames(names).root, following }),
  );
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
      beginning: same[0]?.beginning,
    }))
    .sort((a, b) => a.start - b.start);
};

/** Names that share a word of four letters or more with the question, and those words: what it may have meant. */
export const similarNames = (words: readonly QuestionWord[], list: readonly string[]): SimilarNames => {
  const asked = words.filter(({ text }) => text.length > 3);
  const wanted = new Set(asked.map(({ stem }) => stem));
  const found = cutNames(list).names.filter(({ stems }) => [...stems].some((stem) => wanted.has(stem)));
  const shared = new Set(found.flatMap(({ stems }) => [...stems]));
  return { names: found.map(({ name }) => name), words: new Set(asked.filter(({ stem }) => shared.has(stem))) };
};

export interface SimilarNames {
  names: string[];
  words: ReadonlySet<QuestionWord>;
}

type Following = (node: NameNode, word: QuestionWord) => NameNode[];

const candidatesOf = (
  words: readonly QuestionWord[],
  { list, root, following }: { list: string; root: NameNode; following: Following },
): Candidate[] => {
  const found: Candidate[] = [];
  const walk = (node: NameNode, { from, to, isExact }: { from: number; to: number; isExact: boolean }): void => {
    const { names, sized, count } = node;
    for (const name of names) found.push({ list, name, from, to, quality: isExact ? 2 : 1 });
    // What else is left out makes it another thing: the fan of a miner is no miner.
    if (sized !== undefined && count === 1) found.push({ list, ...sized, from, to, quality: 0 });
    const word = words[to];
    for (const next of word === undefined ? [] : following(node, word)) {
      walk(next, { from, to: to + 1, isExact: isExact && next.word?.text === word?.text });
    }
  };
  for (let from = 0; from < words.length; from++) walk(root, { from, to: from, isExact: true });
  return found;
};

/** Where a word leads to, as it is, with another ending, or nearly so. Questions repeat their words: each is looked up once. */
const followingNodes = (): Following => {
  const known = new Map<NameNode, Map<string, NameNode[]>>();
  return (node, word) => {
    const ofNode = known.get(node) ?? new Map<string, NameNode[]>();
    known.set(node, ofNode);
    const found =
      ofNode.get(word.text) ?? [...node.next.values()].filter((next) => next.word && isLike(word, next.word));
    ofNode.set(word.text, found);
    return found;
  };
};

const isLike = (word: QuestionWord, { text, stem }: QuestionWord): boolean =>
  word.text === text || word.stem === stem || isNearWord(word.text, text);
