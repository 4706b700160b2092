import { collapse, escapedPattern, type Literal } from './literals.ts';
import { numbersIn, valuesIn } from './number-values.ts';

/** What a statement may take its own values from. */
interface ValueSources {
  question: string;
  /** Words of the passages that prove the statement. */
  quotes: readonly string[];
}

/** A value of the article's code, and what the statement has in its place. */
interface Exchange {
  article: string;
  written: string;
}

/**
 * Whether a text contains code or a command except for values that the statement fills in: a word or
 * number of the question in the place of the article's or of `<name>`, a `<name>` that the asker has
 * to fill in for the value of an example, capitals for digits (`YYYY`), or a number that the quotes
 * name for the article's ("set it to zero"). Options (`--soft`) are never exchanged, and at most half
 * of the article's letters and digits are, not counting placeholders.
 *
 * @param texts What may be repeated: passages, headings, titles.
 */
export function isFilledIn(
  { kind, text }: Literal,
  texts: readonly string[],
  { question, quotes }: ValueSources,
): boolean {
  if (kind !== 'code' && kind !== 'command') return false;
  const code = collapse(text);
  // A placeholder that a sentence names is no code of its own.
  if (new RegExp(`^${PLACEHOLDER}$`, 'u').test(code)) return true;
  const words = wordsOf(question);
  const parts = code.split(valuePattern(words));
  const source = articlePattern(parts).exec(collapse(texts.join('\n')));
  if (source === null) return false;
  const exchanges = source
    .slice(1)
    .map(
      (match, at): Exchange => ({
        // The full stop behind code at the end of a sentence is not of it.
        article: match.replace(/[._-]+$/, ''),
        written: parts[2 * at + 1] ?? '',
      }),
    )
    .filter(({ article, written }) => article !== written);
  const values = exchanges.filter(({ article, written }) => !isPlaceholder(article) && !isPlaceholder(written));
  const numbers = valuesIn([question, ...quotes]);
  if (!values.every((value) => isFounded(value, words, numbers))) return false;
  const length = lengthOf(source[0]);
  return 2 * lengthOfAll(values) <= length && length - lengthOfAll(exchanges) >= LEAST_UNCHANGED;
}

/** Letters and digits of the article's code that stay as they are. */
const LEAST_UNCHANGED = 3;
const MAX_WORDS = 60;

/** The words of a question, longest first. */
const wordsOf = (question: string): string[] => {
  const words = question
    .split(/[\s<>`]+/)
    .map((word) => word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ''))
    .filter((word) => word !== '')
    .sort((one, other) => other.length - one.length);
  return [...new Set(words.slice(0, MAX_WORDS))];
};

const PLACEHOLDER = '<[^<>`\\n]{1,40}>';
const isPlaceholder = (text: string): boolean => text.startsWith('<');

/** What may be a value of the statement's own: placeholders, words of the question, capitals, numbers; no option. */
const valuePattern = (words: readonly string[]): RegExp => {
  const own = [...words.map(escapedPattern), '\\p{Lu}{2,12}', '\\d{1,12}'].join('|');
  const word = `(?<![\\p{L}\\p{N}])(?:${own})(?![\\p{L}\\p{N}])`;
  return new RegExp(`(?<!(?:^|\\s)--?)(${PLACEHOLDER}|${word})`, 'u');
};

/** With more blanks, each ends at the first character of what follows: else all combinations of their lengths are tried. */
const MAX_FREE_BLANKS = 3;

/** @param parts Code, and between its parts the values, for each of which the article may have another one. */
const articlePattern = (parts: readonly string[]): RegExp => {
  const isMany = parts.length > 2 * MAX_FREE_BLANKS + 1;
  const pattern = parts.map((part, at) => {
    if (at % 2 === 0) return escapedPattern(part);
    const next = parts[at + 1]?.[0];
    return blankFor(part, isMany && next !== undefined ? `(?!${escapedPattern(next)})` : '');
  });
  return new RegExp(pattern.join(''), 'u');
};

/** In the place of a placeholder a value, or words in quotes; in the place of a word, a word. */
const blankFor = (part: string, notNext: string): string =>
  isPlaceholder(part)
    ? `(${PLACEHOLDER}|(?<=")[^"\\n]{1,80}(?=")|(?<=')[^'\\n]{1,80}(?=')|(?:${notNext}[^\\s"'<>]){1,80})`
    : `(${PLACEHOLDER}|(?:${notNext}[\\p{L}\\p{N}._-]){1,60})`;

/** A word of the question stands for any value, a number or capitals only for a number. */
const isFounded = ({ article, written }: Exchange, words: readonly string[], numbers: ReadonlySet<string>): boolean => {
  if (words.includes(written)) return true;
  if (!/^\d+$/.test(article)) return false;
  const isNamed =
    /^\d+$/.test(written) && numbersIn(written).some(({ values }) => values.some((each) => numbers.has(each)));
  return isNamed || /^\p{Lu}+$/u.test(written);
};

const lengthOf = (code: string): number => code.replace(/[^\p{L}\p{N}]/gu, '').length;
const lengthOfAll = (exchanges: readonly Exchange[]): number =>
  exchanges.reduce((sum, { article }) => sum + lengthOf(article), 0);
