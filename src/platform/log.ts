import type { WaitUntil } from './concurrency.ts';

/** The log line of a request. Contains no token, body, question or subject. */
interface RequestLine {
  event: 'request';
  /** Milliseconds since 1970. */
  time: number;
  librarian: string;
  /** `METHOD pattern` of the matched route, never the URL. */
  route: string;
  status: number;
  /** `ok`, or the code of the error. */
  outcome: string;
  /** Measured by a clock that does not advance during CPU work on Cloudflare. */
  duration_ms: number;
  trace_id?: string | undefined;
  span_id?: string | undefined;
  chain?: readonly string[] | undefined;
  hops?: number | undefined;
  remaining_ms?: number | undefined;
  /** First 8 characters of the hash of the caller's link. */
  link?: string | undefined;
  /** Why a context was refused. */
  reason?: string | undefined;
  /** The model and its usage: tokens as its API reports them, US dollars by the configured prices. */
  model?: string | undefined;
  model_calls?: number | undefined;
  input_tokens?: number | undefined;
  output_tokens?: number | undefined;
  cost_usd?: number | undefined;
}

/** An internal fault; `cause` is for operators. */
interface FaultLine {
  event: 'fault';
  time: number;
  librarian: string;
  /** Place of the fault: `librarian`, `delegate`, `route`. */
  where: string;
  code: string;
  trace_id?: string | undefined;
  /** Name and message of the cause, shortened; quoted text is omitted, as it may be a customer's. */
  cause: string;
}

/** A part of an answer that broke a rule of the navigator contract and was therefore not sent. Holds no words of the answer. */
interface ViolationLine {
  event: 'violation';
  time: number;
  librarian: string;
  /** The librarian whose answer it was, when it came from another one. */
  from?: string | undefined;
  /** As in docs/contract.md#navigator. */
  rule: string;
  outcome: 'dropped' | 'abstained';
  trace_id?: string | undefined;
}

export type LogLine = RequestLine | FaultLine | ViolationLine;
/** Writes a line; `logLine` in production. Work that follows it outlives the request by `waitUntil`. */
export type Log = (line: LogLine, waitUntil?: WaitUntil) => void;

/** Writes a line as JSON, so that untrusted text cannot forge a second line. */
export const logLine: Log = (line, waitUntil) => {
  console.log(JSON.stringify(line));
  observer?.(line, waitUntil);
};

let observer: Log | undefined;

/** Has all lines of this isolate, which runs one function, observed as well: for metrics. */
export function observeLog(log: Log): void {
  observer = log;
}

/** Name and message of an error and its causes, at most 500 characters, without quoted text or parser input. */
export function describeCause(error: unknown): string {
  const parts: string[] = [];
  for (
    let at: unknown = error;
    parts.length < 4 && at !== undefined;
    at = at instanceof Error ? at.cause : undefined
  ) {
    parts.push(at instanceof Error ? describeError(at) : typeof at);
  }
  return parts
    .join(' < ')
    .replace(/"[^"]*"|'[^']*'|`[^`]*`/g, '"…"')
    .slice(0, 500);
}

/** The message of a SyntaxError is dropped: V8 quotes the input, in ways that no pattern reliably finds. */
const describeError = ({ name, message }: Error): string =>
  name === 'SyntaxError' ? name : `${name}: ${message}`;

/** Logs a fault of a dependency that an answer had to do without. */
export function faultLogger(librarian: string, log: Log = logLine) {
  return (where: string, error: unknown): void =>
    log({
      event: 'fault',
      time: Date.now(),
      librarian,
      where,
      code: 'DATA_SOURCE_ERROR',
      cause: describeCause(error),
    });
}
