import type { Progress } from '../../contract/core/ask.ts';
import { type ErrorInfo, HTTP_STATUS } from '../../contract/core/error-info.ts';
import { type Bytes, sha256, utf8 } from '../encoding.ts';
import { CodedError } from '../http/coded-error.ts';
import { type Deadline, startDeadline } from '../http/deadline.ts';
import {
  EVENT_STREAM,
  isEventStream,
  readEvents,
  type StreamedEvent,
} from '../http/event-stream.ts';
import { readProgress } from '../http/progress.ts';
import { discard, readBody } from '../http/read-body.ts';
import { describeCause, type Log, logLine } from '../log.ts';
import { covers, intersectCapabilities } from './capabilities.ts';
import type { Signer } from './compact-jws.ts';
import { noTarget } from './delegates.ts';
import { errorInfo } from './error-info-of.ts';
import { audiencesOf, capabilitiesOf, type KeyDirectory } from './key-directory.ts';
import { CONTEXT_HEADER, MAX_ANSWER_BYTES, RECEIPT_EVENT, RECEIPT_HEADER } from './limits.ts';
import { type SignedLink, signLink } from './link-claims.ts';
import { type Receipt, verifyReceipt } from './receipt.ts';
import {
  ContextRefused,
  demand,
  type OriginContext,
  type VerifiedContext,
} from './request-context.ts';

/** Destination of calls: a service binding, or anything else with `fetch`. */
export interface Target {
  fetch(request: Request): Promise<Response>;
}

/** One call to another librarian. */
interface SignedRequest {
  /** Id of the target; must be in the directory and among the targets. */
  to: string;
  method?: string | undefined;
  /** Path and query: `/librarians/navigator/ask`. */
  path: string;
  /** Bytes and text are sent unchanged, anything else as JSON. */
  body?: unknown;
  timeoutMs?: number | undefined;
  reserveMs?: number | undefined;
  capabilities?: readonly string[] | undefined;
  budgets?: Readonly<Record<string, number>> | undefined;
  maxHops?: number | undefined;
  maxAnswerBytes?: number | undefined;
  /** Cancels the call, e.g. when the client has disconnected. */
  signal?: AbortSignal | undefined;
  /** Gets what the target reports while it answers. Not covered by a receipt until the call has returned. */
  progress?: Progress | undefined;
}

/** A response with a valid receipt, whatever its status; or why there is none. */
export type SignedAnswer = VouchedAnswer | FailedCall;

interface VouchedAnswer {
  ok: true;
  status: number;
  contentType: string;
  /** As received; not covered by the receipt. */
  headers: Headers;
  body: Bytes;
  json: () => unknown;
  receipt: Receipt;
  /** As received: a compact JWS. */
  receiptText: string;
  receiptHash: () => Promise<string>;
  /** The last link of the token that was sent, which the receipt names: a compact JWS. */
  link: string;
  /** Span id of the call, 16 hex digits. */
  spanId: string;
}

interface FailedCall {
  ok: false;
  error: ErrorInfo;
  why: CallFailure;
  /** Whether the target may have received the call. */
  sent: boolean;
  /** Absent when nothing was signed. */
  spanId: string | undefined;
}

/**
 * Why a call has no response: refused here before it was sent; a transport error; no valid receipt; a response above the size limit
 * (`unusable`); a timeout; cancelled because `signal` aborted.
 */
type CallFailure = 'refused' | 'transport' | 'receipt' | 'unusable' | 'timeout' | 'given-up';

export interface SignedClient {
  /** Ids that can be called. */
  targets: readonly string[];
  /** Signs and sends the call and verifies the receipt. Never throws. */
  call(context: OriginContext | VerifiedContext, request: SignedRequest): Promise<SignedAnswer>;
}

interface SignedClientOptions {
  self: string;
  signer: Signer;
  directory: KeyDirectory;
  targets: Readonly<Record<string, Target>>;
  now?: (() => number) | undefined;
  log?: Log | undefined;
}

