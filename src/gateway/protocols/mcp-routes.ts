import type { Context, MiddlewareHandler } from 'hono';
import { parseJson } from '../../contract/core/json-object.ts';
import { namesWhere, routeMatcher } from '../../contract/routes/http-routes.ts';
import { type AnswerMcp, MAX_MCP_BYTES } from '../../contract/wire/mcp.ts';
import { readBody } from '../../platform/http/read-body.ts';
import { workspaceOf } from '../access/authenticate.ts';
import { errorOf } from '../access/gateway-error.ts';
import type { GatewayEnv } from '../access/request-log.ts';
import { type CallParts, callsFor, jsonRpcError, jsonRpcErrors } from './calls-for-caller.ts';

const isCallable = routeMatcher(namesWhere(({ isForMcp }) => isForMcp === true));

/**
 * `POST /mcp`: what answers it gets the rights of the caller and a function that calls routes of this gateway with the caller's
 * credentials, not the credentials themselves.
 */
export function createMcp({ mcp, ...parts }: CallParts & { mcp: AnswerMcp | undefined }) {
  return async (c: Context<GatewayEnv>): Promise<Response> => {
    if (mcp === undefined) return c.notFound();
    const key = c.get('apiKey');
    const workspace = workspaceOf(key, c.req.query('workspace_id'));
    const body = await readBody(c.req.raw, MAX_MCP_BYTES);
    if (body === undefined) {
      c.set('outcome', 'INVALID_QUERY');
      const message = `Cannot read the request: it is longer than ${MAX_MCP_BYTES} bytes`;
      return mcpError(413, errorOf('INVALID_QUERY', { message }));
    }
    const headers = new Headers(c.req.raw.headers);
    // What answers must not see who asks; and the size of the body is that of what was read.
    for (const name of ['Authorization', 'Cookie', 'Content-Length']) headers.delete(name);
    c.set('answeredBy', 'mcp');
    const parsed = parseJson(new TextDecoder().decode(body));
    // The library reads what is not JSON itself, to refuse it.
    const request = new Request(c.req.url, {
      method: 'POST',
      headers,
      signal: c.req.raw.signal,
      body: parsed === undefined ? body : null,
    });
    const caller = { workspace, capabilities: key.capabilities };
    return mcp(
      { request, body: parsed },
      caller,
      callsFor(c, { ...parts, isCallable, gone: c.req.raw.signal }),
    );
  };
}

/** Refuses calls of web pages of other origins, except those that are configured (MCP, Transports, Security). */
export function withinOrigins(origins: readonly string[]): MiddlewareHandler<GatewayEnv> {
  return async (c, next) => {
    const origin = c.req.header('Origin');
    if (
      origin === undefined ||
      origins.includes('*') ||
      [...origins, new URL(c.req.url).origin].includes(origin)
    ) {
      if (c.req.method === 'POST') return next();
      c.set('outcome', 'INVALID_QUERY');
      const message = 'Cannot take this method: every request of MCP is a POST of its own';
      return mcpError(405, errorOf('INVALID_QUERY', { message }), { Allow: 'POST' });
    }
    c.set('outcome', 'UNAUTHORIZED');
    const message = 'Cannot answer a page of this origin';
    const suggestion = 'Have an administrator add the origin to CORS_ORIGINS of this gateway';
    return mcpError(403, errorOf('UNAUTHORIZED', { message, suggestion }));
  };
}

const mcpError = jsonRpcError((error) => ({ error }));

/** Puts errors of the gateway into the form of JSON-RPC, ours under `data.error`. */
export const mcpErrors = jsonRpcErrors(mcpError);
