import { expect, it } from 'vitest';
import { type AdapterVariables, readAdapters } from '../../../src/ai/adapters/settings.ts';
import { meaningsOf } from '../../../src/knowledge/search/stores.ts';
import { openaiForTest } from '../openai-for-test.ts';

const server = await openaiForTest();
/** A namespace that functions share. */
const sharedKv = () => {
  const held = new Map<string, string>();
  // Only the methods that the store calls.
  return {
    get: async (names: string[]) => new Map(names.map((name) => [name, held.get(name) ?? null])),
    put: async (name: string, value: string) => void held.set(name, value),
    delete: async (name: string) => void held.delete(name),
  } as unknown as Parameters<typeof meaningsOf>[1]['kv'];
};

const VARIABLES: AdapterVariables = {
  ENVIRONMENT: 'development',
  OPENAI_BASE_URL: server.url,
  OPENAI_API_KEY: server.apiKey,
};

/** A function in its own isolate. */
const functionNamed = (librarian: string, kv = sharedKv()) => {
  const { meaningOf, statistics } = meaningsOf(readAdapters(VARIABLES), { librarian, kv });
  const work: Promise<unknown>[] = [];
  const vectorOf = async (text: string, workspace: string) => {
    const signal = AbortSignal.timeout(10_000);
    const waitUntil = (late: Promise<unknown>) => void work.push(late);
    const meaning = await meaningOf?.(text, { wants: 'vector', workspace, signal, waitUntil });
    for (let done = 0; done < work.length; done += 1) await work[done];
    return meaning?.vector;
  };
  return { vectorOf, statistics };
};

it('provides no embeddings without an embedding model', () => {
  for (const without of [{}, { ...VARIABLES, EMBEDDING_MODEL: 'none' }])
    expect(meaningsOf(readAdapters(without), { librarian: 'navigator', kv: sharedKv() })).toEqual(
      {},
    );
});
it('embeds a query once for all functions that share a namespace', async () => {
  const kv = sharedKv();
  const vector = await functionNamed('navigator', kv).vectorOf('pump', 'acme');
  expect(vector).toHaveLength(1536);
  const semantic = functionNamed('semantic', kv);
  expect(await semantic.vectorOf('pump', 'acme')).toEqual(vector);
  expect(semantic.statistics?.('acme')).toMatchObject({ storeHits: 1, misses: 0 });
  expect(server.requests).toHaveLength(1);
});
it('shares no vector and no statistics between workspaces', async () => {
  const { vectorOf, statistics } = functionNamed('navigator');
  await vectorOf('pump', 'acme');
  await vectorOf('pump', 'globex');
  expect(server.requests).toHaveLength(2);
  await vectorOf('pump', 'acme');
  expect(server.requests).toHaveLength(2);
  expect(statistics?.('acme')).toMatchObject({ hits: 1, misses: 1 });
  expect(statistics?.('globex')).toMatchObject({ hits: 0, misses: 1 });
});
