import { STOP_WORDS } from '../../language/analyse-text.ts';
import { isUnitFactor, numbersIn, UNIT_FACTORS, valuesIn } from '../../language/number-values.ts';
import { BORDERED } from '../../language/spaced-words.ts';
import { oncePer } from '../../platform/once-per.ts';
import { collapse, escapedPattern, hasWhole, type Literal, readingsOf } from './literals.ts';

/** What the code of a statement may be made of. */
interface CodeSources {
  /** All passages that were shown, with their headings and titles. */
  texts: readonly string[];
  /** Those of them that the statement names. */
  named: readonly string[];
  question: string;
}

/**
 * Whether the sources support code that they do not contain literally: each of its words stands
 * in the passages or in the question, each number in the passages that the statement names or in the
 * question, there perhaps in another unit (5 minutes as 300), and `<name>` or `YYYY-MM` is for the asker
 * to fill in. So it is code of an example with other values, or code that a text describes; whether it is
 * right, the judge decides. The name of an option (`--soft`, `-title:`) has to stand as it is. A path or a
 * name of several words has to stand too, but for the asker's own values in it, `fb6591` for `fb6360` or
 * `P3D` for `P4D`, and for the last part of a path (`i18n/src/oc` for `i18n/src/fr`). In code of several
 * words at most two of three letters may be the question's alone. Of an address only the parameters may
 * differ, behind `?` or `#`; a name with points (`my.blinds.standard`) is read as code.
 */
