/**
 * A title for a document that has none, from its path: `guides/set-up_ssl.de.md` is "Set up ssl",
 * without the language that generators of sites write before the ending, and without the number that
 * orders files (`07_questions.md`). A path without a word of letters stays as it is.
 */
export function titleOfPath(path: string): string {
  const name = path.split('/').at(-1) ?? path;
  const words = name
    .replace(/\.\p{L}[\p{L}\p{N}]{1,7}$/u, '')
    .replace(/(?<=.)\.[a-z]{2}(?:[-_][A-Za-z]{2})?$/, '')
    .replace(/^0\d{1,2}[-_.\s]+(?=\p{L})/u, '')
    .replace(/[\s_-]+/g, ' ')
    .trim();
  return /\p{L}/u.test(words) ? `${words[0]?.toUpperCase()}${words.slice(1)}` : path;
}
