import type { DelegationTrace } from '../../contract/delegation-trace.ts';
import { readAs } from '../../contract/read-as.ts';
import { LibrarianResponse } from '../../contract/response.ts';

/**
 * A response with the way of its question under `metadata.trace`; unchanged when nobody was asked. Where both are too
 * large for one response, the hops go without their receipts, and then altogether: the answer comes first.
 */
export const withTrace = (response: LibrarianResponse, trace: DelegationTrace): LibrarianResponse => {
  if (trace.hops.length === 0) return response;
  const bare = { ...trace, hops: trace.hops.map((hop) => ({ ...hop, receipt: undefined })) };
  return withMetadata(response, { trace }) ?? withMetadata(response, { trace: bare }) ?? response;
};

/** A response with more metadata, in the place of what was there under these names; `undefined` where that is too much. */
export const withMetadata = (
  response: LibrarianResponse,
  added: Record<string, unknown>,
): LibrarianResponse | undefined => {
  const metadata = { ...response.metadata, ...added };
  return readAs(LibrarianResponse.shape.metadata, metadata).ok ? { ...response, metadata } : undefined;
};
