import { createEditionReader } from '../../src/knowledge/edition/edition-reader.ts';
import { createApp } from '../../src/knowledge/library/app.ts';
import type { LibraryObjectEnv } from '../../src/knowledge/library/library-object.ts';
import { librarySettings } from '../../src/knowledge/library/library-settings.ts';
import { type LibraryStub, type RemoteLibrary, remoteLibrary } from '../../src/knowledge/library/remote-library.ts';
import { type IdentityVariables, identityFrom } from '../../src/runtime/identity.ts';
import { serveApp } from '../../src/runtime/serve-app.ts';
import { kvEditionParts } from '../../src/storage/kv-edition-parts.ts';

// biome-ignore lint/performance/noBarrelFile: the runtime looks for the Durable Object's class here
export { LibraryObject } from '../../src/knowledge/library/library-object.ts';

interface Env extends IdentityVariables, LibraryObjectEnv {
  LIBRARIES: DurableObjectNamespace;
}

const libraryOf = (env: Env, workspace: string): RemoteLibrary =>
  // The class is LibraryObject, whose type the namespace does not carry.
  remoteLibrary(env.LIBRARIES.getByName(workspace) as unknown as LibraryStub, workspace);

const fetch = serveApp('library', async (env: Env) =>
  createApp({
    guard: await identityFrom(env, 'library'),
    libraryOf: (workspace) => libraryOf(env, workspace),
    reader: createEditionReader(),
    parts: [kvEditionParts(env.EDITIONS)],
  }),
);

/** The nightly one lists everything, and so notices what is gone; see `wrangler.toml`. */
const FULL_SYNC = '17 3 * * *';

export default {
  fetch,
  scheduled: async ({ cron }, env) => {
    const workspaces = librarySettings(env).workspaces();
    await Promise.all(workspaces.map((workspace) => libraryOf(env, workspace).startSync({ full: cron === FULL_SYNC })));
  },
} satisfies ExportedHandler<Env>;
