/**
 * Why a store did not do what it was asked: `refused` (token, quota or request; the same call fails again), `rate_limited`,
 * `unavailable` (down, slow, cut off), `malformed` (it answered in an unknown form), `aborted` (by the signal).
 */
export type StoreFailure = 'refused' | 'rate_limited' | 'unavailable' | 'malformed' | 'aborted';

/** A store did not answer, or not as it should. The message names no value, no token and nothing that the store said. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
  readonly reason: StoreFailure;

  constructor(reason: StoreFailure, message: string, { cause }: { cause?: unknown } = {}) {
    super(message, { cause });
    this.reason = reason;
  }
}
