import type { MiddlewareHandler } from 'hono';
import { routePath } from 'hono/route';
import type { ErrorCode } from '../contract/error-info.ts';
import { randomHex } from '../runtime/digest.ts';
import type { Log } from '../runtime/log.ts';
import { type ModelUse, usageFields } from '../runtime/model-use.ts';
import type { ApiKey } from './api-keys.ts';

export interface GatewayEnv {
  Variables: {
    /** 32 hexadecimal digits: the request's id here, and the trace's id everywhere behind. */
    traceId: string;
    apiKey: ApiKey;
    /** The librarian or function that answered. */
    answeredBy: string | undefined;
    outcome: ErrorCode | undefined;
    /** What this function used a model itself; librarians tell their own. */
    modelUse: ModelUse | undefined;
  };
}

/** Gives every request an id, tells it to the caller as `X-Request-Id`, and writes one line about how it ended. */
export const requestLog =
  ({ log, now }: { log: Log; now: () => number }): MiddlewareHandler<GatewayEnv> =>
  async (c, next) => {
    const arrival = now();
    const traceId = randomHex(16);
    c.set('traceId', traceId);
    await next();
    c.res.headers.set('X-Request-Id', traceId);
    log({
      event: 'request',
      time: arrival,
      librarian: c.get('answeredBy') ?? 'gateway',
      // The pattern, not the path: an article's id can be a customer's words, and a stranger's path can be anything.
      route: `${c.req.method} ${routePath(c, -1)}`,
      status: c.res.status,
      outcome: c.get('outcome') ?? (c.res.status < 400 ? 'ok' : String(c.res.status)),
      duration_ms: now() - arrival,
      trace_id: traceId,
      ...usageFields(c.get('modelUse')),
    });
  };
