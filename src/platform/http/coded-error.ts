import type { ErrorCode, ErrorInfo } from '../../contract/core/error-info.ts';

/**
 * An error to be reported to the caller: its code, and a message without internal details.
 *
 * @example
 * throw new CodedError('DATA_SOURCE_ERROR', 'the warehouse answered 503', {
 *   reported: { message: 'Cannot read the stock right now', suggestion: 'Ask again in a minute' },
 * });
 */
export class CodedError extends Error {
  override readonly name: string = 'CodedError';
  readonly code: ErrorCode;
  /** For the caller; `message` is for the log. */
  readonly reported: Partial<Omit<ErrorInfo, 'code'>>;

  constructor(
    code: ErrorCode,
    message: string,
    { reported = {}, cause }: { reported?: Partial<ErrorInfo>; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.code = code;
    this.reported = reported;
  }
}

/** A source that could not be read: a database, an index, a host. */
export class DataSourceError extends CodedError {
  override readonly name = 'DataSourceError';

  constructor(message: string, options: { cause?: unknown } = {}) {
    super('DATA_SOURCE_ERROR', message, options);
  }
}

/** What is stored was written by a newer version of the product, which this one must not change. */
export class NewerState extends CodedError {
  override readonly name = NEWER_STATE;

  constructor(message: string) {
    super('SERVICE_UNAVAILABLE', message, { reported: NEWER_STATE_REPORTED });
  }
}

const NEWER_STATE = 'NewerState';

const NEWER_STATE_REPORTED = {
  message: 'Cannot open what is stored: a newer version of the product has written it',
  suggestion:
    'Deploy that version or a later one; on one machine, npm start -- --fresh forgets the state',
  recoverable: false,
};

/** What is reported when an error comes of a `NewerState`. Recognised by its name: from a Durable Object to its caller an error loses its class. */
export function newerStateIn(error: unknown): typeof NEWER_STATE_REPORTED | undefined {
  let at = error;
  for (let depth = 0; depth < 8 && at instanceof Error; depth += 1, at = at.cause) {
    if (at.name === NEWER_STATE) return NEWER_STATE_REPORTED;
  }
  return undefined;
}
