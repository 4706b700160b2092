import { EmbeddingFailed } from '../ai/embeddings/base.ts';
import { EmbeddingCache } from '../ai/embeddings/cache.ts';
import type { ContextError } from '../contract/context-error.ts';
import { describeIssues, issuesOf } from '../contract/issue.ts';
import { describeCause } from '../runtime/log.ts';
import { StoreUnavailable } from '../storage/store-unavailable.ts';
import type { LogFields, Logger } from './config.ts';

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

/** What was asked. */
export interface Asked {
  operation: string;
  workspaceId: unknown;
  /** Absent for a vector. */
  query?: unknown;
}

/**
 * Logs an error with what was asked: length and hash of the query, never its text, nor what a service said.
 */
export const logFailure = (
  logger: Logger | undefined,
  error: ContextError,
  { operation, workspaceId, query }: Asked,
): void => {
  const isCallers = error.type === 'validation_error' || error.type === 'template_not_found';
  const fields = {
    operation,
    // What is longer is no workspace, and may be anything.
    workspace_id: typeof workspaceId === 'string' && /^[\w-]{1,64}$/.test(workspaceId) ? workspaceId : undefined,
    query_length: typeof query === 'string' ? query.length : undefined,
    query_hash: typeof query === 'string' ? hashOf(query) : undefined,
    error: error.type,
    cause: 'cause' in error && error.cause !== undefined ? describeCause(error.cause) : undefined,
  };
  logSafely(logger, isCallers ? 'warn' : 'error', { message: 'context engine: no result', fields });
};

/** A logger that fails changes nothing for the caller. */
export const logSafely = (
  logger: Logger | undefined,
  level: keyof Logger,
  { message, fields }: { message: string; fields: LogFields },
): void => {
  try {
    logger?.[level](message, fields);
  } catch {
    // There is nobody left to tell.
  }
};

/** Enough to recognise the same query in two lines. */
const hashOf = (query: string): string => HASHER.generateKey(query, '').slice(1, 17);

const HASHER = new EmbeddingCache({ maxSize: 1 });