export function isSupportedCode({ kind, text }: Literal, sources: CodeSources): boolean {
  if (kind === 'code' || kind === 'command') return consistsOf(text, sources);
  if (kind !== 'url') return false;
  if (!/[/@:?#]/.test(text)) return consistsOf(text, sources, 'host');
  const [, address, parameters] = /^([^?#]+[?#])(.+)$/s.exec(text) ?? [];
  if (address === undefined || parameters === undefined) return false;
  const hasAddress = hasWhole(preparedOf(sources).source.toLowerCase(), address.toLowerCase());
  return hasAddress && consistsOf(parameters, sources);
}

function consistsOf(code: string, sources: CodeSources, kind: 'code' | 'host' = 'code'): boolean {
  const { source, isKnown, originOf, hasSigns } = preparedOf(sources);
  const { question } = sources;
  let placeholders = 0;
  const isWordsOf = (name: string): boolean => {
    const words = wordsIn(name.replace(PLACEHOLDERS, ' '));
    const origins = words.map(originOf);
    if (words.length > 1 && (hasWhole(source, name) || hasWhole(question, name))) return true;
    if (origins.includes('none')) return false;
    if (words.length < 2) return true;
    if (origins.includes('common')) return false;
    // A name or path of several words is one of the passages with values of the asker in it, or
    // stands beside one of them.
    placeholders += name.match(PLACEHOLDERS)?.length ?? 0;
    if (placeholders > MAX_PLACEHOLDERS) return false;
    if (origins.includes('source') && hasLike(source, name, originOf)) return true;
    return kind === 'code' && hasWhole(source, withoutLastFolder(name));
  };
  if (code.match(SIGNS)?.some((signs) => !hasSigns(signs))) return false;
  const tokens = tokensOf(collapse(code));
  const lettersOf = (origin: Origin): number =>
    tokens
      .flatMap((token) => wordsIn(token.replace(PLACEHOLDERS, ' ')))
      .reduce((sum, word) => sum + (originOf(word) === origin ? word.length : 0), 0);
  if (tokens.length > 1 && lettersOf('question') > 2 * lettersOf('source')) return false;
  return tokens.every((token) => {
    if (/^\d[\d.,:]*$/.test(token) && isKnown(token)) return true;
    if (!isOption(token)) return isWordsOf(token);
    const [, name = token, value = ''] = /^(-[^:]+):(.*)$/s.exec(token) ?? [];
    return (hasOption(source, name) || hasOption(question, name)) && isWordsOf(value);
  });
}

const preparedOf = oncePer(({ texts, named, question }: CodeSources) => {
  const source = readingsOf(texts);
  const sourceWords = new Set(source.match(BORDERED_WORD));
  const isKnown = numberReader([question, ...named], question);
  const origins = new Map<string, Origin>();
  const readOrigin = (word: string): Origin => {
    if (/^\d+$/.test(word)) return isKnown(word) ? 'source' : 'none';
    // A set for most words: a search through all texts for each takes too long.
    if (ALL_BORDERED.test(word) ? sourceWords.has(word) : hasWhole(source, word)) return 'source';
    if (hasWhole(question, word)) return 'question';
    if (isDatePattern(word)) return 'asker';
    if (STOP_WORDS.has(word)) return 'common';
    const figures = word.match(/\d+/g) ?? [];
    return figures.length > 0 && figures.every(isKnown) && hasNumbered(source, word)
      ? 'asker'
      : 'none';
  };
  const originOf = (word: string): Origin => {
    const origin = origins.get(word) ?? readOrigin(word);
    origins.set(word, origin);
    return origin;
  };
  const signs = new Set(texts.flatMap((text) => text.match(SIGNS) ?? []));
  return { source, isKnown, originOf, hasSigns: (each: string) => signs.has(each) };
});

/** Whether a number stands in texts by its value, as a part of a time (`06:30`), or as one of the question in another unit. */
const numberReader = (
  texts: readonly string[],
  question: string,
): ((digits: string) => boolean) => {
  const values = new Set(valuesIn(texts));
  for (const text of texts)
    for (const [figures] of text.matchAll(/\d+/g)) values.add(String(Number(figures)));
  for (const value of valuesIn([question]))
    if (!isUnitFactor(value))
      for (const factor of UNIT_FACTORS) values.add(String(Number(value) * factor));
  return (digits) =>
    numbersIn(digits).some((number) => number.values.some((value) => values.has(value)));
};

/** Origin of a word of code: `asker` for what the asker fills in, `common` for a word of any text ("or"). */
type Origin = 'source' | 'question' | 'asker' | 'common' | 'none';

const BORDERED_WORD = new RegExp(`(?:${BORDERED})+`, 'gu');
const ALL_BORDERED = new RegExp(`^(?:${BORDERED})+$`, 'u');
const wordsIn = (name: string): string[] => name.match(/[\p{L}\p{N}]+/gu) ?? [];
/** A path without its last part; `NO_TEXT` unless at least two parts remain. */
const withoutLastFolder = (name: string): string =>
  /^(.*[\p{L}\p{N}][^\p{L}\p{N}\s]+[\p{L}\p{N}]+)\/[\p{L}\p{N}]+\/?$/u.exec(name)?.[1] ?? NO_TEXT;
/** A noncharacter, which no text contains. */
const NO_TEXT = '\ufdd3';

/**
 * Whether a text has a name like this, with other numbers, other words in place of the asker's, any name in
 * place of a placeholder, and a placeholder in place of any name.
 */
function hasLike(text: string, name: string, originOf: (word: string) => Origin): boolean {
  const pattern = name
    .split(NAME_PARTS)
    .map((part, at) => {
      if (at % 2 === 0) return escapedPattern(part);
      if (part.startsWith('<')) return `(?:${NAME}|${ANY_PLACEHOLDER})`;
      const isAskers = originOf(part) === 'question' || isDatePattern(part);
      const own = isAskers ? '[\\p{L}\\p{N}]+' : part.replace(/\d+/g, '\\d+');
      return `(?:${own}|${ANY_PLACEHOLDER})`;
    })
    .join('');
  return new RegExp(`(?<!${BORDERED})${pattern}(?!${BORDERED})`, 'u').test(text);
}

const PLACEHOLDER = '<[^<>`\\n]{1,40}>';
/** Also as `{name}`, in texts. */
const ANY_PLACEHOLDER = `(?:${PLACEHOLDER}|\\{[^{}\`\\n]{1,40}\\})`;
const PLACEHOLDERS = new RegExp(PLACEHOLDER, 'gu');
/** In names of one literal: each may stand for a name of several parts, so that many take exponential time. */
const MAX_PLACEHOLDERS = 6;
const NAME = '[\\p{L}\\p{N}]+(?:[._-][\\p{L}\\p{N}]+){0,4}';
const NAME_PARTS = new RegExp(`(${PLACEHOLDER}|[\\p{L}\\p{N}]+)`, 'u');
/** Arguments of signs alone, such as `/`, `*` and `..`: they name places, and stand in a text as they are. */
const SIGNS = /(?<=\S[ \t]{1,9})[/~*.]{1,3}(?![^\s`])/g;
/** A name, also with placeholders joined to it (`<plugin>-role-view-<resource>`), or a placeholder alone. */
const TOKEN = new RegExp(
  `(?:${PLACEHOLDER}(?=[-_./:@][\\p{L}\\p{N}<])|(?<=[-_./:@])${PLACEHOLDER}|[^\\s"'\`<>=,;|&(){}[\\]])+|${PLACEHOLDER}`,
  'gu',
);

/** What stands between spaces and brackets, without marks at its ends; an option with its dashes. */
const tokensOf = (code: string): string[] =>
  (code.match(TOKEN) ?? [])
    .map((token) => (isOption(token) ? token : token.replace(EDGES, '')))
    .filter((token) => token !== '');

const EDGES = /^[^\p{L}\p{N}<]+|[^\p{L}\p{N}>]+$/gu;

const isOption = (token: string): boolean => /^--?[\p{L}<]/u.test(token);
/** `YYYYMMDD`, `XX`: runs of one letter. */
const isDatePattern = (word: string): boolean => /^(?:(\p{Lu})\1+)+$/u.test(word);

const hasOption = (text: string, option: string): boolean =>
  new RegExp(`(?<!-|${BORDERED})${escapedPattern(option)}(?!-|${BORDERED})`, 'u').test(text);

/** Whether a text has a name like this with other numbers, as `fb6360` for `fb6591`. */
const hasNumbered = (text: string, name: string): boolean =>
  new RegExp(`(?<!${BORDERED})${name.replace(/\d+/g, '\\d+')}(?!${BORDERED})`, 'u').test(text);
