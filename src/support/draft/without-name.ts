/**
 * A text with `[name]` in the place of a customer's name: of a whole name of several words wherever it stands, of its parts where they
 * introduce or sign.
 */
export const withoutName = (text: string, name: string): string => {
  const words = name.slice(0, MAX_NAME).match(/[\p{L}\p{M}'’.-]+/gu) ?? [];
  if (words.length === 0) return text;
  const whole = words.map(escapeExpression).join('\\s{1,4}');
  const parts = words.filter((word) => word.length > 2).map(escapeExpression);
  // One word alone may be any word: "Will", "Mark".
  const named =
    words.length < 2 ? text : text.replace(new RegExp(`(?<![\\p{L}\\p{N}])${whole}(?![\\p{L}\\p{N}])`, 'giu'), MARK);
  if (parts.length === 0) return named;
  const part = `(?:${parts.join('|')})`;
  return named
    .replace(new RegExp(`(?<=^[ \\t]{0,9}(?:[-–—,~][ \\t]?)?)${part}(?=[ \\t]{0,9}[.,!]?[ \\t]{0,9}$)`, 'gimu'), MARK)
    .replace(
      new RegExp(
        `(?<=(?:my name is|this is|i am|i['’]m|ich bin|mein name ist|je m['’]appelle|me llamo|mi chiamo) )${part}(?![\\p{L}\\p{N}])`,
        'giu',
      ),
      MARK,
    );
};

const MARK = '[name]';
const MAX_NAME = 200;

/** With the flag `u` nothing else may be escaped: a hyphen is none of them. */
const escapeExpression = (word: string): string => word.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
