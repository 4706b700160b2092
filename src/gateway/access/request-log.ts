import type { Context, MiddlewareHandler } from 'hono';
import { routePath } from 'hono/route';
import type { ErrorCode } from '../../contract/core/error-info.ts';
import { waitUntilOf } from '../../platform/concurrency.ts';
import { type ModelUse, usageFields } from '../../platform/context/context-guard.ts';
import { randomHex } from '../../platform/encoding.ts';
import { isEventStream, streamEnd, tapStream } from '../../platform/http/event-stream.ts';
import type { Log } from '../../platform/log.ts';
import type { ApiKey } from './api-keys.ts';

export interface GatewayEnv {
  Variables: {
    /** 32 hexadecimal digits: the id of the request here, and of its trace behind the gateway. */
    traceId: string;
    apiKey: ApiKey;
    /** Id of the librarian or function that answered. */
    answeredBy: string | undefined;
    outcome: ErrorCode | undefined;
    /** Whether a sync was asked to apply all deletions. */
    isForced: boolean | undefined;
    /** Headers of a static file, in place of those of a reply. */
    headersOfFile: Readonly<Record<string, string>> | undefined;
    /** Model usage of this function itself; librarians report their own. */
    modelUse: ModelUse | undefined;
    /** Goes on after the response, for half a minute at most on Cloudflare; the request is logged when it has ended. */
    work: Promise<void> | undefined;
  };
}

/** Gives every request an id, returns it as `X-Request-Id`, and logs one line per request. */
export function requestLog({
  log,
  now,
}: {
  log: Log;
  now: () => number;
}): MiddlewareHandler<GatewayEnv> {
  return async (c, next) => {
    const arrival = now();
    const traceId = randomHex(16);
    c.set('traceId', traceId);
    await next();
    c.res.headers.set('X-Request-Id', traceId);
    const finish = () => log(lineOf(c, { arrival, now: now() }), waitUntilOf(c));
    const ended = c.get('work') ?? streamEnd(c.res);
    if (ended !== undefined) waitUntilOf(c)(ended.then(finish, finish));
    else if (isEventStream(c.res.headers))
      c.res = tapStream(c.res, { onEnd: async () => void finish() });
    else finish();
  };
}

const lineOf = (c: Context<GatewayEnv>, { arrival, now }: { arrival: number; now: number }) => ({
  event: 'request' as const,
  time: arrival,
  librarian: c.get('answeredBy') ?? 'gateway',
  // The route pattern, not the path: an article's id can contain a customer's words, and an unauthenticated caller's path
  // anything.
  route: `${c.req.method} ${routePath(c, -1)}`,
  status: c.res.status,
  outcome: c.get('outcome') ?? (c.res.status < 400 ? 'ok' : String(c.res.status)),
  duration_ms: now - arrival,
  trace_id: c.get('traceId'),
  ...usageFields(c.get('modelUse')),
});
