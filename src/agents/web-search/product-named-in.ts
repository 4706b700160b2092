import { oncePer } from '../../knowledge/edition/once-per.ts';
import { editDistance } from '../../knowledge/search/edit-distance.ts';
import { extendsName } from './names-product.ts';
import { wordsOf } from './words-of.ts';

/**
 * The product that a question names: all words of its name in a row, each in any case and the longer ones with one typing
 * mistake. The longest name wins. What follows must not make another thing of it: "Apollo II" is not "Apollo", and an
 * "iPhone 17 case" no phone.
 *
 * @param products Looked through once for each list: hand in the same one as long as it holds.
 */
export const productNamedIn = <Named extends { name: string }>(
  query: string,
  products: readonly Named[],
): Named | undefined => {
  const words = wordsOf(query).slice(0, MAX_WORDS);
  const names = namesOf(products);
  let best: { at: number; rank: readonly number[] } | undefined;
  words.forEach((word, place) => {
    for (const name of names.startingWith(word)) {
      const mistakes = mistakesAt(words, place, name.words);
      if (mistakes === undefined) continue;
      const rank = [name.words.length, -mistakes, name.length];
      if (best === undefined || isHigher(rank, best.rank)) best = { at: name.at, rank };
    }
  });
  return best === undefined ? undefined : products[best.at];
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
const mistakesAt = (words: readonly string[], place: number, name: readonly string[]): number | undefined => {
  let mistakes = 0;
  for (const [at, known] of name.entries()) {
    const word = words[place + at] ?? '';
    if (!isMeant(word, known)) return undefined;
    if (word !== known) mistakes++;
  }
  return extendsName(words.slice(place + name.length, place + name.length + 2)) ? undefined : mistakes;
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
