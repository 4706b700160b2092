import type { ServiceFailure } from '../openai-client.ts';
import type { RefusalReason } from '../service-refusal.ts';

/**
 * Turns texts into vectors whose similarity reflects the similarity of the texts' meaning.
 *
 * @example
 * const lengths: EmbeddingProvider = {
 *   model: 'lengths-1',
 *   dimensions: 2,
 *   embed: async (text) => [text.length, 1],
 *   embedBatch: async (texts) => texts.map((text) => [text.length, 1]),
 * };
 */
export interface EmbeddingProvider {
  /** @throws {EmbeddingFailed} */
  embed(text: string, options?: EmbeddingOptions): Promise<number[]>;
  /** In the order of the texts; empty for none. @throws {EmbeddingFailed} When any of them has no vector. */
  embedBatch(texts: string[], options?: EmbeddingOptions): Promise<number[][]>;
  /** Length of a vector. */
  readonly dimensions: number;
  /** Model name; vectors of different models are not comparable. */
  readonly model: string;
}

export interface EmbeddingOptions {
  /** Cancels the call, its retries and their waits. */
  signal?: AbortSignal | undefined;
}

/** No vector could be obtained. The message contains no text, no key and nothing from the service's reply. */
export class EmbeddingFailed extends Error {
  override readonly name = 'EmbeddingFailed';
  readonly reason: ServiceFailure;
  /** What the service refuses, where it says so. */
  readonly why: RefusalReason | undefined;
  /** Length of the vectors that came, where it is another than expected. */
  readonly dimensions: number | undefined;
  /** Wait requested by the service, at most a minute. */
  readonly retryAfterMs: number | undefined;

  constructor(
    reason: ServiceFailure,
    message: string,
    { cause, why, dimensions, retryAfterMs }: EmbeddingFailureDetails = {},
  ) {
    super(message, { cause });
    this.reason = reason;
    this.why = why;
    this.dimensions = dimensions;
    this.retryAfterMs = retryAfterMs;
  }
}

interface EmbeddingFailureDetails {
  cause?: unknown;
  why?: RefusalReason | undefined;
  dimensions?: number | undefined;
  retryAfterMs?: number | undefined;
}
