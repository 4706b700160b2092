/**
 * The words of a name, title or question, for comparing names: lower case, without accents, letters and digits apart
 * (`256GB` is `256`, `gb`; `iPhone17` is `iphone`, `17`). A plus sign is the word `plus`: "17+" is another model than "17".
 */
export const wordsOf = (text: string): string[] =>
  text
    .slice(0, 4000)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('+', ' plus ')
    .match(/\p{L}+|\p{N}+/gu) ?? [];

/** Where `part` stands within `words`, word for word; -1 when it does not. */
export const indexOfWords = (words: readonly string[], part: readonly string[], from = 0): number => {
  for (let at = from; part.length > 0 && at + part.length <= words.length; at++) {
    if (part.every((word, place) => word === words[at + place])) return at;
  }
  return -1;
};
