import { parseBlocks } from '../../documents/markdown/blocks.ts';
import { analyseText, wordsOf } from '../../language/analyse-text.ts';
import { languageNamed } from '../../language/language.ts';
import { numbersIn, valuesIn } from '../../language/number-values.ts';
import { inPlainCase, qualifiersOf } from '../../language/qualifiers.ts';
import { type Span, splitSentences } from '../../language/split-sentences.ts';
import patterns from './literal-patterns.json' with { type: 'json' };

/** A content word or a number of a sentence. */
export interface Word {
  /** Lower case. */
  text: string;
  /** What matches it: its stem, or every value that the number may have. */
  forms: readonly string[];
  /** A number, a name or a code: another one in its place is an error. */
  isExact: boolean;
}

/** A denial of a sentence. */
interface Denial {
  /** Stems of the words that it denies: those after it, else those before it. */
  denied: readonly string[];
  /** The same with the words on the other side: "adapters must not be used". */
  around: ReadonlySet<string>;
}

export interface Sentence {
  words: readonly Word[];
  /** All forms of all words. */
  forms: ReadonlySet<string>;
  denials: readonly Denial[];
}

/** Scope of a denial, in content words. */
const REACH = 3;

/** @param language Primary tag of BCP 47, by which words have stems and sentences denials. */
export function readSentence(text: string, language: string): Sentence {
  const names = new Set(namesIn(text, language));
  const words = contentWords(text, language).map(
    ({ word, stem }): Word => ({
      text: word,
      forms: [stem],
      isExact: names.has(word) || /\d/.test(word),
    }),
  );
  const numbers = numbersIn(text).map(
    ({ text: number, values }): Word => ({
      text: number,
      forms: values.map((value) => `#${value}`),
      isExact: true,
    }),
  );
  const values = Array.from(valuesIn([text]), (value) => `#${value}`);
  return {
    words: [...words, ...numbers],
    forms: new Set([...words.flatMap(({ forms }) => forms), ...values]),
    denials: denialsIn(text, language),
  };
}

const contentWords = (text: string, language: string): { word: string; stem: string }[] => {
  const { stem, stopWords } = languageNamed(language);
  const words: { word: string; stem: string }[] = [];
  analyseText(
    text,
    (word, kind, written) => {
      // Denials are read by `denialsIn`, numbers by their values.
      if (kind === 'part' || kind === 'joined' || word === 'not' || /^\d/.test(word)) return;
      words.push({ word, stem: stem(written) });
    },
    stopWords,
  );
  return words;
};

const denialsIn = (text: string, language: string): Denial[] => {
  const pattern = qualifiersOf(language)?.denies;
  if (pattern === undefined) return [];
  const stemsOf = (part: string): string[] => contentWords(part, language).map(({ stem }) => stem);
  const plain = inPlainCase(text);
  return [...plain.matchAll(pattern)].map(({ 0: word, index }) => {
    const before = stemsOf(plain.slice(0, index)).slice(-REACH);
    const behind = stemsOf(plain.slice(index + word.length)).slice(0, REACH);
    return {
      denied: behind.length > 0 ? behind : before,
      around: new Set([...before, ...behind]),
    };
  });
};

/** Text between two words after which a sentence, a line, a cell or the text after a heading begins. */
const OPENS_SENTENCE = /[•|\n¿¡]|[.:!?…][\s\S]*\s/;

/**
 * Words with a capital inside a sentence, in lower case; at its beginning only those with another
 * capital or a digit. None in languages that capitalise every noun. Runs of letters are found here,
 * as `wordsOf` gives words in lower case and without their place.
 */
function namesIn(text: string, language: string): string[] {
  const isCased = /\p{Lu}/u.test(text) && /\p{Ll}/u.test(text);
  if (!isCased || patterns.capitalNouns.includes(language)) return [];
  const names: string[] = [];
  let opens = true;
  let end = 0;
  for (const { 0: run, index } of text.matchAll(/[\p{L}\p{N}\p{M}]{1,64}/gu)) {
    opens ||= OPENS_SENTENCE.test(text.slice(end, index));
    end = index + run.length;
    const pattern = opens ? /^\p{L}.*\p{Lu}|^\p{Lu}.*\d/u : /^\p{Lu}|\p{Ll}\p{Lu}/u;
    // "**Clear Cache**: ...": consecutive capitals at the beginning belong to a heading.
    opens = opens && /^\p{Lu}/u.test(run) && /^ \p{Lu}/u.test(text.slice(end, end + 2));
    const [word] = pattern.test(run) ? wordsOf(run) : [];
    if (word !== undefined) names.push(word);
  }
  return names;
}

/**
 * The statements of a Markdown text: sentences, also those of list items, table rows and code
 * blocks. Headings are omitted.
 */
export function statementSpans(text: string): Span[] {
  return parseBlocks(text).flatMap((block): readonly Span[] => {
    if (block.kind === 'raw' || block.kind === 'heading') return [];
    if (block.kind === 'prose') return splitSentences(text, block);
    if (block.kind === 'list') return block.items.flatMap((item) => splitSentences(text, item));
    return block.items.length > 0 ? block.items : [block];
  });
}

/**
 * A statement in lower case on one line, without Markdown and quotation marks, list marker and
 * final stop.
 */
export function plainOf(statement: string): string {
  return statement
    .replace(/^\s*(?:[-*+>]|#{1,6}|\d{1,3}[.)])\s+/, '')
    .replace(/[*_`"“”'‘’\\]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[.!?;:,…]+$/, '')
    .toLowerCase();
}
