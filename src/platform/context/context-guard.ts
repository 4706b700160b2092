import type { ErrorHandler, Context as HonoContext, MiddlewareHandler } from 'hono';
import { routePath } from 'hono/route';
import { type ErrorCode, HTTP_STATUS } from '../../contract/core/error-info.ts';
import { waitUntilOf } from '../concurrency.ts';
import type { Bytes } from '../encoding.ts';
import { newerStateIn } from '../http/coded-error.ts';
import { eventText, isEventStream, tapStream } from '../http/event-stream.ts';
import { jsonAnswer, knownBody } from '../http/json-http.ts';
import { joinBytes, readBody } from '../http/read-body.ts';
import { type Log, logLine } from '../log.ts';
import { covers } from './capabilities.ts';
import type { Signer } from './compact-jws.ts';
import { errorInfo, errorInfoOf } from './error-info-of.ts';
import type { KeyDirectory } from './key-directory.ts';
import {
  type Amounts,
  CONTEXT_HEADER,
  MAX_BODY_BYTES,
  NOTHING_SPENT,
  RECEIPT_EVENT,
  RECEIPT_HEADER,
} from './limits.ts';
import { signReceipt } from './receipt.ts';
import {
  type Anonymity,
  ContextRefused,
  demand,
  type OriginContext,
  originateAnonymous,
  type VerifiedContext,
} from './request-context.ts';
import { type LinkCache, linkCache, type ReplayStore, verifyContext } from './verify-context.ts';

/** Who may call: anyone, callers with a signed context, or only users. */
type Access = 'public' | 'signed' | 'user';

export interface GuardOptions {
  /** The id of this librarian. */
  self: string;
  signer: Signer;
  directory: KeyDirectory;
  access: Access;
  /** What anonymous callers get when access is `public`; without it they are refused. */
  anonymous?: Anonymity | undefined;
  /** Maximum number of links, 1 to 8. */
  maxHops?: number | undefined;
  /** The only librarians that may call; all of the directory when absent. */
  callers?: readonly string[] | undefined;
  /** For routes with side effects. */
  replay?: ReplayStore | undefined;
  /** Largest body in bytes; 262,144 when absent. */
  maxBodyBytes?: number | undefined;
  now?: (() => number) | undefined;
  log?: Log | undefined;
}

/** What a guarded route finds in its Hono context. */
interface GuardedVariables {
  /** On whose behalf the call is made. */
  context: VerifiedContext | OriginContext;
  /** The raw body, already read. */
  body: Bytes;
  /** May be set by a handler: what it spent, for the receipt. */
  usage: Amounts | undefined;
  /** May be set by a handler: hashes of the receipts that its answer is based on. */
  receipts: readonly string[] | undefined;
  /** May be set by a handler: its model usage, for the log. */
  modelUse: ModelUse | undefined;
  /** May be set by a handler: the error code of its response, for the log. */
  outcome: ErrorCode | undefined;
}

export interface GuardedEnv {
  Variables: GuardedVariables;
}

/**
 * Middleware that verifies the `Context-Token` and signs the response, errors included. An invalid token is refused, never treated as
 * absent. Handlers read the body through `c.req` as usual.
 */
export function contextGuard(options: GuardOptions): MiddlewareHandler<GuardedEnv> {
  const { now = Date.now, log = logLine, self, signer } = options;
  const cache = linkCache();
  return async (c, next) => {
    const arrival = now();
    let caller: { id: string; linkHash: string } | undefined;
    let reason: string | undefined;
    try {
      const context = await contextOf(c, { ...options, now: arrival, cache });
      if (context.caller !== undefined) caller = { id: context.caller, linkHash: context.linkHash };
      c.set('context', context);
      await next();
    } catch (error) {
      if (!(error instanceof ContextRefused)) throw error;
      ({ caller, reason } = error);
      c.res = refusal(error.code, { librarian: self, ...newerStateIn(error) });
      c.set('outcome', error.code);
      c.set('usage', NOTHING_SPENT);
    }
    const finish = () => log(requestLine(c, { self, arrival, now: now(), reason }), waitUntilOf(c));
    if (isEventStream(c.res.headers)) return signStream(c, { signer, caller, now, finish });
    if (caller !== undefined) await attachReceipt(c, { signer, caller, now: now() });
    finish();
  };
}

