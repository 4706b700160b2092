import { denialsOf } from '../../grounding/support/denials.ts';
import { readWords } from '../../grounding/support/read-words.ts';
import type { PromiseKind, PromiseLanguage } from './promise-language.ts';
import { ENGLISH } from './promises-in-english.ts';
import { FRENCH, GERMAN, SPANISH } from './promises-in-other-languages.ts';

/** What a sentence promises; undefined where it promises nothing. */
export const promiseIn = (sentence: string): PromiseKind | undefined => {
  if (/[?？]["'”’»)*_]{0,4}\s*$/.test(sentence)) return undefined;
  const spoken = spokenOf(sentence);
  return LANGUAGES.map((language) => promiseOf(spoken, language)).find((kind) => kind !== undefined);
};

const LANGUAGES: readonly PromiseLanguage[] = [ENGLISH, GERMAN, FRENCH, SPANISH];

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

const promiseOf = (spoken: string, language: PromiseLanguage): PromiseKind | undefined => {
  for (const clause of spoken.split(language.clauseEnd)) {
    for (const [kind, pattern] of language.promises) {
      const found = pattern.exec(clause);
      if (found !== null && !isOpen(clause, found, language)) return kind;
    }
    const denied = language.denying.exec(clause);
    if (denied !== null && !language.condition.test(clause.slice(0, denied.index))) return 'price';
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
