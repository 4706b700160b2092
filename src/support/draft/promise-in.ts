import { denialsOf } from '../../knowledge/answers/support/denials.ts';
import { readWords } from '../../knowledge/answers/support/read-words.ts';
import { ENGLISH } from './promises-in-english.ts';
import { FRENCH, GERMAN, SPANISH } from './promises-in-other-languages.ts';

export type PromiseKind = 'refund' | 'replacement' | 'repair' | 'compensation' | 'date' | 'price' | 'warranty' | 'act';

/** How a language promises. The patterns read small letters, one clause at a time. */
export interface PromiseLanguage {
  /** Parts a sentence; what stands behind is read by itself. */
  clauseEnd: RegExp;
  /** Opens a clause that says when, whether or why: what is said behind it in the clause is not promised. */
  condition: RegExp;
  /** Denies the clause it stands in. Undefined: the denials of the support check are read. */
  denial: RegExp | undefined;
  /** What was promised is what one of these finds, the first one counts. */
  promises: readonly (readonly [PromiseKind, RegExp])[];
  /** No promise where it is found in the clause that seems to make one. */
  harmless: RegExp;
}

/** What a sentence promises; undefined where it promises nothing. */
export const promiseIn = (sentence: string): PromiseKind | undefined => {
  if (/[?？]["'”’»)*_]{0,4}\s*$/.test(sentence)) return undefined;
  const plain = spokenOf(sentence);
  return LANGUAGES.map((language) => promiseOf(plain, language)).find((kind) => kind !== undefined);
};

/** As one would say it: without the marks of Markdown, in small letters, on one line. */
const spokenOf = (sentence: string): string =>
  sentence
    .replace(/^\s*(?:[-*+>]|#{1,6}|\d{1,3}[.)])\s+/, '')
    .replace(/\[([^\]\n]{0,200})\]\([^)\n]{0,500}\)/g, '$1')
    .replace(/[*_`"“”«»\\]/g, '')
    .replace(/[’‘ʼ]/g, "'")
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();

const LANGUAGES: readonly PromiseLanguage[] = [ENGLISH, GERMAN, FRENCH, SPANISH];

const promiseOf = (plain: string, language: PromiseLanguage): PromiseKind | undefined => {
  for (const clause of plain.split(language.clauseEnd)) {
    for (const [kind, pattern] of language.promises) {
      const found = pattern.exec(clause);
      if (found === null || isOpen(clause, found, language)) continue;
      return kind;
    }
  }
  return undefined;
};

/** Whether the clause asks, denies or leaves open what the pattern found in it. */
const isOpen = (clause: string, { 0: said, index }: RegExpExecArray, language: PromiseLanguage): boolean =>
  language.condition.test(clause.slice(0, index)) ||
  language.harmless.test(clause) ||
  (language.denial === undefined
    ? denialsOf(readWords(clause.slice(0, index + said.length))).length > 0
    : language.denial.test(clause));
