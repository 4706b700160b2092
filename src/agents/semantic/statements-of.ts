import { splitSentences } from '../../knowledge/answers/split-sentences.ts';
import { tablesAsLines } from '../format/tables-as-lines.ts';
import { denies, namesIn, numbersIn, plainWordsIn, stemsOf } from './words-of-statement.ts';

/** What a summary may cite. */
export interface SourceText {
  /** Title and headings, which hold for all of the text. */
  heading: string;
  text: string;
}

/** A sentence, list item or table row of a source. */
export interface Statement {
  text: string;
  stems: ReadonlySet<string>;
  numbers: ReadonlySet<string>;
  /** Lower case, for names. */
  words: ReadonlySet<string>;
  names: readonly string[];
  denies: boolean;
  /** What it leaves to its surroundings: headings, heads of columns, and the sentence that an `it` in it is about. */
  context: { stems: ReadonlySet<string>; words: ReadonlySet<string> };
}

export const statementsOf = ({ heading, text }: SourceText): Statement[] => {
  const statements: Statement[] = [];
  for (const block of text.split(BLOCK)) {
    const isTable = /^ *\|/.test(block);
    const around = isTable ? `${heading}\n${block.split('\n', 1)[0] ?? ''}` : heading;
    for (const line of isTable ? tablesAsLines(block).split('\n') : sentencesOf(block)) {
      const before = LEANS_BACK.test(line) ? (statements.at(-1)?.text ?? '') : '';
      if (/[\p{L}\p{N}]/u.test(line)) statements.push(statementOf(line, `${around}\n${before}`));
    }
  }
  return statements;
};

const statementOf = (text: string, around: string): Statement => ({
  text,
  stems: stemsOf(text),
  numbers: new Set(numbersIn(text)),
  words: plainWordsIn(text),
  names: namesIn(text),
  denies: denies(text),
  context: { stems: stemsOf(around), words: plainWordsIn(around) },
});

/** Between paragraphs, before list items, and where a table begins or ends. */
const BLOCK = /\n\s*\n|\n(?=\s*(?:[-*+]|\d{1,3}[.)])\s)|(?<!\|[ \t]*)\n(?= *\|)|(?<=\|[ \t]*)\n(?! *\|)/;
const LIST_MARK = /^\s*(?:[-*+]|\d{1,3}[.)])\s+/;

const sentencesOf = (block: string): string[] => {
  const text = block.replace(LIST_MARK, '');
  return splitSentences(text).map(({ start, end }) => text.slice(start, end));
};

/** A pronoun among its first words is about the sentence before. */
const LEANS_BACK = /^\W*(?:\w+\W+){0,2}(?:it|its|they|their|this|these)\b/i;
