/**
 * The suite of tests for librarians.
 *
 * @module @constellation/contract/conformance
 */
import type { Librarian } from '../core/librarian.ts';
import type { LibrarianCases } from './ask-librarian.ts';
import { librarianChecks } from './librarian-checks.ts';

export type { LibrarianCase, LibrarianCases } from './ask-librarian.ts';

/** The part of a test runner that the suite uses; vitest, Jest, Mocha and `node:test` provide it. */
export interface TestRunner {
  describe(name: string, body: () => void): unknown;
  it(name: string, body: () => Promise<void>): unknown;
}

/**
 * The suite that every librarian must pass: five required tests and the rules of the contract.
 *
 * @example
 * import type { Librarian } from '@constellation/contract';
 * import { describe, it } from 'vitest';
 *
 * const sources = [{ name: 'Shop hours' }];
 * const hours: Librarian = async () => ({ answer: 'From 9 to 18.', sources, confidence: 0.9 });
 * const answers = { query: 'When do you open?' };
 * const never = 'never' as const;
 * const cases = { answers, fails: never, declines: never, delegates: never, waits: never };
 * describeLibrarian('opening hours', hours, cases, { describe, it });
 */
export function describeLibrarian(
  name: string,
  librarian: Librarian,
  cases: LibrarianCases,
  { describe, it }: TestRunner,
): void {
  describe(`${name} as a librarian`, () => {
    for (const check of librarianChecks(librarian, cases)) it(check.name, check.run);
  });
}
