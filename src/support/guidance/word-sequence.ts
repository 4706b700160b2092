/** Runs of letters and digits in lower case, apostrophes aside: what phrases of a taxonomy are compared by. */
export const wordRuns = (text: string): string[] =>
  text
    .slice(0, MAX_READ)
    .toLowerCase()
    .normalize('NFC')
    .replace(/['’]/g, '')
    .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];

const MAX_READ = 40_000;

/** Whether the words of a phrase stand in a text one behind the other. */
export const holdsPhrase = (words: readonly string[], phrase: string): boolean => {
  const wanted = wordRuns(phrase);
  const [first] = wanted;
  if (first === undefined) return false;
  return words.some((word, at) => word === first && wanted.every((each, offset) => words[at + offset] === each));
};
