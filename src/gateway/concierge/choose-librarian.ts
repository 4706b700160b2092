import type { RoutingIndex } from './routing-index.ts';

/** Whom a question is for, as far as words tell. */
export interface Choice {
  /** Undefined when nobody's evidence is clear and there is no default to ask. */
  to: string | undefined;
  /** How much speaks for a librarian, the head start of the default one included. */
  strengthOf: (id: string) => number;
  /** Whether the next best is far behind: a second opinion would hardly differ. */
  isClear: boolean;
}

/**
 * What speaks for the default librarian before anything is known: its knowledge base may hold anything, so that others have
 * to make a case. Read on the development half of the labelled questions, where 0.4 to 0.8 do equally well.
 */
const HEAD_START = 0.6;
/** By how much the best has to lead to be clear. */
const CLEAR_LEAD = 0.5;

/** The librarian whose description and examples speak for the question, otherwise the default one. */
export const chooseLibrarian = (
  question: string,
  index: RoutingIndex,
  defaultLibrarian: string | undefined,
): Choice => {
  const evidence = index.evidenceFor(question);
  const strengthOf = (id: string) => (evidence.get(id) ?? 0) + (id === defaultLibrarian ? HEAD_START : 0);
  const toBeat = defaultLibrarian === undefined ? HEAD_START : strengthOf(defaultLibrarian);
  let best: string | undefined;
  let strongest = 0;
  let second = toBeat;
  for (const [id, strength] of evidence) {
    if (id === defaultLibrarian) continue;
    if (strength > strongest) {
      second = Math.max(second, strongest);
      best = id;
      strongest = strength;
    } else second = Math.max(second, strength);
  }
  if (strongest > toBeat) return { to: best, strengthOf, isClear: strongest - second >= CLEAR_LEAD };
  // The head start is no evidence: without any of its own, the default librarian is only a guess.
  return { to: defaultLibrarian, strengthOf, isClear: toBeat - HEAD_START - strongest >= CLEAR_LEAD };
};
