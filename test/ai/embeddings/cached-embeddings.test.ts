import { describe, expect, it } from 'vitest';
import { EmbeddingFailed, type EmbeddingOptions, type EmbeddingProvider } from '../../../src/ai/embeddings/base.ts';
import {
  type CachedEmbeddingsOptions,
  cachedEmbeddings,
  EmbeddingCache,
  type SecondLevel,
} from '../../../src/ai/embeddings/cached-embeddings.ts';

const vectorOf = (text: string) => [text.length, text.charCodeAt(0) || 0];
/** The vector of `a`. */
const A = [1, 97];

/** Answers at once, or after `release` with `holds`. */
const provider = ({
  holds = false,
  embed = vectorOf,
}: {
  holds?: boolean | undefined;
  embed?: ((text: string) => number[]) | undefined;
} = {}) => {
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
  const made: EmbeddingProvider = {
    model: 'test-model',
    dimensions: 2,
    embed: async (text, options) => (await embedBatch([text], options))[0] ?? [],
    embedBatch,
  };
  return { made, calls, signals, release: gate.resolve, fail: gate.reject };
};

/** The second level in memory. */
const memoryStore = (methods: Partial<SecondLevel> = {}) => {
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
  return { store, held, reads };
};

/** An isolate: its cache, and one provider for each request. */
const isolate = (inner: EmbeddingProvider, options: Partial<CachedEmbeddingsOptions> = {}) => {
  const cache = new EmbeddingCache({});
  const work: Promise<unknown>[] = [];
  const request = (more: Partial<CachedEmbeddingsOptions> = {}) =>
    cachedEmbeddings(inner, { cache, waitUntil: (promise) => void work.push(promise), ...options, ...more });
  /** Waits for all background work. */
  const settled = async () => {
    for (let done = 0; done < work.length; done += 1) await work[done];
  };
  return { cache, request, settled };
};

/** Provider, isolate and, with `store`, a second level with these methods replaced. */
const start = ({
  holds,
  embed,
  store,
  ...options
}: Partial<Omit<CachedEmbeddingsOptions, 'store'>> & {
  holds?: boolean;
  embed?: (text: string) => number[];
  store?: Partial<SecondLevel>;
} = {}) => {
  const inner = provider({ holds, embed });
  const second = memoryStore(store);
  const one = isolate(inner.made, { ...options, ...(store && { store: second.store }) });
  return { ...inner, ...second, ...one };
};

const ticks = async () => {
  for (let tick = 0; tick < 20; tick += 1) await Promise.resolve();
};

describe('cachedEmbeddings() in scopes', () => {
  it('serves no vector that another scope has cached', async () => {
    const { calls, held, request, settled } = start({ store: {} });
    await request({ scope: 'acme' }).embed('a');
    await settled();
    await request({ scope: 'globex' }).embed('a');
    await request({ scope: 'acme' }).embed('a');
    await settled();
    expect(calls).toEqual([['a'], ['a']]);
    expect([...held.keys()].map((key) => key.replace(/[0-9a-f]{64}$/, '#'))).toEqual([
      'acme/test-model:#',
      'globex/test-model:#',
    ]);
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
    await request({ scope: 'acme' }).embed('a');
    await request({ scope: 'acme' }).embed('a');
    expect(request({ scope: 'acme' }).statistics()).toMatchObject({ hits: 1, misses: 1 });
    expect(request({ scope: 'globex' }).statistics()).toMatchObject({ hits: 0, misses: 0 });
    for (let index = 0; index < 1000; index += 1) request({ scope: `w${index}` });
    expect(request({ scope: 'acme' }).statistics()).toMatchObject({ hits: 0, misses: 0 });
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
    expect(await request().embed('hello')).toEqual([5, 104]);
    expect(await request().embed('hello')).toEqual([5, 104]);
    expect(calls).toEqual([['hello']]);
    expect(request().statistics()).toMatchObject({ hits: 1, misses: 1, storeHits: 0, coalesced: 0 });
  });
  it('requests all missing texts in one call, each once, and answers in order', async () => {
    const { calls, request } = start();
    await request().embed('b');
    expect(await request().embedBatch(['a', 'b', 'cc', 'a'])).toEqual([A, [1, 98], [2, 99], A]);
    expect(calls).toEqual([['b'], ['a', 'cc']]);
    expect(await request().embedBatch([])).toEqual([]);
    expect(calls).toHaveLength(2);
  });
  it('returns copies, so that changes to them stay private', async () => {
    const { request } = start();
    const [first, second] = await request().embedBatch(['a', 'a']);
    first?.fill(0);
    expect(second).toEqual(A);
    expect(await request().embed('a')).toEqual(A);
  });
  it('returns the same 32-bit floats on every path', async () => {
    const { made } = provider({ embed: () => [0.1, 1 / 3] });
    const { store } = memoryStore();
    const one = isolate(made, { store });
    const expected = [0.1, 1 / 3].map(Math.fround);
    expect(await one.request().embed('a')).toEqual(expected);
    await one.settled();
    expect(await one.request().embed('a')).toEqual(expected);
    expect(await isolate(made, { store }).request().embed('a')).toEqual(expected);
  });
  it('has the model and the dimensions of the provider, and separates models', async () => {
    const { made } = provider();
    const other: EmbeddingProvider = { ...made, model: 'other', embedBatch: async () => [[7, 7]] };
    const cache = new EmbeddingCache({});
    const cached = cachedEmbeddings(made, { cache });
    expect([cached.model, cached.dimensions]).toEqual(['test-model', 2]);
    await cached.embed('a');
    expect(await cachedEmbeddings(other, { cache }).embed('a')).toEqual([7, 7]);
  });
});

