import type { LibrarianResponse } from '../../contract/response.ts';
import { errorInfo } from '../error-info-of.ts';
import type { Delegates } from './delegates.ts';
import type { Reaching, ScopedQuestion } from './reach.ts';

/** For a librarian that reaches no other: every question that it hands on comes back as DELEGATION_FAILED. */
export const NOBODY: Reaching = {
  ids: [],
  delegatesFor: ({ context, query, budget }: ScopedQuestion): Delegates => ({
    ask: async (requests) =>
      requests.map((request) => ({
        request,
        query: request.query ?? query,
        to: request.to,
        response: notReached(request.to),
      })),
    trace: () => ({ traceId: context.traceId, hops: [] }),
    usage: budget.spent,
    proven: () => ({}),
    receipts: () => [],
  }),
  follow: async ({ delegate, ...own }) => {
    if (delegate === undefined) return own;
    const { error } = notReached([delegate].flat()[0]?.to ?? '');
    return own.answer === undefined ? { error } : { ...own, partial: true, metadata: { delegationError: error } };
  },
};

const notReached = (librarian: string): LibrarianResponse => ({
  error: errorInfo('DELEGATION_FAILED', {
    librarian,
    message: 'Cannot hand the question on: this function reaches no other librarian',
    recoverable: false,
    suggestion: 'Bind the other librarian as a service, and give it to this one as reachable',
  }),
});
