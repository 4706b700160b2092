import { numbersIn, valuesIn } from '../../language/number-values.ts';
import { collapse, escapedPattern, hasWhole, type Literal } from './literals.ts';

/** What the code of a statement may be made of. */
export interface CodeSources {
  /** Passages that the statement names, their headings, the titles of all. */
  texts: readonly string[];
  /** The words of the passages that prove the statement. */
  quotes: readonly string[];
  question: string;
}

/**
 * Whether code that stands nowhere as it is consists of what the sources have: each of its words stands
 * in the passages or in the question, each number in the quotes or in the question, and `<name>` or
 * `YYYY-MM` is for the asker to fill in. So it is code of an example with other values, or code that a
 * text describes; whether it is right, the judge decides. An option (`--soft`) has to stand as it is, a
 * path or a name of several words too unless the asker's own value is part of it, and at most two of
 * three letters may be the question's alone. Of an address only the parameters may differ, behind `?`
 * or `#`.
 */
export function isFounded({ kind, text }: Literal, sources: CodeSources): boolean {
  if (kind === 'code' || kind === 'command') return consistsOf(text, sources);
  const [, address, parameters] = /^([^?#]+[?#])(.+)$/s.exec(text) ?? [];
  if (kind !== 'url' || address === undefined || parameters === undefined) return false;
  const stands = hasWhole(collapse(sources.texts.join('\n')).toLowerCase(), address.toLowerCase());
  return stands && consistsOf(parameters, sources);
}

const consistsOf = (code: string, { texts, quotes, question }: CodeSources): boolean => {
  const tokens = tokensOf(collapse(code));
  const source = collapse(texts.join('\n'));
  const numbers = valuesIn([question, ...quotes]);
  const originOf = (word: string): Origin => {
    if (/^\d+$/.test(word))
      return numbersIn(word).some(({ values }) => values.some((value) => numbers.has(value))) ? 'source' : 'none';
    if (hasWhole(source, word)) return 'source';
    return hasWhole(question, word) ? 'question' : isDatePattern(word) ? 'asker' : 'none';
  };
  const parts = tokens.flatMap((token): Part[] => {
    if (isPlaceholder(token)) return [];
    if (isOption(token))
      return [{ text: token, origin: hasOption(source, token) || hasOption(question, token) ? 'source' : 'none' }];
    const words = token.match(/[\p{L}\p{N}]+/gu) ?? [];
    if (words.length > 1 && hasWhole(source, token)) return [{ text: token, origin: 'source' }];
    const origins = words.map((word): Part => ({ text: word, origin: originOf(word) }));
    // Words of the passages alone do not make a name or a path that none of them has.
    const isOwn = origins.some((part) => part.origin !== 'source' || /^\d+$/.test(part.text));
    return words.length > 1 && !isOwn ? [{ text: token, origin: 'none' }] : origins;
  });
  const lettersOf = (origin: Origin): number =>
    parts.reduce((sum, part) => sum + (part.origin === origin ? part.text.length : 0), 0);
  return lettersOf('none') === 0 && lettersOf('question') <= 2 * lettersOf('source');
};

/** Origin of a word of code: `asker` for what the asker fills in. */
type Origin = 'source' | 'question' | 'asker' | 'none';
interface Part {
  text: string;
  origin: Origin;
}

const PLACEHOLDER = '<[^<>`\\n]{1,40}>';
const TOKEN = new RegExp(`(?<!\\S)--?${PLACEHOLDER}|${PLACEHOLDER}|[^\\s"'\`<>=,;|&(){}[\\]]+`, 'gu');

/** Placeholders, and what stands between spaces and brackets, without marks at its ends; an option with its dashes. */
const tokensOf = (code: string): string[] =>
  (code.match(TOKEN) ?? [])
    .map((token) => (isPlaceholder(token) || isOption(token) ? token : token.replace(EDGES, '')))
    .filter((token) => token !== '');

const EDGES = /^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu;

const isPlaceholder = (token: string): boolean => token.startsWith('<');
const isOption = (token: string): boolean => /^--?[\p{L}<]/u.test(token);
/** `YYYYMMDD`, `XX`: runs of one letter. */
const isDatePattern = (word: string): boolean => /^(?:(\p{Lu})\1+)+$/u.test(word);

const hasOption = (text: string, option: string): boolean =>
  new RegExp(`(?<![\\p{L}\\p{N}-])${escapedPattern(option)}(?![\\p{L}\\p{N}-])`, 'u').test(text);
