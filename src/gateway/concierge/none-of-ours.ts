import * as z from 'zod';
import { HIGH_FROM } from '../../contract/confidence.ts';
import type { ErrorInfo } from '../../contract/error-info.ts';
import { AnswerPart } from '../../contract/joined-answer.ts';
import type { LibrarianInfo } from '../../contract/librarian.ts';
import { readAs } from '../../contract/read-as.ts';
import type { LibrarianResponse } from '../../contract/response.ts';
import { errorInfo } from '../../runtime/error-info-of.ts';
import { claimsQuestion } from './claims-question.ts';

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

/** What was asked, and who answered. */
export interface Outcome {
  query: string;
  /** Undefined where nobody was asked. */
  librarian: string | undefined;
  response: Pick<LibrarianResponse, 'answer' | 'sources' | 'error' | 'confidence' | 'metadata'>;
}

/**
 * Whether what came back means that nobody here knows about the subject: whoever was asked found nothing of the kind, or
 * has a knowledge base about something else. A subject that is ours without an answer stays the answer that says so.
 */
export const isNoneOfOurs = (outcome: Outcome, librarians: readonly LibrarianInfo[]): boolean => {
  const { sources = [], metadata } = outcome.response;
  if (sources.length > 0) return false;
  if (metadata?.parts === undefined) return isNone(outcome, librarians);
  const parts = readAs(z.array(AnswerPart).min(1), metadata.parts);
  return parts.ok && parts.value.every((part) => isNone({ ...part, response: part }, librarians));
};

type Part = Omit<Outcome, 'response'> & {
  response: Pick<LibrarianResponse, 'answer' | 'error' | 'confidence' | 'metadata'>;
};

const isNone = ({ query, librarian, response }: Part, librarians: readonly LibrarianInfo[]): boolean => {
  const { answer, error, confidence = 1, metadata } = response;
  if (answer === undefined) return error?.code === 'NOT_FOUND';
  if (readAs(NothingInCommon, metadata).ok) return true;
  if (!readAs(OutOfDomain, metadata).ok) return false;
  // A knowledge base in doubt about its own bounds is not overruled where its librarian claims such questions.
  const answering = librarians.find(({ id }) => id === librarian);
  return confidence >= HIGH_FROM || answering === undefined || !claimsQuestion(answering, query);
};

/** As the navigator says it, in its own dialect (design 7.3). */
const OutOfDomain = z.object({ navigator: z.object({ outOfDomain: z.literal(true) }) });

/** Not one passage shares a word with the question. */
const NothingInCommon = z.object({
  navigator: z.object({
    sources: z.array(z.unknown()).max(0),
    searchStrategy: z.object({ candidates: z.literal(0) }),
  }),
});

const suggestionFrom = (candidates: readonly LibrarianInfo[]): string => {
  if (candidates.length === 0) return 'Use an API key with a capability that a librarian asks for, such as kb:read';
  return `Ask about something else, for example: ${candidates.slice(0, INTRODUCED).map(introduce).join('; ')}`;
};

const introduce = ({ name, examples }: LibrarianInfo): string => {
  const example = examples?.find(({ length }) => length <= MAX_EXAMPLE);
  return example === undefined ? `${name.slice(0, 40)}` : `"${example}" (${name.slice(0, 40)})`;
};
