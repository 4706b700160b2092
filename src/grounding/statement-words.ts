import { splitBlocks } from '../markup/split-blocks.ts';
import { STOP_WORDS } from '../text/analyse-text.ts';
import { type Span, splitSentences } from '../text/split-sentences.ts';
import { stem } from '../text/stem.ts';
import relations from './word-relations.json' with { type: 'json' };

/** The role of a word in a sentence. A source must contain content words, names and numbers. */
type Role = 'content' | 'name' | 'number' | 'negation' | 'affirmation' | 'function';

/** A word of a sentence, in its order. */
export interface Word {
  /** Lower case. */
  text: string;
  /** Comparison key: a stem, `#` and the value of a number, `not` for every negation. */
  key: string;
  role: Role;
  /** Weight among the words that a source must contain, 0 to 1. */
  weight: number;
  /** Forms that match it: the key, its synonyms, and its first letters, by which `producer` matches `produced`. */
  forms: readonly string[];
}

const WORD =
  /\d+(?:[.,:]\d+){0,5}(?:st|nd|rd|th|s)?(?![\p{L}\d])|[\p{L}\p{N}\p{M}]{1,64}(?:['’]\p{L}{1,2}(?!\p{L}))?|n['’]t\b/gu;

/** Text between two words after which a sentence, a line, a cell or the text after a heading begins. */
const OPENS_SENTENCE = /[•|\n¿¡]|[.:!?…][\s\S]*\s/;

/** Parses a sentence into words. Numbers have one form (`1,200`; `three`; `20th`). */
export const readWords = (sentence: string): Word[] => {
  const isCased = /\p{Lu}/u.test(sentence) && /\p{Ll}/u.test(sentence);
  const words: Word[] = [];
  let opens = true;
  let end = 0;
  for (const { 0: run, index } of sentence.matchAll(WORD)) {
    opens ||= OPENS_SENTENCE.test(sentence.slice(end, index));
    end = index + run.length;
    const isNamed = isCased && (opens ? /^\p{L}.*\p{Lu}|^\p{Lu}.*\d/u : /^\p{Lu}|\p{Ll}\p{Lu}/u).test(run);
    // "**Clear Cache**: ...": consecutive capitals at the beginning belong to a heading.
    opens = opens && /^\p{Lu}/u.test(run) && /^ \p{Lu}/u.test(sentence.slice(end, end + 2));
    if (/^\d/.test(run)) words.push(wordOf(run, `#${numberKey(run)}`, 'number'));
    else addWord(words, run, isNamed);
  }
  return words;
};

const addWord = (words: Word[], run: string, isNamed: boolean): void => {
  const lower = run
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replaceAll('’', "'");
  const text = /n't$/.test(lower) ? 'not' : lower.replace(/'\w*$/, '');
  if (text === '' || text === 's') return;
  if (NEGATIONS.has(text)) words.push(wordOf(text, 'not', 'negation'));
  else if (MULTIPLIERS.has(text) && words.at(-1)?.role === 'number') {
    const before = Number(words.pop()?.key.slice(1));
    words.push(wordOf(text, `#${before * (MULTIPLIERS.get(text) ?? 1)}`, 'number'));
  } else if (NUMBERS.has(text)) words.push(wordOf(text, `#${NUMBERS.get(text)}`, 'number'));
  else if (AFFIRMATIONS.has(text)) words.push(wordOf(text, stem(text), 'affirmation'));
  else if (STOP_WORDS.has(text) || LIGHT.has(text)) words.push(wordOf(text, stem(text), 'function'));
  else words.push(wordOf(text, stem(text), isNamed ? 'name' : 'content'));
};

const wordOf = (text: string, key: string, role: Role): Word => ({
  text,
  key,
  role,
  weight: weightOf(role, key, text),
  forms: formsOf(key, role),
});

const weightOf = (role: Role, key: string, text: string): number => {
  if (role === 'function' || role === 'negation' || role === 'affirmation') return 0;
  if (role === 'content' && WEAK.has(key)) return 0.35;
  return text.length <= 2 ? 0.7 : 1;
};

const formsOf = (key: string, role: Role): readonly string[] => {
  if (role !== 'content' && role !== 'name') return [key];
  return [key, ...synonymsOf(key), ...(key.length >= 5 ? [`${key.slice(0, 5)}-`] : [])];
};

/** Weight of a match by one of the word's forms, 0 to 1. */
export const worthOf = (form: string, key: string): number => (form === key ? 1 : form.endsWith('-') ? 0.6 : 0.8);

