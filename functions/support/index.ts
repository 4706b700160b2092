import { chatModelOf } from '../../src/adapters/chat-model.ts';
import { type AdapterVariables, readModelSettings } from '../../src/adapters/settings.ts';
import table from '../../src/ai/embeddings/static-words-2.bin';
import { wordVectorsIn } from '../../src/ai/embeddings/word-vectors.ts';
import { createGapKeeper } from '../../src/knowledge/gaps/gap-keeper.ts';
import { gapRoutes } from '../../src/knowledge/gaps/gap-routes.ts';
import { type GapsStub, remoteGapBooks } from '../../src/knowledge/gaps/remote-gap-book.ts';
import { createKnowledgeRetriever } from '../../src/knowledge/retrieval/knowledge-retriever.ts';
import { retrievalRoutes } from '../../src/knowledge/retrieval/retrieval-routes.ts';
import { faultLogger } from '../../src/runtime/fault-logger.ts';
import { type Identity, type IdentityVariables, identityFrom } from '../../src/runtime/identity.ts';
import { oncePer } from '../../src/runtime/once-per.ts';
import { createMask, readMaskKinds } from '../../src/runtime/privacy/mask.ts';
import { memoryReplayStore } from '../../src/runtime/replay-store.ts';
import { originate } from '../../src/runtime/request-context.ts';
import { serveApp } from '../../src/runtime/serve-app.ts';
import { signedClient } from '../../src/runtime/signed-client.ts';
import { currentEdition } from '../../src/search/current-edition.ts';
import { remoteMeaning } from '../../src/search/remote-meaning.ts';
import { createRetriever } from '../../src/search/retrieve.ts';
import { kvEditionParts } from '../../src/storage/kv-edition-parts.ts';
import { createApp } from '../../src/support/app.ts';
import { currentTaxonomy, kvTaxonomies } from '../../src/support/intents/current-taxonomy.ts';
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

const wordVectors = wordVectorsIn(table);

const build = (env: Env, identity: Identity) => {
  const onFault = faultLogger('support');
  const semantic = signedClient({
    ...identity,
    targets: { semantic: { fetch: (request: Request) => env.SEMANTIC.fetch(request) } },
  });
  const library = { fetch: (request: Request) => env.LIBRARY.fetch(request) };
  const mask = createMask(readMaskKinds(env.PRIVACY_MASK));
  const meaningOf = remoteMeaning(semantic);
  const knowledge = {
    editionFor: currentEdition(identity, { library, parts: [kvEditionParts(env.EDITIONS)] }),
    retrieve: createRetriever({ wordVectors, meaningOf, onFault }),
    mask: mask.mask,
    onFault,
  };
  // The class is GapsObject, whose type the namespace does not carry.
  const books = remoteGapBooks((name) => env.GAPS.getByName(name) as unknown as GapsStub);
  return { identity, onFault, mask, knowledge, books, keeper: createGapKeeper({ ...knowledge, books, meaningOf }) };
};

/** What requests and schedule share in an isolate: the editions that are open, and the gaps that were compared. */
const partsOf = oncePer((env: Env) => ({ with: oncePer((identity: Identity) => build(env, identity)) }));

const fetch = serveApp('support', async (env: Env) => {
  const { identity, onFault, mask, knowledge, books, keeper } = partsOf(env).with(await identityFrom(env, 'support'));
  const store = kvTaxonomies(env.TAXONOMIES);
  const { taxonomyFor, forget } = currentTaxonomy({ store, tell: onFault });
  const retriever = createKnowledgeRetriever({ ...knowledge, gaps: keeper });
  return createApp({
    ...identity,
    // Best effort: a copy that reaches another isolate within 60 s is answered again, which changes nothing.
    replay: memoryReplayStore(),
    ...chatModelOf(readModelSettings(env)),
    taxonomyFor,
    retrieveKnowledge: retriever,
    wordVectors,
    mask,
    onFault,
    mount: (app, guard) => {
      retrievalRoutes(app, { guard, retriever });
      gapRoutes(app, { guard, books, keeper, mask: mask.mask });
      taxonomyRoutes(app, { guard, store, forget });
    },
  });
});

/** In the name of the function itself, and to read the knowledge base alone. */
const ownContext = (workspace: string) =>
  originate({
    ...{ self: 'support', subject: 'svc:support', authentication: 'none', capabilities: ['kb:read'] },
    ...{ workspace, timeoutMs: SWEEP_MS, now: Date.now() },
  });
const SWEEP_MS = 300_000;

export default {
  fetch,
  scheduled: async (_controller, env, ctx) => {
    const { keeper } = partsOf(env).with(await identityFrom(env, 'support'));
    const waitUntil = (work: Promise<unknown>): void => ctx.waitUntil(work);
    await keeper.sweep((workspace) => ({ context: ownContext(workspace), waitUntil }));
  },
} satisfies ExportedHandler<Env>;
