import { describe, expect, it } from 'vitest';
import {
  EmbeddingFailed,
  type EmbeddingOptions,
  type EmbeddingProvider,
} from '../../../src/ai/embeddings/base.ts';
import {
  type CachedEmbeddingsOptions,
  cachedEmbeddings,
  EmbeddingCache,
} from '../../../src/ai/embeddings/cached-embeddings.ts';

type SecondLevel = NonNullable<Parameters<typeof cachedEmbeddings>[1]['store']>;

const vectorOf = (text: string) => [text.length, text.charCodeAt(0) || 0];
/** The vector of `a`. */
const A = [1, 97];

type Setup = Partial<Omit<CachedEmbeddingsOptions, 'store'>> & {
  /** The provider answers after `release`, not at once. */
  holds?: boolean;
  embed?: (text: string) => number[];
  inner?: Partial<EmbeddingProvider>;
  /** A second level with these methods replaced. */
  store?: Partial<SecondLevel>;
};

/** An isolate: its cache, a second level in memory, and one provider for each request. */
const start = ({
  holds = false,
  embed = vectorOf,
  inner = {},
  store: methods,
  ...options
}: Setup = {}) => {
  const calls: string[][] = [];
  const signals: AbortSignal[] = [];
  const gate = Promise.withResolvers<void>();
  if (!holds) gate.resolve();
  const embedBatch = async (texts: string[], { signal }: EmbeddingOptions = {}) => {
    calls.push(texts);
    if (signal) signals.push(signal);
    await gate.promise;
    return texts.map(embed);
  };
  const alone = async (text: string, more?: EmbeddingOptions) =>
    (await embedBatch([text], more))[0] ?? [];
  const provider: EmbeddingProvider = {
    model: 'test-model',
    dimensions: 2,
    embed: alone,
    embedBatch,
    ...inner,
  };
  const held = new Map<string, number[]>();
  const reads: number[] = [];
  const store: SecondLevel = {
    getMany: async (keys) => {
      reads.push(keys.length);
      return keys.map((key) => held.get(key));
    },
    setMany: async (entries) => {
      for (const { key, embedding } of entries) held.set(key, [...embedding]);
    },
    deleteMany: async (keys) => {
      for (const key of keys) held.delete(key);
    },
    ...methods,
  };

  const faults: unknown[] = [];
  const work: Promise<unknown>[] = [];
  const waitUntil = (promise: Promise<unknown>) => void work.push(promise);
  const shared = {
    waitUntil,
    onFault: (error: unknown) => void faults.push(error),
    ...(methods && { store }),
  };
  const cache = new EmbeddingCache({});
  /** The provider of a request; another cache is another isolate on the same second level. */
  const request = (more: Partial<CachedEmbeddingsOptions> = {}) =>
    cachedEmbeddings(provider, { cache, ...shared, ...options, ...more });
  /** Waits for all background work. */
  const settled = async () => {
    for (let done = 0; done < work.length; done += 1) await work[done];
  };
  const fill = () => [cache.size, held.size];
  return {
    calls,
    signals,
    release: gate.resolve,
    held,
    reads,
    faults,
    cache,
    provider,
    request,
    settled,
    fill,
  };
};

const ticks = async () => {
  for (let tick = 0; tick < 20; tick += 1) await Promise.resolve();
};
const down = () => Promise.reject(new Error('down'));

