import { patternCost } from './pattern-cost.ts';

/** In how many ways a pattern may be tried at one place of a text. */
const MAX_WAYS = 1000;
/** And over how many characters. */
const MAX_LENGTH = 1000;

/**
 * What speaks against a regular expression of a taxonomy, which is read over what customers write, so that no message makes it
 * slow: it must compile with the flags `iu`, end every repeat, and neither look around nor refer back. Its cost then grows with
 * the length of the text alone.
 *
 * @returns The end of a sentence that begins with the pattern's name; undefined where it may be used.
 */
export const checkPattern = (pattern: string): string | undefined => {
  try {
    new RegExp(pattern, 'iu');
  } catch {
    return 'is no regular expression with the flags iu';
  }
  if (/\\(?:k<|[1-9])/.test(withoutEscapedBackslashes(pattern))) return 'refers back to a group, which can be slow';
  if (/\(\?<?[=!]/.test(withoutEscapedBackslashes(pattern))) return 'looks ahead or behind, which can be slow';
  const { ways, length } = patternCost(pattern);
  if (ways === Number.POSITIVE_INFINITY) return 'repeats without end, which can be slow: give a bound, as in \\d{1,12}';
  if (ways > MAX_WAYS) return 'can match in too many ways, which can be slow: give its repeats smaller bounds';
  return length > MAX_LENGTH ? `can match more than ${MAX_LENGTH} characters, which can be slow` : undefined;
};

const withoutEscapedBackslashes = (pattern: string): string => pattern.replaceAll('\\\\', '');
