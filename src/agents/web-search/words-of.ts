/**
 * The words of a name, title or question, for comparing names: lower case, without accents, letters and digits apart
 * (`256GB` is `256`, `gb`; `iPhone17` is `iphone`, `17`). A plus sign is the word `plus`: "17+" is another model than "17".
 */
export const wordsOf = (text: string): string[] => gluedWordsOf(text).map(({ word }) => word);

/** The same words, each with whether nothing stands between it and the one before: the `e` of `iPhone 17e`. */
export const gluedWordsOf = (text: string): { word: string; isGlued: boolean }[] => {
  const plain = text.slice(0, 4000).normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replaceAll('+', ' plus ');
  return [...plain.matchAll(/(?<=([\p{L}\p{N}])?)(?:\p{L}+|\p{N}+)/gu)].map(({ 0: word, 1: before }) => ({
    word,
    isGlued: before !== undefined,
  }));
};

/** Where `part` stands within `words`, word for word; -1 when it does not. */
export const indexOfWords = (words: readonly string[], part: readonly string[], from = 0): number => {
  for (let at = from; part.length > 0 && at + part.length <= words.length; at++) {
    if (part.every((word, place) => word === words[at + place])) return at;
  }
  return -1;
};
