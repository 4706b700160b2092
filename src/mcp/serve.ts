import { createMcpHandler, type McpServerFactory } from '@modelcontextprotocol/server';
import type { WholeReply, WholeRequest } from '../contract/gateway-call.ts';
import { MAX_MCP_BYTES, type McpCaller } from '../contract/mcp.ts';
import { isEventStream, tapStream } from '../http/event-stream.ts';
import { type HeldCall, routesOf } from '../runtime/gateway-routes.ts';
import { createServer } from './server.ts';

/** The runtime finds out that the reader of a stream is gone when it writes: this long a closed call may go on. */
const KEEP_ALIVE_MS = 2000;

/**
 * Answers one request of MCP, in the revision that it is written in: 2026-07-28, or 2025-11-25 and earlier. Nothing is kept between
 * requests, so there is nothing to subscribe to.
 */
export const serveMcp = (request: Request, server: McpServerFactory): Promise<Response> =>
  createMcpHandler(server, {
    maxRequestBodySize: MAX_MCP_BYTES,
    maxSubscriptions: 0,
    keepAliveMs: KEEP_ALIVE_MS,
  }).fetch(request);

/** The same for a caller of the gateway; `call` is let go when the answer has ended. */
export const answerMcp = async (
  { url, ...received }: WholeRequest,
  caller: McpCaller,
  call: HeldCall,
): Promise<Response | WholeReply> => {
  const routes = routesOf(call, caller);
  const release = (): undefined => void call[Symbol.dispose]();
  try {
    const request = new Request(url, { method: 'POST', ...received });
    const response = await serveMcp(request, () => createServer(caller, { routes }));
    if (isEventStream(response.headers)) return tapStream(response, { onEnd: async () => release() });
    const { status, headers } = response;
    const body = await response.text();
    release();
    return { status, headers: [...headers], body };
  } catch (error) {
    release();
    throw error;
  }
};
