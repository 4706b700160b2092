import type { Librarian } from '../librarian.ts';
import type { LibrarianCases } from './ask-librarian.ts';
import { subjectOf } from './ask-librarian.ts';
import { REQUIRED_CHECKS } from './required-checks.ts';
import { RESPONSE_CHECKS } from './response-checks.ts';
import { SAFETY_CHECKS } from './safety-checks.ts';

/** One test of the suite. `run` rejects with the violation. */
export interface LibrarianCheck {
  name: string;
  run(): Promise<void>;
}

/** All tests of the suite for one librarian, independent of each other and of any test runner. */
export const librarianChecks = (librarian: Librarian, cases: LibrarianCases): LibrarianCheck[] => {
  const subject = subjectOf(librarian, cases);
  return [...REQUIRED_CHECKS, ...RESPONSE_CHECKS, ...SAFETY_CHECKS].map(({ name, run }) => ({
    name: typeof name === 'string' ? name : name(cases),
    run: () => run(subject),
  }));
};
