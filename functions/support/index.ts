import { chatModelOf } from '../../src/adapters/chat-model.ts';
import { type AdapterVariables, readModelSettings } from '../../src/adapters/settings.ts';
import { currentEdition } from '../../src/knowledge/edition/current-edition.ts';
import { createKnowledgeRetriever } from '../../src/knowledge/retrieval/knowledge-retriever.ts';
import { retrievalRoutes } from '../../src/knowledge/retrieval/retrieval-routes.ts';
import { remoteMeaning } from '../../src/knowledge/search/remote-meaning.ts';
import { createRetriever } from '../../src/knowledge/search/retrieve.ts';
import { faultLogger } from '../../src/runtime/fault-logger.ts';
import { type IdentityVariables, identityFrom } from '../../src/runtime/identity.ts';
import { createMask, readMaskKinds } from '../../src/runtime/privacy/mask.ts';
import { memoryReplayStore } from '../../src/runtime/replay-store.ts';
import { serveApp } from '../../src/runtime/serve-app.ts';
import { signedClient } from '../../src/runtime/signed-client.ts';
import { kvEditionParts } from '../../src/storage/kv-edition-parts.ts';
import { createApp } from '../../src/support/app.ts';
import { currentTaxonomy } from '../../src/support/intents/current-taxonomy.ts';
import { kvTaxonomies } from '../../src/support/intents/kv-taxonomies.ts';
import { taxonomyRoutes } from '../../src/support/intents/taxonomy-routes.ts';

// biome-ignore lint/performance/noBarrelFile: the runtime looks for the Durable Object's class here
export { GapsObject } from '../../src/knowledge/gaps/gaps-object.ts';

interface Env extends IdentityVariables, AdapterVariables {
  EDITIONS: KVNamespace;
  TAXONOMIES: KVNamespace;
  LIBRARY: Fetcher;
  SEMANTIC: Fetcher;
  GAPS: DurableObjectNamespace;
  PRIVACY_MASK?: string;
}

const fetch = serveApp('support', async (env: Env) => {
  const settings = readModelSettings(env);
  const identity = await identityFrom(env, 'support');
  const onFault = faultLogger('support');
  const semantic = signedClient({
    ...identity,
    targets: { semantic: { fetch: (request: Request) => env.SEMANTIC.fetch(request) } },
  });
  const library = { fetch: (request: Request) => env.LIBRARY.fetch(request) };
  const mask = createMask(readMaskKinds(env.PRIVACY_MASK));
  const store = kvTaxonomies(env.TAXONOMIES);
  const { taxonomyFor, forget } = currentTaxonomy({ store, tell: onFault });
  const retriever = createKnowledgeRetriever({
    editionFor: currentEdition(identity, { library, parts: [kvEditionParts(env.EDITIONS)] }),
    retrieve: createRetriever({ meaningOf: remoteMeaning(semantic), onFault }),
    mask: mask.mask,
    onFault,
  });
  return createApp({
    ...identity,
    // Best effort: a copy that reaches another isolate within 60 s is answered again, which changes nothing.
    replay: memoryReplayStore(),
    ...chatModelOf(settings),
    taxonomyFor,
    retrieveKnowledge: retriever,
    mask,
    mount: (app, guard) => {
      retrievalRoutes(app, { guard, retriever });
      taxonomyRoutes(app, { guard, store, forget });
    },
  });
});

export default { fetch } satisfies ExportedHandler<Env>;
