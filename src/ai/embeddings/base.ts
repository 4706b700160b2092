import type { ServiceFailure } from '../openai-client.ts';

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
  /** Cancels the call, its retries and their waits. */
  signal?: AbortSignal | undefined;
}

/** There is no vector. The message contains no text, no key and nothing that the service said. */
export class EmbeddingFailed extends Error {
  override readonly name = 'EmbeddingFailed';
  readonly reason: ServiceFailure;
  /** What the service asked for, at most a minute. */
  readonly retryAfterMs: number | undefined;

  constructor(
    reason: ServiceFailure,
    message: string,
    { cause, retryAfterMs }: { cause?: unknown; retryAfterMs?: number | undefined } = {},
  ) {
    super(message, { cause });
    this.reason = reason;
    this.retryAfterMs = retryAfterMs;
  }
}
