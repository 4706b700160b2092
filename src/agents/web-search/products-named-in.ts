import { oncePer } from '../../runtime/once-per.ts';
import { editDistance } from '../../text/edit-distance.ts';
import { extendsName } from './names-product.ts';
import { gluedWordsOf, wordsOf } from './words-of.ts';

/**
 * The products that a question names, each once and in the order of the question: all words of a name in a row, each in any
 * case and the longer ones with one typing mistake. Of several names in one place the longest wins. What follows must not
 * make another thing of it: "Apollo II" is not "Apollo", an "iPhone 17 case" no phone, and an "iPhone 17e" no "iPhone 17".
 *
 * @param products Looked through once for each list: hand in the same one as long as it holds.
 */
export const productsNamedIn = <Named extends { name: string }>(query: string, products: readonly Named[]): Named[] => {
  const words = gluedWordsOf(query).slice(0, MAX_WORDS);
  const names = namesOf(products);
  const found = new Set<number>();
  for (let place = 0; place < words.length; ) {
    const best = bestNameAt(words, place, names.startingWith(words[place]?.word ?? ''));
    if (best !== undefined) found.add(best.at);
    place += best?.words.length ?? 1;
  }
  return [...found].flatMap((at) => products[at] ?? []);
};

type Words = ReturnType<typeof gluedWordsOf>;

const bestNameAt = (words: Words, place: number, names: readonly Name[]): Name | undefined => {
  let best: { name: Name; rank: readonly number[] } | undefined;
  for (const name of names) {
    const mistakes = mistakesAt(words, place, name.words);
    if (mistakes === undefined) continue;
    const rank = [name.words.length, -mistakes, name.length];
    if (best === undefined || isHigher(rank, best.rank)) best = { name, rank };
  }
  return best?.name;
};

/** Who asks for a product names it sooner. */
const MAX_WORDS = 100;

interface Name {
  /** Place in the list of products. */
  at: number;
  words: readonly string[];
  length: number;
}

/** The names by their first words, so that a question is held against few of them. */
const namesOf = oncePer((products: readonly { name: string }[]) => {
  const names: Name[] = products.map(({ name }, at) => ({ at, words: wordsOf(name), length: name.length }));
  const byFirst = Map.groupBy(names, ({ words: [first = ''] }) => first);
  const byLetter = Map.groupBy(byFirst.keys(), (first) => first.charAt(0));
  return {
    startingWith: (word: string): Name[] =>
      (byLetter.get(word.charAt(0)) ?? [])
        .filter((first) => first !== '' && isMeant(word, first))
        .flatMap((first) => byFirst.get(first) ?? []),
  };
});

/** How many words differ from the name that may stand at a place of the question; `undefined` when it does not. */
const mistakesAt = (words: Words, place: number, name: readonly string[]): number | undefined => {
  let mistakes = 0;
  for (const [at, known] of name.entries()) {
    const word = words[place + at]?.word ?? '';
    if (!isMeant(word, known)) return undefined;
    if (word !== known) mistakes++;
  }
  const following = words.slice(place + name.length, place + name.length + 2);
  return following[0]?.isGlued || extendsName(following.map(({ word }) => word)) ? undefined : mistakes;
};

/** Numbers and short words tell models apart: they have to be exact, and so has the first letter. */
const isMeant = (word: string, known: string): boolean => {
  if (word === known) return true;
  if (known.length < 5 || Math.abs(word.length - known.length) > 1 || word[0] !== known[0]) return false;
  if (/\p{N}/u.test(known)) return false;
  const bytes = encoder.encode(known);
  return editDistance(encoder.encode(word), bytes, { from: 0, to: bytes.length, limit: 1 }) <= 1;
};

const encoder = new TextEncoder();

const isHigher = (rank: readonly number[], than: readonly number[]): boolean => {
  const at = rank.findIndex((value, place) => value !== than[place]);
  return at >= 0 && (rank[at] ?? 0) > (than[at] ?? 0);
};
