import type { DelegateRequest, LibrarianResponse } from '../../contract/response.ts';
import { aggregate } from './aggregate.ts';
import type { Branch } from './branch.ts';
import type { Delegates } from './delegates.ts';
import { isFailure } from './is-failure.ts';
import { withMetadata, withTrace } from './with-trace.ts';

/** Whose response is followed, and what it was asked. */
export interface Asked {
  librarian: string;
  query: string;
}

/**
 * Follows what a librarian hands on (design 7.5). One target: its response, or the librarian's own answer, partial, with
 * the gap named under `metadata.delegationError`, when the target has none. Several: their answers joined, the
 * librarian's own first. A response that hands nothing on is returned as it is, with the trace of what its librarian asked
 * others by itself. Never throws.
 */
export const followDelegates = async (
  response: LibrarianResponse,
  delegates: Delegates,
  asked: Asked,
): Promise<LibrarianResponse> => {
  const { delegate, ...own } = response;
  if (delegate === undefined) return withTrace(response, delegates.trace());
  const branches = await delegates.ask([delegate].flat());
  const [only] = branches;
  const followed =
    only !== undefined && branches.length === 1 ? oneOf(own, only) : aggregate([...ownBranch(own, asked), ...branches]);
  return withTrace(followed, delegates.trace());
};

const oneOf = (own: LibrarianResponse, { response }: Branch): LibrarianResponse => {
  if (!isFailure(response) || own.answer === undefined) return response;
  const partial = { ...own, partial: true };
  const gap = { delegationError: response.error };
  // The gap has to be named, whatever else there was to say.
  return withMetadata(partial, gap) ?? { ...partial, metadata: gap };
};

const ownBranch = (response: LibrarianResponse, { librarian, query }: Asked): Branch[] => {
  if (response.answer === undefined) return [];
  const request: DelegateRequest = { to: librarian };
  return [{ request, query, to: librarian, response }];
};
