import type { ErrorInfo } from '../../../contract/error-info.ts';
import type { LibrarianResponse } from '../../../contract/response.ts';
import { errorInfo } from '../../error-info-of.ts';
import type { Branch } from '../branch.ts';
import { containMarkdown } from './contain-markdown.ts';
import { isDeclined } from './declined.ts';
import { type Reading, readingOf } from './statements-of.ts';

/** A branch as it is joined with others. */
export interface Voice {
  librarian: string;
  question: string;
  response: LibrarianResponse;
  /** Its answer, contained; empty when it has none. */
  text: string;
  reading: Reading;
  /** An answer that only says that there is none. */
  isDeclined: boolean;
  /** Why it has no answer, or what is missing beside it. */
  error: ErrorInfo | undefined;
}

/** Reads what came back from each branch; what has nothing visible to say has failed. */
export const hearBranches = (branches: readonly Branch[]): Voice[] =>
  branches.map(({ to, query, response }) => {
    const { answer = '', error } = response;
    const contained = containMarkdown(answer);
    const text = VISIBLE.test(contained) ? contained : '';
    return {
      librarian: to,
      question: query,
      response,
      text,
      reading: readingOf(text),
      isDeclined: isDeclined({ ...response, answer: text }),
      error: text === '' ? (error ?? errorInfo('DELEGATION_FAILED', { librarian: to })) : error,
    };
  });

const VISIBLE = /[^\s\p{Cc}\p{Cf}\p{Cs}]/u;
