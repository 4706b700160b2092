import { ASPECTS, isPeriod, NO_NOUNS } from './word-lists.ts';

/** The thing that a clause is about. */
export interface Subject {
  /** As it can stand in another clause: `the Apollo III`, `our accessories`. */
  phrase: string;
  /** Without an article: `Apollo III`. */
  noun: string;
  /** Whether it is a name: in capitals, or with a number. */
  isName: boolean;
  /** Whether it is only something that is asked about a thing: `stock`, `the warranty`. */
  isAspect: boolean;
}

/** What a clause is about: the first name in it, else the first thing that is no mere aspect such as `stock`. */
export const subjectOf = (clause: string): Subject | undefined => {
  const subjects = nounPhrases(clause).filter((phrase) => !isPlace(phrase));
  const things = subjects.filter(({ noun }) => !isAspect(noun));
  // Behind an article it is a noun; elsewhere it may be a verb that the word list does not know.
  const found = subjects.find(({ isName }) => isName) ?? things.find(isNoun) ?? things[0] ?? subjects[0];
  if (found === undefined) return undefined;
  const { noun, lead, isName } = found;
  const article = /^(?:the|our|my|your)$/i.test(lead) ? `${lead.toLowerCase()} ` : isName ? 'the ' : '';
  return { noun, phrase: `${article}${noun}`, isName, isAspect: isAspect(noun) };
};

/** The place that a clause names, with its preposition: `in Germany`. Periods are none. */
export const placeOf = (clause: string): string | undefined => {
  const place = nounPhrases(clause).find(isPlace);
  return place === undefined ? undefined : `in ${place.noun}`;
};

/** Whether a clause asks which things there are, so that its `they` means those: `which products are below their level`. */
export const asksForThings = (clause: string): boolean =>
  nounPhrases(clause).some(({ lead, noun }) => /^(?:which|what|many)$/i.test(lead) && !isAspect(noun));

interface NounPhrase {
  noun: string;
  /** The word before it; empty at the start. */
  lead: string;
  isName: boolean;
}

const isNoun = ({ lead }: NounPhrase): boolean =>
  /^(?:the|an?|our|my|your|its|their|this|that|these|those|any|some|all|of|for|about|with|many|which|what)$/i.test(
    lead,
  );

const isPlace = ({ lead, noun }: NounPhrase): boolean =>
  (/^(?:in|from|to|at|on|into)$/i.test(lead) && /^\p{Ll}?\p{Lu}/u.test(noun)) ||
  /\b(?:warehouse|shop|store)s?$/i.test(noun);

/** Runs of words that can name a thing, in order. */
const nounPhrases = (clause: string): NounPhrase[] => {
  const found: NounPhrase[] = [];
  let run: string[] = [];
  let lead = '';
  const close = () => {
    if (run.length > 0) found.push({ noun: run.join(' '), lead, isName: isName(run, lead) });
    run = [];
  };
  for (const token of clause.match(/[\p{L}\p{N}][\p{L}\p{N}.'’/-]*|[^\s\p{L}\p{N}]+/gu) ?? []) {
    const word = token.replace(/['’]s$|[.'’/-]+$/u, '');
    const isBreak =
      !/[\p{L}\p{N}]/u.test(token) || NO_NOUNS.has(word.toLowerCase()) || (isPeriod(word) && run.every(isAspect));
    if (!isBreak) run.push(word);
    if (isBreak || word !== token) close();
    if (isBreak) lead = token;
    else if (run.length === 0) lead = '';
  }
  close();
  return found;
};

/** A capital inside the word or behind the start of the clause, or a number behind a word: `iPhone 17`, `apollo 2`. */
const isName = (run: readonly string[], lead: string): boolean => {
  if (run.every((word) => ASPECTS.has(word.toLowerCase()) || /^\d+$/.test(word))) return false;
  const first = (run[0] ?? '').slice(0, MAX_WORD);
  if (run.length === 1 && /^v?[\d.]+$/i.test(first)) return false;
  if (/\p{L}.*\p{Lu}|\p{L}.*\d/u.test(first) || run.slice(1).some((word) => /\p{Lu}|\d/u.test(word))) return true;
  return lead !== '' && /^\p{Lu}/u.test(first);
};

const MAX_WORD = 60;

const isAspect = (noun: string): boolean => noun.split(' ').every((word) => ASPECTS.has(word.toLowerCase()));
