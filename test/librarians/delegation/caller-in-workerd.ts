import { createCircuitBreakers } from '../../../src/librarians/delegation/circuit-breaker.ts';
import { createDelegates } from '../../../src/librarians/delegation/delegates.ts';
import { serviceTargets } from '../../../src/librarians/delegation/librarian-directory.ts';
import { identityFrom } from '../../../src/platform/context/identity.ts';
import { requestBudget } from '../../../src/platform/context/limits.ts';
import { signedClient, type Target } from '../../../src/platform/context/signed-client.ts';
import { userContext } from '../../platform/context/callers.ts';

const circuitBreakers = createCircuitBreakers({ halfOpenAfterMs: 1 });

/** Asks the navigator behind a service binding once per request; all requests share the circuit breakers. */
export default {
  fetch: async (request: Request, env: { NAVIGATOR: Target }): Promise<Response> => {
    const identity = await identityFrom({ ENVIRONMENT: 'development' }, 'gateway');
    const targets = serviceTargets(env);
    const client = signedClient({ ...identity, targets, log: () => undefined });
    const context = userContext({ timeoutMs: 20_000 });
    const { signal } = request;
    const parts = {
      client,
      context,
      budget: requestBudget(context),
      query: 'Where?',
      circuitBreakers,
      signal,
    };
    const delegates = createDelegates({ ...identity, ...parts });
    const [branch] = await delegates.ask([{ to: 'navigator' }]);
    const [hop] = delegates.trace().hops;
    return Response.json({
      code: branch?.response.error?.code ?? 'answer',
      attempts: hop?.attempts,
    });
  },
};
