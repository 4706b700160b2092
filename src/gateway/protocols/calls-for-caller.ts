import type { Context, Hono, MiddlewareHandler } from 'hono';
import { AskRequest, type ProgressEvent } from '../../contract/core/ask.ts';
import {
  describeIssues,
  ErrorBody,
  type ErrorInfo,
  readAs,
} from '../../contract/core/error-info.ts';
import { readRequest } from '../../contract/core/read-request.ts';
import type { LibrarianResponse } from '../../contract/core/response.ts';
import type { routeMatcher } from '../../contract/routes/http-routes.ts';
import type { GatewayCall } from '../../contract/wire/gateway-call.ts';
import { withStatements } from '../../platform/http/progress.ts';
import { suggestForm } from '../../platform/http/suggest-form.ts';
import { limitKey } from '../access/authenticate.ts';
import { faultOf, GatewayError, type RateLimits } from '../access/gateway-error.ts';
import type { GatewayEnv } from '../access/request-log.ts';
import type { Asking } from '../ask/ask.ts';

/** What a function that translates a protocol is reached and answered with. */
export interface CallParts {
  app: Hono<GatewayEnv>;
  asking: Asking;
  limits: RateLimits;
}

interface CallOptions extends CallParts {
  /** Routes beside that of questions; nothing else is found. */
  isCallable: ReturnType<typeof routeMatcher>;
  /** Ends what the function has begun when the caller is gone; it goes on when absent. */
  gone?: AbortSignal | undefined;
}

/** Asks, and calls routes of this gateway, with the credentials of a request. */
export function callsFor(
  c: Context<GatewayEnv>,
  { app, asking, limits, isCallable, gone }: CallOptions,
): GatewayCall {
  const credentials = c.req.header('Authorization') ?? '';
  const stopped = new AbortController();
  const signal = gone === undefined ? stopped.signal : AbortSignal.any([gone, stopped.signal]);
  let questions = 0;
  const ask = async (
    question: object,
    report?: (event: ProgressEvent) => void,
  ): Promise<LibrarianResponse> => {
    // The request itself was counted when its caller was authenticated.
    if (questions++ > 0) await limitKey(c.get('apiKey'), limits);
    const read = readRequest(AskRequest, question);
    if (!read.ok) {
      const message = `Cannot read the question: ${describeIssues(read.issues)}`;
      throw new GatewayError('INVALID_QUERY', {
        message,
        suggestion: suggestForm(AskRequest, read.issues),
        details: { issues: read.issues },
      });
    }
    const run = asking(c, read.value);
    return report === undefined
      ? run({ signal })
      : withStatements(report, (progress) => run({ signal, progress }));
  };
  return {
    route: async (sent) => {
      const { pathname, search } = new URL(sent.url);
      if (!isCallable(sent.method, pathname)) return c.notFound();
      const headers = new Headers(sent.headers);
      headers.set('Authorization', credentials);
      const url = new URL(`${pathname}${search}`, c.req.url);
      const body = sent.method === 'GET' ? null : await sent.arrayBuffer();
      return app.fetch(
        new Request(url, { method: sent.method, headers, body, signal }),
        c.env,
        executionOf(c),
      );
    },
    ask: async (question, progress) => {
      const sent: Promise<void>[] = [];
      // Whoever listens may be gone.
      const report =
        progress &&
        ((event: ProgressEvent) => void sent.push(progress(event).catch(() => undefined)));
      const response = await ask(question, report).catch(
        (error: unknown): LibrarianResponse => ({ error: faultOf(c, error) }),
      );
      // Nothing may follow the answer.
      await Promise.all(sent);
      if (response.answer === undefined) c.set('outcome', response.error?.code);
      return response;
    },
    stop: async () => stopped.abort(),
  };
}

/** Undefined outside of workerd, where Hono throws. */
const executionOf = (c: Context<GatewayEnv>) => {
  try {
    return c.executionCtx;
  } catch {
    return undefined;
  }
};

type ErrorReply = (status: number, error: ErrorInfo, headers?: HeadersInit) => Response;

/**
 * An error of JSON-RPC that no request of its own has: its code is the HTTP status.
 *
 * @param dataOf Where a protocol has our error. Codes outside -32768 to -32000 are ours (JSON-RPC 2.0, section 5.1).
 */
export function jsonRpcError(dataOf: (error: ErrorInfo) => unknown): ErrorReply {
  return (status, error, headers = {}) =>
    Response.json(
      {
        jsonrpc: '2.0',
        id: null,
        error: { code: status, message: error.message, data: dataOf(error) },
      },
      { status, headers },
    );
}

/** Puts errors of the gateway into the form of JSON-RPC. */
export function jsonRpcErrors(reply: ErrorReply): MiddlewareHandler<GatewayEnv> {
  return async (c, next) => {
    await next();
    if (c.res.status < 400) return;
    const json: unknown = await c.res
      .clone()
      .json()
      .catch(() => undefined);
    const read = readAs(ErrorBody, json);
    if (!read.ok) return;
    const headers = new Headers(c.res.headers);
    headers.delete('Content-Length');
    const { status } = c.res;
    // Without this line Hono would keep the headers of the old body.
    c.res = undefined;
    c.res = reply(status, read.value.error, headers);
  };
}
