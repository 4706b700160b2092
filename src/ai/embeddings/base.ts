/** Turns texts into vectors whose closeness tells how close the texts are in meaning (seed 002, Embedding Provider Interface). */
export interface EmbeddingProvider {
  /** @throws {EmbeddingFailed} */
  embed(text: string, options?: EmbeddingOptions): Promise<number[]>;
  /** In the order of the texts; empty for none. @throws {EmbeddingFailed} When any of them has no vector. */
  embedBatch(texts: string[], options?: EmbeddingOptions): Promise<number[][]>;
  /** Numbers of a vector. */
  readonly dimensions: number;
  /** Its name; vectors of two models do not compare. */
  readonly model: string;
}

export interface EmbeddingOptions {
  /** Gives the call up, with its retries and their waits. */
  signal?: AbortSignal | undefined;
}

/**
 * Why there is no vector: `refused` (the text or the configuration; the same call fails again), `rate_limited`,
 * `unavailable` (down, slow, cut off), `malformed` (no vector of the right form came back), `aborted` (by the signal).
 */
export type EmbeddingFailure = 'refused' | 'rate_limited' | 'unavailable' | 'malformed' | 'aborted';

/** There is no vector. The message names no text, no key and nothing that the service said. */
export class EmbeddingFailed extends Error {
  override readonly name = 'EmbeddingFailed';
  readonly reason: EmbeddingFailure;
  /** What the service asked for, at most a minute. */
  readonly retryAfterMs: number | undefined;

  constructor(
    reason: EmbeddingFailure,
    message: string,
    { cause, retryAfterMs }: { cause?: unknown; retryAfterMs?: number | undefined } = {},
  ) {
    super(message, { cause });
    this.reason = reason;
    this.retryAfterMs = retryAfterMs;
  }
}