/** The receipt of a stream is its last event, over all bytes before it. */
const signStream = (
  c: HonoContext<GuardedEnv>,
  {
    signer,
    caller,
    now,
    finish,
  }: {
    signer: Signer;
    caller: { id: string; linkHash: string } | undefined;
    now: () => number;
    finish: () => void;
  },
): void => {
  const parts: Uint8Array[] = [];
  let length = 0;
  const signed = tapStream(c.res, {
    onPart: (part) => {
      length += part.length;
      parts.push(part);
    },
    onEnd: async (why) => {
      finish();
      if (caller === undefined || why === 'cancelled') return undefined;
      const body = joinBytes(parts, length);
      const answer = {
        caller,
        status: 200,
        body,
        now: now(),
        usage: c.get('usage'),
        receipts: c.get('receipts'),
      };
      return eventText(RECEIPT_EVENT, await signReceipt(signer, answer));
    },
  });
  // Without the first line Hono would copy the headers of the old response into yet another one.
  c.res = undefined;
  c.res = signed;
};

/** Refuses calls whose context lacks a capability. Runs after `contextGuard`. */
export function requireCapability(capability: string): MiddlewareHandler<GuardedEnv> {
  return async (c, next) => {
    const { capabilities, self } = c.get('context');
    if (covers(capabilities, capability)) return next();
    c.set('outcome', 'UNAUTHORIZED');
    c.set('usage', NOTHING_SPENT);
    return refusal('UNAUTHORIZED', {
      librarian: self,
      message: `Cannot do this: the context does not hold the capability ${capability}`,
      suggestion: 'Ask whoever started the call for a context with this capability',
      details: { missing: capability },
    });
  };
}

/** For `app.onError`: turns any thrown error into a signed `{ error }` without internal details. */
export function faultHandler({
  self,
  now = Date.now,
  log = logLine,
}: Pick<GuardOptions, 'self' | 'now' | 'log'>): ErrorHandler<GuardedEnv> {
  return (error, c) => {
    const traceId = (c.get('context') as GuardedVariables['context'] | undefined)?.traceId;
    const info = errorInfoOf(error, { librarian: self, where: 'route', log, now: now(), traceId });
    c.set('outcome', info.code);
    return refusal(info.code, info);
  };
}

/** The response for an error: `{ error }` with the status of its code. */
export function refusal(code: ErrorCode, known: Parameters<typeof errorInfo>[1] = {}): Response {
  return jsonAnswer(
    { error: errorInfo(code, known) },
    {
      status: HTTP_STATUS[code],
      headers: code === 'UNAUTHORIZED' ? { 'WWW-Authenticate': 'ContextToken' } : {},
    },
  );
}

/** Refuses a request whose context was verified, and notes the code for the log. */
export function refuse(
  c: HonoContext<GuardedEnv>,
  code: ErrorCode,
  known: Parameters<typeof errorInfo>[1] = {},
): Response {
  c.set('outcome', code);
  return refusal(code, { librarian: c.get('context').self, ...known });
}

const contextOf = async (
  c: HonoContext<GuardedEnv>,
  options: Omit<GuardOptions, 'now'> & { now: number; cache: LinkCache },
): Promise<VerifiedContext | OriginContext> => {
  const token = c.req.header(CONTEXT_HEADER);
  if (token === undefined) return anonymousContext(c, options);
  const context = await verifyContext(token, {
    ...options,
    op: `${c.req.method} ${pathOf(c.req.url)}`,
    body: () => bodyOf(c, options.maxBodyBytes),
    sampled: isSampled(c),
  });
  if (options.access === 'user' && !context.subject.startsWith('user:')) {
    throw refusedCaller('only users may call', context);
  }
  return context;
};

/** The sampled flag of an incoming `traceparent`; `undefined` when there is none or it is malformed. */
const isSampled = (c: HonoContext<GuardedEnv>): boolean | undefined => {
  const header = c.req.header('traceparent') ?? '';
  const flags = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-([0-9a-f]{2})$/.exec(header)?.[1];
  return flags === undefined ? undefined : (Number.parseInt(flags, 16) & 1) === 1;
};

