import type { Context } from 'hono';
import { type ErrorCode, type ErrorInfo, HTTP_STATUS } from '../../contract/core/error-info.ts';
import { errorInfo, errorInfoOf } from '../../platform/context/error-info-of.ts';
import { CodedError } from '../../platform/http/coded-error.ts';
import { errorHeaders } from '../../platform/http/json-http.ts';
import { type Log, logLine } from '../../platform/log.ts';
import type { ApiKey } from './api-keys.ts';
import type { GatewayEnv } from './request-log.ts';

/** A request that the gateway itself rejects; `message` is visible to the caller. */
export class GatewayError extends CodedError {
  override readonly name = 'GatewayError';

  constructor(code: ErrorCode, reported: Partial<Omit<ErrorInfo, 'code'>> = {}) {
    super(code, reported.message ?? code, { reported });
  }
}

interface Refused extends Partial<Omit<ErrorInfo, 'code'>> {
  /** Headers of the response. */
  headers: Record<string, string>;
}

/** A request that is refused for its form, with a status of HTTP that says more than that of its code. */
export class HttpRefusal extends GatewayError {
  readonly status: 405 | 415;
  readonly headers: Record<string, string>;

  constructor(status: 405 | 415, { headers, ...reported }: Refused) {
    super('INVALID_QUERY', reported);
    this.status = status;
    this.headers = headers;
  }
}

/** An error as a caller sees it: `{ error }`, with the status of its code unless another is given, and the headers that belong to it. */
export function errorResponse(
  info: ErrorInfo,
  {
    status = HTTP_STATUS[info.code],
    headers = {},
  }: { status?: number; headers?: Record<string, string> } = {},
): Response {
  return Response.json(
    { error: info },
    {
      status,
      headers: {
        ...errorHeaders(info),
        ...(info.code === 'UNAUTHORIZED' ? CHALLENGE : {}),
        ...headers,
      },
    },
  );
}

interface FaultOptions {
  log?: Log | undefined;
  now?: (() => number) | undefined;
}

/** The response for an exception of a route. */
export function faultResponse(
  c: Context<GatewayEnv>,
  error: unknown,
  options?: FaultOptions,
): Response {
  return errorResponse(faultOf(c, error, options), error instanceof HttpRefusal ? error : {});
}

/** An exception as its caller sees it: its own error, or one without internal details. */
export function faultOf(
  c: Context<GatewayEnv>,
  error: unknown,
  { log = logLine, now = Date.now }: FaultOptions = {},
): ErrorInfo {
  const info =
    error instanceof GatewayError
      ? errorOf(error.code, error.reported)
      : errorInfoOf(error, {
          librarian: 'gateway',
          where: 'route',
          log,
          now: now(),
          traceId: c.get('traceId'),
        });
  c.set('outcome', info.code);
  return info;
}

/** The error for a code, with the default message unless another is given. */
export function errorOf(
  code: ErrorCode,
  reported: Partial<Omit<ErrorInfo, 'code'>> = {},
): ErrorInfo {
  return errorInfo(code, reported);
}

const CHALLENGE = { 'WWW-Authenticate': 'Bearer realm="constellation"' };

/** One of Cloudflare's rate-limit bindings: counts per location, approximately. */
export interface RateLimit {
  limit(options: { key: string }): Promise<{ success: boolean }>;
}

export interface RateLimits {
  standard: RateLimit;
  high: RateLimit;
  /** Keys that are looked up, by address. */
  anonymous: RateLimit;
}

/** All limits of the gateway count within a minute. */
export const RATE_PERIOD_SECONDS = 60;

/** Longest body of an ordinary request, in bytes. */
export const MAX_BODY_BYTES = 64 * 1024;
/** Whether the key is within its rate limit. */
export async function withinRate(key: ApiKey, limits: RateLimits): Promise<boolean> {
  return key.rate === 'unlimited' || within(limits[key.rate], key.id);
}

/** Whether an address is within the limit for calls with a signature of their own: of librarians and helpdesks. */
export function withinSignedRate(address: string, limits: RateLimits): Promise<boolean> {
  return within(limits.high, `address ${address}`);
}

/** Whether a partner's librarian, which has signed its call, is within its limit. */
export function withinPartnerRate(id: string, limits: RateLimits): Promise<boolean> {
  return within(limits.standard, `librarian ${id}`);
}

/** Whether an unauthenticated address is within its limit. */
export function withinAddressRate(address: string, limits: RateLimits): Promise<boolean> {
  return within(limits.anonymous, address);
}

/** Whether an address is within the limit for questions with a publishable key. */
export function withinPageRate(
  address: string,
  { id, limits }: { id: string; limits: RateLimits },
): Promise<boolean> {
  return within(limits.anonymous, `page ${id} ${address}`);
}

/** Whether an address is within the limit for sign-ins at an identity provider; their beginnings and ends count apart. */
export function withinSignInRate(
  address: string,
  { method, limits }: { method: string; limits: RateLimits },
): Promise<boolean> {
  return within(limits.anonymous, `sign-in ${method} ${address}`);
}

/** Whether an address is within the limit for what anybody may read. */
export function withinPublicRate(address: string, limits: RateLimits): Promise<boolean> {
  return within(limits.standard, `public ${address}`);
}

/** A failing limiter lets the request through: rate limits are best effort. */
const within = async (limiter: RateLimit, key: string): Promise<boolean> => {
  try {
    return (await limiter.limit({ key })).success;
  } catch {
    return true;
  }
};
