import { chatModelOf } from '../../src/ai/adapters/models.ts';
import { type AdapterVariables, readModelSettings } from '../../src/ai/adapters/settings.ts';
import { createApp } from '../../src/librarians/analytics/analytics-agent.ts';
import { type IdentityVariables, identityFrom } from '../../src/platform/context/identity.ts';
import { memoryReplayStore } from '../../src/platform/context/verify-context.ts';
import { serveApp } from '../../src/platform/serve/serve-app.ts';
import { d1Database } from '../../src/platform/storage/sql-database.ts';

interface Env extends IdentityVariables, AdapterVariables {
  /** Without it the librarian is unavailable and gets no questions. */
  SHOP_DB?: D1Database;
  SHOP_WORKSPACE?: string;
}

const fetch = serveApp('analytics', async (env: Env) => {
  const settings = readModelSettings(env);
  return createApp({
    ...(await identityFrom(env, 'analytics')),
    // Best effort: a replay that reaches another isolate within 60 s is answered too, which has no side effects.
    replay: memoryReplayStore(),
    ...chatModelOf(settings),
    languageIds: settings.languageIds,
    database: env.SHOP_DB && d1Database(env.SHOP_DB),
    workspace: env.SHOP_WORKSPACE || 'default',
  });
});

export default {
  fetch,
} satisfies ExportedHandler<Env>;
