import * as z from 'zod';
import type { Progress, ProgressEvent } from '../../contract/core/ask.ts';
import { ErrorCode, ErrorInfo, readAs } from '../../contract/core/error-info.ts';
import { parseJson } from '../../contract/core/json-object.ts';
import type { LibrarianResponse } from '../../contract/core/response.ts';
import type { GatewayCall } from '../../contract/wire/gateway-call.ts';
import { reportStatements } from '../../platform/http/progress.ts';
import { readBody } from '../../platform/http/read-body.ts';

/** A route has refused or failed; `info` is visible to the caller. */
export class RouteFailed extends Error {
  override readonly name = 'RouteFailed';

  readonly info: ErrorInfo;

  constructor(info: ErrorInfo) {
    super(info.message);
    this.info = info;
  }
}

interface Sent {
  body?: object | undefined;
  query?: Readonly<Record<string, string | number | undefined>> | undefined;
  signal: AbortSignal;
}

export interface AskReporting {
  signal: AbortSignal;
  progress: Progress;
  isLive?: boolean | undefined;
}

/** One that its holder releases when it is done. */
interface HeldCall extends GatewayCall, Disposable {}

/** The same as long as its holder needs it, and not only until the call that brought it has returned. */
export function held(call: GatewayCall): HeldCall {
  // Over a binding it is a stub, which the types of the contract do not say.
  const stub = (call as GatewayCall & { dup(): HeldCall }).dup();
  return {
    route: (request) => stub.route(request),
    ask: (question, progress) => stub.ask(question, progress),
    stop: () => stub.stop(),
    [Symbol.dispose]: () => stub[Symbol.dispose](),
  };
}

/** The routes of the gateway, with the credentials of the caller. All throw `RouteFailed`. */
export interface Routes {
  json(method: 'GET' | 'POST', path: string, sent: Sent): Promise<unknown>;
  /** @param reporting.isLive Whether `progress` gets events as they happen, or the statements alone at the end; true when absent. */
  ask(body: object, reporting: AskReporting): Promise<LibrarianResponse>;
  article(id: string, sent: Sent): Promise<unknown>;
  /** The text that offsets of quotes refer to. */
  text(id: string, sent: Sent): Promise<unknown>;
  /** The path of the memories of the caller's workspace. */
  memories(): string;
}

/** A whole article, or a page of twenty. */
const MAX_REPLY_BYTES = 33_554_432;

/** The address does not matter: the call leads to the gateway itself. */
const ADDRESS = 'http://127.0.0.1';

/** @param options.workspace The one that the caller was authenticated for. */
export function routesOf(call: GatewayCall, { workspace }: { workspace: string }): Routes {
  const send = async (method: string, path: string, { body, query = {}, signal }: Sent) => {
    signal.throwIfAborted();
    const url = new URL(path, ADDRESS);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    url.searchParams.set('workspace_id', workspace);
    const headers = body === undefined ? {} : { 'Content-Type': 'application/json' };
    const request = new Request(url, {
      method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
    });
    return stopWith(signal, call.route(request));
  };
  /** What was begun ends with the signal, through every function. */
  const stopWith = async <T>(signal: AbortSignal, begun: Promise<T>): Promise<T> => {
    const aborted = Promise.withResolvers<never>();
    const stop = (): void => {
      // The gateway may be gone.
      call.stop().catch(() => undefined);
      aborted.reject(signal.reason);
    };
    signal.addEventListener('abort', stop, { once: true });
    try {
      return await Promise.race([begun, aborted.promise]);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  };
  const json: Routes['json'] = async (method, path, sent) => {
    const response = await send(method, path, sent);
    const bytes = await readBody(response, MAX_REPLY_BYTES);
    return jsonOf(response.ok, bytes === undefined ? undefined : new TextDecoder().decode(bytes));
  };
  const pathOf = (id: string): string => id.split('/').map(encodeURIComponent).join('/');
  return {
    json,
    ask: async (body, { signal, progress, isLive = true }) => {
      signal.throwIfAborted();
      const report = isLive ? async (event: ProgressEvent) => progress(event) : undefined;
      const response = await stopWith(signal, call.ask(body, report));
      if (response.answer === undefined) throw new RouteFailed(response.error ?? BROKEN);
      if (!isLive) reportStatements(progress, response);
      return response;
    },
    article: (id, sent) => json('GET', `/api/kb/articles/${pathOf(id)}`, sent),
    text: (id, sent) => json('GET', `/api/kb/text/${pathOf(id)}`, sent),
    memories: () => `/v1/workspaces/${workspace}/memories`,
  };
}

const BROKEN: ErrorInfo = {
  code: 'SERVICE_UNAVAILABLE',
  message: 'Cannot answer: the connection behind the gateway broke off',
  recoverable: true,
  suggestion: 'Repeat the call in a few seconds',
};

const jsonOf = (isOk: boolean, text: string | undefined): unknown => {
  const value = parseJson(text ?? '');
  if (isOk && value !== undefined) return value;
  const failed = readAs(Failure, value);
  throw new RouteFailed(
    (failed.ok ? (failed.value.info ?? failed.value.error) : undefined) ?? BROKEN,
  );
};

/** `{ error }`, or the form of the host API, which has it as `info`. */
const Failure = z.object({
  info: ErrorInfo.optional(),
  error: z.union([ErrorInfo, ErrorCode.transform(() => undefined)]),
});
