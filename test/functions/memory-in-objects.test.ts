import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MemoryPage, MemorySearchResponse, MemoryStored } from '../../src/contract/memory.ts';
import { type Product, startProduct } from '../../src/dev/run/product.ts';
import { type OpenAIServer, startOpenAIServer } from '../../src/dev/stand-ins/openai/openai-server.ts';

let openai: OpenAIServer;
let product: Product;
let state: string;

const start = () =>
  startProduct({
    kb: 'sample',
    port: 0,
    state,
    allVars: {
      OPENAI_BASE_URL: openai.url,
      OPENAI_API_KEY: openai.apiKey,
      EMBEDDING_DIMENSIONS: '64',
      CHAT_MODEL: 'none',
    },
  });

beforeAll(async () => {
  state = mkdtempSync(join(tmpdir(), 'constellation-memory-'));
  openai = await startOpenAIServer();
  product = await start();
});

afterAll(async () => {
  await product?.stop();
  await openai?.stop();
  rmSync(state, { recursive: true, force: true });
});

const call = (method: string, path: string, body?: unknown): Promise<Response> =>
  product.fetch(`/v1/workspaces/default/memories${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

const store = async (content: string, more: object = {}) =>
  MemoryStored.parse(await (await call('POST', '', { type: 'fact', content, ...more })).json()).memory;

const search = async (query: string) => {
  const { results, degraded } = MemorySearchResponse.parse(await (await call('POST', '/search', { query })).json());
  expect(degraded).toBeUndefined();
  return results.map(({ memory }) => memory.content);
};

describe('memories in Durable Objects, with embeddings', () => {
  it('are found by pieces of words, which only the model knows, and are gone once deleted', async () => {
    const memory = await store('Espressomaschinen stehen in Lissabon.');
    await store('The harbour opens at six.');
    expect((await search('Espressomaschine'))[0]).toBe(memory.content);
    expect((await call('DELETE', `/${memory.id}`)).status).toBe(204);
    expect(await search('Espressomaschine')).not.toContain(memory.content);
  });

  it('are there after a restart, with their vectors, and so is what was erased gone', async () => {
    await store('A zeppelin landed.', { person_id: 'ann' });
    const kept = await store('A galleon sailed.', { person_id: 'bob' });
    expect(await (await call('DELETE', '?person_id=ann')).json()).toEqual({ erased: 1 });
    await product.stop();
    product = await start();
    const page = MemoryPage.parse(await (await call('GET', '?limit=1')).json());
    expect(page.memories).toEqual([kept]);
    expect((await search('galleons'))[0]).toBe(kept.content);
    expect(await search('zeppelin')).not.toContain('A zeppelin landed.');
  });
});
