import type { Context } from 'hono';
import type { ContextError } from '../contract/context-engine.ts';
import type { ErrorCode } from '../contract/error-info.ts';
import { CodedError } from '../http/coded-error.ts';
import { type GuardedEnv, refusal } from '../runtime/context-guard.ts';
import { errorInfo } from '../runtime/error-info-of.ts';
import { errorHeaders } from '../runtime/json-http.ts';
import { StoreUnavailable } from '../storage/store-unavailable.ts';

type MemoryContext = Context<GuardedEnv>;

/** Id in addresses, contexts and logs. */
export const SELF = 'memory';

/** Writes an error response and notes its code for the log. */
export const errorResponse = (
  c: MemoryContext,
  code: ErrorCode,
  message?: string,
  more: { suggestion?: string; details?: Record<string, unknown> } = {},
): Response => {
  c.set('outcome', code);
  return withRetryAfter(refusal(code, { librarian: SELF, ...(message === undefined ? {} : { message }), ...more }));
};

/** Adds `Retry-After` to 429 and 503. */
export const withRetryAfter = (response: Response): Response => {
  const code = response.status === 503 ? 'SERVICE_UNAVAILABLE' : response.status === 429 ? 'RATE_LIMITED' : undefined;
  if (code !== undefined) {
    for (const [name, value] of Object.entries(errorHeaders(errorInfo(code)))) response.headers.set(name, value);
  }
  return response;
};

/** The response to an error of the context engine, which has logged the cause. */
export const contextErrorResponse = (c: MemoryContext, error: ContextError): Response => {
  switch (error.type) {
    case 'validation_error':
      return errorResponse(c, 'INVALID_QUERY', `Cannot search memories: ${error.message}`);
    case 'template_not_found':
      return errorResponse(c, 'INVALID_QUERY', `Cannot build the context: there is no template ${error.template}`, {
        suggestion: `Use one of: ${(error.available ?? []).join(', ')}`.slice(0, 900),
      });
    case 'search_error':
      return errorResponse(c, 'DATA_SOURCE_ERROR');
    default:
      return errorResponse(c, isAborted(error.cause) ? 'TIMEOUT' : 'SERVICE_UNAVAILABLE');
  }
};

/** Gives an error of the store its code; other errors stay as they are. */
export const codedError = (error: Error): Error => {
  if (!(error instanceof StoreUnavailable)) return error;
  return new CodedError(isAborted(error) ? 'TIMEOUT' : 'SERVICE_UNAVAILABLE', 'Cannot use the memories', {
    cause: error,
  });
};

const isAborted = (cause: unknown): boolean =>
  (cause instanceof StoreUnavailable && cause.reason === 'aborted') ||
  (cause instanceof CodedError && cause.code === 'TIMEOUT');
