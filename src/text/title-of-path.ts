/**
 * A title for a document that has none, from its path: `guides/set-up_ssl.md` is "Set up ssl". A path without a word of letters stays as it
 * is.
 */
export const titleOfPath = (path: string): string => {
  const name = path.split('/').at(-1) ?? path;
  const words = name
    .replace(/\.\p{L}[\p{L}\p{N}]{1,4}$/u, '')
    .replace(/[\s_-]+/g, ' ')
    .trim();
  return /\p{L}/u.test(words) ? `${words[0]?.toUpperCase()}${words.slice(1)}` : path;
};