describe('cachedEmbeddings() in scopes', () => {
  it('serves no vector that another scope has cached', async () => {
    const { calls, held, request, settled } = start({ store: {} });
    for (const scope of ['acme', 'globex', 'acme']) {
      await request({ scope }).embed('a');
      await settled();
    }
    expect(calls).toEqual([['a'], ['a']]);
    const keys = [...held.keys()].map((key) => key.replace(/[0-9a-f]{64}$/, '#'));
    expect(keys).toEqual(['acme/test-model:#', 'globex/test-model:#']);
  });
  it('shares no pending call between them', async () => {
    const { calls, release, request } = start({ holds: true });
    const both = ['acme', 'globex'].map((scope) => request({ scope }).embed('a'));
    await ticks();
    expect(calls).toHaveLength(2);
    release();
    await Promise.all(both);
  });
  it('counts each scope separately, and only for the most recent ones', async () => {
    const { request } = start();
    const counts = (scope: string) => request({ scope }).statistics();
    for (let time = 0; time < 2; time += 1) await request({ scope: 'acme' }).embed('a');
    expect(counts('acme')).toMatchObject({ hits: 1, misses: 1 });
    expect(counts('globex')).toMatchObject({ hits: 0, misses: 0 });
    for (let index = 0; index < 1000; index += 1) request({ scope: `w${index}` });
    expect(counts('acme')).toMatchObject({ hits: 0, misses: 0 });
  });
  it('erases only in one scope', async () => {
    const { calls, request } = start();
    for (const scope of ['acme', 'globex']) await request({ scope }).embed('a');
    await request({ scope: 'acme' }).forget(['a']);
    for (const scope of ['acme', 'globex']) await request({ scope }).embed('a');
    expect(calls).toHaveLength(3);
  });
});

describe('cachedEmbeddings()', () => {
  it('calls the provider once for a text, and then reads the cache', async () => {
    const { calls, request } = start();
    for (let time = 0; time < 2; time += 1)
      expect(await request().embed('hello')).toEqual([5, 104]);
    expect(calls).toEqual([['hello']]);
    expect(request().statistics()).toMatchObject({
      hits: 1,
      misses: 1,
      storeHits: 0,
      coalesced: 0,
    });
  });
  it('requests all missing texts in one call, each once, and answers in order', async () => {
    const { calls, request } = start();
    await request().embed('b');
    expect(await request().embedBatch(['a', 'b', 'cc', 'a'])).toEqual([A, [1, 98], [2, 99], A]);
    expect(await request().embedBatch([])).toEqual([]);
    expect(calls).toEqual([['b'], ['a', 'cc']]);
  });
  it('returns copies, so that changes to them stay private', async () => {
    const { request } = start();
    const [first, second] = await request().embedBatch(['a', 'a']);
    first?.fill(0);
    expect(second).toEqual(A);
    expect(await request().embed('a')).toEqual(A);
  });
  it('returns the same 32-bit floats from the provider and from both levels', async () => {
    const { request, settled } = start({ store: {}, embed: () => [0.1, 1 / 3] });
    const expected = [0.1, 1 / 3].map(Math.fround);
    expect(await request().embed('a')).toEqual(expected);
    await settled();
    expect(await request().embed('a')).toEqual(expected);
    expect(await request({ cache: new EmbeddingCache({}) }).embed('a')).toEqual(expected);
  });
  it('has the model and the dimensions of the provider, and separates models', async () => {
    const { cache, provider, request } = start();
    expect([request().model, request().dimensions]).toEqual(['test-model', 2]);
    await request().embed('a');
    const other: EmbeddingProvider = {
      ...provider,
      model: 'other',
      embedBatch: async () => [[7, 7]],
    };
    expect(await cachedEmbeddings(other, { cache }).embed('a')).toEqual([7, 7]);
  });
});

