import type { ServiceFailure } from '../openai-service.ts';

/**
 * A model gave no completion. Reasons are those of `EmbeddingFailed`: `refused` (the request, the key or the quota; the same
 * call fails again), `rate_limited`, `unavailable` (down, slow, cut off), `malformed` (no completion came back), `aborted`
 * (by the signal). The message names no text, no key and nothing that the service said.
 */
export class ModelUnavailable extends Error {
  override readonly name = 'ModelUnavailable';
  readonly reason: ServiceFailure;
  /** What the service asked for, at most a minute. */
  readonly retryAfterMs: number | undefined;

  constructor(reason: ServiceFailure, message: string, options: { retryAfterMs?: number | undefined } = {}) {
    super(message);
    this.reason = reason;
    this.retryAfterMs = options.retryAfterMs;
  }
}
