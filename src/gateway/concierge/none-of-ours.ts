import * as z from 'zod';
import type { ErrorInfo } from '../../contract/error-info.ts';
import { AnswerPart } from '../../contract/joined-answer.ts';
import type { LibrarianInfo } from '../../contract/librarian.ts';
import { readAs } from '../../contract/read-as.ts';
import type { LibrarianResponse } from '../../contract/response.ts';
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

/**
 * Whether what came back means that nobody here knows about the subject: whoever was asked found nothing of the kind, or
 * has a knowledge base about something else. A subject that is ours without an answer stays the answer that says so.
 */
export const isNoneOfOurs = ({ answer, error, metadata }: LibrarianResponse): boolean => {
  const parts = metadata?.parts === undefined ? undefined : readAs(z.array(AnswerPart).min(1), metadata.parts);
  if (parts?.ok) return parts.value.every((part) => isNone(part));
  return isNone({ answer, error, metadata });
};

const isNone = ({ answer, error, metadata }: Pick<LibrarianResponse, 'answer' | 'error' | 'metadata'>): boolean =>
  answer === undefined ? error?.code === 'NOT_FOUND' : readAs(OutOfDomain, metadata).ok;

/** As the navigator says it, in its own dialect (design 7.3). */
const OutOfDomain = z.object({ navigator: z.object({ outOfDomain: z.literal(true) }) });

const suggestionFrom = (candidates: readonly LibrarianInfo[]): string => {
  if (candidates.length === 0) return 'Use an API key with a capability that a librarian asks for, such as kb:read';
  return `Ask about something else, for example: ${candidates.slice(0, INTRODUCED).map(introduce).join('; ')}`;
};

const introduce = ({ name, examples }: LibrarianInfo): string => {
  const example = examples?.find(({ length }) => length <= MAX_EXAMPLE);
  return example === undefined ? `${name.slice(0, 40)}` : `"${example}" (${name.slice(0, 40)})`;
};
