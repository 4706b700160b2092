import type { DelegateRequest, LibrarianResponse } from '../../contract/response.ts';

/** A question that was handed on, and what came of it. */
export interface Branch {
  request: DelegateRequest;
  /** What was asked: the refined query, or the original one. */
  query: string;
  /** Who answered, or failed last: the target, or its fallback. */
  to: string;
  /** Never a delegation: an answer, an error, or an answer with an error beside it. */
  response: LibrarianResponse;
}
