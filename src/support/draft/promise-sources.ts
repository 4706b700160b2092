import { groundingProblems, prepareGrounds } from '../../grounding/literals/check-grounding.ts';
import { isBorne } from '../../grounding/literals/is-borne.ts';
import type { Ground } from '../../grounding/literals/read-grounds.ts';
import { isSought, readWords, type Word } from '../../grounding/support/read-words.ts';
import { plainOf, statementSpans } from '../../grounding/support/statements.ts';
import { promiseIn } from './promise-in.ts';

/** Texts that may make promises. */
export interface PromiseSources {
  /** Whether one of them says all that a sentence says, with the same figures and under the same conditions. */
  haveSaid(sentence: string): boolean;
}

export const prepareSources = (texts: readonly string[]): PromiseSources => {
  const bounded = texts.slice(0, MAX_TEXTS).map((text) => text.slice(0, MAX_LENGTH));
  const sentences = new Set(
    bounded.flatMap((text) => statementSpans(text).map(({ start, end }) => said(text.slice(start, end)))),
  );
  const templates = [...sentences].filter((sentence) => PLACE.test(sentence)).map((sentence) => sentence.split(PLACE));
  let grounds: ReturnType<typeof prepareGrounds> | undefined;
  return {
    haveSaid: (text) => {
      const sentence = text.replace(/^\s*(?:[-*+>]|\d{1,3}[.)])\s+/, '');
      const own = said(sentence);
      if (sentences.has(own) || templates.some((parts) => isFilledFrom(own, parts))) return true;
      grounds ??= prepareGrounds(bounded.map((text) => ({ text, headings: [] })));
      const words = readWords(sentence);
      return (
        groundingProblems(sentence, grounds).length === 0 &&
        grounds.grounds.some((ground) => isSaidBy(sentence, words, ground))
      );
    },
  };
};

const MAX_TEXTS = 20;
const MAX_LENGTH = 32_000;

const said = (sentence: string): string => plainOf(sentence.replace(/\[([^\]\n]{0,200})\]\([^)\n]{0,500}\)/g, '$1'));

/** `{customer_name}` of a template. */
const PLACE = /\{[a-z_]+\}/;

/** The template's parts in their order, and nothing between them that promises by itself. */
const isFilledFrom = (sentence: string, [first = '', ...rest]: readonly string[]): boolean => {
  if (!sentence.startsWith(first)) return false;
  let at = first.length;
  for (const [place, part] of rest.entries()) {
    const found = place === rest.length - 1 && part === '' ? sentence.length : sentence.indexOf(part, at);
    if (found === -1 || found - at > MAX_FILLED || promiseIn(sentence.slice(at, found)) !== undefined) return false;
    at = found + part.length;
  }
  return at === sentence.length;
};
const MAX_FILLED = 200;

const isSaidBy = (sentence: string, words: readonly Word[], ground: Ground): boolean =>
  isBorne(sentence, words, [ground]) === undefined &&
  termsOf(words).every((term) => isSameTerm(term, termsOf(ground.sentence.words))) &&
  conditionsOf(ground.sentence.words).every((condition) => isKept(condition, words));

/** "10 business days" is no "10 days". */
const termsOf = (words: readonly Word[]): string[] =>
  words.flatMap((word, at) => {
    if (word.role !== 'number') return [];
    const next = words.slice(at + 1, at + 3).map(({ text }) => text);
    const kind = /^(?:business|working|werk)/.test(next[0] ?? '') ? ' business' : '';
    return [`${word.key}${kind}`];
  });

const isSameTerm = (term: string, theirs: readonly string[]): boolean => {
  const [number = ''] = term.split(' ');
  const same = theirs.filter((each) => each.split(' ')[0] === number);
  return same.length === 0 || same.includes(term);
};

/** What stands behind a word that restricts, up to three words that say something; behind one that denies, the first. */
const conditionsOf = (words: readonly Word[]): Word[][] =>
  words.flatMap((word, at) => {
    if (!RESTRICTING.has(word.text) && word.role !== 'negation') return [];
    const behind = words
      .slice(at + 1)
      .filter(isSought)
      .slice(0, word.role === 'negation' ? 1 : 3);
    return behind.length === 0 ? [] : [behind];
  });

const RESTRICTING: ReadonlySet<string> = new Set(
  'if when unless only except provided until without under wenn falls nur außer sofern ohne bei si sauf seulement sans sous sólo solo sin cuando'.split(
    ' ',
  ),
);

/** One of its words at least: what is left out altogether is not said under the condition. */
const isKept = (condition: readonly Word[], words: readonly Word[]): boolean =>
  condition.some(({ forms }) => words.some((word) => word.forms.some((form) => forms.includes(form))));
