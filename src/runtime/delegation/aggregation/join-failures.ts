import type { ErrorCode, ErrorInfo } from '../../../contract/error-info.ts';
import { errorInfo } from '../../error-info-of.ts';

/** Who failed, and how. */
export interface Failure {
  librarian: string;
  error: ErrorInfo;
}

/**
 * One error for several: the code that all have in common, or DELEGATION_FAILED. `details.failures` names each with its
 * code; recoverable when any of them is.
 */
export const joinFailures = (failures: readonly Failure[]): ErrorInfo => {
  const codes = new Set(failures.map(({ error }) => error.code));
  const [first] = codes;
  const code: ErrorCode = codes.size === 1 && first !== undefined ? first : 'DELEGATION_FAILED';
  const promising = failures.filter(({ error }) => error.recoverable === true).map(({ librarian }) => librarian);
  const suggestion = suggestionFor(code, promising);
  return {
    ...errorInfo(code),
    ...messageOf(failures),
    recoverable: promising.length > 0,
    ...(suggestion === undefined ? {} : { suggestion }),
    details: {
      failures: failures.map(({ librarian, error }) => ({
        librarian,
        code: error.code,
        recoverable: error.recoverable === true,
      })),
    },
  };
};

const messageOf = (failures: readonly Failure[]): Pick<ErrorInfo, 'message'> => {
  const told = failures.map(({ librarian, error }) => `${librarian} (${error.code})`);
  return {
    message: `Cannot answer: none of those that were asked could: ${[...new Set(told)].join(', ')}`.slice(0, 2000),
  };
};

/** Where waiting or asking otherwise helps; undefined where the sentence of the code itself says what to do. */
const suggestionFor = (code: ErrorCode, promising: readonly string[]): string | undefined => {
  if (code === 'NOT_FOUND' || code === 'INVALID_QUERY')
    return 'Ask in other words, naming the thing that the question is about, or ask one question at a time';
  if (code !== 'DELEGATION_FAILED') return undefined;
  return promising.length > 0
    ? `Ask the same again in a few seconds: ${[...new Set(promising)].join(', ')} may answer then`
    : 'Asking the same again will not help: ask one question at a time, or another librarian directly';
};
