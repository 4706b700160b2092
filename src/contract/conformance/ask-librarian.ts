import type { ErrorCode } from '../error-info.ts';
import type { Context, Librarian, LibrarianInfo } from '../librarian.ts';
import type { LibrarianResponse } from '../response.ts';
import { validateResponse } from '../validate-response.ts';

/** What a check found wrong with a librarian. */
class NotConforming extends Error {
  override readonly name = 'NotConforming';
}

export function insist(condition: boolean, problem: string): asserts condition {
  if (!condition) throw new NotConforming(problem);
}

/** What came of one call. */
export type Outcome =
  | { kind: 'returned'; value: unknown; isPromise: boolean }
  | { kind: 'threw'; error: unknown; atOnce: boolean }
  | { kind: 'silent'; afterMs: number };

/** Asks and waits, at most `patienceMs`. Whatever it is given and whatever happens, this does not throw. */
export const ask = async (
  librarian: Librarian,
  [query, context]: readonly [query: unknown, context?: Context | undefined],
  patienceMs = PATIENCE_MS,
): Promise<Outcome> => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<Outcome>((resolve) => {
    timer = setTimeout(() => resolve({ kind: 'silent', afterMs: patienceMs }), patienceMs);
  });
  try {
    return await Promise.race([called(librarian, query, context), silence]);
  } finally {
    if (timer !== undefined) clearTimeout(timer);
  }
};

const called = async (librarian: Librarian, query: unknown, context?: Context): Promise<Outcome> => {
  let returned: unknown;
  try {
    // What is no text is sent on purpose: a librarian must not throw, whatever it is given.
    returned = context === undefined ? librarian(query as string) : librarian(query as string, context);
  } catch (error) {
    return { kind: 'threw', error, atOnce: true };
  }
  try {
    return { kind: 'returned', value: await returned, isPromise: returned instanceof Promise };
  } catch (error) {
    return { kind: 'threw', error, atOnce: false };
  }
};

/** The Response of one call. Fails when there is none that can be read, and says why. */
export const responseOf = (outcome: Outcome, to: string): LibrarianResponse => {
  insist(outcome.kind !== 'threw', `throws for ${to}: ${outcome.kind === 'threw' ? textOf(outcome.error) : ''}`);
  insist(
    outcome.kind !== 'silent',
    `does not answer ${to} within ${outcome.kind === 'silent' ? outcome.afterMs : 0} ms`,
  );
  const { value } = outcome;
  insist(typeof value === 'object' && value !== null, `returns no object for ${to}`);
  const checked = validateResponse(value);
  // What else is wrong with it is for the checks of the single rules to say.
  return checked.ok ? checked.value : (value as LibrarianResponse);
};

export const caseResponse = async (subject: Subject, { query, context, librarian }: LibrarianCase) =>
  responseOf(await ask(librarian ?? subject.librarian, [query, subject.contextOf(context)]), JSON.stringify(query));

/** Never throws, even for an error that cannot be made a text. */
const textOf = (error: unknown): string => {
  try {
    return String(error).slice(0, 300);
  } catch {
    return 'something that is no text';
  }
};

/** Longer than any librarian needs for a question of a test. */
const PATIENCE_MS = 10_000;

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

/** A question, what comes with it, and whom it goes to: the librarian of the suite, or one made for this case. */
export interface LibrarianCase {
  query: string;
  /** Beside what the suite gives: user, trace, chain, time, signal. */
  context?: Context | undefined;
  /** The same librarian with other parts, such as a source that is down. */
  librarian?: Librarian | undefined;
}

/**
 * What to ask a librarian. A case that a librarian does not have is `'never'`, and that is tested as well: one that never
 * delegates must not do so even when delegates are offered.
 */
export interface LibrarianCases {
  /** How it introduces itself. */
  info?: LibrarianInfo | undefined;
  /** A question that it answers. */
  answers: LibrarianCase;
  /** A question, or a condition, that it answers with an error, and the code of that. */
  fails: (LibrarianCase & { code: ErrorCode }) | 'never';
  /** A question that it has nothing about: NOT_FOUND, or an answer that is partial. */
  declines: LibrarianCase | 'never';
  /** A question that it hands on to `to`, who is among the delegates that are offered to it. */
  delegates: (LibrarianCase & { to: string | readonly string[] }) | 'never';
  /** A question for which it waits for something that does not come, until its time is over. */
  waits: LibrarianCase | 'never';
  /** Milliseconds that it may take beyond its time, 1,000 when absent. */
  graceMs?: number | undefined;
}
