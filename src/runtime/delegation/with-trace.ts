import type { DelegationTrace } from '../../contract/delegation-trace.ts';
import { readAs } from '../../contract/read-as.ts';
import { LibrarianResponse } from '../../contract/response.ts';

/**
 * A response with the way of its question under `metadata.trace`; unchanged when nobody was asked. Where both are too
 * large for one response, the hops go without their receipts, and then altogether: the answer comes first.
 */
export const withTrace = (response: LibrarianResponse, trace: DelegationTrace): LibrarianResponse => {
  if (trace.hops.length === 0) return response;
  const { trace: _, ...metadata } = response.metadata ?? {};
  const bare = { ...trace, hops: trace.hops.map(({ receipt, ...hop }) => hop) };
  const fitting = [trace, bare].find((each) => readAs(Metadata, { ...metadata, trace: each }).ok);
  return fitting === undefined ? response : { ...response, metadata: { ...metadata, trace: fitting } };
};

const Metadata = LibrarianResponse.shape.metadata;
