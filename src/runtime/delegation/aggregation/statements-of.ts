import { createNumbering } from './number-words.ts';
import { closes, openingOf } from './outside-code.ts';
import { stemOf, wordsIn } from './words-in.ts';

/** A sentence, list item, table row or block of code, as it is compared with others. */
export interface Statement {
  /** As it stands in the text, without white space around it. */
  text: string;
  /** Content words, roughly stemmed, each once and by its number; without numbers, links and what stands in brackets at the end. */
  words: readonly number[];
  /** Digits and what belongs to them, as written. */
  numbers: readonly string[];
  isNegated: boolean;
}

/** Statements of one text at most, and how far it is read, so that a long one costs no more than a few. */
const MAX_STATEMENTS = 60;
const MAX_LENGTH = 8000;

/** The blocks of a text, each as the statements in it; a block of code is a single one. */
const blocksOf = (markdown: string): string[][] => {
  const blocks: string[][] = [];
  for (const block of splitBlocks(markdown)) {
    const isProse = !/^(?:`{3}|~{3})/.test(block);
    blocks.push(isProse ? block.split('\n').reduce<string[]>(joinLines, []).flatMap(splitSentences) : [block]);
  }
  return blocks;
};

/** A text taken apart, as far as it is asked for and only once. */
export interface Reading {
  /** The blocks of the text, each as the sentences in it; a block of code is a single one. */
  blocks: () => Blocks;
  /** Up to 60 sentences of the first 8,000 characters, without code. */
  sentences: () => readonly string[];
}

type Blocks = readonly (readonly string[])[];

export const readingOf = (markdown: string): Reading => {
  let read: Blocks | undefined;
  const blocks = () => {
    read ??= blocksOf(markdown);
    return read;
  };
  return {
    blocks,
    sentences: () =>
      (markdown.length <= MAX_LENGTH ? blocks() : blocksOf(markdown.slice(0, MAX_LENGTH)))
        .filter(([first = '']) => !/^(?:`{3}|~{3})/.test(first))
        .flat()
        .slice(0, MAX_STATEMENTS),
  };
};

/** Makes a reader of what each block of a text states, for texts that are compared with one another. */
export const createStatements = (): ((reading: Reading) => Statement[][]) => {
  const numberOf = createNumbering();
  const known = new Map<string, number>();
  const stemNumber = (word: string): number => {
    const met = known.get(word);
    if (met !== undefined) return met;
    const number = STOP_WORDS.has(word) ? TELLS_NOTHING : numberOf(stemOf(word));
    known.set(word, number);
    return number;
  };
  return ({ blocks }) => blocks().map((block) => block.map((text) => statementOf(text, stemNumber)));
};

const TELLS_NOTHING = -1;

const statementOf = (text: string, stemNumber: (word: string) => number): Statement => {
  const unlinked = text.includes('](') ? text.replace(/\]\([^)\s]{0,2000}\)/g, '] ') : text;
  const bare = unlinked
    .replace(/\s\([^()]{0,300}\)[.!?]?$/, '')
    .replace(/^\s*(?:[-+*>#]+|\d{1,3}[.)])\s+/, '')
    .replace(/\[\^?\d{1,3}\]/g, ' ');
  const words: number[] = [];
  for (const word of wordsIn(bare)) {
    const stem = stemNumber(word);
    if (stem !== TELLS_NOTHING && !words.includes(stem)) words.push(stem);
  }
  return { text, words, numbers: bare.match(/\d[\d.,:]*(?<![.,:])/g) ?? [], isNegated: NEGATION.test(bare) };
};

/** Paragraphs, lists and tables by blank lines; fenced code whole. */
const splitBlocks = (markdown: string): string[] => {
  const blocks: string[] = [];
  let block: string[] = [];
  let open = '';
  const close = () => {
    if (block.some((line) => line.trim() !== '')) blocks.push(block.join('\n').trim());
    block = [];
  };
  for (const line of markdown.split('\n')) {
    const mark = open === '' ? openingOf(line) : '';
    if (open === '' && (mark !== '' || line.trim() === '')) close();
    block.push(line);
    if (open === '') open = mark;
    else if (closes(line, open)) {
      open = '';
      close();
    }
  }
  close();
  return blocks;
};

/** Lines of one paragraph belong together; list items, rows, quotes and headings stand alone. */
const joinLines = (lines: string[], line: string): string[] => {
  const last = lines.at(-1);
  if (last === undefined || OWN_LINE.test(line) || /^\s{0,3}(?:\||#)/.test(last)) lines.push(line);
  else lines[lines.length - 1] = `${last}\n${line}`;
  return lines;
};

const OWN_LINE = /^\s*(?:[-+*]\s|\d{1,3}[.)]\s|\||#{1,6}\s|>)/;

const splitSentences = (text: string): string[] => {
  const sentences: string[] = [];
  let from = 0;
  for (const match of text.matchAll(BOUNDARY)) {
    const end = match.index + match[0].length;
    if (ABBREVIATION.test(text.slice(Math.max(0, match.index - 12), match.index))) continue;
    sentences.push(text.slice(from, end).trim());
    from = end;
  }
  sentences.push(text.slice(from).trim());
  return sentences.filter((sentence) => sentence !== '');
};

// A citation in brackets behind the full stop still belongs to its sentence.
const BOUNDARY =
  /[.!?…]{1,6}["'”’»)\]*_`]{0,4}(?:\s\([^()\n]{1,300}\)\.?)?(?=\s{1,20}["'“‘«([*_`]{0,4}[\p{Lu}\p{Lo}\p{Nd}])|[。！？]["'”’」』）]{0,2}/gu;
const ABBREVIATION =
  /(?:^|[\s(])(?:\p{L}|mr|mrs|ms|dr|prof|st|vs|etc|e\.g|i\.e|cf|ca|approx|fig|no|vol|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|min|max|ver|v|\d{1,2})$/iu;

const NEGATION = /\b(?:not|never|no longer|cannot|without|neither|nor|no|none|nobody|nothing)\b|n['’]t\b/i;

const STOP_WORDS = new Set(
  (
    'a an the this that these those it its is are was were be been being am do does did has have had having will would can could ' +
    'may might shall should must of in on at to for from by with as and or but if then than so such there here which who whom what ' +
    'when where how why i you he she we they me him her us them my your his our their not no nor never also just only very too ' +
    "don't doesn't didn't isn't aren't wasn't can't cannot won't"
  ).split(' '),
);
