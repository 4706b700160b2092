import { type ErrorCode, type ErrorInfo, HTTP_STATUS } from '../contract/error-info.ts';
import { CodedError, errorInfo } from '../runtime/error-info-of.ts';
import { RATE_PERIOD_SECONDS } from './limits.ts';

/** A request that ends at the gateway, with what the caller is told. */
export class GatewayError extends CodedError {
  override readonly name = 'GatewayError';

  constructor(code: ErrorCode, told: Partial<Omit<ErrorInfo, 'code'>> = {}) {
    super(code, told.message ?? code, { told });
  }
}

/** An error as a caller sees it: `{ error }`, with the status of its code and the headers that belong to it (design 7.6). */
export const errorResponse = (info: ErrorInfo): Response =>
  Response.json({ error: info }, { status: HTTP_STATUS[info.code], headers: HEADERS[info.code] ?? {} });

/** The error that a code stands for, in our own sentence unless told otherwise. */
export const errorOf = (code: ErrorCode, told: Partial<Omit<ErrorInfo, 'code'>> = {}): ErrorInfo =>
  errorInfo(code, told);

const HEADERS: Partial<Record<ErrorCode, Record<string, string>>> = {
  UNAUTHORIZED: { 'WWW-Authenticate': 'Bearer realm="constellation"' },
  RATE_LIMITED: { 'Retry-After': String(RATE_PERIOD_SECONDS) },
  SERVICE_UNAVAILABLE: { 'Retry-After': '5' },
};
