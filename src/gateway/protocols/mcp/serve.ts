import {
  createMcpHandler,
  isLegacyRequest,
  type McpRequestContext,
  type McpServerFactory,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import { type AnswerMcp, MAX_MCP_BYTES } from '../../../contract/wire/mcp.ts';
import { acceptanceOf } from '../../../platform/http/accept.ts';
import { EVENT_STREAM } from '../../../platform/http/event-stream.ts';
import { routesOf } from '../gateway-routes.ts';
import { type Exchange, knownBy, NEWEST } from './revision.ts';
import { createServer } from './server.ts';

/** The runtime finds out that the reader of a stream is gone when it writes: this long a closed call may go on. */
const KEEP_ALIVE_MS = 2000;

const HasProgressToken = z.object({
  params: z.object({ _meta: z.object({ progressToken: z.union([z.string(), z.number()]) }) }),
});

/** Makes the server for one exchange. */
type ServerFactory = (exchange: Exchange & McpRequestContext) => ReturnType<McpServerFactory>;

/**
 * Answers one request of MCP, in the revision that it is written in: 2026-07-28, or 2025-11-25 and earlier. Nothing is kept between
 * requests, so there is nothing to subscribe to.
 *
 * The protocol wants clients to accept JSON and events; many accept one of them, or say it in other words. Each gets what it can read: JSON,
 * unless it names events.
 */
export async function serveMcp(
  request: Request,
  server: ServerFactory,
  body?: unknown,
): Promise<Response> {
  const parsedBody = withoutNulls(body);
  const accept = request.headers.get('Accept');
  const acceptsJson = acceptanceOf(accept, 'application/json') !== 'refused';
  const streams = acceptanceOf(accept, EVENT_STREAM) === 'named';
  const headers = new Headers(request.headers);
  headers.set('Accept', BOTH_TYPES);
  const asked = new Request(request, { headers });
  const isLegacy = await isLegacyRequest(asked, parsedBody, { maxRequestBodySize: MAX_MCP_BYTES });
  const knows = isLegacy ? knownBy(request.headers, parsedBody) : NEWEST;
  const make: McpServerFactory = (context) => server({ ...context, knows, streams });
  if (isLegacy && !streams) return answerLegacyInJson(asked, make, parsedBody);
  return createMcpHandler(make, {
    maxRequestBodySize: MAX_MCP_BYTES,
    maxSubscriptions: 0,
    keepAliveMs: KEEP_ALIVE_MS,
    // The stream begins at once: a model may take long until the first progress, and only a stream shows that the client has left.
    responseMode:
      streams && (!acceptsJson || HasProgressToken.safeParse(parsedBody).success) ? 'sse' : 'auto',
  }).fetch(asked, { parsedBody });
}

/** Members of a message whose values the protocol lays down, at any depth. The arguments of a tool are read by its own schema. */
const OF_THE_PROTOCOL = new Set(['params', '_meta', 'capabilities', 'clientInfo']);
/** Levels that are read: a batch, a message, its parameters and what stands in them. */
const MAX_DEPTH = 6;

/** Messages as the protocol has them: `null` in an optional member, which serializers of many languages write, counts as absent. */
const withoutNulls = (message: unknown, depth = MAX_DEPTH): unknown => {
  if (typeof message !== 'object' || message === null || depth === 0) return message;
  if (Array.isArray(message)) return message.map((each) => withoutNulls(each, depth - 1));
  return Object.fromEntries(
    Object.entries(message)
      // A request without an id, as `null` is, stays one that cannot be answered.
      .filter(([name, value]) => value !== null || name === 'id')
      .map(([name, value]) => [
        name,
        OF_THE_PROTOCOL.has(name) ? withoutNulls(value, depth - 1) : value,
      ]),
  );
};

/** What the library looks for, in these words. */
const BOTH_TYPES = `application/json, ${EVENT_STREAM}`;

/** As the library answers requests of earlier revisions, but in JSON, for which it has no option there. */
const answerLegacyInJson = async (
  request: Request,
  make: McpServerFactory,
  parsedBody: unknown,
): Promise<Response> => {
  const transport = new WebStandardStreamableHTTPServerTransport({
    enableJsonResponse: true,
    maxRequestBodySize: MAX_MCP_BYTES,
  });
  const server = await make({ era: 'legacy', requestInfo: request });
  await server.connect(transport);
  // A closed transport answers nothing; the client is gone.
  const gone = new Promise<Response>((resolve) => {
    request.signal.addEventListener('abort', () => resolve(new Response(null, { status: 499 })), {
      once: true,
    });
  });
  try {
    return await Promise.race([transport.handleRequest(request, { parsedBody }), gone]);
  } finally {
    void server.close().catch(() => undefined);
  }
};

/** The same for a caller of the gateway. */
export const answerMcp: AnswerMcp = ({ request, body }, caller, call) =>
  serveMcp(
    request,
    (exchange) => createServer(caller, { routes: routesOf(call, caller), ...exchange }),
    body,
  );
