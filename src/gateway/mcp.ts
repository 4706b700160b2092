import type { Context, Hono, MiddlewareHandler } from 'hono';
import * as z from 'zod';
import { INTERFACE_HEADER } from '../contract/answers.ts';
import { ErrorInfo } from '../contract/error-info.ts';
import { routeMatcher } from '../contract/http-routes.ts';
import { readAs } from '../contract/issue.ts';
import type { McpFunction } from '../contract/mcp.ts';
import { workspaceOf } from './authenticate.ts';
import { errorOf } from './gateway-error.ts';
import type { GatewayEnv } from './request-log.ts';

/** What the function mcp may call in the name of a key: nothing that administers or erases. */
const isCallable = routeMatcher([
  'POST /v1/ask',
  'POST /v1/knowledge/search',
  'GET /v1/knowledge/gaps',
  'POST /v1/support/analyze',
  'GET /api/kb/articles',
  'GET /api/kb/articles/{id}',
  'GET /api/kb/text/{id}',
  'POST /v1/workspaces/{workspace_id}/memories',
  'POST /v1/workspaces/{workspace_id}/memories/search',
]);

/**
 * `POST /mcp`: hands the request to the function mcp, which gets the rights of the caller and a function that calls routes of this
 * gateway with the caller's credentials, not the credentials themselves.
 */
export const createMcp = ({ mcp, app }: { mcp: McpFunction | undefined; app: Hono<GatewayEnv> }) => {
  return async (c: Context<GatewayEnv>): Promise<Response> => {
    if (mcp === undefined) return c.notFound();
    const key = c.get('apiKey');
    const workspace = workspaceOf(key, c.req.query('workspace_id'));
    const credentials = c.req.header('Authorization') ?? '';
    const request = new Request(c.req.raw);
    for (const name of ['Authorization', 'Cookie']) request.headers.delete(name);
    // The library looks for the two names; a client that takes anything takes both.
    if (/(?:^|,)\s*\*\/\*/.test(request.headers.get('Accept') ?? '*/*')) request.headers.set('Accept', BOTH_TYPES);
    c.set('answeredBy', 'mcp');
    const caller = { workspace, capabilities: key.capabilities };
    const response = await mcp.answer(request, caller, async (sent) => {
      const { pathname, search } = new URL(sent.url);
      if (!isCallable(sent.method, pathname)) return c.notFound();
      const headers = new Headers(sent.headers);
      headers.set('Authorization', credentials);
      headers.set(INTERFACE_HEADER, 'mcp');
      const url = new URL(`${pathname}${search}`, c.req.url);
      const body = sent.method === 'GET' ? null : await sent.arrayBuffer();
      return app.fetch(new Request(url, { method: sent.method, headers, body }), c.env, executionOf(c));
    });
    return new Response(response.body, response);
  };
};

const BOTH_TYPES = 'application/json, text/event-stream';

/** Undefined outside of workerd, where Hono throws. */
const executionOf = (c: Context<GatewayEnv>) => {
  try {
    return c.executionCtx;
  } catch {
    return undefined;
  }
};

/** Refuses calls of web pages of other origins, except those that are configured (MCP, Transports, Security). */
export const withinOrigins =
  (origins: readonly string[]): MiddlewareHandler<GatewayEnv> =>
  async (c, next) => {
    const origin = c.req.header('Origin');
    if (origin === undefined || origins.includes('*') || [...origins, new URL(c.req.url).origin].includes(origin)) {
      if (c.req.method === 'POST') return next();
      c.set('outcome', 'INVALID_QUERY');
      const message = 'Cannot take this method: every request of MCP is a POST of its own';
      return errorReply(405, errorOf('INVALID_QUERY', { message }), { Allow: 'POST' });
    }
    c.set('outcome', 'UNAUTHORIZED');
    const message = 'Cannot answer a page of this origin';
    const suggestion = 'Have an administrator add the origin to CORS_ORIGINS of this gateway';
    return errorReply(403, errorOf('UNAUTHORIZED', { message, suggestion }));
  };

/** Puts errors of the gateway into the form of JSON-RPC: its code is the HTTP status, and ours is under `data.error`. */
export const mcpErrors: MiddlewareHandler<GatewayEnv> = async (c, next) => {
  await next();
  if (c.res.status < 400) return;
  const json: unknown = await c.res
    .clone()
    .json()
    .catch(() => undefined);
  const read = readAs(z.object({ error: ErrorInfo }), json);
  if (!read.ok) return;
  const headers = new Headers(c.res.headers);
  headers.delete('Content-Length');
  const { status } = c.res;
  // Without this line Hono would keep the headers of the old body.
  c.res = undefined;
  c.res = errorReply(status, read.value.error, headers);
};

/** Codes outside -32768 to -32000 are ours (JSON-RPC 2.0, section 5.1). */
const errorReply = (status: number, error: ErrorInfo, headers: HeadersInit = {}): Response =>
  Response.json(
    { jsonrpc: '2.0', id: null, error: { code: status, message: error.message, data: { error } } },
    { status, headers },
  );
