import type { ErrorInfo } from '../../contract/error-info.ts';
import type { LibrarianInfo } from '../../contract/librarian.ts';
import { errorInfo } from '../../runtime/error-info-of.ts';

/** How many librarians the suggestion introduces, and how much of each. */
const INTRODUCED = 6;
const MAX_EXAMPLE = 100;

/** Says that a question is for none of the librarians that the asker may ask, and what they can be asked instead. */
export const noneOfOurs = (candidates: readonly LibrarianInfo[]): ErrorInfo =>
  errorInfo('NOT_FOUND', {
    librarian: 'concierge',
    message: 'Cannot answer: none of the librarians that may be asked here knows about this',
    recoverable: false,
    suggestion: suggestionFrom(candidates),
  });

const suggestionFrom = (candidates: readonly LibrarianInfo[]): string => {
  if (candidates.length === 0) return 'Use an API key with a capability that a librarian asks for, such as kb:read';
  return `Ask about something else, for example: ${candidates.slice(0, INTRODUCED).map(introduce).join('; ')}`;
};

const introduce = ({ name, examples }: LibrarianInfo): string => {
  const example = examples?.find(({ length }) => length <= MAX_EXAMPLE);
  return example === undefined ? `${name.slice(0, 40)}` : `"${example}" (${name.slice(0, 40)})`;
};
