import type { LibrarianInfo } from '../../contract/librarian.ts';
import { covers } from '../../runtime/capabilities.ts';

/** The librarians whose capabilities an asker holds. */
export const permittedLibrarians = (librarians: readonly LibrarianInfo[], held: readonly string[]): LibrarianInfo[] =>
  librarians.filter(({ capabilities = [] }) => capabilities.every((capability) => covers(held, capability)));
