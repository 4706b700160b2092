import { EmbeddingFailed } from '../ai/embeddings/base.ts';
import type { ContextError } from '../contract/context-engine.ts';
import { describeIssues, issuesOf } from '../contract/issue.ts';
import { StoreUnavailable } from '../storage/store-unavailable.ts';

/** The engine was configured, or taught a template or a ranker, in a way that cannot be right. Names the member. */
export class InvalidContextConfiguration extends Error {
  override readonly name = 'InvalidContextConfiguration';
}

/** Carries an error from where it arises to the method that returns it; it never leaves the engine. */
export class ContextFailure extends Error {
  override readonly name = 'ContextFailure';
  readonly error: ContextError;

  constructor(error: ContextError) {
    super(error.type);
    this.error = error;
  }
}

/** What is wrong with what the caller sent. */
export const validationFailure = (message: string): ContextFailure =>
  new ContextFailure({ type: 'validation_error', message: message.slice(0, 2000) });

/** The same, of what a schema found: `options.limit: is too large`. */
export const invalidInput = (name: string, error: Parameters<typeof issuesOf>[0]): ContextFailure =>
  validationFailure(
    describeIssues(
      issuesOf(error).map(({ path, message }) => ({ path: path === '' ? name : `${name}.${path}`, message })),
    ),
  );

/** The query has no vector. The message says which kind of failure it was, and nothing of what the service said. */
export const embeddingFailure = (cause: unknown): ContextFailure =>
  new ContextFailure({
    type: 'embedding_error',
    message: `Cannot embed the query: ${cause instanceof EmbeddingFailed ? EMBEDDING[cause.reason] : 'the provider failed'}`,
    cause,
  });

export const storageFailure = (what: string, cause: unknown): ContextFailure =>
  new ContextFailure({
    type: 'storage_error',
    message: `Cannot read ${what}: ${cause instanceof StoreUnavailable ? STORAGE[cause.reason] : 'the storage failed'}`,
    cause,
  });

export const searchFailure = (message: string, cause?: unknown): ContextFailure =>
  new ContextFailure({ type: 'search_error', message, ...(cause === undefined ? {} : { cause }) });

/** @param available The names that would have been found, at most 100 of them. */
export const templateNotFound = (template: string, available: readonly string[]): ContextFailure =>
  new ContextFailure({ type: 'template_not_found', template, available: available.slice(0, 100) });

/** Whatever was thrown, as the error that the caller gets. */
export const contextErrorOf = (thrown: unknown): ContextError =>
  thrown instanceof ContextFailure
    ? thrown.error
    : { type: 'search_error', message: 'Cannot finish the search: something went wrong inside', cause: thrown };

const GONE = 'nobody waits for it any more, or its time is up';

const EMBEDDING = {
  refused: 'the model refused it',
  rate_limited: 'the model has too much to do',
  unavailable: 'the model is not available',
  malformed: 'the model answered with no vector of the right form',
  aborted: GONE,
} satisfies Record<EmbeddingFailed['reason'], string>;

const STORAGE = {
  refused: 'the storage refused it',
  rate_limited: 'the storage has too much to do',
  unavailable: 'the storage is not available',
  malformed: 'the storage answered in an unknown form',
  aborted: GONE,
} satisfies Record<StoreUnavailable['reason'], string>;
