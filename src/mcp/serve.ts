import { createMcpHandler, type McpServerFactory } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { type AnswerMcp, MAX_MCP_BYTES } from '../contract/mcp.ts';
import { routesOf } from '../runtime/gateway-routes.ts';
import { createServer } from './server.ts';

/** The runtime finds out that the reader of a stream is gone when it writes: this long a closed call may go on. */
const KEEP_ALIVE_MS = 2000;

const HasProgressToken = z.object({
  params: z.object({ _meta: z.object({ progressToken: z.union([z.string(), z.number()]) }) }),
});

/**
 * Answers one request of MCP, in the revision that it is written in: 2026-07-28, or 2025-11-25 and earlier. Nothing is kept between
 * requests, so there is nothing to subscribe to.
 */
export const serveMcp = (request: Request, server: McpServerFactory, parsedBody?: unknown): Promise<Response> =>
  createMcpHandler(server, {
    maxRequestBodySize: MAX_MCP_BYTES,
    maxSubscriptions: 0,
    keepAliveMs: KEEP_ALIVE_MS,
    // The stream begins at once: a model may take long until the first progress, and only a stream shows that the client has left.
    responseMode: HasProgressToken.safeParse(parsedBody).success ? 'sse' : 'auto',
  }).fetch(request, { parsedBody });

/** The same for a caller of the gateway. */
export const answerMcp: AnswerMcp = ({ request, body }, caller, call) =>
  serveMcp(request, () => createServer(caller, { routes: routesOf(call, caller) }), body);
