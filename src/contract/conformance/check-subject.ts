import type { Context, Librarian, LibrarianInfo } from '../librarian.ts';
import type { LibrarianCases } from './librarian-cases.ts';

/** Longer than any librarian needs for a question of a test. */
export const PATIENCE_MS = 10_000;

/** What is checked. */
export interface Subject {
  librarian: Librarian;
  cases: LibrarianCases;
  info: LibrarianInfo;
  graceMs: number;
  /** A context as the runtime gives it, with what a case adds. A new one each time, not frozen. */
  contextOf(more?: Context): Context;
}

export const subjectOf = (librarian: Librarian, cases: LibrarianCases): Subject => {
  const { info = { id: 'librarian-under-test', name: 'Librarian under test' }, graceMs = 1000 } = cases;
  const contextOf = (more: Context = {}): Context => ({
    librarian: structuredClone(info),
    user: {
      id: 'user:u_conformance',
      workspaceId: 'default',
      capabilities: [...(info.capabilities ?? [])],
      authentication: 'key',
    },
    trace: { traceId: 'c0'.repeat(16), spanId: 'c0'.repeat(8), sampled: false },
    delegationChain: ['gateway'],
    availableDelegates: [],
    timeout: PATIENCE_MS,
    signal: new AbortController().signal,
    ...more,
  });
  return { librarian, cases, info, graceMs, contextOf };
};

/** One test of the suite, not applied to a librarian yet. */
export interface Check {
  /** States a fact about the librarian; may depend on which cases it has. */
  name: string | ((cases: LibrarianCases) => string);
  /** Rejects with what is wrong. */
  run(subject: Subject): Promise<void>;
}
