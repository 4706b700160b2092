import { loadTokenizer } from '../../src/ai/tokenizer.ts';
import { cl100k } from '../../src/ai/tokenizers/cl100k.ts';
import { ContextEngine } from '../../src/context-engine/index.ts';
import { createApp } from '../../src/memory/app.ts';
import { logFailures } from '../../src/memory/log-failures.ts';
import { readMaxMemories } from '../../src/memory/max-memories.ts';
import { type MemoryStub, remoteLedger, remoteMemoryStore } from '../../src/memory/remote-memory.ts';
import { type IdentityVariables, identityFrom } from '../../src/runtime/identity.ts';
import { serveApp } from '../../src/runtime/serve-app.ts';

// biome-ignore lint/performance/noBarrelFile: the runtime looks for the Durable Object's class here
export { MemoryObject } from '../../src/memory/memory-object.ts';

interface Env extends IdentityVariables {
  MEMORIES: DurableObjectNamespace;
  MAX_MEMORIES?: string;
}

const fetch = serveApp('memory', async (env: Env) => {
  // The class is MemoryObject, whose type the namespace does not carry.
  const stubOf = (workspace: string) => env.MEMORIES.getByName(workspace) as unknown as MemoryStub;
  const store = remoteMemoryStore(stubOf);
  const tokenizer = () => loadTokenizer('gpt-4', [cl100k]);
  return createApp({
    guard: await identityFrom(env, 'memory'),
    store,
    engines: { lexical: new ContextEngine({ storageClient: store, tokenizer, logger: logFailures }) },
    ledgerOf: (workspace) => remoteLedger(stubOf, workspace),
    maxMemories: readMaxMemories(env.MAX_MEMORIES),
  });
});

export default { fetch } satisfies ExportedHandler<Env>;
