import { type Choice, chooseLibrarian } from './choose-librarian.ts';
import {
  beginsAsQuestion,
  isBareRequest,
  isNamedThing,
  isOwnQuestion,
  namesItsSubject,
  pointsBack,
  tells,
} from './question-words.ts';
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

/** By how much a clause has to fit another librarian better than that of the clauses before it, and both the other's together. */
const LEAD_OF_A_KIND = 0.1;
const LEAD_OF_BOTH = 1;

/**
 * Finds out whether one question needs librarians of different kinds at once: when two of its clauses are clearly for
 * different ones, or when it reads like what a librarian that combines others gives as examples. A clause that says too
 * little by itself goes with the one before (`drag and drop`, `in May and in June`).
 */
export const splitByKind = (question: string, candidates: Candidates): Kinds => {
  const { parts, leanings } = partsByKind(question, candidates);
  if (leanings < 2) return { isSeveral: false };
  const combiner = combinerFor(question, candidates);
  if (parts.length < 2) {
    return combiner.isLikely ? { isSeveral: true, combiner: combiner.id, parts: undefined } : { isSeveral: false };
  }
  const canStandAlone = parts.every(({ query }, place) => isOwnQuestion(query) && (place === 0 || !pointsBack(query)));
  return { isSeveral: true, combiner: combiner.id, parts: canStandAlone ? parts : undefined };
};

/** The parts that clearly differ, and to how many librarians clauses lean at all. */
const partsByKind = (question: string, candidates: Candidates): { parts: Part[]; leanings: number } => {
  const clauses = clausesOf(question);
  if (clauses.length < 2) return { parts: [], leanings: 0 };
  const leanings = new Set<string | undefined>();
  const parts: { start: number; end: number; own: Choice | undefined }[] = [];
  const isRequest = isBareRequest(question);
  const isList = !beginsAsQuestion(question) && !tells(question);
  for (const { start, end } of clauses) {
    const clause = question.slice(start, end);
    const choice = chooseLibrarian(clause, candidates.index, candidates.defaultLibrarian);
    // In `how do I open the page and check the version` the second verb hangs on the first.
    const mayAsk = isRequest || !isBareRequest(clause);
    const saysIt =
      saysEnough(clause, choice, candidates) ||
      (isList && choice.isClear && (start === 0 ? namesItsSubject(clause) : isNamedThing(clause)));
    const own = mayAsk && saysIt ? choice : undefined;
    if (own !== undefined) leanings.add(own.to);
    const last = parts.at(-1);
    if (last === undefined || (last.own !== undefined && own !== undefined && areOther(last.own, own))) {
      parts.push({ start, end, own });
    } else {
      last.end = end;
      // What came so far was only the introduction.
      last.own ??= own;
    }
  }
  return {
    parts: parts.map(({ start, end, own }) => ({ query: question.slice(start, end), to: own?.to ?? '' })),
    leanings: leanings.size,
  };
};

const saysEnough = (clause: string, { to }: Choice, { defaultLibrarian }: Candidates): boolean =>
  to !== undefined && (isOwnQuestion(clause) || (to !== defaultLibrarian && isNamedThing(clause)));

/** Whether each of two clauses fits its own librarian better than the other's. */
const areOther = (one: Choice, other: Choice): boolean => {
  if (one.to === undefined || other.to === undefined || one.to === other.to) return false;
  const leads = [
    one.strengthOf(one.to) - one.strengthOf(other.to),
    other.strengthOf(other.to) - other.strengthOf(one.to),
  ] as const;
  return Math.min(...leads) >= LEAD_OF_A_KIND && leads[0] + leads[1] >= LEAD_OF_BOTH;
};

/** Of those that combine others the one whose examples are nearest; likely when they are nearer than everybody's. */
const combinerFor = (question: string, candidates: Candidates): { id: string | undefined; isLikely: boolean } => {
  const { combiners } = candidates;
  if (combiners.length === 0) return { id: undefined, isLikely: false };
  const { to, strengthOf } = chooseLibrarian(question, candidates.fullIndex(), candidates.defaultLibrarian);
  const [best] = [...combiners].sort((left, right) => strengthOf(right) - strengthOf(left));
  return { id: best, isLikely: best !== undefined && to === best };
};
