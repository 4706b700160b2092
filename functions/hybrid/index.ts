import { chatModelOf } from '../../src/adapters/models.ts';
import { type AdapterVariables, readModelSettings } from '../../src/adapters/settings.ts';
import { createApp } from '../../src/agents/hybrid/app.ts';
import { reachable } from '../../src/runtime/delegation/reachable.ts';
import { type IdentityVariables, identityFrom } from '../../src/runtime/identity.ts';
import { memoryReplayStore } from '../../src/runtime/replay-store.ts';
import { serveApp } from '../../src/runtime/serve-app.ts';
import { serviceTargets } from '../../src/runtime/service-targets.ts';

interface Env extends IdentityVariables, AdapterVariables {
  ANALYTICS: Fetcher;
  SEMANTIC: Fetcher;
  WEB_SEARCH: Fetcher;
}

const fetch = serveApp('hybrid', async (env: Env) => {
  const { ANALYTICS, SEMANTIC, WEB_SEARCH } = env;
  return createApp({
    ...(await identityFrom(env, 'hybrid')),
    // Best effort: a copy that reaches another isolate within 60 s is answered again, which changes nothing.
    replay: memoryReplayStore(),
    ...chatModelOf(readModelSettings(env)),
    targets: reachable(serviceTargets({ ANALYTICS, SEMANTIC, WEB_SEARCH })),
  });
});

export default {
  fetch,
} satisfies ExportedHandler<Env>;
