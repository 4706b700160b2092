import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { bundle } from '../../../tools/build/bundle-function.ts';
import { oneWorker } from './worker-for-test.ts';

// Upstash and the caches of embeddings run in workerd with the memory function, in test/functions/memory-on-upstash.test.ts.
it("a Durable Object's SQLite stores more vectors than a page and a statement hold", async () => {
  const worker = await bundle(fileURLToPath(new URL('stores-worker.ts', import.meta.url)));
  const miniflare = oneWorker(worker, {
    durableObjects: { VECTORS: { className: 'Vectors', useSQLite: true } },
  });
  onTestFinished(() => miniflare.dispose());
  const response = await miniflare.dispatchFetch('http://localhost/?count=700');
  expect(await response.json()).toEqual({
    closest: 'v699',
    facts: ['v7'],
    ids: ['v0'],
    left: { ids: [] },
  });
});
