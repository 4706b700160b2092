import { isSought, type Word } from './read-words.ts';
import { isContrary } from './word-relations.ts';

/** A denial and what it denies. */
export interface Denial {
  /** The denying word itself. */
  word: Word;
  /** What it denies first of all: the verb, or the thing that there is none of. */
  head: Word | undefined;
  /** The head, and what stands behind an `or`: "cannot predict or refund". */
  heads: readonly Word[];
  /** The words behind it that it reaches, the head first. */
  scope: readonly Word[];
  /** Words of its clause that stand before it: "adapters must not be used". */
  before: readonly Word[];
}

/** How far a denial reaches, in words that say something. */
const REACH = 4;
/** A sentence with more is no sentence; what follows is compared as words. */
const MAX_DENIALS = 12;
/** Verbs that deny what stands behind them. What stops or is cancelled did happen: those deny nothing. */
const DENYING: ReadonlySet<string> = new Set(
  'refus reject declin deni lack avoid unabl instead rather except exclud omit absenc prohibit forbid ban'.split(' '),
);
/** What is denied in these words is what stands before them. */
const GENERAL: ReadonlySet<string> = new Set(
  'allow permit possibl necessari need requir avail support work must mai can advis recommend have'.split(' '),
);
/** Verbs that a search leaves out, and that can be denied. */
const VERBS: ReadonlySet<string> = new Set(
  'use used using include includes included get go make know become call start see'.split(' '),
);
/** Begins what a denial before it does not reach. */
const ENDING: ReadonlySet<string> = new Set(
  'but while whereas if when because since unless until so otherwise although though where who which'.split(' '),
);
/** Begins what is said of the subject: "what has not been dispatched | can be cancelled". */
const AUXILIARY: ReadonlySet<string> = new Set(
  'can could may might must shall should will would is are was were has have had does do did'.split(' '),
);
/** `not only`, `no later than`: no denial of what follows. */
const BOUNDS: ReadonlySet<string> = new Set('later longer more less fewer earlier sooner'.split(' '));
/** What has yet to come, or comes in the place of it, is denied as well. */
const YET: ReadonlySet<string> = new Set('before until unless instead rather than without'.split(' '));

const isDenial = (words: readonly Word[], at: number): boolean => {
  const word = words[at];
  if (word?.role !== 'negation') return false;
  const next = words[at + 1]?.text ?? '';
  if (next === 'only' || next === 'just' || next === 'matter') return false;
  return !(BOUNDS.has(next) && words[at + 2]?.text === 'than');
};

/** Whether a word denies in the way of verbs: `avoid`, `except`. */
export const deniesAsVerb = ({ role, key }: Word): boolean => role !== 'negation' && DENYING.has(key);

/** The denials of a sentence in their order; `asVerbs` are those of verbs, which `denialsOf` leaves out. */
export const denialsOf = (words: readonly Word[], { asVerbs = false } = {}): Denial[] =>
  words
    .flatMap((word, at) => (isDenial(words, at) || (asVerbs && deniesAsVerb(word)) ? [{ word, at }] : []))
    .slice(0, MAX_DENIALS)
    .map(({ word, at }) => {
      // A verb denies what it is about: "a refused parcel".
      const scope = scopeBehind(words, at).slice(0, word.role === 'negation' ? REACH : 2);
      const heads = scope.filter((each, place) => place === 0 || words[words.indexOf(each) - 1]?.text === 'or');
      return { word, head: scope[0], heads, scope, before: clauseBefore(words, at) };
    });

const isDeniable = (word: Word): boolean => isSought(word) || VERBS.has(word.text);

const scopeBehind = (words: readonly Word[], at: number): Word[] => {
  const scope: Word[] = [];
  for (let place = at + 1; place < words.length && scope.length < REACH; place += 1) {
    const next = words[place] as Word;
    if (next.role === 'negation' || ENDING.has(next.text)) break;
    if (scope.length > 0 && AUXILIARY.has(next.text)) break;
    if (scope.length > 0 && next.opensClause && next.text !== 'or' && next.text !== 'and') break;
    if (isDeniable(next)) scope.push(next);
  }
  return scope;
};