/** `1,299.00`, `1299.0` and `1299` are the same number; versions and times keep their parts. */
export const numberKey = (run: string): string =>
  run
    .toLowerCase()
    .replace(/(?:st|nd|rd|th|s)$/, '')
    .replace(/,(?=\d{3}(?:\D|$))/g, '')
    .replace(/^0+(?=\d)/, '')
    .replace(/^(\d+)\.0+$/, '$1');

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '));
const NEGATIONS = setOf(relations.negations);
const AFFIRMATIONS = setOf(relations.affirmations);
const LIGHT = setOf(relations.light);
const WEAK = setOf(relations.weak);
const MULTIPLIERS: ReadonlyMap<string, number> = new Map(Object.entries(relations.multipliers));
/** `one`, `first` and `second` are omitted, as they rarely count anything. */
const NUMBERS: ReadonlyMap<string, number> = new Map([
  ...relations.numbers
    .split(' ')
    .map((word, value): [string, number] => [word, value])
    .filter(([word]) => word !== 'one'),
  ...relations.ordinals.split(' ').map((word, value): [string, number] => [word, value]),
  ...relations.tens.split(' ').map((word, at): [string, number] => [word, 10 * (at + 2)]),
  ...MULTIPLIERS,
]);

/** Sides of each stem in the groups of a list: `group/side`. */
const placesIn = (groups: readonly string[], sideMark: string): ReadonlyMap<string, readonly string[]> => {
  const places = new Map<string, string[]>();
  groups.forEach((group, at) => {
    group.split(sideMark).forEach((side, place) => {
      for (const word of side.split('/')) {
        const key = stem(word);
        places.set(key, [...(places.get(key) ?? []), `${at}/${place}`]);
      }
    });
  });
  return places;
};
const CONTRASTS = placesIn(relations.contrasts, ' ');
/** All words of a group of synonyms form one side. */
const SYNONYMS = placesIn(relations.synonyms, '\n');
const NONE: readonly string[] = [];

const synonymsOf = (key: string): readonly string[] => {
  const [synonyms, contrasts] = [SYNONYMS.get(key) ?? NONE, CONTRASTS.get(key) ?? NONE];
  return synonyms.length + contrasts.length === 0 ? NONE : [...synonyms.map((place) => `=${place}`), ...contrasts];
};

/** Whether two words exclude each other: on different sides of a group of contrasts, and synonyms in none. */
export const areContrary = (one: Word, other: Word): boolean => {
  if (one.key === other.key || one.forms.some((form) => !form.endsWith('-') && other.forms.includes(form)))
    return false;
  if (undoes(one.key, other.key) || undoes(other.key, one.key)) return true;
  const others = CONTRASTS.get(other.key) ?? NONE;
  return (CONTRASTS.get(one.key) ?? NONE).some((place) =>
    others.some((each) => each !== place && each.split('/')[0] === place.split('/')[0]),
  );
};

/** `unreli` of `reli`, `dislik` of `like`. */
const undoes = (one: string, other: string): boolean => {
  const [whole, root] = [one.replace(/e$/, ''), other.replace(/e$/, '')];
  return (
    root.length >= 4 && whole.endsWith(root) && /^(?:un|in|im|ir|il|dis|non|mis|de)$/.test(whole.slice(0, -root.length))
  );
};

/** In UTF-16 units. A longer sentence is compared in parts, so that the work is bounded and all of it is checked. */
const MAX_LENGTH = 300;

/** The statements of a Markdown text: sentences, also those of list items, table rows and code blocks. Headings are omitted. */
export const statementSpans = (text: string): Span[] =>
  splitBlocks(text)
    .flatMap((block): readonly Span[] => {
      if (block.kind === 'raw' || block.kind === 'heading') return [];
      if (block.kind === 'prose') return splitSentences(text, block);
      if (block.kind === 'list') return block.items.flatMap((item) => splitSentences(text, item));
      return block.items.length > 0 ? block.items : [block];
    })
    .flatMap((span) => piecesOf(text, span));

const piecesOf = (text: string, { start, end }: Span): Span[] => {
  const pieces: Span[] = [];
  let from = start;
  while (end - from > MAX_LENGTH) {
    const part = text.slice(from, from + MAX_LENGTH);
    const cut = Math.max(part.lastIndexOf(', '), part.lastIndexOf('; '), part.lastIndexOf('\n'));
    const at = from + (cut > MAX_LENGTH / 2 ? cut + 1 : Math.max(part.lastIndexOf(' '), MAX_LENGTH / 2));
    pieces.push({ start: from, end: at });
    from = at;
  }
  return [...pieces, { start: from, end }];
};

/** A statement in lower case on one line, without Markdown and quotation marks, list marker and final stop. */
export const plainOf = (statement: string): string =>
  statement
    .replace(/^\s*(?:[-*+>]|#{1,6}|\d{1,3}[.)])\s+/, '')
    .replace(/[*_`"“”'‘’\\]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[.!?;:,…]+$/, '')
    .toLowerCase();
