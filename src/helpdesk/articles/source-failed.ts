import type { ErrorCode } from '../../contract/error-info.ts';
import { CodedError } from '../../runtime/error-info-of.ts';

/**
 * The articles of a tool cannot be read. Codes whose status says that it may pass (429, 5xx) are tried again by whoever
 * syncs, others are not. The message is for the log, and holds nothing that the tool said.
 */
export class SourceFailed extends CodedError {
  override readonly name = 'SourceFailed';

  constructor(
    code: ErrorCode,
    problem: string,
    { retryAfterMs, cause }: { retryAfterMs?: number | undefined; cause?: unknown } = {},
  ) {
    const details = retryAfterMs === undefined ? {} : { retry_after_seconds: Math.ceil(retryAfterMs / 1000) };
    const told = { message: `Cannot read the articles of the helpdesk: ${problem}`, details };
    super(code, `Cannot read the articles: ${problem}`, { told, cause });
  }
}
