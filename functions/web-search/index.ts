import { chatModelOf } from '../../src/ai/adapters/models.ts';
import { languageSettings, readModels } from '../../src/ai/adapters/settings.ts';
import { shopSettings } from '../../src/librarians/agents/shop-settings.ts';
import { d1ProductCatalogue } from '../../src/librarians/web-search/product-catalogue.ts';
import { searchCache } from '../../src/librarians/web-search/web-search.ts';
import {
  chooseProvider,
  createApp,
  searchSettings,
} from '../../src/librarians/web-search/web-search-agent.ts';
import { identityFrom } from '../../src/platform/context/identity.ts';
import { memoryReplayStore } from '../../src/platform/context/verify-context.ts';
import { serveApp } from '../../src/platform/serve/serve-app.ts';
import { readSettings, type Variables } from '../../src/platform/settings/settings.ts';
import type { settings } from './settings.ts';

interface Env extends Variables<typeof settings> {
  /** Absent when there is no shop. */
  SHOP_DB?: D1Database;
}

const fetch = serveApp('web-search', async (env: Env) => {
  const { LANGUAGE_IDS } = readSettings(languageSettings, env);
  const { SHOP_WORKSPACE } = readSettings(shopSettings, env);
  const { SEARCH_COUNTRY, SEARCH_LANGUAGE } = readSettings(searchSettings, env);
  const tools = {
    fetch: (input: RequestInfo | URL, init?: RequestInit) => globalThis.fetch(input, init),
    now: Date.now,
  };
  const provider = chooseProvider(env, tools);
  const { SHOP_DB: shop } = env;
  return createApp({
    ...(await identityFrom(env, 'web-search')),
    // Best effort: a replay that reaches another isolate within 60 s costs one more search.
    replay: memoryReplayStore(),
    ...chatModelOf(readModels(env)),
    languageIds: LANGUAGE_IDS,
    search: provider && { provider: provider.provider, cache: searchCache(provider, tools) },
    shop: shop && { workspace: SHOP_WORKSPACE, catalogue: d1ProductCatalogue(shop, tools) },
    country: SEARCH_COUNTRY,
    language: SEARCH_LANGUAGE,
  });
});

export default {
  fetch,
} satisfies ExportedHandler<Env>;
