import { Hono } from 'hono';
import { faultResponse } from '../../../../src/gateway/access/gateway-error.ts';
import type { GatewayEnv } from '../../../../src/gateway/access/request-log.ts';
import { loopbackOnly } from '../../../../src/gateway/app.ts';
import { serveMcp } from '../../../../src/gateway/protocols/mcp/serve.ts';
import { mcpErrors, withinOrigins } from '../../../../src/gateway/protocols/mcp-routes.ts';
import { fixtureServer } from './fixture-server.ts';

/** The HTTP code of the gateway and of the function mcp, with the fixtures of the conformance suite. */
const app = new Hono<GatewayEnv>();
app.use(loopbackOnly);
app.use('/mcp', mcpErrors);
app.use('/mcp', withinOrigins([]));
app.post('/mcp', (c) => serveMcp(c.req.raw, fixtureServer));
app.onError((error, c) => faultResponse(c, error, { log: () => undefined, now: Date.now }));

export default app;
