import type { ErrorCode, ErrorInfo } from '../../contract/core/error-info.ts';
import { CodedError, newerStateIn } from '../http/coded-error.ts';
import { describeCause, type Log } from '../log.ts';
import { ContextRefused } from './request-context.ts';

/** The place where an error was caught. */
export interface ErrorScene {
  librarian: string;
  where: string;
  log: Log;
  now: number;
  traceId?: string | undefined;
}

/**
 * Maps any thrown value to what is reported to the caller: known classes keep their code, all others become INTERNAL_ERROR, with our own
 * message. The only place that logs the cause.
 */
export function errorInfoOf(error: unknown, scene: ErrorScene): ErrorInfo {
  const code = codeOf(error);
  scene.log({
    event: 'fault',
    time: scene.now,
    librarian: scene.librarian,
    where: scene.where,
    code,
    trace_id: scene.traceId,
    cause: describeCause(error),
  });
  const reported = newerStateIn(error) ?? (error instanceof CodedError ? error.reported : {});
  return errorInfo(code, { librarian: scene.librarian, ...reported });
}

/** The default message of a code, with the known details. */
export function errorInfo(
  code: ErrorCode,
  known: Partial<Omit<ErrorInfo, 'code'>> = {},
): ErrorInfo {
  return {
    code,
    ...SENTENCES[code],
    ...known,
    suggestion: known.suggestion ?? SENTENCES[code].suggestion,
  };
}

const codeOf = (error: unknown): ErrorCode => {
  if (newerStateIn(error) !== undefined) return 'SERVICE_UNAVAILABLE';
  if (error instanceof CodedError || error instanceof ContextRefused) return error.code;
  return 'INTERNAL_ERROR';
};

const SENTENCES = {
  INVALID_QUERY: {
    message: 'Cannot read the request: it is not in the expected form',
    recoverable: false,
    suggestion: 'Compare the body with the description of this route',
  },
  UNAUTHORIZED: {
    message: 'Cannot accept the call: its context is missing, not valid here, or does not allow it',
    recoverable: false,
    suggestion: 'Sign a fresh context for this librarian, this path and this body',
  },
  NOT_FOUND: {
    message: 'Cannot find what was asked for',
    recoverable: false,
    suggestion: 'Check the id and the path of the request',
  },
  RATE_LIMITED: {
    message: 'Cannot take more requests right now',
    recoverable: true,
    suggestion: 'Wait as long as Retry-After says, then try again',
  },
  INTERNAL_ERROR: {
    message: 'Cannot answer: something went wrong inside',
    recoverable: true,
    suggestion: 'Try again; if it stays, tell the operators the trace id',
  },
  TIMEOUT: {
    message: 'Cannot answer in the time that was left',
    recoverable: true,
    suggestion: 'Ask again with a later deadline or a narrower question',
  },
  SERVICE_UNAVAILABLE: {
    message: 'Cannot answer: a service that is needed is not available',
    recoverable: true,
    suggestion: 'Try the same request again in a few seconds',
  },
  DELEGATION_FAILED: {
    message: 'Cannot get an answer from the librarian that was asked',
    recoverable: true,
    suggestion: 'Try again later, or ask another librarian directly',
  },
  LOOP_DETECTED: {
    message: 'Cannot hand the question on: it would come back to a librarian it has passed',
    recoverable: false,
    suggestion: 'Ask the librarian at the end of the chain directly',
  },
  MAX_DEPTH_EXCEEDED: {
    message: 'Cannot hand the question on: it has passed through too many librarians',
    recoverable: false,
    suggestion: 'Ask a librarian that is closer to the answer',
  },
  AI_UNAVAILABLE: {
    message: 'Cannot reach the language model',
    recoverable: true,
    suggestion: 'Try again later; answers without a model are still available',
  },
  DATA_SOURCE_ERROR: {
    message: 'Cannot read the source of the answer',
    recoverable: true,
    suggestion: 'Try the same request again in a few seconds',
  },
} satisfies Record<ErrorCode, Partial<ErrorInfo> & { message: string; suggestion: string }>;
