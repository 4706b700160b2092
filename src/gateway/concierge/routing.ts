import type { LibrarianInfo } from '../../contract/librarian.ts';
import { covers } from '../../runtime/capabilities.ts';
import { createRoutingIndex, type RoutingIndex } from './routing-index.ts';

/** The librarians that one asker may ask. */
export interface Candidates {
  all: readonly LibrarianInfo[];
  /** Those that answer from one kind of source. */
  single: readonly LibrarianInfo[];
  /** Those that combine others, at least two of which are here. */
  combiners: readonly string[];
  /** The configured one, when it is among them. */
  defaultLibrarian: string | undefined;
  /** Of `single`. */
  index: RoutingIndex;
  /** Of `all`. Built when it is first needed. */
  fullIndex(): RoutingIndex;
}

/** Whom a question is for, as far as words tell. */
export interface Choice {
  /** Undefined when there is no clear evidence for anyone and no default librarian to ask. */
  to: string | undefined;
  /** How much speaks for a librarian, the head start of the default one included. */
  strengthOf: (id: string) => number;
  /** Whether the next best is far behind: a second opinion would hardly differ. */
  isClear: boolean;
}

/** The librarians whose capabilities an asker holds. */
export const permittedLibrarians = (librarians: readonly LibrarianInfo[], held: readonly string[]): LibrarianInfo[] =>
  librarians.filter(({ capabilities = [] }) => capabilities.every((capability) => covers(held, capability)));

/** Sets of rights whose candidates are cached; each further one costs building its index anew. */
const CACHED_SETS = 16;

/** Prepares a set of librarians for routing once, and keeps the sets used last. All have to come from one directory. */
export const candidatesCache = (defaultLibrarian: string) => {
  const known = new Map<string, Candidates>();
  return (librarians: readonly LibrarianInfo[]): Candidates => {
    const key = librarians.map(({ id }) => id).join(' ');
    const candidates = known.get(key) ?? prepare(librarians, defaultLibrarian);
    known.set(key, candidates);
    if (known.size > CACHED_SETS) known.delete(known.keys().next().value ?? '');
    return candidates;
  };
};

const prepare = (librarians: readonly LibrarianInfo[], defaultLibrarian: string): Candidates => {
  const ids = new Set(librarians.map(({ id }) => id));
  const single = librarians.filter(({ id, combines }) => id === defaultLibrarian || combines === undefined);
  // One whose others are not here has nothing to combine.
  const combining = librarians.filter(
    (librarian) => !single.includes(librarian) && (librarian.combines ?? []).filter((id) => ids.has(id)).length > 1,
  );
  const all = [...single, ...combining];
  let full: RoutingIndex | undefined;
  return {
    all,
    single,
    combiners: combining.map(({ id }) => id),
    defaultLibrarian: ids.has(defaultLibrarian) ? defaultLibrarian : undefined,
    index: createRoutingIndex(single, defaultLibrarian),
    fullIndex: () => {
      full ??= createRoutingIndex(all, defaultLibrarian);
      return full;
    },
  };
};

/**
 * By how much the evidence for another librarian has to exceed that for the default one, whose knowledge base may hold anything.
 * Chosen by routing tenths of the librarians' own examples by the others (86 % found), and on development questions: those
 * labelled for other librarians, and customers' questions on foreign subjects, none of which is for another (96 to 100 % stay).
 */
const POSITIVE_EVIDENCE = 1.05;
/** What speaks for the default librarian before anything is known, where clauses are compared. */
const HEAD_START = 0.6;
/** How far from another choice one is clear. */
const CLEAR_LEAD = 0.5;

/** The librarian whose description and examples clearly speak for the question, otherwise the default one. */
export const chooseLibrarian = (
  question: string,
  index: RoutingIndex,
  defaultLibrarian: string | undefined,
): Choice => {
  const evidence = index.evidenceFor(question);
  const matchOf = (id: string | undefined) => (id === undefined ? 0 : (evidence.get(id)?.match ?? 0));
  const strengthOf = (id: string) => matchOf(id) + (id === defaultLibrarian ? HEAD_START : 0);
  const [best, second] = [...evidence.keys()]
    .filter((id) => id !== defaultLibrarian)
    .sort((left, right) => matchOf(right) - matchOf(left));
  const typical = best === undefined ? 0 : (evidence.get(best)?.typical ?? 0);
  const lead = matchOf(best) + typical - matchOf(defaultLibrarian);
  if (best === undefined || lead <= POSITIVE_EVIDENCE) {
    return { to: defaultLibrarian, strengthOf, isClear: lead < POSITIVE_EVIDENCE - CLEAR_LEAD };
  }
  const isClear = lead - POSITIVE_EVIDENCE >= CLEAR_LEAD && matchOf(best) - matchOf(second) >= CLEAR_LEAD;
  return { to: best, strengthOf, isClear };
};
