import { chatModelOf } from '../../src/ai/adapters/models.ts';
import { readAdapters } from '../../src/ai/adapters/settings.ts';
import table from '../../src/ai/embeddings/static-words-2.bin';
import { wordVectorsIn } from '../../src/ai/embeddings/word-vectors.ts';
import { remoteGapBooks } from '../../src/knowledge/gaps/gap-book.ts';
import type { GapsObject } from '../../src/knowledge/gaps/gaps-object.ts';
import { hybridIndexesOf } from '../../src/knowledge/large/upstash-hybrid-index.ts';
import { meaningsOf } from '../../src/knowledge/search/stores.ts';
import { createMask } from '../../src/language/privacy/mask.ts';
import { readMaskKinds } from '../../src/language/privacy/mask-settings.ts';
import { type Identity, identityFrom } from '../../src/platform/context/identity.ts';
import { countersOf, type MetricsBindings } from '../../src/platform/metrics.ts';
import { oncePer } from '../../src/platform/once-per.ts';
import type { ObjectNamespace } from '../../src/platform/rpc/remote-store.ts';
import { serveApp } from '../../src/platform/serve/serve-app.ts';
import type { Variables } from '../../src/platform/settings/settings.ts';
import { kvEditionParts } from '../../src/platform/storage/edition-storage.ts';
import { kvTaxonomies } from '../../src/support/intents/current-taxonomy.ts';
import { createSupportDesk } from '../../src/support/support-desk.ts';
import type { settings } from './settings.ts';

// biome-ignore lint/performance/noBarrelFile: the runtime looks for the Durable Object's class here
export { GapsObject } from '../../src/knowledge/gaps/gaps-object.ts';

interface Env extends Variables<typeof settings>, MetricsBindings {
  EDITIONS: KVNamespace;
  TAXONOMIES: KVNamespace;
  EMBEDDINGS: KVNamespace;
  LIBRARY: Fetcher;
  GAPS: ObjectNamespace<GapsObject>;
}

const wordVectors = wordVectorsIn(table);

const desks = oncePer((env: Env) =>
  oncePer((identity: Identity) =>
    createSupportDesk({
      identity,
      ...meaningsOf(readAdapters(env), {
        librarian: 'support',
        kv: env.EMBEDDINGS,
        counters: countersOf(env),
      }),
      library: { fetch: (request) => env.LIBRARY.fetch(request) },
      editions: kvEditionParts(env.EDITIONS),
      taxonomies: kvTaxonomies(env.TAXONOMIES),
      books: remoteGapBooks((name) => env.GAPS.getByName(name)),
      mask: createMask(readMaskKinds(env)),
      wordVectors,
      indexOf: hybridIndexesOf(readAdapters(env).hybrid),
    }),
  ),
);

const deskOf = async (env: Env) => desks(env)(await identityFrom(env, 'support'));

export default {
  fetch: serveApp('support', async (env: Env) =>
    (await deskOf(env)).createApp(chatModelOf(readAdapters(env))),
  ),
  scheduled: async (_controller, env, ctx) =>
    (await deskOf(env)).sweepGaps((work) => ctx.waitUntil(work)),
} satisfies ExportedHandler<Env>;
