import { chatModelOf } from '../../src/ai/adapters/models.ts';
import { languageSettings, readModels } from '../../src/ai/adapters/settings.ts';
import { shopSettings } from '../../src/librarians/agents/shop-settings.ts';
import { createApp } from '../../src/librarians/analytics/analytics-agent.ts';
import { identityFrom } from '../../src/platform/context/identity.ts';
import { memoryReplayStore } from '../../src/platform/context/verify-context.ts';
import { serveApp } from '../../src/platform/serve/serve-app.ts';
import { readSettings, type Variables } from '../../src/platform/settings/settings.ts';
import { d1Database } from '../../src/platform/storage/sql-database.ts';
import type { settings } from './settings.ts';

interface Env extends Variables<typeof settings> {
  /** Without it the librarian is unavailable and gets no questions. */
  SHOP_DB?: D1Database;
}

const fetch = serveApp('analytics', async (env: Env) => {
  const { LANGUAGE_IDS } = readSettings(languageSettings, env);
  const { SHOP_WORKSPACE } = readSettings(shopSettings, env);
  return createApp({
    ...(await identityFrom(env, 'analytics')),
    // Best effort: a replay that reaches another isolate within 60 s is answered too, which has no side effects.
    replay: memoryReplayStore(),
    ...chatModelOf(readModels(env)),
    languageIds: LANGUAGE_IDS,
    database: env.SHOP_DB && d1Database(env.SHOP_DB),
    workspace: SHOP_WORKSPACE,
  });
});

export default {
  fetch,
} satisfies ExportedHandler<Env>;
