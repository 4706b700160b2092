import { createApp, type MemoryParts } from '../../src/memory/app.ts';
import { createEngines } from '../../src/memory/search-memories.ts';
import { readMemoryQuotas } from '../../src/memory/store-memory.ts';
import { signedClient } from '../../src/runtime/signed-client.ts';
import { localDirectory, localSigner } from '../../src/signing/identity.ts';
import { originate } from '../../src/signing/request-context.ts';
import type { MemoryStore } from '../../src/storage/memory-store.ts';
import { ledgerForTest } from './ledger-for-test.ts';

/** The app of memories on a store, with one ledger for all workspaces. */
export const memoryApp = async ({ store, ...changes }: Partial<MemoryParts> & { store: MemoryStore }) => {
  const ledger = ledgerForTest();
  return createApp({
    guard: { signer: await localSigner('memory'), directory: await localDirectory(), log: () => undefined },
    ...{ store, engines: createEngines({ store, embeddings: changes.embeddings }), ledgerOf: () => ledger },
    quotas: readMemoryQuotas({}, 'embedded'),
    ...changes,
  });
};

/** Calls the app like the gateway: a route is a method and a path within the workspace. */
export const gatewayTo = async (app: Awaited<ReturnType<typeof memoryApp>>) => {
  const targets = { memory: { fetch: async (request: Request) => app.request(request) } };
  const identity = { self: 'gateway', signer: await localSigner('gateway'), directory: await localDirectory() };
  const client = signedClient({ ...identity, targets });
  return async (
    route: string,
    body?: object,
    { workspace = 'acme', capabilities = ['memory:read', 'memory:write'] } = {},
  ) => {
    const [method = '', below = ''] = route.split(' ');
    const caller = { self: 'gateway', subject: 'user:ada', workspace, authentication: 'key', capabilities };
    const answer = await client.call(originate({ ...caller, timeoutMs: 30_000, now: Date.now() }), {
      ...{ to: 'memory', method, path: `/v1/workspaces/${workspace}${below}`, signal: new AbortController().signal },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) return { status: answer.error.code === 'UNAUTHORIZED' ? 401 : 500, json: undefined };
    return { status: answer.status, json: answer.status === 204 ? undefined : answer.json() };
  };
};
