import { backgroundShares } from '../../knowledge/search/analyse-query.ts';
import { STOP_WORDS } from '../../language/analyse-text.ts';
import { detectLanguage } from '../../language/detect-language.ts';
import { languageNamed } from '../../language/language.ts';
import { missingNumbers } from '../../language/number-values.ts';
import { BORDERED } from '../../language/spaced-words.ts';
import { withoutListNumbers } from '../../language/split-sentences.ts';
import { stem } from '../../language/stem.ts';
import { UNITS_OF_MEASUREMENT } from '../../language/units-of-measurement.ts';
import patterns from './literal-patterns.json' with { type: 'json' };

/** Text of an answer that is correct only if a source contains it literally. */
export interface Literal {
  kind: LiteralKind;
  text: string;
}

export type LiteralKind = 'url' | 'arn' | 'code' | 'command' | 'path' | 'identifier' | 'number';

/**
 * Finds the literals of an answer: URLs, ARNs, code spans and blocks, shell commands, file paths, identifiers and numbers. Each part of
 * the text is read as one kind only, so that the digits of a URL are not numbers as well.
 *
 * @returns Each literal once, at most 500.
 */
const extractLiterals = (answer: string): Literal[] => {
  const found = new Map<string, Literal>();
  let rest = answer.slice(0, MAX_READ);
  for (const { kind, pattern, textOf, blanks = true } of EXTRACTORS) {
    rest = rest.replace(pattern, (whole: string, ...groups: unknown[]) => {
      const read = textOf ? textOf(whole, groups) : whole;
      if (read === undefined) return whole;
      // Code is compared as written: an earlier kind blanked the addresses in it.
      const at = Number(groups.at(-2)) + whole.indexOf(read);
      const text = kind === 'code' ? answer.slice(at, at + read.length) : read;
      for (const part of text.split('\n')) addLiteral(found, kind, part);
      return blanks ? ' '.repeat(whole.length) : whole;
    });
  }
  return [...found.values()].slice(0, MAX_LITERALS);
};

const MAX_LITERALS = 500;
const MAX_READ = 40_000;

const addLiteral = (found: Map<string, Literal>, kind: LiteralKind, raw: string) => {
  // The full stop behind a path at the end of a sentence is not of it.
  const text = kind === 'path' ? raw.trim().replace(/[.,;:!?]+$/, '') : raw.trim();
  if (text !== '') found.set(`${kind} ${text}`, { kind, text });
};

interface Extractor {
  kind: LiteralKind;
  pattern: RegExp;
  /** The literal within the match; undefined for a false match. */
  textOf?: (whole: string, groups: unknown[]) => string | undefined;
  /** Whether later kinds skip the match. */
  blanks?: boolean;
}

const PROGRAMS = patterns.programs.replaceAll(' ', '|');
/** A word after a program's name that makes a sentence about the program, not a command. */
const PROSE_WORDS: ReadonlySet<string> = new Set(patterns.proseAfterProgram.split(' '));

/** A program's name begins a command, unless a sentence goes on: with a capital, or in its own language. */
const commandOf = (_whole: string, groups: unknown[]): string | undefined => {
  const [program, first] = groups.map(String);
  const word = first?.toLowerCase() ?? '';
  const isProse =
    PROSE_WORDS.has(word) || STOP_WORDS.has(word) || /^\p{Lu}\p{Ll}/u.test(first ?? '');
  return isProse || isForeignWord(word, String(groups.at(-1))) ? undefined : `${program} ${first}`;
};

/** A common word of the text's language, or a long one that is no English word: the words of commands are English. */
const isForeignWord = (word: string, text: string): boolean => {
  const language = detectLanguage(text) ?? 'en';
  if (language === 'en' || !/^\p{L}+$/u.test(word)) return false;
  return (
    languageNamed(language).stopWords.has(word) ||
    (word.length > 4 && !backgroundShares().has(stem(word)))
  );
};

const EXTENSIONS = patterns.extensions;