/** Calls other librarians. The token is sent only to targets in the directory, and redirects are not followed. */
export function signedClient(options: SignedClientOptions): SignedClient {
  const { targets, directory, self, now = Date.now } = options;
  const reachable = Object.keys(targets).filter(
    (id) => id !== self && directory.librarian(id) !== undefined,
  );
  return {
    targets: reachable,
    call: async (context, request) => {
      const state: CallState = { why: 'refused', sent: false, spanId: undefined };
      let deadline: Deadline | undefined;
      try {
        // Checked before the targets: a loop is reported as such, whatever is bound to the function.
        demand(
          ![self, ...context.chain].includes(request.to),
          'the target is in the chain',
          'LOOP_DETECTED',
        );
        const target = reachable.includes(request.to) ? targets[request.to] : undefined;
        if (target === undefined) throw unreachable(request.to, options);
        const { link, url, init } = await signCall(context, { ...options, request, now });
        state.spanId = link.spanId;
        deadline = startDeadline({ timeoutMs: link.deadlineMs - now(), signal: request.signal });
        deadline.signal.throwIfAborted();
        Object.assign(state, { why: 'transport', sent: true });
        const response = await deadline.race(
          target.fetch(new Request(url, { ...init, signal: deadline.signal })),
        );
        return await deadline.race(receive(response, { ...options, request, link, now, state }));
      } catch (error) {
        const isAborted = deadline?.signal.aborted === true;
        if (isAborted && state.sent) state.why = request.signal?.aborted ? 'given-up' : 'timeout';
        // The deadline, or the abort of the fetch that it caused.
        const cause: unknown = isAborted ? deadline?.signal.reason : error;
        return failedCall(cause, {
          ...options,
          ...state,
          to: request.to,
          traceId: context.traceId,
        });
      } finally {
        deadline?.clear();
      }
    },
  };
}

/** Names what is missing: the binding, or the entry in the directory. */
const unreachable = (to: string, { self, targets, directory }: SignedClientOptions): CodedError => {
  const isKnown = directory.librarian(to) !== undefined;
  const reported = Object.hasOwn(targets, to) || !isKnown ? notInDirectory(to) : noTarget(to, self);
  return new CodedError(
    'DELEGATION_FAILED',
    `Cannot reach ${to}: ${isKnown ? 'no binding' : 'not in the directory'}`,
    {
      reported,
    },
  );
};

const notInDirectory = (librarian: string): Partial<ErrorInfo> => ({
  message: `Cannot ask ${librarian}: the key directory has no librarian of this id`,
  recoverable: false,
  suggestion:
    'Take the id from the delegates of the context; npx constellation keys lists the directory',
});

/** How far a call has come: what is reported if it fails from here on. */
interface CallState {
  why: CallFailure;
  sent: boolean;
  spanId: string | undefined;
}

const failedCall = (
  cause: unknown,
  {
    to,
    traceId,
    why,
    sent,
    spanId,
    self,
    now = Date.now,
    log = logLine,
  }: SignedClientOptions & CallState & { to: string; traceId: string },
): FailedCall => {
  const isCoded = cause instanceof ContextRefused || cause instanceof CodedError;
  const code = isCoded && cause.code !== 'UNAUTHORIZED' ? cause.code : 'DELEGATION_FAILED';
  log({
    event: 'fault',
    time: now(),
    librarian: self,
    where: `call ${to}`,
    code,
    trace_id: traceId,
    cause: describeCause(cause),
  });
  const reported = cause instanceof CodedError && code === cause.code ? cause.reported : {};
  return { ok: false, error: errorInfo(code, { librarian: to, ...reported }), why, sent, spanId };
};

const signCall = async (
  context: OriginContext | VerifiedContext,
  {
    request,
    signer,
    directory,
    now,
  }: SignedClientOptions & { request: SignedRequest; now: () => number },
): Promise<{ link: SignedLink; url: URL; init: RequestInit }> => {
  const { method = request.body === undefined ? 'GET' : 'POST', to: aud } = request;
  const body = bytesOf(request.body);
  const url = new URL(request.path, ADDRESS);
  // `//host/path` is an absolute address: the token must not be sent there.
  if (url.origin !== ADDRESS || !request.path.startsWith('/'))
    throw new Error('the path is not a path');
  const op = `${method} ${url.pathname}${url.search}`;
  const capabilities = handedTo({
    wanted: request.capabilities,
    held: context.capabilities,
    allowed: capabilitiesOf(directory, aud, context.workspace),
  });
  const audiences = handedTo({
    wanted: undefined,
    held: context.audiences,
    allowed: audiencesOf(directory, aud, context.workspace),
  });
  const link = await signLink(context, {
    ...request,
    capabilities,
    audiences,
    signer,
    aud,
    op,
    body,
    now: now(),
  });
  const headers: Record<string, string> = {
    [CONTEXT_HEADER]: link.token,
    traceparent: traceParent(link, context.sampled),
  };
  if (request.progress !== undefined) headers.Accept = EVENT_STREAM;
  if (body.length === 0) return { link, url, init: { method, headers, redirect: 'manual' } };
  headers['Content-Type'] = 'application/json';
  return { link, url, init: { method, headers, redirect: 'manual', body } };
};

