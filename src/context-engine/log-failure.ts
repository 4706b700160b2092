import { EmbeddingCache } from '../ai/embeddings/cache.ts';
import type { ContextError } from '../contract/context-engine.ts';
import { describeCause } from '../runtime/log.ts';
import type { LogFields, Logger } from './types.ts';

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
