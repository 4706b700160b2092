import { editDistance } from '../../knowledge/search/edit-distance.ts';
import { extendsName } from './names-product.ts';
import { wordsOf } from './words-of.ts';

/**
 * The product that a question names: all words of its name in a row, each in any case and the longer ones with one typing
 * mistake. The longest name wins. What follows must not make another thing of it: "Apollo II" is not "Apollo", and an
 * "iPhone 17 case" no phone.
 */
export const productNamedIn = <Named extends { name: string }>(
  query: string,
  products: readonly Named[],
): Named | undefined => {
  const words = wordsOf(query);
  let best: { product: Named; rank: readonly number[] } | undefined;
  for (const product of products) {
    const nameWords = wordsOf(product.name);
    const mistakes = mistakesIn(words, nameWords);
    if (mistakes === undefined) continue;
    const rank = [nameWords.length, -mistakes, product.name.length];
    if (best === undefined || isHigher(rank, best.rank)) best = { product, rank };
  }
  return best?.product;
};

/** The fewest words that differ from the name where it stands in the question; `undefined` when it does not stand there. */
const mistakesIn = (words: readonly string[], name: readonly string[]): number | undefined => {
  let fewest: number | undefined;
  for (let at = 0; name.length > 0 && at + name.length <= words.length; at++) {
    const found = words.slice(at, at + name.length);
    if (!found.every((word, place) => isMeant(word, name[place] ?? ''))) continue;
    if (extendsName(words.slice(at + name.length))) continue;
    const mistakes = found.filter((word, place) => word !== name[place]).length;
    fewest = Math.min(fewest ?? mistakes, mistakes);
  }
  return fewest;
};

/** Numbers and short words tell models apart: they have to be exact. */
const isMeant = (word: string, known: string): boolean => {
  if (word === known) return true;
  if (known.length < 5 || word.length < 4 || /\p{N}/u.test(known) || word[0] !== known[0]) return false;
  const bytes = encoder.encode(known);
  return editDistance(encoder.encode(word), bytes, { from: 0, to: bytes.length, limit: 1 }) <= 1;
};

const encoder = new TextEncoder();

const isHigher = (rank: readonly number[], than: readonly number[]): boolean => {
  const at = rank.findIndex((value, place) => value !== than[place]);
  return at >= 0 && (rank[at] ?? 0) > (than[at] ?? 0);
};
