/** Letters and digits that say something; one of a script without spaces between words counts as three. */
const MIN_SUBSTANCE = 10;

/**
 * Whether a sentence meant to help or to justify has enough in it to do so: at least ten letters and digits in at
 * least two words. In scripts written without spaces a character counts as three letters, and as a word.
 */
export const saysSomething = (text: string): boolean => {
  const dense = text.match(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}]/gu)?.length ?? 0;
  const letters = text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
  return letters + 2 * dense >= MIN_SUBSTANCE && wordsOf(text).length + dense >= 2;
};

/** Whether `text` says nothing beyond `said`: the same words in the same order, or a part of them. */
export const repeats = (text: string, said: string): boolean =>
  ` ${wordsOf(said).join(' ')} `.includes(` ${wordsOf(text).join(' ')} `);

/** Lower-case words, without punctuation. */
const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
