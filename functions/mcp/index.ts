import { WorkerEntrypoint } from 'cloudflare:workers';
import type { GatewayCall } from '../../src/contract/gateway-call.ts';
import type { McpCaller, McpFunction } from '../../src/contract/mcp.ts';
import { answerMcp } from '../../src/mcp/serve.ts';

/** A function that came over a service binding, and lasts as long as the call unless it is kept. */
type RemoteCall = GatewayCall & { dup(): GatewayCall & Disposable };

/** Holds no key, data or identity: what it may do is what the gateway's function does for the caller. */
export default class Mcp extends WorkerEntrypoint implements McpFunction {
  override fetch(): Response {
    return new Response(null, { status: 404 });
  }

  answer(request: Request, caller: McpCaller, call: GatewayCall): Promise<Response> {
    // Over a binding it is always a remote one; an answer may stream on after this call has returned.
    return answerMcp(request, caller, (call as RemoteCall).dup());
  }
}
