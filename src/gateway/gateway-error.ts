import { type ErrorCode, type ErrorInfo, HTTP_STATUS } from '../contract/error-info.ts';
import { errorHeaders } from '../runtime/error-headers.ts';
import { CodedError, errorInfo } from '../runtime/error-info-of.ts';

/** A request that ends at the gateway, with what the caller is told. */
export class GatewayError extends CodedError {
  override readonly name = 'GatewayError';

  constructor(code: ErrorCode, told: Partial<Omit<ErrorInfo, 'code'>> = {}) {
    super(code, told.message ?? code, { told });
  }
}

/** An error as a caller sees it: `{ error }`, with the status of its code and the headers that belong to it (design 7.6). */
export const errorResponse = (info: ErrorInfo): Response =>
  Response.json(
    { error: info },
    {
      status: HTTP_STATUS[info.code],
      headers: { ...errorHeaders(info), ...(info.code === 'UNAUTHORIZED' ? CHALLENGE : {}) },
    },
  );

/** The error that a code stands for, in our own sentence unless told otherwise. */
export const errorOf = (code: ErrorCode, told: Partial<Omit<ErrorInfo, 'code'>> = {}): ErrorInfo =>
  errorInfo(code, told);

const CHALLENGE = { 'WWW-Authenticate': 'Bearer realm="constellation"' };