describe('the second level', () => {
  it('is read once for all texts, before the provider is called, and stores its vectors', async () => {
    const { calls, held, reads, request, settled } = start({ store: {} });
    await request().embedBatch(['a', 'b']);
    await settled();
    expect(held.size).toBe(2);
    const cache = new EmbeddingCache({});
    for (let time = 0; time < 2; time += 1) await request({ cache }).embedBatch(['a', 'b', 'c']);
    expect(calls).toEqual([['a', 'b'], ['c']]);
    expect(reads).toEqual([2, 3]);
    expect(request({ cache }).statistics()).toMatchObject({ storeHits: 2, misses: 1 });
  });
  it('does not delay the answer with its writes', async () => {
    const { request } = start({ store: { setMany: () => new Promise(() => {}) } });
    expect(await request().embed('a')).toEqual(A);
  });
  it.each([
    ['fails', down, 1],
    ['hangs', () => new Promise<never>(() => {}), 1],
    ['answers with other dimensions', async () => [[1, 2, 3]], 0],
    ['returns fewer vectors than texts', async () => [], 0],
  ])('is dispensable when it %s', async (_, getMany, count) => {
    const { calls, faults, request } = start({ store: { getMany }, storeReadMs: 20 });
    expect(await request().embed('a')).toEqual(A);
    expect(calls).toHaveLength(1);
    expect([faults.length, request().statistics().storeFaults]).toEqual([count, count]);
  });
  it('is optional when writes fail', async () => {
    const { faults, request, settled } = start({ store: { setMany: down } });
    await request().embed('a');
    await settled();
    expect(faults).toHaveLength(1);
  });
});

describe('one call for a text', () => {
  it('is shared by concurrent requests', async () => {
    const { calls, release, request } = start({ holds: true });
    const all = Promise.all([
      request().embed('a'),
      request().embed('a'),
      request().embedBatch(['b', 'a']),
    ]);
    await ticks();
    release();
    expect(await all).toEqual([A, A, [[1, 98], A]]);
    expect(calls).toEqual([['a'], ['b']]);
    expect(request().statistics()).toMatchObject({ misses: 2, coalesced: 2 });
  });
  it.each([
    ['that started it', 0],
    ['that joined it', 1],
  ])(
    'continues for the others, and for both levels, when the caller %s aborts',
    async (_, leaves) => {
      const { calls, signals, release, held, request, settled } = start({ holds: true, store: {} });
      const leaving = new AbortController();
      const both = [0, 1].map((at) =>
        request().embed('a', at === leaves ? { signal: leaving.signal } : {}),
      );
      leaving.abort();
      await expect(both[leaves]).rejects.toMatchObject({
        name: 'EmbeddingFailed',
        reason: 'aborted',
      });
      await ticks();
      expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
      release();
      expect(await both[1 - leaves]).toEqual(A);
      await settled();
      expect([calls.length, held.size]).toEqual([1, 1]);
    },
  );
  it('is cached although all callers have aborted', async () => {
    const { calls, release, request, settled } = start({ holds: true });
    await expect(request().embed('a', { signal: AbortSignal.timeout(5) })).rejects.toMatchObject({
      reason: 'aborted',
    });
    release();
    await settled();
    expect(await request().embed('a')).toEqual(A);
    expect(calls).toHaveLength(1);
  });
  it('is not started for a caller that has aborted, which still receives cached vectors', async () => {
    const { calls, request } = start();
    await request().embed('a');
    const signal = AbortSignal.abort();
    expect(await request().embed('a', { signal })).toEqual(A);
    await expect(request().embed('b', { signal })).rejects.toMatchObject({ reason: 'aborted' });
    expect(calls).toHaveLength(1);
  });
  it('is awaited for at most `maxSharedWaitMs`, as its request may have ended', async () => {
    const { calls, release, request } = start({ holds: true, maxSharedWaitMs: 20 });
    const both = [request().embed('a'), request().embed('a')];
    await expect.poll(() => calls.length, { interval: 2 }).toBe(2);
    release();
    expect(await Promise.all(both)).toEqual([A, A]);
  });
  it('times out when the provider never answers', async () => {
    const { request } = start({ holds: true, callMs: 20 });
    await expect(request().embed('a')).rejects.toMatchObject({
      name: 'EmbeddingFailed',
      reason: 'unavailable',
    });
  });
});

