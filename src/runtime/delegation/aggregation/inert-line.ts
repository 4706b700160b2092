/**
 * Untrusted text as one line that Markdown shows as it is: marks get a backslash, line breaks and controls become spaces.
 *
 * @param limit Of the text before the backslashes, in UTF-16 units; what is longer ends with an ellipsis.
 */
export const inertLine = (text: string, limit: number): string => {
  const line = text.replace(/[\s\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  const short = line.length > limit ? `${line.slice(0, limit - 1).replace(/[\ud800-\udbff]$/, '')}…` : line;
  return short.replace(/[\\`*_{}[\]()<>#+\-!|~&$:.=^]/g, (mark, at: number) =>
    needsEscape(short, mark, at) ? `\\${mark}` : mark,
  );
};

/** Marks that only mean something at the beginning of a line, or between words, stay readable elsewhere. */
const needsEscape = (line: string, mark: string, at: number): boolean => {
  if ('#+-='.includes(mark)) return at === 0;
  if (mark === '.' || mark === ')' || mark === '(') return mark === '.' ? /^\d{1,9}$/.test(line.slice(0, at)) : true;
  if (mark === ':') return line[at - 1] === ']' || line.startsWith('//', at + 1);
  if (mark === '!') return line[at + 1] === '[';
  return !'{}^'.includes(mark);
};