describe('the second level', () => {
  it('is read once for all texts, before the provider is called, and stores its vectors', async () => {
    const { made, calls } = provider();
    const { store, held, reads } = memoryStore();
    const first = isolate(made, { store });
    await first.request().embedBatch(['a', 'b']);
    await first.settled();
    expect(held.size).toBe(2);
    const second = isolate(made, { store });
    await second.request().embedBatch(['a', 'b', 'c']);
    expect(calls).toEqual([['a', 'b'], ['c']]);
    expect(reads).toEqual([2, 3]);
    expect(second.request().statistics()).toMatchObject({ storeHits: 2, misses: 1 });
    await second.request().embedBatch(['a', 'b', 'c']);
    expect(reads).toHaveLength(2);
  });
  it('does not delay the answer with its writes', async () => {
    const { made } = provider();
    const { store } = memoryStore({ setMany: () => new Promise(() => {}) });
    expect(await isolate(made, { store }).request().embed('a')).toEqual(A);
  });
  it.each([
    ['fails', () => Promise.reject(new Error('down'))],
    ['hangs', () => new Promise<never>(() => {})],
    ['answers with other dimensions', async () => [[1, 2, 3]]],
    ['returns fewer vectors than texts', async () => []],
  ])('is dispensable when it %s', async (name, getMany) => {
    const { made, calls } = provider();
    const faults: unknown[] = [];
    const { request } = isolate(made, {
      store: memoryStore({ getMany }).store,
      storeReadMs: 20,
      onFault: (error) => faults.push(error),
    });
    expect(await request().embed('a')).toEqual(A);
    expect(calls).toHaveLength(1);
    const isFault = name === 'fails' || name === 'hangs';
    expect([faults.length, request().statistics().storeFaults]).toEqual(isFault ? [1, 1] : [0, 0]);
  });
  it('is optional when writes fail', async () => {
    const faults: unknown[] = [];
    const store = { setMany: () => Promise.reject(new Error('down')) };
    const { request, settled } = start({ store, onFault: (error) => faults.push(error) });
    await request().embed('a');
    await settled();
    expect(faults).toHaveLength(1);
  });
});

describe('one call for a text', () => {
  it('is shared by concurrent requests', async () => {
    const { calls, release, request } = start({ holds: true });
    const all = Promise.all([request().embed('a'), request().embed('a'), request().embedBatch(['b', 'a'])]);
    await ticks();
    release();
    expect(await all).toEqual([A, A, [[1, 98], A]]);
    expect(calls).toEqual([['a'], ['b']]);
    expect(request().statistics()).toMatchObject({ misses: 2, coalesced: 2 });
  });
  it.each([
    ['that started it', 0],
    ['that joined it', 1],
  ])('continues for the others, and for both levels, when the caller %s aborts', async (_, leaves) => {
    const { calls, signals, release, held, request, settled } = start({ holds: true, store: {} });
    const leaving = new AbortController();
    const both = [0, 1].map((at) => request().embed('a', at === leaves ? { signal: leaving.signal } : {}));
    leaving.abort();
    await expect(both[leaves]).rejects.toMatchObject({ name: 'EmbeddingFailed', reason: 'aborted' });
    await ticks();
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    release();
    expect(await both[1 - leaves]).toEqual(A);
    await settled();
    expect([calls.length, held.size]).toEqual([1, 1]);
  });
  it('is cached although all callers have aborted', async () => {
    const { calls, release, request, settled } = start({ holds: true });
    await expect(request().embed('a', { signal: AbortSignal.timeout(5) })).rejects.toMatchObject({ reason: 'aborted' });
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
    const first = request().embed('a');
    const second = request().embed('a');
    await expect.poll(() => calls.length, { interval: 2 }).toBe(2);
    release();
    expect(await Promise.all([first, second])).toEqual([A, A]);
  });
  it('times out when the provider never answers', async () => {
    const { request } = start({ holds: true, callMs: 20 });
    await expect(request().embed('a')).rejects.toMatchObject({ name: 'EmbeddingFailed', reason: 'unavailable' });
  });
});