describe('a failure', () => {
  it('is shared, and not cached: the next request calls again', async () => {
    let isDown = true;
    const { calls, held, request, settled } = start({
      store: {},
      embed: (text) => {
        if (isDown) throw new EmbeddingFailed('rate_limited', 'Cannot embed: status is 429');
        return vectorOf(text);
      },
    });
    const both = await Promise.allSettled([request().embed('a'), request().embed('a')]);
    for (const each of both)
      expect(each).toMatchObject({ status: 'rejected', reason: { reason: 'rate_limited' } });
    expect(calls).toHaveLength(1);
    await settled();
    expect(held.size).toBe(0);
    isDown = false;
    expect(await request().embed('a')).toEqual(A);
    expect(request().statistics()).toMatchObject({ failures: 1, misses: 1 });
  });
  it('of a batch because of another text does not fail a request for one text', async () => {
    const embed = (text: string) => {
      if (text === 'bad') throw new EmbeddingFailed('refused', 'Cannot embed: status is 400');
      return vectorOf(text);
    };
    const { calls, release, request } = start({ holds: true, embed });
    const batch = request().embedBatch(['a', 'bad']);
    const single = request().embed('a');
    await ticks();
    release();
    await expect(batch).rejects.toMatchObject({ reason: 'refused' });
    expect(await single).toEqual(A);
    expect(calls).toEqual([['a', 'bad'], ['a']]);
  });
  it.each([
    ['too few vectors', [[1, 2]]],
    ['a vector of another dimension', [[1, 2], [1]]],
    ['a number that is not finite', [A, [1, Number.NaN]]],
  ])('is %s, and nothing of it is cached', async (_name, embeddings) => {
    const { request, settled, fill } = start({
      store: {},
      inner: { embedBatch: async () => embeddings },
    });
    await expect(request().embedBatch(['a', 'b'])).rejects.toMatchObject({ reason: 'malformed' });
    await settled();
    expect(fill()).toEqual([0, 0]);
  });
});

describe('forget()', () => {
  it('erases a text from both levels', async () => {
    const { calls, request, settled, fill } = start({ store: {} });
    await request().embedBatch(['a', 'b']);
    await settled();
    await request().forget(['a', 'never seen']);
    expect(fill()).toEqual([1, 1]);
    await request().embedBatch(['a', 'b']);
    expect(calls).toEqual([['a', 'b'], ['a']]);
  });
  it('prevents a pending call from caching the vector again', async () => {
    const { release, request, settled, fill } = start({ holds: true, store: {} });
    const pending = request().embed('a');
    await ticks();
    await request().forget(['a']);
    release();
    expect(await pending).toEqual(A);
    await settled();
    expect(fill()).toEqual([0, 0]);
  });
  it.each([true, false])(
    'keeps both of two calls from bringing it back (before the second: %s)',
    async (isBefore) => {
      const { calls, release, request, settled, fill } = start({
        holds: true,
        store: {},
        maxSharedWaitMs: 20,
      });
      const both = [request().embed('a'), request().embed('a')];
      if (isBefore) await request().forget(['a']);
      await expect.poll(() => calls.length, { interval: 2 }).toBe(2);
      if (!isBefore) await request().forget(['a']);
      release();
      expect(await Promise.all(both)).toEqual([A, A]);
      await settled();
      expect(fill()).toEqual([0, 0]);
      await request().embed('a');
      expect(fill()[0]).toBe(1);
    },
  );
  it('prevents a pending write from storing the vector again', async () => {
    const gate = Promise.withResolvers<void>();
    const held = new Map<string, unknown>();
    const setMany: SecondLevel['setMany'] = async (entries) => {
      await gate.promise;
      for (const { key, embedding } of entries) held.set(key, embedding);
    };
    const deleteMany: SecondLevel['deleteMany'] = async (keys) => {
      for (const key of keys) held.delete(key);
    };
    const { request, settled } = start({ store: { setMany, deleteMany } });
    await request().embed('a');
    await request().forget(['a']);
    gate.resolve();
    await settled();
    expect(held.size).toBe(0);
  });
  it('throws when the second level fails', async () => {
    const { request } = start({ store: { deleteMany: down } });
    await expect(request().forget(['a'])).rejects.toThrow('down');
  });
});
