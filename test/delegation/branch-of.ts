import type { ErrorCode } from '../../src/contract/error-info.ts';
import type { LibrarianResponse } from '../../src/contract/response.ts';
import type { Branch } from '../../src/runtime/delegates.ts';

/** The response of one librarian. */
export const branchOf = (to: string, query: string, response: LibrarianResponse): Branch => ({
  request: { to, query },
  query,
  to,
  response,
});

export const failedBranch = (to: string, query: string, code: ErrorCode, recoverable = false): Branch =>
  branchOf(to, query, { error: { code, message: 'Cannot answer', recoverable } });