const EXTRACTORS: Extractor[] = [
  {
    kind: 'url',
    pattern: /\b(?:https?|ftp|wss?):\/\/[^\s<>"'`)\]}]{1,500}/gi,
    textOf: (whole) => whole.replace(/[.,;:!?]+$/, ''),
  },
  {
    kind: 'arn',
    pattern: /\barn:[\w-]*:[\w-]*:[^\s<>"'`)\]}]{1,300}/gi,
    textOf: (whole) => whole.replace(/[.,;:!?]+$/, ''),
  },
  {
    kind: 'code',
    pattern: /(?:^|\n)[ \t]*(`{3,}(?!`)|~{3,}(?!~))[^\n]*\n([\s\S]*?)(?:\n[ \t]*\1|$)/g,
    textOf: (_whole, groups) => String(groups[1]),
  },
  {
    kind: 'code',
    pattern: /(`{1,2})([^`]{1,500}?)\1/g,
    textOf: (_whole, groups) => String(groups[1]),
  },
  // A command in quotes must match whole; in running text, its first two words and its flags.
  {
    kind: 'command',
    pattern: new RegExp(`(['"‘“])((?:${PROGRAMS})\\s[^'"’”\\n]{1,300})['"’”]`, 'g'),
    textOf: (_whole, groups) => String(groups[1]),
  },
  {
    kind: 'command',
    pattern: new RegExp(
      `(?<![\\w/.-])(${PROGRAMS})[ \\t]+([\\w./<{$-][\\w./<>{}$=:-]{0,100})(?!\\p{L})`,
      'gu',
    ),
    textOf: commandOf,
  },
  { kind: 'path', pattern: /\b(?:HKEY_[A-Z_]+|HKLM|HKCU|[A-Z]:)(?:\\[^\\\s"'`<>|,;]{1,100})+/g },
  {
    kind: 'path',
    pattern: new RegExp(
      `(?<![\\w/.@-])(?:~?\\/)?(?:[\\w.@-]{1,100}\\/){0,12}[\\w.@-]{0,100}\\.(?:${EXTENSIONS})\\b(?![\\w/])`,
      'gi',
    ),
  },
  // Mail addresses and bare host names, after file names.
  { kind: 'url', pattern: /\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}/g },
  {
    kind: 'url',
    pattern:
      /(?<![\w@/.-])(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.){1,5}[a-z]{2,18}(?![\w-]|\.\w)/g,
  },
  {
    kind: 'path',
    pattern:
      /(?<![\w/.<])~?\/(?:[\w.@-]{1,100}\/){1,12}[\w.@-]{0,100}|(?<![\w/.<])\/(?:etc|usr|var|opt|home|tmp|dev|api|v\d)\b/g,
  },
  {
    kind: 'identifier',
    pattern: /(?<![\w-])--?[a-zA-Z][\w-]{1,60}(?=[\s=,.;)]|$)/g,
    textOf: (whole) => (whole.startsWith('--') ? whole : undefined),
  },
  { kind: 'identifier', pattern: /\b\w*[A-Za-z]_\w+\b/g },
  { kind: 'identifier', pattern: /\b[a-z]+(?:[A-Z][a-z0-9]+)+\b|\b(?:[A-Z][a-z0-9]+){2,}\b/g },
  // Bounded: otherwise a run of dots or dashes takes quadratic time.
  {
    kind: 'identifier',
    pattern: /\b(?=[\w.-]{0,200}\d)(?=[\w.-]{0,200}[A-Za-z])[A-Za-z0-9][\w.-]{1,60}\b/g,
    textOf: identifierOf,
  },
];

/** "3rd", "1990s" and "30s" are numbers with an ending, "30-day" a number and a word. */
function identifierOf(whole: string): string | undefined {
  return /^\d+(?:st|nd|rd|th|s)$/i.test(whole) ||
    /^(?:\d+|[a-z]{2,})(?:-(?:\d+|[a-z]{2,}))+$/.test(whole)
    ? undefined
    : whole;
}

/** Whether it is a link, an address, a command, a path or code, which a reader follows or types as it is. */
export function isBoundLiteral({ kind, text }: Literal): boolean {
  return kind === 'identifier' ? /^--|_/.test(text) : kind !== 'number';
}

/**
 * The literals of a statement that no text contains: URLs, code, commands, paths, identifiers, and numbers with their units. Harmless
 * variants are equal: `12V` and `12 V`, `1,200` and `1200`, `3` and `three`.
 *
 * @param texts What may be repeated: quotes, headings, titles, the question.
 */
export function missingLiterals(statement: string, texts: readonly string[]): Literal[] {
  const literals = extractLiterals(withoutListNumbers(statement)).filter(
    ({ text }) => !isMeasure(text),
  );
  // Longest first: "CD40" before "CD4", which would leave a 0.
  const prose = literals
    .toSorted((one, other) => other.text.length - one.text.length)
    .reduce((rest, { text }) => rest.replaceAll(wholePattern(text), ' '), statement);
  const allowed = literals.length === 0 ? '' : readingsOf(texts);
  const numbers = missingNumbers(prose, texts).map(
    ({ written }): Literal => ({ kind: 'number', text: written }),
  );
  return [...literals.filter(({ kind, text }) => !standsIn(text, allowed, kind)), ...numbers];
}

/** A text as the source of a regular expression that matches it. */
export function escapedPattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** `12V` is a number with a unit, not an identifier. */
const isMeasure = (text: string): boolean => {
  const [, unit = ''] = /^\d[\d.,]*(\D{1,12})$/.exec(text) ?? [];
  return UNITS_OF_MEASUREMENT.has(unit.toLowerCase());
};

/** Literally, as whole words; case-sensitive in code, commands, paths and ARNs only. */
const standsIn = (literal: string, allowed: string, kind: LiteralKind): boolean => {
  const isExact = kind === 'code' || kind === 'command' || kind === 'path' || kind === 'arn';
  const text = isExact ? allowed : allowed.toLowerCase();
  const wanted = collapse(isExact ? literal : literal.toLowerCase());
  if (hasWhole(text, wanted)) return true;
  if (kind === 'url') return hasWhole(text, wanted.replace(/^https?:\/\/|\/$/g, ''));
  // Some sources list the settings of a path (`File > Options`) separately.
  const parts = kind === 'code' ? wanted.split(/\s*(?:>|→)\s*/).filter(Boolean) : [];
  return parts.length > 1 && !wanted.includes('<') && parts.every((part) => hasWhole(text, part));
};

// Nothing is left of a literal of marks alone, such as `***`.
export function hasWhole(text: string, wanted: string): boolean {
  return wanted === '' || wholePattern(wanted).test(text);
}

/** A text as whole words: the code `1` is no part of "16 miners". */
const wholePattern = (text: string): RegExp => {
  const opens = BEGINS_BORDERED.test(text) ? BORDERED : WORD_CHARACTER;
  const closes = ENDS_BORDERED.test(text) ? BORDERED : WORD_CHARACTER;
  return new RegExp(
    (BEGINS_AS_WORD.test(text) ? `(?<!${opens})` : '') +
      escapedPattern(text) +
      (ENDS_AS_WORD.test(text) ? `(?!${closes})` : ''),
    'gu',
  );
};
const WORD_CHARACTER = '[\\p{L}\\p{N}]';
const BEGINS_AS_WORD = /^[\p{L}\p{N}]/u;
const ENDS_AS_WORD = /[\p{L}\p{N}]$/u;
const BEGINS_BORDERED = new RegExp(`^${BORDERED}`, 'u');
const ENDS_BORDERED = new RegExp(`${BORDERED}$`, 'u');

/** Texts on one line, and again with code and emphasis set apart where a word is joined to them: `` `port`number ``. */
export function readingsOf(texts: readonly string[]): string {
  const text = texts.join('\n');
  const apart = text.replace(JOINED_MARKS, ' ');
  return apart === text ? collapse(text) : `${collapse(text)} ${collapse(apart)}`;
}
const JOINED_MARKS = /(?<=[\p{L}\p{N}])[`*]{1,3}(?=[\p{L}\p{N}])/gu;

/** On one line, without marks of code and emphasis and their escapes. */
export function collapse(text: string): string {
  return text
    .replace(/\\([_*[\]<>#.-])/g, '$1')
    .replace(/[`*]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}