const clauseBefore = (words: readonly Word[], at: number): Word[] => {
  const before: Word[] = [];
  for (let place = at - 1; place >= 0; place -= 1) {
    const word = words[place] as Word;
    if (word.role === 'negation' || ENDING.has(word.text)) break;
    if (isDeniable(word)) before.push(word);
    if (word.opensClause && word.text !== 'or' && word.text !== 'and') break;
  }
  return before;
};

const isSame = (one: Word, other: Word): boolean =>
  one.key === other.key || one.forms.some((form) => other.forms.includes(form));

const has = (words: readonly Word[], word: Word | undefined): boolean =>
  word !== undefined && words.some((each) => isSame(each, word));

/** How well two denials deny the same, 0 to 3; from 2 on one may stand for several of the other's. */
const likeness = (one: Denial, other: Denial): number => {
  if (
    has(
      [one.head].filter((word) => word !== undefined),
      other.head,
    )
  )
    return 3;
  if (has(one.scope, other.head) || has(other.scope, one.head)) return 2;
  if (one.scope.some((word) => has(other.scope, word))) return 1;
  const isTurned = (passive: Denial, active: Denial) =>
    active.scope.some((word) => has(passive.before, word)) &&
    (passive.head === undefined || GENERAL.has(passive.head.key) || has(active.scope, passive.head));
  if (isTurned(one, other) || isTurned(other, one)) return 1;
  return 0;
};

/** Whether one of others denies the same. */
export const isShared = (denial: Denial, others: readonly Denial[]): boolean =>
  others.some((other) => likeness(denial, other) >= 2);

/** Denials of one side that the other has not, each with the words of the other that it is about. */
export interface LoneDenial {
  denial: Denial;
  words: Word[];
}

/**
 * The denials that only `theirs` has although `ours` speaks of what they deny: "do not open it" where the other says "open
 * it". A contrary makes up for one: "not open" and "closed". One that a word beside it stands for, as in "before it is
 * dispatched", is none.
 *
 * @param others Further denials of our side, as by a heading; they may answer one of theirs, and need no answer.
 */
export const loneDenials = (
  theirs: readonly Denial[],
  ours: readonly Word[],
  others: readonly Denial[] = [],
): LoneDenial[] => {
  const own = [...denialsOf(ours, { asVerbs: true }), ...others];
  const left = theirs.filter((denial) => !own.some((each) => likeness(each, denial) >= 2));
  const free = own.filter((each) => !theirs.some((denial) => likeness(each, denial) >= 2));
  return left.flatMap((denial) => {
    const answer = free.findIndex((each) => likeness(each, denial) > 0);
    if (answer >= 0) {
      free.splice(answer, 1);
      return [];
    }
    const words = ours.filter((word) => has(denial.scope, word));
    const isTurned = !has(words, denial.head) && ours.some(({ key }) => isContrary(key, denial.head?.key ?? ''));
    if (isTurned) return [];
    const said = denial.scope.filter((word) => word.weight > 0.5 && has(words, word));
    const isAbout =
      denial.heads.some((word) => has(words, word)) ||
      (said.length >= Math.min(2, denial.scope.length) && said.length > 0) ||
      // "the device itself does not"
      (denial.head === undefined && denial.before.length > 0 && denial.before.every((word) => has(ours, word)));
    return isAbout && !words.some((word) => isYetToCome(ours, word))
      ? [{ denial, words: denial.head === undefined ? ours.filter((word) => has(denial.before, word)) : words }]
      : [];
  });
};

const isYetToCome = (words: readonly Word[], word: Word): boolean => {
  const at = words.indexOf(word);
  const from = words.findLastIndex((each, place) => place < at && isSought(each)) + 1;
  return words.slice(Math.max(from, at - 5), at).some(({ text }) => YET.has(text));
};
