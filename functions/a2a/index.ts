import { WorkerEntrypoint } from 'cloudflare:workers';
import type { A2aDeployment, A2aFunction, UnsignedCard } from '../../src/contract/wire/a2a.ts';
import { unsignedCard } from '../../src/gateway/protocols/a2a/agent-card.ts';

// biome-ignore lint/performance/noBarrelFile: the runtime looks for the class of the Durable Object here
export { TasksObject } from '../../src/gateway/protocols/a2a/tasks-object.ts';

/** Holds no key and no identity: what its tasks may do is what the gateway's function does for the caller. */
export default class A2a extends WorkerEntrypoint implements Pick<A2aFunction, 'card'> {
  override fetch(): Response {
    return new Response(null, { status: 404 });
  }

  async card(deployment: A2aDeployment): Promise<UnsignedCard> {
    return unsignedCard(deployment);
  }
}
