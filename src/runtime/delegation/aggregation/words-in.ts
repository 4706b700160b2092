/** The words of a text in lower case, in their order, with apostrophes and hyphens inside; no bare numbers. */
export const wordsIn = (text: string): string[] => {
  const spoken = text.toLowerCase().replaceAll('’', "'");
  return spoken.match(ASCII.test(spoken) ? ASCII_WORD : WORD) ?? [];
};

// Nearly all text is ASCII, and classes of Unicode take several times as long.
const ASCII = /^[ -~\s]*$/;
const ASCII_WORD = /[a-z][a-z0-9'-]*/g;
const WORD = /[\p{L}\p{M}][\p{L}\p{M}\p{N}'-]*/gu;

/** Endings that make no difference to what is meant; far from a stemmer, and enough to see the same word twice. */
export const stemOf = (word: string): string => {
  const bare = word.endsWith("'s") ? word.slice(0, -2) : word.endsWith("'") ? word.slice(0, -1) : word;
  if (bare.length <= 4) return bare.endsWith('s') ? bare.slice(0, -1) : bare;
  const ending = ENDINGS[bare.at(-1) ?? '']?.find((each) => bare.endsWith(each));
  return ending === undefined ? bare : bare.slice(0, -ending.length);
};

/** By their last letter, longest first. */
const ENDINGS: Readonly<Record<string, readonly string[]>> = {
  s: ['ies', 'es', 's'],
  g: ['ing'],
  d: ['ed'],
  y: ['ly', 'y'],
  e: ['e'],
};
