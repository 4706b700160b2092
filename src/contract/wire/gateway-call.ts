import type { ProgressEvent } from '../core/ask.ts';
import type { LibrarianResponse } from '../core/response.ts';

/**
 * What a function that translates a protocol may do in the name of a caller, whose credentials it never sees (remote procedure call). It
 * lasts as long as the call that brought it, unless it is duplicated.
 */
export interface GatewayCall {
  /** Sends a request to a route. */
  route(request: Request): Promise<Response>;
  /**
   * Asks as `POST /v1/ask` does, without its HTTP. Never rejects: a question that is refused is a response with an error.
   *
   * @param question An `AskRequest`; it is validated.
   * @param progress Gets what is reported while the answer is made.
   */
  ask(
    question: object,
    progress?: (event: ProgressEvent) => Promise<void>,
  ): Promise<LibrarianResponse>;
  /** Ends everything that was begun with this call. */
  stop(): Promise<void>;
}
