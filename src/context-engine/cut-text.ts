const ELLIPSIS = '…';
/** How far back a blank is looked for; text without one near is cut where it is. */
const MAX_WORD_LENGTH = 80;

/**
 * The beginning of a text, to the end of a word where one is near, and an ellipsis. Surrogate pairs stay whole.
 *
 * @param maxLength UTF-16 units at most, the ellipsis not counted.
 * @returns The text itself when it is not longer, and nothing when nothing visible is left.
 */
export const cutText = (text: string, maxLength: number): string => {
  if (text.length <= maxLength) return text;
  const beginning = text.slice(0, wordEnd(text, maxLength)).trimEnd();
  return beginning === '' ? '' : beginning + ELLIPSIS;
};

const wordEnd = (text: string, maxLength: number): number => {
  if (/\s/.test(text.charAt(maxLength))) return maxLength;
  const from = Math.max(0, maxLength - MAX_WORD_LENGTH);
  const blank = text.slice(from, maxLength).search(/\s\S*$/);
  if (blank >= 0 && from + blank > 0) return from + blank;
  const isInPair = maxLength > 0 && (text.codePointAt(maxLength - 1) ?? 0) > 0xffff;
  return isInPair ? maxLength - 1 : maxLength;
};
