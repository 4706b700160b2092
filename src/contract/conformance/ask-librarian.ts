import type { Context, Librarian } from '../librarian.ts';
import type { LibrarianResponse } from '../response.ts';
import { validateResponse } from '../validate-response.ts';
import { PATIENCE_MS, type Subject } from './check-subject.ts';
import type { LibrarianCase } from './librarian-cases.ts';

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
