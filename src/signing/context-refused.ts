import type { ErrorCode } from '../contract/error-info.ts';

/** A context that was not accepted, or a call that may not be made. `reason` is for the log and for tests; callers get the code alone. */
export class ContextRefused extends Error {
  override readonly name = 'ContextRefused';
  readonly code: ErrorCode;
  readonly reason: string;
  /** The caller and the hash of its link, once all signatures have been verified: such a refusal gets a receipt. */
  caller: { id: string; linkHash: string } | undefined;

  constructor(code: ErrorCode, reason: string, options: { cause?: unknown } = {}) {
    super(`${code}: ${reason}`, options);
    this.code = code;
    this.reason = reason;
  }
}

/** One named check. Every refusal of the verifier goes through here, so that the mutation test can disable each of them. */
export function demand(
  condition: boolean,
  reason: string,
  code: ErrorCode = 'UNAUTHORIZED',
  options?: { cause?: unknown },
): asserts condition {
  if (!condition) throw new ContextRefused(code, reason, options);
}
