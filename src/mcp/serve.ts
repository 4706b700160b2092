import { createMcpHandler, type McpServerFactory } from '@modelcontextprotocol/server';
import type { GatewayCall } from '../contract/gateway-call.ts';
import type { McpCaller } from '../contract/mcp.ts';
import { tapStream } from '../http/event-stream.ts';
import { routesOf } from '../runtime/gateway-routes.ts';
import { createServer } from './server.ts';

/** Fits the longest ticket in any script, with its envelope. */
const MAX_BODY_BYTES = 320 * 1024;
/** The runtime finds out that a client is gone when it writes: this long a closed call may go on. */
const KEEP_ALIVE_MS = 2000;

/**
 * Answers one request of MCP, in the revision that it is written in: 2026-07-28, or 2025-11-25 and earlier. Nothing is kept between
 * requests, so there is nothing to subscribe to.
 */
export const serveMcp = (request: Request, server: McpServerFactory): Promise<Response> =>
  createMcpHandler(server, {
    maxRequestBodySize: MAX_BODY_BYTES,
    maxSubscriptions: 0,
    keepAliveMs: KEEP_ALIVE_MS,
    // Only a stream can be seen to be closed. The library refuses a header that differs from the body.
    responseMode: request.headers.get('Mcp-Method') === 'tools/call' ? 'sse' : 'auto',
  }).fetch(request);

/** The same for a caller of the gateway; `call` is let go when the answer has ended. */
export const answerMcp = async (
  request: Request,
  caller: McpCaller,
  call: GatewayCall & Disposable,
): Promise<Response> => {
  const routes = routesOf(call, caller);
  const release = (): undefined => void call[Symbol.dispose]();
  try {
    const response = await serveMcp(request, () => createServer(caller, { routes }));
    if (response.body === null) release();
    return tapStream(response, { onEnd: async () => release() });
  } catch (error) {
    release();
    throw error;
  }
};
