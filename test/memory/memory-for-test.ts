import { createApp } from '../../src/memory/app.ts';
import { createEngines } from '../../src/memory/search-memories.ts';
import type { MemoryStore } from '../../src/memory/store/memory-store.ts';
import { readMemoryQuotas } from '../../src/memory/store/store-memory.ts';
import { callFrom, identityOf, userContext } from '../platform/context/callers.ts';
import { ledgerForTest } from './ledger-for-test.ts';

type MemoryParts = Parameters<typeof createApp>[0];

/** The app of memories on a store, with one ledger for all workspaces. */
export async function memoryApp({
  store,
  ...changes
}: Partial<MemoryParts> & { store: MemoryStore }) {
  const ledger = ledgerForTest();
  return createApp({
    guard: { ...(await identityOf('memory')), log: () => undefined },
    store,
    engines: createEngines({ store, embeddings: changes.embeddings }),
    ledgerOf: () => ledger,
    quotas: readMemoryQuotas({}),
    ...changes,
  });
}

/** Calls the app like the gateway: a route is a method and a path within the workspace. */
export async function gatewayTo(app: Awaited<ReturnType<typeof memoryApp>>) {
  const targets = { memory: { fetch: async (request: Request) => app.request(request) } };
  return async (
    route: string,
    body?: object,
    { workspace = 'acme', capabilities = ['memory:read', 'memory:write'] } = {},
  ) => {
    const [method = '', below = ''] = route.split(' ');
    const context = userContext({
      subject: 'user:ada',
      workspace,
      capabilities,
      timeoutMs: 30_000,
    });
    const request = { to: 'memory', method, path: `/v1/workspaces/${workspace}${below}`, body };
    const { answer } = await callFrom('gateway', context, { targets, request });
    if (!answer.ok)
      return { status: answer.error.code === 'UNAUTHORIZED' ? 401 : 500, json: undefined };
    return { status: answer.status, json: answer.status === 204 ? undefined : answer.json() };
  };
}
