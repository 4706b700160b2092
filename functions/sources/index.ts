import { readSources, type SourceVariables } from '../../src/knowledge/sources/source-settings.ts';
import { createApp } from '../../src/knowledge/sources/sources-app.ts';
import { type IdentityVariables, identityFrom } from '../../src/platform/context/identity.ts';
import { serveApp } from '../../src/platform/serve/serve-app.ts';

type Env = IdentityVariables & SourceVariables;

const fetch = serveApp('sources', async (env: Env) => {
  const tools = {
    fetch: (input: RequestInfo | URL, init?: RequestInit) => globalThis.fetch(input, init),
    now: Date.now,
  };
  return createApp({ guard: await identityFrom(env, 'sources'), sources: readSources(env, tools), now: Date.now });
});

export default {
  fetch,
} satisfies ExportedHandler<Env>;
