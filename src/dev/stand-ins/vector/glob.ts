/**
 * Whether a whole text fits a pattern, case and all: `*` any run, `?` one character, `[abc]`, `[a-z]`, `[^abc]` one of a
 * set. Takes time in proportion to text times pattern at most.
 */
export const matchesGlob = (text: string, pattern: string): boolean => {
  const parts = partsOf(pattern);
  const characters = [...text];
  let at = 0;
  let part = 0;
  let star = -1;
  let resume = 0;
  while (at < characters.length) {
    const wanted = parts[part];
    if (wanted === '*') {
      star = part++;
      resume = at;
    } else if (wanted?.(characters[at] ?? '')) {
      at += 1;
      part += 1;
    } else if (star >= 0) {
      part = star + 1;
      at = ++resume;
    } else {
      return false;
    }
  }
  return parts.slice(part).every((rest) => rest === '*');
};

type Part = '*' | ((character: string) => boolean);

const partsOf = (pattern: string): Part[] =>
  [...pattern.matchAll(/\[\^?\]?[^\]]*\]|[\s\S]/gu)].map(([part]): Part => {
    if (part === '*') return '*';
    if (part === '?') return () => true;
    if (part.length < 3) return (character) => character === part;
    const excludes = part[1] === '^';
    const members = membersOf(part.slice(excludes ? 2 : 1, -1));
    return (character) => members.some(([from, to]) => from <= character && character <= to) !== excludes;
  });

const membersOf = (set: string): [string, string][] =>
  [...set.matchAll(/([\s\S])-([\s\S])|([\s\S])/gu)].map(([, from, to, single]) =>
    single === undefined ? [from ?? '', to ?? ''] : [single, single],
  );
