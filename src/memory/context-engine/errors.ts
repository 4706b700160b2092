import { EmbeddingFailed } from '../../ai/embeddings/base.ts';
import { EmbeddingCache } from '../../ai/embeddings/cached-embeddings.ts';
import { describeIssues, type Issue } from '../../contract/core/error-info.ts';
import type { ContextError } from '../../contract/wire/context-engine.ts';
import { describeCause } from '../../platform/log.ts';
import { StoreUnavailable } from '../../platform/storage/store-unavailable.ts';

/** The configuration, a template or a ranker is invalid. Names the member. */
export class InvalidContextConfiguration extends Error {
  override readonly name = 'InvalidContextConfiguration';
}

/** Carries an error to the method that returns it; it is never thrown out of the engine. */
export class ContextFailure extends Error {
  override readonly name = 'ContextFailure';
  readonly error: ContextError;

  constructor(error: ContextError) {
    super(error.type);
    this.error = error;
  }
}

/** The caller's input is invalid. */
export function validationFailure(message: string): ContextFailure {
  return new ContextFailure({ type: 'validation_error', message: message.slice(0, 2000) });
}

/** The same with the issues of a schema: `options.limit: is too large`. */
export function invalidInput(name: string, issues: readonly Issue[]): ContextFailure {
  return validationFailure(
    describeIssues(
      issues.map(({ path, message }) => ({
        path: path === '' ? name : `${name}.${path}`,
        message,
      })),
    ),
  );
}

/** The query could not be embedded. The message names the kind of failure, never the words of the service. */
export function embeddingFailure(cause: unknown): ContextFailure {
  return new ContextFailure({
    type: 'embedding_error',
    message: `Cannot embed the query: ${cause instanceof EmbeddingFailed ? EMBEDDING[cause.reason] : 'the provider failed'}`,
    cause,
  });
}

export function storageFailure(what: string, cause: unknown): ContextFailure {
  return new ContextFailure({
    type: 'storage_error',
    message: `Cannot read ${what}: ${cause instanceof StoreUnavailable ? STORAGE[cause.reason] : 'the storage failed'}`,
    cause,
  });
}

export function searchFailure(message: string, cause?: unknown): ContextFailure {
  return new ContextFailure({
    type: 'search_error',
    message,
    ...(cause === undefined ? {} : { cause }),
  });
}

/** @param available Registered names; the error lists at most 100. */
export function templateNotFound(template: string, available: readonly string[]): ContextFailure {
  return new ContextFailure({
    type: 'template_not_found',
    template,
    available: available.slice(0, 100),
  });
}

/** The error result for whatever was thrown. */
export function contextErrorOf(thrown: unknown): ContextError {
  return thrown instanceof ContextFailure
    ? thrown.error
    : {
        type: 'search_error',
        message: 'Cannot finish the search: an internal error occurred',
        cause: thrown,
      };
}

const GONE = 'the call was aborted or timed out';

const EMBEDDING = {
  refused: 'the model refused it',
  rate_limited: 'the model is rate limited',
  unavailable: 'the model is not available',
  malformed: 'the model returned a malformed vector',
  aborted: GONE,
} satisfies Record<EmbeddingFailed['reason'], string>;

const STORAGE = {
  refused: 'the storage refused it',
  rate_limited: 'the storage is rate limited',
  unavailable: 'the storage is not available',
  malformed: 'the storage returned a malformed response',
  aborted: GONE,
} satisfies Record<StoreUnavailable['reason'], string>;

/** A logger such as `console`. Fields hold numbers, ids and hashes, never a query or a memory. */
export interface Logger {
  warn(message: string, fields: LogFields): void;
  error(message: string, fields: LogFields): void;
}

export type LogFields = Readonly<Record<string, string | number | undefined>>;

/** A call of the engine, for the log. */
export interface EngineCall {
  operation: string;
  workspaceId: unknown;
  /** Absent for a search by vector. */
  query?: unknown;
}

/**
 * Logs an error with length and hash of the query, never with its text or the words of a service.
 */
export function logFailure(
  logger: Logger | undefined,
  error: ContextError,
  { operation, workspaceId, query }: EngineCall,
): void {
  const isCallers = error.type === 'validation_error' || error.type === 'template_not_found';
  const fields = {
    operation,
    // Anything else is no workspace id and may be user data.
    workspace_id:
      typeof workspaceId === 'string' && /^[\w-]{1,64}$/.test(workspaceId)
        ? workspaceId
        : undefined,
    query_length: typeof query === 'string' ? query.length : undefined,
    query_hash: typeof query === 'string' ? hashOf(query) : undefined,
    error: error.type,
    cause: 'cause' in error && error.cause !== undefined ? describeCause(error.cause) : undefined,
  };
  logSafely(logger, isCallers ? 'warn' : 'error', { message: 'context engine: no result', fields });
}

/** A failing logger does not affect the caller. */
export function logSafely(
  logger: Logger | undefined,
  level: keyof Logger,
  { message, fields }: { message: string; fields: LogFields },
): void {
  try {
    logger?.[level](message, fields);
  } catch {
    // A failure of the logger cannot be logged.
  }
}

/** Long enough to match lines about the same query. */
const hashOf = (query: string): string => HASHER.generateKey(query, '').slice(1, 17);

const HASHER = new EmbeddingCache({ maxSize: 1 });
