import { embeddingProviderOf } from '../../src/ai/adapters/models.ts';
import { readAdapters } from '../../src/ai/adapters/settings.ts';
import { cl100k, loadTokenizer, o200k } from '../../src/ai/tokenizer.ts';
import { answerRoutes } from '../../src/gateway/history/answer-routes.ts';
import { readAnswerLimits, remoteAnswers } from '../../src/gateway/history/answer-store.ts';
import type { AnswersObject } from '../../src/gateway/history/answers-object.ts';
import { queryEmbeddingsOf, vectorIndexesOf } from '../../src/knowledge/search/stores.ts';
import { createMask } from '../../src/language/privacy/mask.ts';
import { readMaskKinds } from '../../src/language/privacy/mask-settings.ts';
import { createApp } from '../../src/memory/app.ts';
import { MemoryObject as MemoryObjectBase } from '../../src/memory/memory-object.ts';
import { createEngines } from '../../src/memory/search-memories.ts';
import { remoteLedger, remoteMemoryStore } from '../../src/memory/store/remote-memory.ts';
import { readMemoryQuotas } from '../../src/memory/store/store-memory.ts';
import { identityFrom } from '../../src/platform/context/identity.ts';
import { countersOf, type MetricsBindings } from '../../src/platform/metrics.ts';
import type { ObjectNamespace } from '../../src/platform/rpc/remote-store.ts';
import { serveApp } from '../../src/platform/serve/serve-app.ts';
import type { Variables } from '../../src/platform/settings/settings.ts';
import type { settings } from './settings.ts';

// biome-ignore lint/performance/noBarrelFile: the runtime looks for the Durable Objects' classes here
export { AnswersObject } from '../../src/gateway/history/answers-object.ts';

interface Env extends Variables<typeof settings>, MetricsBindings {
  MEMORIES: ObjectNamespace<MemoryObject>;
  ANSWERS: ObjectNamespace<AnswersObject>;
  EMBEDDINGS: KVNamespace;
}

/** The memories of a workspace, with their vectors in the configured index. */
export class MemoryObject extends MemoryObjectBase {
  protected override remoteVectorsOf(workspace: string, env: Env) {
    return vectorIndexesOf(readAdapters(env), 'memory')?.(workspace);
  }
}

const fetch = serveApp('memory', async (env: Env) => {
  const adapters = readAdapters(env);
  const stubOf = (workspace: string) => env.MEMORIES.getByName(workspace);
  const answersOf = (workspace: string) =>
    remoteAnswers((name) => env.ANSWERS.getByName(name), workspace);
  // A wrong variable is reported at the first request, not only by the first answer that is kept.
  readAnswerLimits(env);
  const { mask } = createMask(readMaskKinds(env));
  const store = remoteMemoryStore(stubOf);
  const embeddings = embeddingProviderOf(adapters);
  // Contexts go into the prompts of the chat model; without one, the count of gpt-4 is shown.
  const tokenizer = () => loadTokenizer(adapters.chat?.model ?? 'gpt-4', [cl100k, o200k]);
  return createApp({
    guard: await identityFrom(env, 'memory'),
    store,
    embeddings,
    queryEmbeddings: queryEmbeddingsOf(adapters, {
      librarian: 'memory',
      kv: env.EMBEDDINGS,
      counters: countersOf(env),
    }),
    engines: createEngines({ store, embeddings, tokenizer }),
    ledgerOf: (workspace) => remoteLedger(stubOf, workspace),
    quotas: readMemoryQuotas(env),
    eraseAnswers: (workspace, of, audiences) => answersOf(workspace).erase(of, audiences),
    mount: (app, guard) => answerRoutes(app, { guard, answersOf, mask }),
  });
});

export default { fetch } satisfies ExportedHandler<Env>;
