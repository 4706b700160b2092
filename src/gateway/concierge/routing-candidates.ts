import type { LibrarianInfo } from '../../contract/librarian.ts';
import { combinesOthers } from './combines-others.ts';
import { createRoutingIndex, type RoutingIndex } from './routing-index.ts';

/** The librarians that one asker may ask. */
export interface Candidates {
  all: readonly LibrarianInfo[];
  /** Those that answer from one kind of source. */
  single: readonly LibrarianInfo[];
  /** Those that put together what others know. */
  combiners: readonly string[];
  /** The configured one, when it is among them. */
  defaultLibrarian: string | undefined;
  /** Of `single`. */
  index: RoutingIndex;
  /** Of `all`. Built when it is first needed. */
  fullIndex(): RoutingIndex;
}

/** Different sets of rights that are remembered; each further one costs building its index anew. */
const REMEMBERED = 16;

/** Prepares a set of librarians for routing once, and remembers the sets used last. All have to come from one directory. */
export const candidatesCache = (defaultLibrarian: string) => {
  const remembered = new Map<string, Candidates>();
  return (librarians: readonly LibrarianInfo[]): Candidates => {
    const key = librarians.map(({ id }) => id).join(' ');
    const known = remembered.get(key);
    if (known !== undefined) return known;
    const candidates = prepare(librarians, defaultLibrarian);
    remembered.set(key, candidates);
    if (remembered.size > REMEMBERED) remembered.delete(remembered.keys().next().value ?? '');
    return candidates;
  };
};

const prepare = (all: readonly LibrarianInfo[], defaultLibrarian: string): Candidates => {
  const single = all.filter((librarian) => librarian.id === defaultLibrarian || !combinesOthers(librarian));
  const combiners = all.filter((librarian) => !single.includes(librarian)).map(({ id }) => id);
  let full: RoutingIndex | undefined;
  return {
    all,
    single,
    combiners,
    defaultLibrarian: all.some(({ id }) => id === defaultLibrarian) ? defaultLibrarian : undefined,
    index: createRoutingIndex(single, defaultLibrarian),
    fullIndex: () => {
      full ??= createRoutingIndex(all, defaultLibrarian);
      return full;
    },
  };
};
