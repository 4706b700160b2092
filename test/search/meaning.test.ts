import { describe, expect, it } from 'vitest';
import { meaningBy } from '../../src/search/retrieve.ts';
import { fakeIndex, fakeModel } from '../knowledge/vectors-for-test.ts';

/** A meaning that was requested of a model which answers when the test says so. */
const asked = (wants: 'vector' | 'hits') => {
  const { promise, ...answer } = Promise.withResolvers<number[]>();
  const signals: (AbortSignal | undefined)[] = [];
  const late: Promise<unknown>[] = [];
  const [index, caller] = [fakeIndex(), new AbortController()];
  const embed = (_: string, options: { signal?: AbortSignal | undefined } = {}) => {
    signals.push(options.signal);
    return promise;
  };
  const waitUntil = (work: Promise<unknown>) => void late.push(work);
  const options = { wants, workspace: 'acme', signal: caller.signal, waitUntil };
  return {
    result: meaningBy({ ...fakeModel(), embed }, () => index)('pump', options),
    answer,
    caller,
    index,
    signals,
    late,
  };
};

describe('meaningBy()', () => {
  it.each(['vector', 'hits'] as const)(
    'rejects at once when the caller aborts while it waits for the %s, and completes the embedding',
    async (wants) => {
      const { result, answer, caller, index, signals, late } = asked(wants);
      caller.abort();
      await expect(result).rejects.toThrow('not answered in time');
      expect(signals.map((signal) => signal?.aborted)).toEqual([false]);
      answer.resolve([1]);
      expect(await Promise.all(late)).toEqual([[1]]);
      expect(index.queries).toBe(0);
    },
  );

  it('leaves no unhandled rejection, which would fail the run', async () => {
    const { result, answer, caller } = asked('vector');
    caller.abort();
    await expect(result).rejects.toThrow();
    answer.reject(new Error('late'));
    await Promise.resolve();
  });

  it('reports why the model failed', async () => {
    const { result, answer } = asked('vector');
    const failure = new Error('down');
    answer.reject(failure);
    await expect(result).rejects.toBe(failure);
  });
});