/** The target gets no more than its entry allows. `undefined`, which inherits, when nothing is removed: the link stays short. */
const handedTo = ({
  wanted,
  held,
  allowed,
}: {
  wanted: readonly string[] | undefined;
  held: readonly string[];
  allowed: readonly string[];
}): readonly string[] | undefined => {
  if ((wanted ?? held).every((capability) => covers(allowed, capability))) return wanted;
  return intersectCapabilities(wanted ?? held, allowed);
};

interface Receiving extends SignedClientOptions {
  request: SignedRequest;
  link: SignedLink;
  now: () => number;
  state: CallState;
}

const receive = async (
  response: Response,
  { self, request, directory, link, now, state }: Receiving,
): Promise<SignedAnswer> => {
  const maxBytes = request.maxAnswerBytes ?? MAX_ANSWER_BYTES;
  const isStream = isEventStream(response.headers);
  const streamed = isStream
    ? await readStream(response, { maxBytes, progress: request.progress })
    : undefined;
  const token = isStream ? streamed?.token : response.headers.get(RECEIPT_HEADER);
  if (token === null) {
    state.why = 'receipt';
    discard(response.body);
    throw new Error(`the answer has no receipt, its status is ${response.status}`);
  }
  const body = streamed?.signed ?? (isStream ? undefined : await readBody(response, maxBytes));
  state.why = body === undefined ? 'unusable' : 'receipt';
  if (body === undefined || token === undefined) throw new Error('the answer is too large');
  const { status } = response;
  const linkHash = await sha256(utf8(link.link));
  const { budgets } = link;
  const receipt = await verifyReceipt(token, {
    self,
    librarian: request.to,
    linkHash,
    budgets,
    status,
    body,
    directory,
    now: now(),
  });
  const answer = streamed?.answer ?? {
    status,
    contentType: response.headers.get('Content-Type') ?? '',
    body,
  };
  return {
    ok: true,
    ...answer,
    headers: response.headers,
    json: (): unknown => JSON.parse(new TextDecoder().decode(answer.body)),
    receipt,
    receiptText: token,
    receiptHash: () => sha256(utf8(token)),
    link: link.link,
    spanId: link.spanId,
  };
};

/** The last event of a stream as a response, with what its receipt covers. */
const readStream = async (
  response: Response,
  { maxBytes, progress }: { maxBytes: number; progress: Progress | undefined },
) => {
  let last: StreamedEvent | undefined;
  let token: string | undefined;
  let reported = 0;
  const onEvent = (event: StreamedEvent): void => {
    if (event.name === RECEIPT_EVENT) token ??= event.data;
    else if (event.name === 'done' || event.name === 'error') last ??= event;
    else if (last === undefined && reported < MAX_REPORTED) {
      reported += 1;
      const read = readProgress(event);
      if (read !== undefined) progress?.(read);
    }
  };
  const text = await readEvents(response, { maxBytes, onEvent });
  if (text === undefined) return undefined;
  if (last === undefined || token === undefined)
    throw new Error('the stream ended without an answer and its receipt');
  const { name, data } = last;
  return {
    token,
    signed: utf8(text.slice(0, text.lastIndexOf(`event: ${RECEIPT_EVENT}\n`))),
    answer: {
      status: name === 'done' ? 200 : statusOf(data),
      contentType: 'application/json',
      body: utf8(data),
    },
  };
};

/** Events of one call that are passed on. */
const MAX_REPORTED = 500;

/** The status that the body of an error would have had. */
const statusOf = (data: string): number => {
  // Every member is checked before it is used.
  const { error, metadata } = JSON.parse(data) as {
    error?: { code?: string };
    metadata?: { error_code?: string };
  };
  const said = error?.code ?? metadata?.error_code;
  return Object.entries(HTTP_STATUS).find(([code]) => code === said)?.[1] ?? 500;
};

/**
 * Base of every request URL; the target decides where it goes. An id cannot serve as a host name: `team.500` would be read as an IPv4
 * address.
 */
const ADDRESS = 'http://librarian';

const bytesOf = (body: unknown): Bytes => {
  if (body === undefined) return new Uint8Array();
  // Bytes of a request or a TextEncoder, never shared memory, which WebCrypto would refuse.
  if (body instanceof Uint8Array) return body as Bytes;
  return utf8(typeof body === 'string' ? body : JSON.stringify(body));
};

/**
 * `traceparent` of W3C Trace Context, always rebuilt from the signed context, which takes precedence over an incoming header. Only the
 * sampled flag comes from that header.
 */
const traceParent = ({ traceId, spanId }: SignedLink, sampled = true): string =>
  `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;
