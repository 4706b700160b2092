/** One line about one request. No token, no body, no question, no subject. */
interface RequestLine {
  event: 'request';
  /** Milliseconds since 1970. */
  time: number;
  librarian: string;
  /** `METHOD pattern`: of the route that matched, never the address itself. */
  route: string;
  status: number;
  /** `ok`, or the code of the error. */
  outcome: string;
  /** By a clock that stands still during CPU work on Cloudflare. */
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
  /** The model that was asked, and what that took: tokens by its API's own numbers, US dollars by the configured prices. */
  model?: string | undefined;
  input_tokens?: number | undefined;
  output_tokens?: number | undefined;
  cost_usd?: number | undefined;
}

/** Something went wrong inside; `cause` is for those who run the service. */
interface FaultLine {
  event: 'fault';
  time: number;
  librarian: string;
  /** Where: `librarian`, `delegate`, `route`. */
  where: string;
  code: string;
  trace_id?: string | undefined;
  /** Name and message of the cause, shortened; texts in quotes are left out, as they may be a customer's. */
  cause: string;
}

export type LogLine = RequestLine | FaultLine;
/** Takes a line; `logLine` in production. */
export type Log = (line: LogLine) => void;

/** Writes a line as JSON. Text from outside stays inside its string, so that nobody forges a second line. */
export const logLine: Log = (line) => console.log(JSON.stringify(line));

/** Name and message of an error and its causes, at most 500 characters, without quoted text, and without what was parsed. */
export const describeCause = (error: unknown): string => {
  const parts: string[] = [];
  for (let at: unknown = error; parts.length < 4 && at !== undefined; at = at instanceof Error ? at.cause : undefined) {
    parts.push(at instanceof Error ? told(at) : typeof at);
  }
  return parts
    .join(' < ')
    .replace(/"[^"]*"|'[^']*'|`[^`]*`/g, '"…"')
    .slice(0, 500);
};

/** V8 quotes what it could not parse, in ways that no pattern is sure to find. */
const told = ({ name, message }: Error): string => (name === 'SyntaxError' ? name : `${name}: ${message}`);
