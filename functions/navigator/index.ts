import { chatModelOf, rerankerOf } from '../../src/ai/adapters/models.ts';
import { readAdapters } from '../../src/ai/adapters/settings.ts';
import table from '../../src/ai/embeddings/static-words-2.bin';
import { wordVectorsIn } from '../../src/ai/embeddings/word-vectors.ts';
import { remoteCheckBooks } from '../../src/knowledge/checks/check-book.ts';
import { currentEdition } from '../../src/knowledge/edition/current-edition.ts';
import { editionsOfHits } from '../../src/knowledge/large/editions-of-hits.ts';
import { hybridIndexesOf } from '../../src/knowledge/large/upstash-hybrid-index.ts';
import { createRetriever } from '../../src/knowledge/search/retrieve.ts';
import { meaningsOf } from '../../src/knowledge/search/stores.ts';
import {
  createLibrarians,
  httpsTargets,
  serviceTargets,
} from '../../src/librarians/delegation/librarian-directory.ts';
import { checkDesk } from '../../src/librarians/navigator/checks/check-desk.ts';
import { ChecksObject as ChecksObjectBase } from '../../src/librarians/navigator/checks/checks-object.ts';
import { createApp } from '../../src/librarians/navigator/navigator-librarian.ts';
import { type Identity, identityFrom } from '../../src/platform/context/identity.ts';
import { memoryReplayStore } from '../../src/platform/context/verify-context.ts';
import { faultLogger } from '../../src/platform/log.ts';
import { countersOf, type MetricsBindings } from '../../src/platform/metrics.ts';
import { oncePer } from '../../src/platform/once-per.ts';
import type { ObjectNamespace } from '../../src/platform/rpc/remote-store.ts';
import { serveApp } from '../../src/platform/serve/serve-app.ts';
import type { Variables } from '../../src/platform/settings/settings.ts';
import { kvEditionParts } from '../../src/platform/storage/edition-storage.ts';
import type { settings } from './settings.ts';

interface Env extends Variables<typeof settings>, MetricsBindings {
  EDITIONS: KVNamespace;
  EMBEDDINGS: KVNamespace;
  CHECKS: ObjectNamespace<ChecksObject>;
  LIBRARY: Fetcher;
  /** Other librarians that may be suggested for a question. */
  ANALYTICS: Fetcher;
  WEB_SEARCH: Fetcher;
}

const wordVectors = wordVectorsIn(table);

/** What requests and checks share. */
const sharedParts = oncePer((env: Env) => {
  const adapters = readAdapters(env);
  const { meaningOf } = meaningsOf(adapters, {
    librarian: 'navigator',
    kv: env.EMBEDDINGS,
    counters: countersOf(env),
  });
  const library = { fetch: (request: Request) => env.LIBRARY.fetch(request) };
  return oncePer((identity: Identity) => ({
    ...identity,
    ...chatModelOf(adapters),
    ...rerankerOf(env),
    wordVectors,
    retrieve: createRetriever({ wordVectors, meaningOf, onFault: faultLogger('navigator') }),
    library,
    editionFor: editionsOfHits(
      currentEdition(identity, { library, parts: [kvEditionParts(env.EDITIONS)] }),
      { indexOf: hybridIndexesOf(adapters.hybrid), wordVectors, meaningOf },
    ),
  }));
});

const partsOf = async (env: Env) => sharedParts(env)(await identityFrom(env, 'navigator'));

/** The checks of a workspace, which are asked as all other questions are. */
export class ChecksObject extends ChecksObjectBase {
  protected override async runnerOf(workspace: string, env: Env) {
    return checkDesk(await partsOf(env)).runnerOf(workspace);
  }
}

const fetch = serveApp('navigator', async (env: Env) => {
  const parts = await partsOf(env);
  const { ANALYTICS, WEB_SEARCH } = env;
  const targets = {
    ...serviceTargets({ ANALYTICS, WEB_SEARCH }),
    ...httpsTargets(parts.directory),
  };
  const app = createApp({
    ...parts,
    // Best effort: a replay that reaches another isolate within 60 s is answered too, which has no side effects.
    replay: memoryReplayStore(),
    librarians: createLibrarians({ targets, own: Object.keys(targets) }),
  });
  checkDesk(parts).addRoutes(
    app,
    remoteCheckBooks((workspace) => env.CHECKS.getByName(workspace)),
  );
  return app;
});

export default {
  fetch,
} satisfies ExportedHandler<Env>;