const anonymousContext = async (
  c: HonoContext<GuardedEnv>,
  { self, access, anonymous, maxBodyBytes, now }: Omit<GuardOptions, 'now'> & { now: number },
): Promise<OriginContext> => {
  if (access !== 'public' || anonymous === undefined)
    throw new ContextRefused('UNAUTHORIZED', 'the token is missing');
  await bodyOf(c, maxBodyBytes);
  const address = c.req.header('CF-Connecting-IP') ?? '';
  return originateAnonymous(anonymous, { self, address, now, sampled: isSampled(c) });
};

const bodyOf = async (c: HonoContext<GuardedEnv>, maxBytes = MAX_BODY_BYTES): Promise<Bytes> => {
  const bytes = await readBody(c.req.raw, maxBytes);
  demand(bytes !== undefined, 'the body is too large', 'INVALID_QUERY');
  // Only plain JSON, so that the signed bytes have one meaning.
  const isJson = /^application\/json\b/i.test(c.req.header('Content-Type') ?? '');
  demand(bytes.length === 0 || isJson, 'the body is not application/json', 'INVALID_QUERY');
  demand(c.req.header('Content-Encoding') === undefined, 'the body is encoded', 'INVALID_QUERY');
  c.set('body', bytes);
  // c.req.json() and the other body methods read this cache first.
  // Hono types the value and stores a promise of it.
  c.req.bodyCache.arrayBuffer = Promise.resolve(bytes.buffer) as unknown as ArrayBuffer;
  return bytes;
};

const refusedCaller = (reason: string, { caller, linkHash }: VerifiedContext): ContextRefused => {
  const error = new ContextRefused('UNAUTHORIZED', reason);
  error.caller = { id: caller, linkHash };
  return error;
};

/** Path and query exactly as received; Hono's own `path` omits the query. */
const pathOf = (url: string): string => {
  const start = url.indexOf('/', url.indexOf('://') + 3);
  const end = url.indexOf('#');
  return start === -1 ? '/' : url.slice(start, end === -1 ? undefined : end);
};

const attachReceipt = async (
  c: HonoContext<GuardedEnv>,
  {
    signer,
    caller,
    now,
  }: { signer: Signer; caller: { id: string; linkHash: string }; now: number },
): Promise<void> => {
  const { status } = c.res;
  const known = knownBody(c.res);
  const body =
    known ?? (c.res.body === null ? new Uint8Array() : new Uint8Array(await c.res.arrayBuffer()));
  const answer = { caller, status, body, now, usage: c.get('usage'), receipts: c.get('receipts') };
  const receipt = await signReceipt(signer, answer);
  if (known === undefined) {
    const response = new Response(c.res.body === null ? null : body, c.res);
    if (body.length > 0) response.headers.set('Content-Length', String(body.length));
    // Without the first line Hono would copy the headers of the old response into yet another one.
    c.res = undefined;
    c.res = response;
  }
  c.res.headers.set(RECEIPT_HEADER, receipt);
};

const requestLine = (
  c: HonoContext<GuardedEnv>,
  {
    self,
    arrival,
    now,
    reason,
  }: { self: string; arrival: number; now: number; reason: string | undefined },
) => {
  // Absent when the context was refused, although the type does not say so.
  const context = c.get('context') as GuardedVariables['context'] | undefined;
  return {
    event: 'request' as const,
    time: arrival,
    librarian: self,
    // The pattern, not the path: an article's id may contain a customer's words.
    route: `${c.req.method} ${routePath(c, -1)}`,
    status: c.res.status,
    outcome: c.get('outcome') ?? (c.res.status < 400 ? 'ok' : String(c.res.status)),
    duration_ms: now - arrival,
    trace_id: context?.traceId,
    span_id: context?.spanId,
    chain: context?.chain,
    hops: context?.chain.length,
    remaining_ms: context === undefined ? undefined : context.deadlineMs - arrival,
    link: context?.linkHash.slice(0, 8),
    reason,
    ...usageFields(c.get('modelUse')),
  };
};

/** Model usage of one request, as the API reports it. */
export interface ModelUse {
  model: string;
  /** Calls that were answered. */
  calls: number;
  inputTokens: number;
  outputTokens: number;
  /** US dollars; absent when the model has no prices. */
  costUsd?: number | undefined;
}

/** Model usage as members of a log line. */
export function usageFields(use: ModelUse | undefined) {
  return (
    use && {
      model: use.model,
      model_calls: use.calls,
      input_tokens: use.inputTokens,
      output_tokens: use.outputTokens,
      cost_usd: use.costUsd,
    }
  );
}
