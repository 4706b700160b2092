import { followsFrom } from '../support/compare-numbers.ts';
import { foundIn } from '../support/find-evidence.ts';
import { isSought, type Word } from '../support/read-words.ts';
import { deniedOtherwise, isTurned } from './contradicts.ts';
import { isGlue, isTelling } from './glue-words.ts';
import type { Ground } from './read-grounds.ts';

/** Why no ground bears a statement: one denies it, or nothing says all of it. */
export type Unborne = { denied: readonly string[] } | { apart: readonly string[] };

/** A word counts as found from this worth on. */
const FOUND_FROM = 0.5;
/** Of a clause that a statement is put together from, this share of the words has to be taken. */
const TAKEN_SHARE = 0.8;
/** A sentence with more clauses is not put together from several grounds. */
const MAX_CLAUSES = 10;

/**
 * Whether one ground says all that a sentence says, or each of several a part of it that leaves out nothing of its own, while
 * none that fits as well says the contrary. Words that are found only where they say something else bear nothing.
 *
 * @returns Why not; undefined where it is borne.
 */
export const isBorne = (text: string, words: readonly Word[], grounds: readonly Ground[]): Unborne | undefined => {
  const looked = lookUp(words, grounds);
  const whole = judge(words, { looked, grounds, whole: text, isPart: false });
  if (whole.bearer !== undefined) return undefined;
  const clauses = clausesOf(words);
  if (clauses.length > 1 && clauses.length <= MAX_CLAUSES && isPutTogether(clauses, { looked, grounds, whole: text }))
    return undefined;
  return whole.denied.length > 0 ? { denied: whole.denied } : { apart: whole.apart };
};

/** What was found of each word, by ground. */
interface Looked {
  /** Whether a word has to be found. */
  isNeeded(word: Word): boolean;
  /** In the ground itself. */
  isOwn(word: Word, ground: number): boolean;
  /** There, above it, or where it refers back to. */
  isFound(word: Word, ground: number): boolean;
}

const lookUp = (words: readonly Word[], grounds: readonly Ground[]): Looked => {
  const own = new Map<Word, boolean[]>();
  const found = new Map<Word, boolean[]>();
  words.forEach((word, at) => {
    if (!isSought(word)) return;
    const isIn = ({ sentence }: Ground) =>
      foundIn(word, [sentence.forms]) >= FOUND_FROM ||
      (word.role === 'number' && followsFrom(words, at, sentence.words));
    const isAbove = ({ above }: Ground) =>
      foundIn(
        word,
        above.map(({ forms }) => forms),
      ) >= FOUND_FROM;
    const isBefore = ({ leads }: Ground) =>
      leads !== undefined && word.role !== 'number' && foundIn(word, [leads.forms]) >= FOUND_FROM;
    own.set(word, grounds.map(isIn));
    found.set(
      word,
      grounds.map((ground, place) => own.get(word)?.[place] === true || isAbove(ground) || isBefore(ground)),
    );
  });
  return {
    // A weak word counts where a passage has it: then it says something there.
    isNeeded: (word) => isSought(word) && !isGlue(word) && (isTelling(word) || (own.get(word)?.some(Boolean) ?? false)),
    isOwn: (word, ground) => own.get(word)?.[ground] === true,
    isFound: (word, ground) => found.get(word)?.[ground] === true,
  };
};

interface Judging {
  looked: Looked;
  grounds: readonly Ground[];
  /** The sentence as it stands. */
  whole: string;
  /** Part of a statement that others bear the rest of. */
  isPart: boolean;
}

