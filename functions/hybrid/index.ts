import { chatModelOf } from '../../src/adapters/models.ts';
import { type AdapterVariables, readModelSettings } from '../../src/adapters/settings.ts';
import { createApp } from '../../src/agents/hybrid/hybrid-agent.ts';
import { delegateTo } from '../../src/delegation/delegates.ts';
import { serviceTargets } from '../../src/delegation/librarian-directory.ts';
import { serveApp } from '../../src/runtime/serve-app.ts';
import { type IdentityVariables, identityFrom } from '../../src/signing/identity.ts';
import { memoryReplayStore } from '../../src/signing/verify-context.ts';

interface Env extends IdentityVariables, AdapterVariables {
  ANALYTICS: Fetcher;
  SEMANTIC: Fetcher;
  WEB_SEARCH: Fetcher;
  NAVIGATOR: Fetcher;
}

const fetch = serveApp('hybrid', async (env: Env) => {
  const settings = readModelSettings(env);
  const { ANALYTICS, SEMANTIC, WEB_SEARCH, NAVIGATOR } = env;
  return createApp({
    ...(await identityFrom(env, 'hybrid')),
    // Best effort: a replay that reaches another isolate within 60 s is answered too, which has no side effects.
    replay: memoryReplayStore(),
    ...chatModelOf(settings),
    languageIds: settings.languageIds,
    targets: delegateTo(serviceTargets({ ANALYTICS, SEMANTIC, WEB_SEARCH, NAVIGATOR })),
  });
});

export default {
  fetch,
} satisfies ExportedHandler<Env>;
