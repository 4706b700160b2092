import { carrySubject } from '../../knowledge/questions/carry-subject.ts';
import { ASPECTS, NO_NOUNS } from '../../knowledge/questions/word-lists.ts';

/** A question as it can be asked without the turns before it. */
export interface StandaloneQuestion {
  text: string;
  /**
   * What was done to it: nothing; a pronoun replaced by what it stands for; or a mere fragment, such as "and on the Apollo II?",
   * put into the question before, so that nothing of that question is missing.
   */
  from: 'as asked' | 'pronoun' | 'fragment';
}

/**
 * Completes a follow-up question by rule, without a model. What needs no completing, or is beyond the rules, comes back as it is.
 *
 * @param before The question before it, itself completed.
 */
export const standaloneQuestion = (question: string, before: string): StandaloneQuestion => {
  const asked = question.trim();
  const previous = before.trim().slice(0, MAX_PREVIOUS);
  if (asked.length > MAX_FOLLOW_UP || previous === '') return { text: question, from: 'as asked' };
  const fragment = fragmentOf(asked, previous);
  if (fragment !== undefined) return { text: completed(fragment, previous), from: 'fragment' };
  const clause = { text: asked, form: 'question' as const };
  const { text, isDependent } = carrySubject(clause, {
    earlier: [previous],
    sentence: [clause],
  });
  return isDependent ? { text, from: 'pronoun' } : { text: question, from: 'as asked' };
};

/** A longer message says itself what it is about. In UTF-16 units. */
const MAX_FOLLOW_UP = 300;
const MAX_PREVIOUS = 500;

/** What a fragment names: with its preposition where it has one. */
interface Fragment {
  preposition: string;
  /** With its article: `the Apollo II`. */
  phrase: string;
}

const LEAD = /^(?:(?:ok(?:ay)?|and|or|but|so|then|also|same)\b[\s,]*)*(?:(?:what|how)\s+(?:about|if\s+it\s+is)\s+)?/i;
/** `ok`, `so` and `then` alone begin thanks and verdicts ("ok great") as well as questions. */
const LEADS_ON = /\b(?:and|or|but|also|same|what|how)\b/i;
const PREPOSITION = /^(on|for|with|in|at|from|to|of|about|without|via|by|under|over|during|after|before)\s+/i;
const MAX_WORDS = 7;

/**
 * The thing that a question without a verb names. Only a few words alone ("Pagination options") may be a subject of their own:
 * those count as a fragment only where the question before names a twin.
 */
