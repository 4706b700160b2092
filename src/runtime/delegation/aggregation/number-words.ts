/**
 * Gives each word a number, from 0 in the order in which they are met: sets of numbers are compared several times faster than
 * those of words. What is compared must come from the same numbering; make one for the answers of one request.
 */
export const createNumbering = (): ((word: string) => number) => {
  const numbers = new Map<string, number>();
  return (word) => {
    const known = numbers.get(word);
    if (known !== undefined) return known;
    numbers.set(word, numbers.size);
    return numbers.size - 1;
  };
};

/** Which of several statements hold a word: places by the number of the word. */
export type WordIndex = number[][];

export const addToIndex = (index: WordIndex, words: readonly number[], place: number): void => {
  for (const word of words) {
    const places = index[word];
    if (places === undefined) index[word] = [place];
    else places.push(place);
  }
};

/** How many of the words each of `length` statements holds, by their places. */
export const countShared = (index: WordIndex, words: readonly number[], length: number): Uint16Array => {
  const shared = new Uint16Array(length);
  for (const word of words) for (const place of index[word] ?? []) shared[place] = (shared[place] ?? 0) + 1;
  return shared;
};
