import { type Choice, chooseLibrarian } from './choose-librarian.ts';
import { isNamedThing, isOwnQuestion, pointsBack } from './question-words.ts';
import type { Candidates } from './routing-candidates.ts';
import { clausesOf } from './split-question.ts';

/** A part of a question, and the librarian that it is for. */
export interface Part {
  query: string;
  to: string;
}

/** What one question needs. */
export type Kinds =
  /** Several librarians; `parts` only where each can be asked alone. */
  { isSeveral: true; combiner: string | undefined; parts: Part[] | undefined } | { isSeveral: false };

/** By how much a clause has to fit another librarian better than the one that the clauses before it are for. */
const LEAD_OF_A_KIND = 0.5;

/**
 * Finds out whether one question needs librarians of different kinds at once: when two of its clauses are clearly for
 * different ones, or when it reads like what a librarian that combines others gives as examples. A clause that says too
 * little by itself goes with the one before (`drag and drop`, `in May and in June`).
 */
export const splitByKind = (question: string, candidates: Candidates): Kinds => {
  const clauses = clausesOf(question).map(({ start, end }) => ({ start, end, text: question.slice(start, end) }));
  if (clauses.filter(({ text }) => isOwnQuestion(text) || isNamedThing(text)).length < 2) return { isSeveral: false };
  const parts: { start: number; end: number; to: string | undefined }[] = [];
  for (const { start, end, text } of clauses) {
    const choice = chooseLibrarian(text, candidates.index, candidates.defaultLibrarian);
    const to = saysEnough(text, choice, candidates) ? choice.to : undefined;
    const last = parts.at(-1);
    if (last === undefined || (last.to !== undefined && to !== undefined && isOther(choice, last.to))) {
      parts.push({ start, end, to });
    } else {
      last.end = end;
      // What came so far was only the introduction.
      last.to ??= to;
    }
  }
  const combiner = combinerFor(question, candidates);
  if (parts.length < 2)
    return combiner.isLikely ? { isSeveral: true, combiner: combiner.id, parts: undefined } : { isSeveral: false };
  const split = parts.map(({ start, end, to }) => ({ query: question.slice(start, end), to: to ?? '' }));
  const canStandAlone = split.every(({ query }, place) => isOwnQuestion(query) && (place === 0 || !pointsBack(query)));
  return { isSeveral: true, combiner: combiner.id, parts: canStandAlone ? split : undefined };
};

const saysEnough = (clause: string, { to }: Choice, { defaultLibrarian }: Candidates): boolean =>
  isOwnQuestion(clause) || (to !== defaultLibrarian && isNamedThing(clause));

const isOther = ({ to, strengthOf }: Choice, than: string): boolean =>
  to !== undefined && to !== than && strengthOf(to) - strengthOf(than) >= LEAD_OF_A_KIND;

/** Of those that combine others the one whose examples are nearest; likely when they are nearer than everybody's. */
const combinerFor = (question: string, candidates: Candidates): { id: string | undefined; isLikely: boolean } => {
  const { combiners } = candidates;
  if (combiners.length === 0) return { id: undefined, isLikely: false };
  const { to, strengthOf } = chooseLibrarian(question, candidates.fullIndex(), candidates.defaultLibrarian);
  const [best] = [...combiners].sort((left, right) => strengthOf(right) - strengthOf(left));
  return { id: best, isLikely: best !== undefined && to === best };
};
