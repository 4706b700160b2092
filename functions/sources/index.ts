import { readSources, type SourceVariables } from '../../src/helpdesk/articles/source-settings.ts';
import { createApp } from '../../src/helpdesk/articles/sources-app.ts';
import { serveApp } from '../../src/runtime/serve-app.ts';
import { type IdentityVariables, identityFrom } from '../../src/signing/identity.ts';

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
