import { embeddingProviderOf } from '../../src/ai/adapters/models.ts';
import { readHybridIndex, readModels, readVectorIndex } from '../../src/ai/adapters/settings.ts';
import table from '../../src/ai/embeddings/static-words-2.bin';
import { wordVectorsIn } from '../../src/ai/embeddings/word-vectors.ts';
import { largeModeOf } from '../../src/knowledge/large/large-mode.ts';
import type { LargeMode } from '../../src/knowledge/large/publishing-ports.ts';
import { createApp } from '../../src/knowledge/library/app.ts';
import { type RemoteLibrary, remoteLibrary } from '../../src/knowledge/library/library.ts';
import {
  LibraryObject as LibraryObjectBase,
  type LibraryObjectEnv,
} from '../../src/knowledge/library/library-object.ts';
import { readLibrarySettings } from '../../src/knowledge/library/library-settings.ts';
import type { LibraryEmbedding } from '../../src/knowledge/library/vector-store.ts';
import { vectorIndexesOf } from '../../src/knowledge/search/stores.ts';
import { identityFrom } from '../../src/platform/context/identity.ts';
import type { ObjectNamespace } from '../../src/platform/rpc/remote-store.ts';
import { serveApp } from '../../src/platform/serve/serve-app.ts';
import type { Variables } from '../../src/platform/settings/settings.ts';
import type { settings } from './settings.ts';

// biome-ignore lint/performance/noBarrelFile: the runtime looks for the classes of Durable Objects here
export { CountersObject } from '../../src/platform/serve/counters-object.ts';

const wordVectors = wordVectorsIn(table);

interface Env extends Variables<typeof settings>, LibraryObjectEnv {
  LIBRARIES: ObjectNamespace<LibraryObject>;
}

/** The library of a workspace, with the configured embedding model and index, or with word vectors. */
export class LibraryObject extends LibraryObjectBase {
  protected override embeddingOf(
    workspace: string,
    env: LibraryObjectEnv,
  ): LibraryEmbedding | undefined {
    const models = readModels(env);
    const provider = embeddingProviderOf(models);
    const vector = readVectorIndex(env, models);
    if (provider === undefined) return undefined;
    return {
      provider,
      index: vectorIndexesOf({ ...models, vector }, 'kb')?.(workspace),
      indexName: vector?.url,
    };
  }

  protected override wordVectors() {
    return wordVectors;
  }

  protected override largeModeOf(workspace: string, env: LibraryObjectEnv): LargeMode | undefined {
    const hybrid = readHybridIndex(env);
    if (hybrid === undefined) return undefined;
    return largeModeOf({
      workspace,
      hybrid,
      provider: embeddingProviderOf(readModels(env)),
      wordVectors,
    });
  }
}

const libraryOf = (env: Env, workspace: string): RemoteLibrary =>
  remoteLibrary((name) => env.LIBRARIES.getByName(name), workspace);

const fetch = serveApp('library', async (env: Env) => {
  // Fails early: the libraries read the same settings when they are opened.
  readLibrarySettings(env);
  readVectorIndex(env, readModels(env));
  readHybridIndex(env);
  return createApp({
    guard: await identityFrom(env, 'library'),
    libraryOf: (workspace) => libraryOf(env, workspace),
  });
});

export default {
  fetch,
  scheduled: async (_, env) => {
    const workspaces = readLibrarySettings(env).workspaces();
    await Promise.all(workspaces.map((workspace) => libraryOf(env, workspace).startSync({})));
  },
} satisfies ExportedHandler<Env>;
