import type { GivenUp } from '../http/deadline.ts';

/** For every call of a store. */
export interface StoreOptions {
  signal?: AbortSignal | undefined;
}

/**
 * Why a store call failed: `refused` (token, quota or request; the same call fails again), `rate_limited`, `unavailable` (down, slow, cut
 * off), `malformed` (a reply in an unknown form), `aborted` (by the caller's signal).
 */
export type StoreFailure = 'refused' | 'rate_limited' | 'unavailable' | 'malformed' | 'aborted';

/** A store call failed. The message contains no value, no token and no text of the store. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
  readonly reason: StoreFailure;

  constructor(reason: StoreFailure, message: string, { cause }: { cause?: unknown } = {}) {
    super(message, { cause });
    this.reason = reason;
  }
}

/** `errorFor` of `withDeadline`. @param what What was tried: `read embeddings`. */
export function storeGivenUp(what: string) {
  return (why: GivenUp): StoreUnavailable =>
    why === 'aborted'
      ? new StoreUnavailable('aborted', `Cannot ${what}: the caller has given up`)
      : new StoreUnavailable('unavailable', `Cannot ${what}: it took too long`);
}
