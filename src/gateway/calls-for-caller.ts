import type { Context, Hono } from 'hono';
import { type AnswerInterface, INTERFACE_HEADER } from '../contract/answers.ts';
import type { GatewayCall } from '../contract/gateway-call.ts';
import type { routeMatcher } from '../contract/http-routes.ts';
import type { GatewayEnv } from './request-log.ts';

/** The headers of a request, for a function that must not see who asks. */
export const headersWithoutCredentials = (c: Context<GatewayEnv>): Headers => {
  const headers = new Headers(c.req.raw.headers);
  for (const name of ['Authorization', 'Cookie']) headers.delete(name);
  return headers;
};

interface CallOptions {
  app: Hono<GatewayEnv>;
  /** Nothing else is found. */
  isCallable: ReturnType<typeof routeMatcher>;
  /** The interface that an answer is given through. */
  through: AnswerInterface;
}

/** Calls routes of this gateway with the credentials of a request, for a function that translates a protocol. */
export const callsFor = (c: Context<GatewayEnv>, { app, isCallable, through }: CallOptions): GatewayCall => {
  const credentials = c.req.header('Authorization') ?? '';
  return async (sent) => {
    const { pathname, search } = new URL(sent.url);
    if (!isCallable(sent.method, pathname)) return c.notFound();
    const headers = new Headers(sent.headers);
    headers.set('Authorization', credentials);
    headers.set(INTERFACE_HEADER, through);
    const url = new URL(`${pathname}${search}`, c.req.url);
    const body = sent.method === 'GET' ? null : await sent.arrayBuffer();
    const request = new Request(url, { method: sent.method, headers, body });
    return app.fetch(request, c.env, executionOf(c));
  };
};

/** Undefined outside of workerd, where Hono throws. */
const executionOf = (c: Context<GatewayEnv>) => {
  try {
    return c.executionCtx;
  } catch {
    return undefined;
  }
};
