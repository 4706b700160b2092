import { readSources } from '../../src/knowledge/sources/source-settings.ts';
import { createApp } from '../../src/knowledge/sources/sources-app.ts';
import { identityFrom } from '../../src/platform/context/identity.ts';
import { serveApp } from '../../src/platform/serve/serve-app.ts';
import type { Variables } from '../../src/platform/settings/settings.ts';
import type { settings } from './settings.ts';

type Env = Variables<typeof settings>;

const fetch = serveApp('sources', async (env: Env) => {
  const tools = {
    fetch: (input: RequestInfo | URL, init?: RequestInit) => globalThis.fetch(input, init),
    now: Date.now,
  };
  return createApp({
    guard: await identityFrom(env, 'sources'),
    sources: readSources(env, tools),
    now: Date.now,
  });
});

export default {
  fetch,
} satisfies ExportedHandler<Env>;
