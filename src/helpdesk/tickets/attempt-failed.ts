import { CodedError } from '../../runtime/error-info-of.ts';
import { SecretMissing } from '../connections.ts';
import { HelpdeskFailed } from '../helpdesk-tool.ts';

/** The support function gave no analysis. The message is a sentence of ours. */
export class AnalysisFailed extends Error {
  override readonly name = 'AnalysisFailed';
  /** Whether the same question may be answered later. */
  readonly isTransient: boolean;

  constructor(message: string, { isTransient, cause }: { isTransient: boolean; cause?: unknown }) {
    super(message, { cause });
    this.isTransient = isTransient;
  }
}

/** The workspace has no connection to the tool any more. */
export class ConnectionGone extends Error {
  override readonly name = 'ConnectionGone';
}

/** Not a failure: what was read does not decide it yet, and it is looked at again at that time. */
export class NotYet extends Error {
  override readonly name = 'NotYet';
  readonly at: number;

  constructor(message: string, { at }: { at: number }) {
    super(message);
    this.at = at;
  }
}

/** What an attempt that failed comes to. */
export interface Failure {
  /** A sentence of ours, for the list of tickets. */
  sentence: string;
  /** Tried again; otherwise given up at once. */
  isTransient: boolean;
  /** How long the tool asks to be left alone; such an attempt does not count. */
  retryAfterMs?: number | undefined;
  /** Nothing that is expected: to be logged with its cause. */
  isFault: boolean;
}

const MAX_SENTENCE = 300;
/** However long a tool asks for. */
const MAX_RETRY_AFTER_MS = 3_600_000;

export const failureOf = (error: unknown): Failure => {
  if (error instanceof HelpdeskFailed) {
    const { isTransient, isOutcomeUnknown, retryAfterMs } = error;
    const wait = retryAfterMs === undefined || !isTransient ? undefined : Math.min(retryAfterMs, MAX_RETRY_AFTER_MS);
    return {
      sentence: cut(error.message),
      isTransient: isTransient || isOutcomeUnknown,
      retryAfterMs: wait,
      isFault: false,
    };
  }
  if (error instanceof AnalysisFailed)
    return { sentence: cut(error.message), isTransient: error.isTransient, isFault: false };
  if (error instanceof ConnectionGone) return { sentence: cut(error.message), isTransient: false, isFault: false };
  if (error instanceof SecretMissing)
    return {
      sentence: 'Cannot reach the helpdesk: a secret of its connection is not set',
      isTransient: true,
      isFault: true,
    };
  if (error instanceof CodedError && error.code === 'TIMEOUT')
    return { sentence: cut(error.message), isTransient: true, isFault: false };
  return { sentence: 'Cannot go on: something went wrong inside', isTransient: true, isFault: true };
};

const cut = (message: string): string => message.slice(0, MAX_SENTENCE) || 'Cannot go on';
