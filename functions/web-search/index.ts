import { chatModelOf } from '../../src/ai/adapters/models.ts';
import { type AdapterVariables, readModelSettings } from '../../src/ai/adapters/settings.ts';
import { d1ProductCatalogue } from '../../src/librarians/web-search/product-catalogue.ts';
import { searchCache } from '../../src/librarians/web-search/web-search.ts';
import { chooseProvider, createApp, type ProviderVariables } from '../../src/librarians/web-search/web-search-agent.ts';
import { type IdentityVariables, identityFrom } from '../../src/platform/context/identity.ts';
import { memoryReplayStore } from '../../src/platform/context/verify-context.ts';
import { serveApp } from '../../src/platform/serve/serve-app.ts';

interface Env extends IdentityVariables, ProviderVariables, AdapterVariables {
  /** Absent when there is no shop. */
  SHOP_DB?: D1Database;
  SHOP_WORKSPACE?: string;
  SEARCH_COUNTRY?: string;
  SEARCH_LANGUAGE?: string;
}

const fetch = serveApp('web-search', async (env: Env) => {
  const settings = readModelSettings(env);
  const tools = {
    fetch: (input: RequestInfo | URL, init?: RequestInit) => globalThis.fetch(input, init),
    now: Date.now,
  };
  const provider = chooseProvider(env, tools);
  const { SHOP_DB, SHOP_WORKSPACE } = env;
  return createApp({
    ...(await identityFrom(env, 'web-search')),
    // Best effort: a replay that reaches another isolate within 60 s costs one more search.
    replay: memoryReplayStore(),
    ...chatModelOf(settings),
    languageIds: settings.languageIds,
    search: provider && { provider: provider.provider, cache: searchCache(provider, tools) },
    shop: SHOP_DB && { workspace: SHOP_WORKSPACE || 'default', catalogue: d1ProductCatalogue(SHOP_DB, tools) },
    country: env.SEARCH_COUNTRY || undefined,
    language: env.SEARCH_LANGUAGE || undefined,
  });
});

export default {
  fetch,
} satisfies ExportedHandler<Env>;
