import { describe, expect, it } from 'vitest';
import { meaningBy } from '../../src/search/meaning.ts';
import { fakeIndex, fakeModel } from '../knowledge/vectors-for-test.ts';

describe('meaningBy()', () => {
  const hanging = () => {
    const { promise, resolve, reject } = Promise.withResolvers<number[]>();
    const signals: AbortSignal[] = [];
    const model = {
      ...fakeModel(),
      embed: (_: string, options: { signal?: AbortSignal | undefined } = {}) => {
        if (options.signal) signals.push(options.signal);
        return promise;
      },
    };
    return { model, resolve, reject, signals };
  };

  it.each(['vector', 'hits'] as const)(
    'rejects at once when the caller aborts while it waits for the %s, and completes the embedding',
    async (wants) => {
      const { model, resolve, signals } = hanging();
      const index = fakeIndex();
      const caller = new AbortController();
      const late: Promise<unknown>[] = [];
      const result = meaningBy(model, () => index)('pump', {
        wants,
        workspace: 'acme',
        signal: caller.signal,
        waitUntil: (work) => late.push(work),
      });
      caller.abort();
      // The model answers only later.
      await expect(result).rejects.toThrow('not answered in time');
      expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
      resolve([1]);
      expect(await Promise.all(late)).toEqual([[1]]);
      expect(index.queries).toBe(0);
    },
  );

  it('leaves no unhandled rejection', async () => {
    const { model, reject } = hanging();
    const caller = new AbortController();
    const result = meaningBy(model)('pump', { wants: 'vector', workspace: 'acme', signal: caller.signal });
    caller.abort();
    await expect(result).rejects.toThrow();
    // An unhandled rejection would fail the run.
    reject(new Error('late'));
    await Promise.resolve();
  });

  it('reports why the model failed', async () => {
    const failure = new Error('down');
    const model = { ...fakeModel(), embed: () => Promise.reject(failure) };
    const { signal } = new AbortController();
    await expect(meaningBy(model)('pump', { wants: 'vector', workspace: 'acme', signal })).rejects.toBe(failure);
  });
});
