import { chatModelOf } from '../../src/ai/adapters/models.ts';
import { languageSettings, readAdapters } from '../../src/ai/adapters/settings.ts';
import table from '../../src/ai/embeddings/static-words-2.bin';
import { wordVectorsIn } from '../../src/ai/embeddings/word-vectors.ts';
import { currentEdition } from '../../src/knowledge/edition/current-edition.ts';
import { editionsOfHits } from '../../src/knowledge/large/editions-of-hits.ts';
import { hybridIndexesOf } from '../../src/knowledge/large/upstash-hybrid-index.ts';
import { meaningsOf } from '../../src/knowledge/search/stores.ts';
import { createApp } from '../../src/librarians/semantic/semantic-agent.ts';
import { identityFrom } from '../../src/platform/context/identity.ts';
import { memoryReplayStore } from '../../src/platform/context/verify-context.ts';
import { faultLogger } from '../../src/platform/log.ts';
import { countersOf, type MetricsBindings } from '../../src/platform/metrics.ts';
import { serveApp } from '../../src/platform/serve/serve-app.ts';
import { readSettings, type Variables } from '../../src/platform/settings/settings.ts';
import { kvEditionParts } from '../../src/platform/storage/edition-storage.ts';
import type { settings } from './settings.ts';

interface Env extends Variables<typeof settings>, MetricsBindings {
  EDITIONS: KVNamespace;
  EMBEDDINGS: KVNamespace;
  LIBRARY: Fetcher;
}

const wordVectors = wordVectorsIn(table);

const fetch = serveApp('semantic', async (env: Env) => {
  const { LANGUAGE_IDS } = readSettings(languageSettings, env);
  const adapters = readAdapters(env);
  const identity = await identityFrom(env, 'semantic');
  const meanings = meaningsOf(adapters, {
    librarian: 'semantic',
    kv: env.EMBEDDINGS,
    counters: countersOf(env),
  });
  const library = { fetch: (request: Request) => env.LIBRARY.fetch(request) };
  return createApp({
    ...identity,
    // Best effort: a replay that reaches another isolate within 60 s is answered too, which has no side effects.
    replay: memoryReplayStore(),
    ...chatModelOf(adapters),
    languageIds: LANGUAGE_IDS,
    ...meanings,
    wordVectors,
    onFault: faultLogger('semantic'),
    editionFor: editionsOfHits(
      currentEdition(identity, { library, parts: [kvEditionParts(env.EDITIONS)] }),
      { ...meanings, indexOf: hybridIndexesOf(adapters.hybrid), wordVectors },
    ),
  });
});

export default {
  fetch,
} satisfies ExportedHandler<Env>;
