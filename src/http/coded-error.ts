import type { ErrorCode, ErrorInfo } from '../contract/error-info.ts';

/** An error to be reported to the caller: its code, and a message without internal details. */
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
