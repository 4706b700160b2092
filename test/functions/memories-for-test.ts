import { expect } from 'vitest';
import { ErrorBody } from '../../src/contract/core/error-info.ts';
import {
  type Memory,
  MemoryPage,
  MemorySearchResponse,
  MemoryStats,
  MemoryStored,
} from '../../src/contract/wire/memory.ts';
import type { Product } from '../../tools/run/product.ts';
import { send } from './product-for-test.ts';

/** The memory API with a key, by default the owner's. */
export function memoriesIn(
  productOf: () => Product,
  { workspace = 'default', key }: Record<string, string> = {},
) {
  const call = (route: string, body?: unknown): Promise<Response> => {
    const [method, path = ''] = route.split(' ');
    return send(productOf(), `${method} /v1/workspaces/${workspace}/memories${path}`, body, key);
  };
  const search = async (query: string, options?: object) => {
    const response = await call('POST /search', {
      query,
      ...(options === undefined ? {} : { options }),
    });
    expect(response.status).toBe(200);
    const { results, degraded } = MemorySearchResponse.parse(await response.json());
    return { results, degraded, contents: results.map(({ memory }) => memory.content) };
  };
  return {
    call,
    search,
    /** With embeddings, less similar memories follow those with the word. */
    searchWord: async (word: string, options?: object) =>
      (await search(word, options)).contents.filter((content) => content.includes(word)),
    store: async (
      content: string,
      more: object = {},
    ): Promise<{ memory: Memory; degraded?: unknown }> => {
      const response = await call('POST ', { type: 'fact', content, ...more });
      expect(response.status).toBe(201);
      return MemoryStored.parse(await response.json());
    },
    erase: async (query: string): Promise<unknown> => (await call(`DELETE ?${query}`)).json(),
    page: async (query: string) => MemoryPage.parse(await (await call(`GET ?${query}`)).json()),
    stats: async () => MemoryStats.parse(await (await call('GET /stats')).json()),
    errorOf: async (route: string, body?: unknown) => {
      const response = await call(route, body);
      return { status: response.status, ...ErrorBody.parse(await response.json()).error };
    },
  };
}
