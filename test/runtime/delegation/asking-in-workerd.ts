import { createCircuits } from '../../../src/runtime/delegation/circuits.ts';
import { createDelegates } from '../../../src/runtime/delegation/delegates.ts';
import { identityFrom } from '../../../src/runtime/identity.ts';
import { signedClient, type Target } from '../../../src/runtime/signed-client.ts';
import { userContext } from '../neighbours.ts';

const circuits = createCircuits({ restMs: 1 });

/** Asks the navigator behind a service binding, once a request, as a function does; all requests share the circuits. */
export default {
  fetch: async (request: Request, env: { NAVIGATOR: Target }): Promise<Response> => {
    const identity = await identityFrom({ ENVIRONMENT: 'development' }, 'gateway');
    const targets = { navigator: { fetch: (call: Request) => env.NAVIGATOR.fetch(call) } };
    const client = signedClient({ ...identity, targets, log: () => undefined });
    const context = userContext({ timeoutMs: 20_000 });
    const { signal } = request;
    const delegates = createDelegates({ ...identity, client, context, query: 'Where?', circuits, signal });
    const [branch] = await delegates.ask([{ to: 'navigator' }]);
    const [hop] = delegates.trace().hops;
    return Response.json({ code: branch?.response.error?.code ?? 'answer', attempts: hop?.attempts });
  },
};
