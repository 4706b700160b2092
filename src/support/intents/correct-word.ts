/** Words that examples hold, sorted by UTF-16 units, and how often they do. */
export interface KnownWords {
  words: readonly string[];
  wordCounts: Uint32Array;
}

/** Shorter words are more often other words than mistakes. */
const LEAST_LETTERS = 5;
const MOST_LETTERS = 32;

/**
 * The word that a misspelt one stands for: the most frequent known one with the same first letter that is one edit away, a swap of
 * neighbours counting as one (reference on intents, step 1). A known word, and one that nothing is near to, comes back.
 */
export const correctWord = (word: string, { words, wordCounts }: KnownWords): string => {
  if (word.length < LEAST_LETTERS || word.length > MOST_LETTERS) return word;
  if (words[placeFrom(words, word)] === word) return word;
  let best = word;
  let most = 0;
  const first = word.charAt(0);
  for (let place = placeFrom(words, first); words[place]?.startsWith(first); place += 1) {
    const known = words[place] ?? '';
    const count = wordCounts[place] ?? 0;
    if (count <= most || Math.abs(known.length - word.length) > 1 || !isOneEditApart(word, known)) continue;
    best = known;
    most = count;
  }
  return best;
};

/** The first place whose word is not before `wanted`. */
const placeFrom = (words: readonly string[], wanted: string): number => {
  let low = 0;
  let high = words.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((words[middle] ?? '') < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
};

const isOneEditApart = (left: string, right: string): boolean => {
  let start = 0;
  while (start < left.length && left.charCodeAt(start) === right.charCodeAt(start)) start += 1;
  if (left.length !== right.length) {
    const [longer, shorter] = left.length > right.length ? [left, right] : [right, left];
    return longer.slice(start + 1) === shorter.slice(start);
  }
  if (left.slice(start + 1) === right.slice(start + 1)) return true;
  return (
    left.charAt(start) === right.charAt(start + 1) &&
    left.charAt(start + 1) === right.charAt(start) &&
    left.slice(start + 2) === right.slice(start + 2)
  );
};
