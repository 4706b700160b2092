import { fileURLToPath } from 'node:url';
import type { Miniflare } from 'miniflare';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ANSWER_METHODS } from '../../../src/gateway/history/answer-store.ts';
import { GAP_METHODS } from '../../../src/knowledge/gaps/gap-book.ts';
import { bundle } from '../../../tools/build/bundle-function.ts';
import { oneWorker } from '../storage/worker-for-test.ts';

let miniflare: Miniflare;
beforeAll(async () => {
  const contents = await bundle(fileURLToPath(new URL('store-object-worker.mjs', import.meta.url)));
  const objectOf = (className: string) => ({ className, useSQLite: true });
  miniflare = oneWorker(contents, {
    durableObjects: {
      ANSWERS: objectOf('AnswersObject'),
      GAPS: objectOf('GapsObject'),
      COUNTERS: objectOf('CountersObject'),
    },
  });
});
afterAll(() => miniflare?.dispose());

it('has no method that can be called but those that it names', async () => {
  const response = await miniflare.dispatchFetch('http://localhost/');
  const reached = (await response.json()) as Record<string, string[]>;
  const sorted = Object.entries(reached).map(([name, methods]) => [name, methods.toSorted()]);
  expect(Object.fromEntries(sorted)).toEqual({
    ANSWERS: ANSWER_METHODS.toSorted(),
    GAPS: GAP_METHODS.toSorted(),
    COUNTERS: ['add', 'raiseDirectory', 'read'],
  });
});
