import { createApp } from '../../src/agents/semantic/app.ts';
import { createEditionReader } from '../../src/knowledge/edition/edition-reader.ts';
import { signedLibrary } from '../../src/knowledge/edition/signed-library.ts';
import { type IdentityVariables, identityFrom } from '../../src/runtime/identity.ts';
import { memoryReplayStore } from '../../src/runtime/replay-store.ts';
import { serveApp } from '../../src/runtime/serve-app.ts';
import { signedClient } from '../../src/runtime/signed-client.ts';
import { kvEditionParts } from '../../src/storage/kv-edition-parts.ts';
import { libraryEditionSource } from '../../src/storage/library-edition-source.ts';

interface Env extends IdentityVariables {
  EDITIONS: KVNamespace;
  LIBRARY: Fetcher;
}

const fetch = serveApp('semantic', async (env: Env) => {
  const identity = await identityFrom(env, 'semantic');
  const library = { fetch: (request: Request) => env.LIBRARY.fetch(request) };
  const client = signedClient({ ...identity, targets: { library } });
  const reader = createEditionReader();
  const parts = [kvEditionParts(env.EDITIONS)];
  return createApp({
    ...identity,
    // Best effort: a copy that reaches another isolate within 60 s is answered again, which changes nothing.
    replay: memoryReplayStore(),
    editionFor: async ({ context, waitUntil }) => {
      const source = libraryEditionSource(signedLibrary(client, context), parts);
      return (await reader.read({ workspace: context.workspace, source, waitUntil })).edition;
    },
  });
});

export default {
  fetch,
} satisfies ExportedHandler<Env>;
