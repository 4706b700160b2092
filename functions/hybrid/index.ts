import { chatModelOf } from '../../src/ai/adapters/models.ts';
import { languageSettings, readModels } from '../../src/ai/adapters/settings.ts';
import { delegateTo } from '../../src/librarians/delegation/delegates.ts';
import { serviceTargets } from '../../src/librarians/delegation/librarian-directory.ts';
import { createApp } from '../../src/librarians/hybrid/hybrid-agent.ts';
import { identityFrom } from '../../src/platform/context/identity.ts';
import { memoryReplayStore } from '../../src/platform/context/verify-context.ts';
import { serveApp } from '../../src/platform/serve/serve-app.ts';
import { readSettings, type Variables } from '../../src/platform/settings/settings.ts';
import type { settings } from './settings.ts';

interface Env extends Variables<typeof settings> {
  ANALYTICS: Fetcher;
  SEMANTIC: Fetcher;
  WEB_SEARCH: Fetcher;
  NAVIGATOR: Fetcher;
}

const fetch = serveApp('hybrid', async (env: Env) => {
  const { LANGUAGE_IDS } = readSettings(languageSettings, env);
  const { ANALYTICS, SEMANTIC, WEB_SEARCH, NAVIGATOR } = env;
  return createApp({
    ...(await identityFrom(env, 'hybrid')),
    // Best effort: a replay that reaches another isolate within 60 s is answered too, which has no side effects.
    replay: memoryReplayStore(),
    ...chatModelOf(readModels(env)),
    languageIds: LANGUAGE_IDS,
    targets: delegateTo(serviceTargets({ ANALYTICS, SEMANTIC, WEB_SEARCH, NAVIGATOR })),
  });
});

export default {
  fetch,
} satisfies ExportedHandler<Env>;
