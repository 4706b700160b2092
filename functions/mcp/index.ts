import { WorkerEntrypoint } from 'cloudflare:workers';
import type { GatewayCall, WholeReply, WholeRequest } from '../../src/contract/gateway-call.ts';
import type { McpCaller, McpFunction } from '../../src/contract/mcp.ts';
import { answerMcp } from '../../src/mcp/serve.ts';
import { held } from '../../src/runtime/gateway-routes.ts';

/** Holds no key, data or identity: what it may do is what the gateway does for the caller. */
export default class Mcp extends WorkerEntrypoint implements McpFunction {
  override fetch(): Response {
    return new Response(null, { status: 404 });
  }

  answer(request: WholeRequest, caller: McpCaller, call: GatewayCall): Promise<Response | WholeReply> {
    // An answer may stream on after this call has returned.
    return answerMcp(request, caller, held(call));
  }
}