const judge = (words: readonly Word[], { looked, grounds, whole, isPart }: Judging) => {
  const needed = words.filter(looked.isNeeded);
  const fitOf = (ground: number) => needed.filter((word) => looked.isOwn(word, ground)).length;
  let bearer: number | undefined;
  let nearest = 0;
  const deniers: { fit: number; words: readonly Word[] }[] = [];
  grounds.forEach((ground, at) => {
    const own = fitOf(at);
    const denied = words.some((word) => looked.isOwn(word, at)) ? deniedOtherwise(words, ground) : [];
    if (denied.length > 0) {
      deniers.push({ fit: own, words: denied });
      return;
    }
    if (own > fitOf(nearest)) nearest = at;
    if (bearer !== undefined && fitOf(bearer) >= own) return;
    if (!needed.every((word) => looked.isFound(word, at))) return;
    if (!isTaken(words, needed, { looked, ground, at, isPart }) || isTurned(words, ground, { whole })) return;
    bearer = at;
  });
  // What one denies, the other has to say itself, and fit better.
  const against = deniers.find((denier) =>
    bearer === undefined
      ? denier.fit >= fitOf(nearest)
      : denier.words.some((word) => !looked.isFound(word, bearer ?? 0)) ||
        (denier.fit >= fitOf(bearer) && !isAllOwn(needed, bearer, looked)),
  );
  const apart = needed.filter((word) => !looked.isFound(word, nearest)).map((word) => word.text);
  const denied = (against?.words ?? []).map((word) => word.text);
  return { bearer: against === undefined ? bearer : undefined, denied, apart };
};

const isAllOwn = (needed: readonly Word[], ground: number, looked: Looked): boolean =>
  needed.every((word) => looked.isOwn(word, ground));

/**
 * Whether a ground is taken for what it says, and not for single words of it: a part of a statement takes a clause of it
 * whole, and so does who takes from the sentence before what `it` stands for. A row is told by its label.
 */
const isTaken = (
  words: readonly Word[],
  needed: readonly Word[],
  { looked, ground, at, isPart }: { looked: Looked; ground: Ground; at: number; isPart: boolean },
): boolean => {
  const { sentence, row, above, leads } = ground;
  if (row !== undefined)
    return !isPart || row.label.flat().some((word) => word.length > 3 && words.some(({ text }) => text === word));
  const isHere = (word: Word) =>
    looked.isOwn(word, at) ||
    foundIn(
      word,
      above.map(({ forms }) => forms),
    ) >= FOUND_FROM;
  const needsLead = leads !== undefined && !needed.every(isHere);
  if (!isPart && !needsLead) return true;
  const forms = new Set(words.flatMap((word) => word.forms));
  return clausesOf(sentence.words).some((clause) => {
    const own = clause.filter(
      (word) =>
        isSought(word) &&
        !isGlue(word) &&
        foundIn(
          word,
          above.map((each) => each.forms),
        ) < FOUND_FROM,
    );
    const said = own.filter((word) => word.forms.some((form) => forms.has(form)));
    return said.length > 0 && said.length >= TAKEN_SHARE * own.length;
  });
};

/** The fewest parts, each of clauses in a row, that are borne one by one. */
const isPutTogether = (clauses: readonly Word[][], judging: Omit<Judging, 'isPart'>): boolean => {
  const reached = [true];
  for (let end = 1; end <= clauses.length; end += 1) {
    reached[end] = clauses.slice(0, end).some((_, from) => {
      if (!reached[from] || (from === 0 && end === clauses.length)) return false;
      const part = clauses.slice(from, end).flat();
      return judge(part, { ...judging, isPart: true }).bearer !== undefined;
    });
  }
  return reached[clauses.length] === true;
};

const clausesOf = (words: readonly Word[]): Word[][] => {
  const clauses: Word[][] = [];
  for (const word of words) {
    const open = clauses.at(-1);
    if (open === undefined || (word.opensClause && open.some(isSought))) clauses.push([word]);
    else open.push(word);
  }
  const last = clauses.at(-1);
  if (last !== undefined && clauses.length > 1 && !last.some(isSought)) clauses.at(-2)?.push(...(clauses.pop() ?? []));
  return clauses;
};
