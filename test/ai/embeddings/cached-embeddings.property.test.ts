import fc from 'fast-check';
import { expect, it } from 'vitest';
import { EmbeddingFailed, type EmbeddingProvider } from '../../../src/ai/embeddings/base.ts';
import { cachedEmbeddings, EmbeddingCache } from '../../../src/ai/embeddings/cached-embeddings.ts';

type SecondLevel = NonNullable<Parameters<typeof cachedEmbeddings>[1]['store']>;

const TEXTS = ['a', 'b', 'c', 'd', 'e'];
const vectorOf = (text: string) => [text.charCodeAt(0), 1];
const text = fc.constantFrom(...TEXTS);
const stepsOf = (what: string, maxLength: number, aborts: fc.Arbitrary<boolean>) =>
  fc.record({ do: fc.constant(what), texts: fc.array(text, { maxLength }), aborts });
const step = fc.oneof(
  { weight: 6, arbitrary: stepsOf('embed', 4, fc.boolean()) },
  { weight: 1, arbitrary: stepsOf('forget', 2, fc.constant(false)) },
);

/** Delays the outcome of a call until its turn in a random order. */
const turns = (scheduler: fc.Scheduler, isDown: () => boolean) => {
  const provider: EmbeddingProvider = {
    model: 'test-model',
    dimensions: 2,
    embed: () => Promise.reject(new Error('is not used')),
    embedBatch: async (texts) => {
      await scheduler.schedule(Promise.resolve(), 'provider');
      if (isDown()) throw new EmbeddingFailed('unavailable', 'Cannot embed: down');
      return texts.map(vectorOf);
    },
  };
  const held = new Map<string, number[]>();
  const turn = async (name: string) => {
    await scheduler.schedule(Promise.resolve(), name);
    if (isDown()) throw new Error('down');
  };
  const store: SecondLevel = {
    getMany: async (keys) => {
      await turn('read');
      return keys.map((key) => held.get(key));
    },
    setMany: async (entries) => {
      await turn('write');
      for (const { key, embedding } of entries) held.set(key, [...embedding]);
    },
    deleteMany: async (keys) => {
      for (const key of keys) held.delete(key);
    },
  };
  return { provider, store, held };
};

it('returns the right vector or a failure for every text, in any order of calls, failures, aborts and erasures', async () => {
  const property = fc.asyncProperty(
    fc.scheduler(),
    fc.array(step, { maxLength: 12 }),
    fc.infiniteStream(fc.integer({ min: 0, max: 3 })),
    async (scheduler, steps, lots) => {
      const { provider, store, held } = turns(scheduler, () => lots.next().value === 0);
      const cache = new EmbeddingCache({ maxSize: 3 });
      const work: Promise<unknown>[] = [];
      const waitUntil = (promise: Promise<unknown>) => void work.push(promise);
      const request = () =>
        cachedEmbeddings(provider, { cache, store, waitUntil, storeReadMs: 5000 });
      const pending = steps.map(async ({ do: what, texts, aborts }) => {
        await scheduler.schedule(Promise.resolve(), what);
        if (what === 'forget') return request().forget(texts);
        const controller = new AbortController();
        const embedding = request().embedBatch(texts, { signal: controller.signal });
        if (aborts)
          void scheduler.schedule(Promise.resolve(), 'abort').then(() => controller.abort());
        const outcome = await embedding.catch((error: unknown) => error);
        if (outcome instanceof EmbeddingFailed) return;
        expect(outcome).toEqual(texts.map(vectorOf));
      });
      const isDone = Promise.all(pending);
      let isOver = false;
      void isDone.finally(() => {
        isOver = true;
      });
      while (!isOver || scheduler.count() > 0) {
        if (scheduler.count() > 0) await scheduler.waitOne();
        else await new Promise((resolve) => setTimeout(resolve, 1));
      }
      await isDone;
      for (let done = 0; done < work.length; done += 1) {
        while (scheduler.count() > 0) await scheduler.waitOne();
        await work[done];
      }
      // All work is done that could cache a vector again.
      await request().forget(TEXTS);
      expect([cache.size, held.size]).toEqual([0, 0]);
    },
  );
  await fc.assert(property, { numRuns: 150 });
});
