import type { ErrorCode, ErrorInfo } from './contract.ts';

/**
 * A standard code of the product, or one of the client's own: `UNREACHABLE` (no reply, or it broke off), `INVALID_REPLY` (not one of
 * Constellation), `ABORTED` (by the caller's signal).
 */
export type ConstellationErrorCode = ErrorCode | 'UNREACHABLE' | 'INVALID_REPLY' | 'ABORTED';

interface Details {
  /** HTTP status; 0 without a reply. */
  status?: number | undefined;
  suggestion?: string | undefined;
  retryable?: boolean | undefined;
  /** All that the product said. */
  info?: ErrorInfo | undefined;
  requestId?: string | undefined;
  cause?: unknown;
}

/**
 * Everything that fails here. Branch on `code`, never on the text.
 *
 * @example
 * import { Constellation } from './constellation.ts';
 *
 * const client = new Constellation({ url: 'http://127.0.0.1:8787', key: 'ck_…' });
 * const answer = await client.ask('When do you open?').catch((error: unknown) => {
 *   if (error instanceof ConstellationError && error.code === 'RATE_LIMITED') return undefined;
 *   throw error;
 * });
 */
export class ConstellationError extends Error {
  override readonly name = 'ConstellationError';
  readonly code: ConstellationErrorCode;
  /** HTTP status; 0 without a reply. */
  readonly status: number;
  /** What to do about it, in one sentence. */
  readonly suggestion: string | undefined;
  /** Whether the same call may succeed later. */
  readonly retryable: boolean;
  readonly info: ErrorInfo | undefined;
  /** The trace of the request in the logs of the deployment. */
  readonly requestId: string | undefined;

  constructor(code: ConstellationErrorCode, message: string, details: Details = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.status = details.status ?? 0;
    this.suggestion = details.suggestion;
    this.retryable = details.retryable ?? false;
    this.info = details.info;
    this.requestId = details.requestId;
  }
}

type Json = Record<string, unknown>;

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** The code of a reply that says none of its own: from a proxy, say. */
const CODE_OF: Record<number, ErrorCode> = {
  401: 'UNAUTHORIZED',
  403: 'UNAUTHORIZED',
  429: 'RATE_LIMITED',
  503: 'SERVICE_UNAVAILABLE',
  504: 'TIMEOUT',
};

/** Status of replies after which the same call may succeed. */
export const BUSY: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/**
 * The error of a reply, in any of its three forms: `{error: ErrorInfo}`; `{error, message, info}` of `/api/kb/*`; an agent's
 * `{success: false, error, metadata: {error_code}}`.
 */
export function errorOfReply(
  body: unknown,
  reply: { status: number; requestId?: string | undefined },
) {
  const { error, info, metadata } = isObject(body) ? body : ({} as Json);
  const own = [error, info].find(isObject);
  const code = own?.code ?? (isObject(metadata) ? metadata.error_code : undefined);
  const message = textOf(own?.message) ?? textOf(error);
  if (typeof code !== 'string' || !/^[A-Z][A-Z_]{2,40}$/.test(code) || message === undefined) {
    const said = `The reply has status ${reply.status} and is not one of Constellation: check the address`;
    return new ConstellationError(CODE_OF[reply.status] ?? 'INVALID_REPLY', said, {
      ...reply,
      retryable: BUSY.has(reply.status),
    });
  }
  // A newer deployment may know codes that these types do not name yet.
  return new ConstellationError(code as ErrorCode, message, {
    ...reply,
    suggestion: textOf(own?.suggestion),
    retryable: typeof own?.recoverable === 'boolean' ? own.recoverable : BUSY.has(reply.status),
    info: own as ErrorInfo | undefined, // its code and its message were read above
  });
}