const fragmentOf = (asked: string, previous: string): Fragment | undefined => {
  const [lead = ''] = LEAD.exec(asked) ?? [];
  const rest = asked
    .slice(lead.length)
    .replace(/[\s?.!]+$/, '')
    .replace(/^(?:the )?same\s+/i, '');
  const [, preposition = ''] = PREPOSITION.exec(rest) ?? [];
  const phrase = preposition === '' ? rest : rest.slice(preposition.length).trim();
  const words = phrase.match(/[\p{L}\p{N}][\p{L}\p{N}.'’-]*/gu) ?? [];
  if (words.length === 0 || words.length > MAX_WORDS || !isThing(phrase, words)) return undefined;
  if (!LEADS_ON.test(lead) && preposition === '' && !hasTwin(previous, phrase)) return undefined;
  return { preposition: preposition.toLowerCase(), phrase };
};

const ARTICLE = /^(?:the|an?|my|our|your|this|that|these|those|its|their)\s+/i;

/** A noun phrase: behind its article nothing that questions are made of. */
const isThing = (phrase: string, words: readonly string[]): boolean => {
  const own = words
    .slice(ARTICLE.test(phrase) ? 1 : 0)
    .filter((word) => !/^(?:or|and|of|new|old|last|next)$/i.test(word));
  if (own.length === 0 || own.every((word) => VERDICTS.has(word.toLowerCase()))) return false;
  return own.every((word) => !NO_NOUNS.has(word.toLowerCase()));
};

/** What people say to an answer, and what stands behind a preposition without naming a thing: `of course`, `for sure`. */
const VERDICTS: ReadonlySet<string> = new Set(
  (
    'great nice cool perfect awesome amazing wonderful lovely super excellent fantastic brilliant fine clear understood ' +
    'interesting helpful useful sweet neat sad strange weird odd funny impossible possible easy hard simple pity shame joke ' +
    'sure course fact instance example chance all really very again idea answer job stuff man ok okay cheers lot nope yep yeah'
  ).split(' '),
);

const completed = (fragment: Fragment, previous: string): string => {
  const { preposition, phrase } = fragment;
  const body = previous.replace(/[\s?.!]+$/, '');
  const slot = siblingIn(body, phrase) ?? objectOf(body, preposition);
  if (slot !== undefined) {
    const [article = ''] = KEPT_ARTICLE.exec(body.slice(slot.start, slot.end)) ?? [];
    const put = ARTICLE.test(phrase) ? phrase : `${article}${phrase}`;
    return `${body.slice(0, slot.start)}${put}${body.slice(slot.end)}?`;
  }
  return `${body} ${preposition === '' ? 'for' : preposition} ${phrase}?`;
};

/** The III is the III in both questions; this month is not last month. */
const KEPT_ARTICLE = /^(?:the|an?|my|our|your)\s+/i;

interface Slot {
  start: number;
  end: number;
}

/** A name of the question before that shares a word with the phrase and differs in another: `the Apollo III`, `last month`. */
const siblingIn = (previous: string, phrase: string): Slot | undefined => {
  const wanted = wordsOf(phrase);
  for (const shared of wanted) {
    if (/^\d+$/.test(shared) || (ASPECTS.has(shared) && !PERIODS.has(shared))) continue;
    for (const { start, end, words } of runsIn(previous)) {
      if (!words.includes(shared)) continue;
      if (words.length === wanted.length && words.every((word) => wanted.includes(word))) continue;
      return { start, end };
    }
  }
  return undefined;
};

/** Whether a name of the question before differs in one word alone: the Apollo III from the Apollo II. */
const hasTwin = (previous: string, phrase: string): boolean => {
  const wanted = wordsOf(phrase);
  const shared = (words: readonly string[]) => words.filter((word) => wanted.includes(word)).length;
  return runsIn(previous).some(
    ({ words }) => words.length === wanted.length && shared(words) === words.length - 1 && words.length > 1,
  );
};

const PERIODS: ReadonlySet<string> = new Set(['month', 'week', 'quarter', 'year', 'day']);

const wordsOf = (phrase: string): string[] =>
  phrase
    .replace(ARTICLE, '')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

/** Runs of words that can name a thing, with the article before them. */
const runsIn = (text: string): (Slot & { words: string[] })[] => {
  const runs: (Slot & { words: string[] })[] = [];
  for (const { 0: run, index } of text.matchAll(RUN)) {
    let start = index;
    let words: string[] = [];
    for (const { 0: word, index: at } of run.matchAll(/[\p{L}\p{N}]+/gu)) {
      const isOwn = !NO_NOUNS.has(word.toLowerCase()) || /^(?:last|next|new|old)$/i.test(word);
      if (isOwn && words.length === 0) start = index + at;
      if (isOwn) words.push(word.toLowerCase());
      else {
        if (words.length > 0) runs.push({ start, end: index + endOf(run.slice(0, at)), words });
        words = [];
      }
    }
    if (words.length > 0) runs.push({ start, end: index + run.length, words });
  }
  return runs.map((run) => withArticle(text, run));
};

const RUN = /[\p{L}\p{N}]+(?:[ -][\p{L}\p{N}]+)*/gu;
const endOf = (text: string): number => text.trimEnd().length;

const withArticle = <T extends Slot>(text: string, run: T): T => {
  const [article = ''] = /\b(?:the|an?|my|our|your|this|that)\s+$/i.exec(text.slice(0, run.start)) ?? [];
  return { ...run, start: run.start - article.length };
};

/** What stands behind the same preposition: `on the III` for "and on the II?". */
const objectOf = (previous: string, preposition: string): Slot | undefined => {
  if (preposition === '') return undefined;
  const at = previous.toLowerCase().lastIndexOf(` ${preposition} `);
  if (at < 0) return undefined;
  const from = at + preposition.length + 2;
  const run = runsIn(previous).find(({ start, end }) => start <= from && end > from);
  return run === undefined ? undefined : { start: from, end: run.end };
};
