import {
  ACCESSORY_WORDS,
  CONDITION_PHRASES,
  CONDITION_WORDS,
  MAKER_PREPOSITIONS,
  NEUTRAL_WORDS,
  PURPOSE_WORDS,
  SHOP_PREPOSITIONS,
  UNITS,
  VARIANT_WORDS,
} from './product-words.ts';
import { indexOfWords, wordsOf } from './words-of.ts';

/**
 * Whether a result's title names exactly this product, new and whole.
 *
 * A search for "iPhone 17" also finds its cases, the "iPhone 17 Pro" and refurbished ones, all of them cheaper or dearer
 * for reasons of their own. One of these taken for the product makes a wrong "cheapest" that a buyer acts on; an honest
 * offer that is left out costs little, as there are others. So in the part of the title that holds the name, only words
 * that are known to change nothing may stand beside it, and nowhere in the title a word of another thing or condition.
 */
export const namesProduct = (title: string, name: string): boolean => {
  const nameWords = wordsOf(name);
  const parts = title.split(SEPARATOR).map(wordsOf);
  const at = parts.findIndex((words) => indexOfWords(words, nameWords) >= 0);
  const part = parts[at];
  if (part === undefined) return false;
  const start = indexOfWords(part, nameWords);
  const before = part.slice(0, start);
  const after = part.slice(start + nameWords.length);
  const others = parts.filter((_, place) => place !== at);
  // "iPhone 16, iPhone 17" names several products with one price.
  if (others.some((words) => words.includes(nameWords[0] ?? ''))) return false;
  const isAlone = isMaker(before) && isNeutral(after) && others.every(isShopAfterPreposition);
  return isAlone && [before, after, ...others].every((words) => !sellsOther(words, nameWords));
};

/** Whether words that follow a product's name make another thing of it: "Pro", "II", "case", the "5" of a model. */
export const extendsName = (following: readonly string[]): boolean => {
  const [next = '', unit = ''] = following;
  if (/^\p{N}+$/u.test(next)) return !UNITS.has(unit);
  return VARIANT_WORDS.has(next) || ACCESSORY_WORDS.has(next);
};

/** Parts of a title: "iPhone 17 | Example Shop", "iPhone 17 (256 GB)". */
const SEPARATOR = /\s[-–—|·•:/]+\s|[|•·(),;[\]{}]|:\s/;

/** Before the name: neutral words, and one that is not, the maker's. */
const isMaker = (words: readonly string[]): boolean =>
  !words.some((word) => PURPOSE_WORDS.has(word) || /\p{N}/u.test(word)) &&
  words.filter((word) => !NEUTRAL_WORDS.has(word)).length <= 1;

/** After the name: sizes, neutral words, and from a preposition on the name of a shop. */
const isNeutral = (words: readonly string[]): boolean => {
  const shop = words.findIndex((word) => SHOP_PREPOSITIONS.has(word));
  const said = shop < 0 ? words : words.slice(0, shop);
  return said.every((word, at) => isSize(said, at) || NEUTRAL_WORDS.has(word)) && isShopAfterPreposition(words);
};

/**
 * Behind a preposition a shop's name of at most two words, beside those such as "store": what is longer ("at Example Mobile
 * on EIP"), an amount ("from $30") or another maker ("by ...") says that something else is sold, or otherwise.
 */
const isShopAfterPreposition = (words: readonly string[]): boolean => {
  if (words.some((word) => MAKER_PREPOSITIONS.has(word))) return false;
  const at = words.findIndex((word) => SHOP_PREPOSITIONS.has(word));
  const shop = at < 0 ? [] : words.slice(at + 1);
  return (
    shop.filter((word) => !NEUTRAL_WORDS.has(word)).length <= MAX_SHOP_WORDS &&
    !shop.some((word) => /\p{N}/u.test(word) || SHOP_PREPOSITIONS.has(word))
  );
};

const MAX_SHOP_WORDS = 2;

const isSize = (words: readonly string[], at: number): boolean => {
  const [before = '', word = '', after = ''] = [words[at - 1], words[at], words[at + 1]];
  if (/^\p{N}+$/u.test(word)) return UNITS.has(after) || (after === 'g' && word === '5');
  return UNITS.has(word) && /^\p{N}+$/u.test(before);
};

const sellsOther = (words: readonly string[], name: readonly string[]): boolean =>
  CONDITION_PHRASES.some((phrase) => indexOfWords(words, phrase) >= 0) ||
  words.some((word) => (CONDITION_WORDS.has(word) || ACCESSORY_WORDS.has(word)) && !name.includes(word)) ||
  words.some(
    (word, at) => VARIANT_WORDS.has(word) && !isSize(words, at) && !name.includes(word) && !NEUTRAL_WORDS.has(word),
  );