describe('a failure', () => {
  it('is shared, and not cached: the next request calls again', async () => {
    let isDown = true;
    const { made, calls } = provider({
      embed: (text) => {
        if (isDown) throw new EmbeddingFailed('rate_limited', 'Cannot embed: status is 429');
        return vectorOf(text);
      },
    });
    const { store, held } = memoryStore();
    const { request, settled } = isolate(made, { store });
    const both = await Promise.allSettled([request().embed('a'), request().embed('a')]);
    for (const each of both) expect(each).toMatchObject({ status: 'rejected', reason: { reason: 'rate_limited' } });
    expect(calls).toHaveLength(1);
    await settled();
    expect(held.size).toBe(0);
    isDown = false;
    expect(await request().embed('a')).toEqual(A);
    expect(request().statistics()).toMatchObject({ failures: 1, misses: 1 });
  });
  it('of a batch because of another text does not fail a request for one text', async () => {
    const { made, calls, release } = provider({
      holds: true,
      embed: (text) => {
        if (text === 'bad') throw new EmbeddingFailed('refused', 'Cannot embed: status is 400');
        return vectorOf(text);
      },
    });
    const { request } = isolate(made);
    const batch = request().embedBatch(['a', 'bad']);
    const single = request().embed('a');
    await ticks();
    release();
    await expect(batch).rejects.toMatchObject({ reason: 'refused' });
    expect(await single).toEqual(A);
    expect(calls).toEqual([['a', 'bad'], ['a']]);
  });
  it.each([
    ['too few vectors', () => [[1, 2]]],
    ['a vector of another dimension', () => [[1, 2], [1]]],
    ['a number that is not finite', () => [A, [1, Number.NaN]]],
  ])('is %s, and nothing of it is cached', async (_name, embeddings) => {
    const { made } = provider();
    const { store, held } = memoryStore();
    const { request, cache, settled } = isolate({ ...made, embedBatch: async () => embeddings() }, { store });
    await expect(request().embedBatch(['a', 'b'])).rejects.toMatchObject({ reason: 'malformed' });
    await settled();
    expect([cache.size, held.size]).toEqual([0, 0]);
  });
});

describe('forget()', () => {
  it('erases a text from both levels', async () => {
    const { calls, held, request, settled, cache } = start({ store: {} });
    await request().embedBatch(['a', 'b']);
    await settled();
    await request().forget(['a', 'never seen']);
    expect([cache.size, held.size]).toEqual([1, 1]);
    await request().embedBatch(['a', 'b']);
    expect(calls).toEqual([['a', 'b'], ['a']]);
  });
  it('prevents a pending call from caching the vector again', async () => {
    const { release, held, request, settled, cache } = start({ holds: true, store: {} });
    const pending = request().embed('a');
    await ticks();
    await request().forget(['a']);
    release();
    expect(await pending).toEqual(A);
    await settled();
    expect([cache.size, held.size]).toEqual([0, 0]);
  });
  it.each([
    ['before', true],
    ['after', false],
  ])('keeps both of two calls from bringing it back, %s the second has begun', async (_name, isBefore) => {
    const { calls, release, held, request, settled, cache } = start({ holds: true, store: {}, maxSharedWaitMs: 20 });
    const both = [request().embed('a'), request().embed('a')];
    if (isBefore) await request().forget(['a']);
    await expect.poll(() => calls.length, { interval: 2 }).toBe(2);
    if (!isBefore) await request().forget(['a']);
    release();
    expect(await Promise.all(both)).toEqual([A, A]);
    await settled();
    expect([cache.size, held.size]).toEqual([0, 0]);
    await request().embed('a');
    expect(cache.size).toBe(1);
  });
  it('prevents a pending write from storing the vector again', async () => {
    const { made } = provider();
    const gate = Promise.withResolvers<void>();
    const { store, held } = memoryStore();
    const slow: SecondLevel = { ...store, setMany: (entries) => gate.promise.then(() => store.setMany(entries)) };
    const { request, settled } = isolate(made, { store: slow });
    await request().embed('a');
    await request().forget(['a']);
    gate.resolve();
    await settled();
    expect(held.size).toBe(0);
  });
  it('throws when the second level fails', async () => {
    const { made } = provider();
    const { store } = memoryStore({ deleteMany: () => Promise.reject(new Error('down')) });
    await expect(isolate(made, { store }).request().forget(['a'])).rejects.toThrow('down');
  });
});
