import { chatModelOf, rerankerOf } from '../../src/ai/adapters/models.ts';
import { readAdapters } from '../../src/ai/adapters/settings.ts';
import table from '../../src/ai/embeddings/static-words-2.bin';
import { wordVectorsIn } from '../../src/ai/embeddings/word-vectors.ts';
import { currentEdition } from '../../src/knowledge/edition/current-edition.ts';
import { createRetriever } from '../../src/knowledge/search/retrieve.ts';
import { meaningsOf } from '../../src/knowledge/search/stores.ts';
import { createLibrarians, httpsTargets, serviceTargets } from '../../src/librarians/delegation/librarian-directory.ts';
import { createApp } from '../../src/librarians/navigator/navigator-librarian.ts';
import { identityFrom } from '../../src/platform/context/identity.ts';
import { memoryReplayStore } from '../../src/platform/context/verify-context.ts';
import { faultLogger } from '../../src/platform/log.ts';
import { countersOf, type MetricsBindings } from '../../src/platform/metrics.ts';
import { serveApp } from '../../src/platform/serve/serve-app.ts';
import type { Variables } from '../../src/platform/settings/settings.ts';
import { kvEditionParts } from '../../src/platform/storage/edition-storage.ts';
import type { settings } from './settings.ts';

interface Env extends Variables<typeof settings>, MetricsBindings {
  EDITIONS: KVNamespace;
  EMBEDDINGS: KVNamespace;
  LIBRARY: Fetcher;
  /** Other librarians that may be suggested for a question. */
  ANALYTICS: Fetcher;
  WEB_SEARCH: Fetcher;
}

const wordVectors = wordVectorsIn(table);

const fetch = serveApp('navigator', async (env: Env) => {
  const adapters = readAdapters(env);
  const identity = await identityFrom(env, 'navigator');
  const { meaningOf } = meaningsOf(adapters, { librarian: 'navigator', kv: env.EMBEDDINGS, counters: countersOf(env) });
  const { ANALYTICS, WEB_SEARCH } = env;
  const targets = { ...serviceTargets({ ANALYTICS, WEB_SEARCH }), ...httpsTargets(identity.directory) };
  const library = { fetch: (request: Request) => env.LIBRARY.fetch(request) };
  return createApp({
    ...identity,
    // Best effort: a replay that reaches another isolate within 60 s is answered too, which has no side effects.
    replay: memoryReplayStore(),
    ...chatModelOf(adapters),
    ...rerankerOf(env),
    wordVectors,
    librarians: createLibrarians({ targets, own: Object.keys(targets) }),
    retrieve: createRetriever({ wordVectors, meaningOf, onFault: faultLogger('navigator') }),
    editionFor: currentEdition(identity, { library, parts: [kvEditionParts(env.EDITIONS)] }),
  });
});

export default {
  fetch,
} satisfies ExportedHandler<Env>;
