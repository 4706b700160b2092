import { type QuestionWord, wordsOfQuestion } from './words-of-question.ts';

/** A list of names, cut into words once for all questions. */
export interface CutNames {
  /** Each name with its stems, in the order of the list. */
  names: readonly { name: string; stems: ReadonlySet<string> }[];
  /** All names word by word: those that begin alike share their beginning. */
  root: NameNode;
}

/** Where names go on with one word or another. */
export interface NameNode {
  word: QuestionWord | undefined;
  /** By the text of the next word. */
  next: Map<string, NameNode>;
  /** The names that end here. */
  names: string[];
  /** How many names begin so. */
  count: number;
  /** A name of which only the size is left: `Apollo II Fan`, of `Apollo II Fan 120 mm`. */
  sized: { name: string; beginning: string } | undefined;
}

const kept = new WeakMap<readonly string[], CutNames>();

/** Lists are kept for a while, and each is cut when it is first asked for. */
export const cutNames = (names: readonly string[]): CutNames => {
  const found = kept.get(names) ?? cutAll(names);
  kept.set(names, found);
  return found;
};

const cutAll = (list: readonly string[]): CutNames => {
  const root = nodeOf(undefined);
  const names = list.map((name) => {
    const words = wordsOfQuestion(name);
    addName(root, { name, words });
    return { name, stems: new Set(words.map(({ stem }) => stem)) };
  });
  return { names, root };
};

const nodeOf = (word: QuestionWord | undefined): NameNode => ({
  word,
  next: new Map(),
  names: [],
  count: 0,
  sized: undefined,
});

const addName = (root: NameNode, { name, words }: { name: string; words: readonly QuestionWord[] }): void => {
  const sizeAt = wordsBeforeSize(words);
  let node = root;
  for (const [place, word] of words.entries()) {
    const child = node.next.get(word.text) ?? nodeOf(word);
    node.next.set(word.text, child);
    node = child;
    node.count++;
    const isAllButSize = place >= 1 && place + 1 === sizeAt && sizeAt < words.length;
    if (isAllButSize) node.sized = { name, beginning: name.slice(0, word.end) };
  }
  if (words.length > 0) node.names.push(name);
};

const UNITS: ReadonlySet<string> = new Set(
  (
    'mm cm m km inch inches ft g kg mg ml cl l w kw wh kwh mah ah mv v a hz khz mhz ghz kb mb gb tb mp ' +
    'watt watts volt volts pack packs pcs piece pieces'
  ).split(' '),
);

/** A number without a unit is no size: it may tell one model from another. */
const wordsBeforeSize = (words: readonly QuestionWord[]): number => {
  let place = words.length;
  while (place >= 2 && UNITS.has(words[place - 1]?.text ?? '') && isNumber(words[place - 2])) {
    place -= 2;
    // `92 x 92 mm`
    while (place >= 2 && words[place - 1]?.text === 'x' && isNumber(words[place - 2])) place -= 2;
  }
  return place;
};

const isNumber = (word: QuestionWord | undefined): boolean => word !== undefined && /^\d+$/.test(word.text);
