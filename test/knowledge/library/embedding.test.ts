import { describe, expect, it, vi } from 'vitest';
import { EmbeddingFailed } from '../../../src/ai/embeddings/base.ts';
import {
  embeddingTextOf,
  vectorIdOf,
  vectorsOf,
} from '../../../src/knowledge/edition/edition-vectors.ts';
import type { Library } from '../../../src/knowledge/library/library.ts';
import { DOWN, fakeIndex, fakeModel, INDEX_DOWN } from '../vectors-for-test.ts';
import {
  editionOf,
  embeddingLibrary,
  type FakeHost,
  hostArticle,
  hostOf,
  killedAfter,
  libraryForTest,
  survives,
  syncNow,
} from './library-for-test.ts';

/** The embedded text of every chunk of the current edition. */
const chunkTexts = async (library: Library): Promise<string[]> => {
  const edition = await editionOf(library);
  return Array.from({ length: edition.chunkCount }, (_, at) => {
    const chunk = edition.chunk(at);
    return embeddingTextOf({ ...chunk, title: edition.article(chunk.article).title });
  });
};

/** The chunks that the current edition can find by meaning. */
const chunksWithVectors = async (
  library: Library,
  model: ReturnType<typeof fakeModel>,
): Promise<number[]> => {
  const vectors = vectorsOf(await editionOf(library));
  if (vectors === undefined) return [];
  const { dimensions } = model;
  expect(vectors.space).toEqual({ model: model.model, dimensions });
  if (vectors.kind === 'rows') {
    const near = vectors.nearest(new Array<number>(dimensions).fill(1), { limit: 500 });
    return near.map(({ chunk }) => chunk).sort((left, right) => left - right);
  }
  const ids = await Promise.all((await chunkTexts(library)).map((text) => vectorIdOf(text, model)));
  return ids.flatMap((id, chunk) => (vectors.chunksOf(id).includes(chunk) ? [chunk] : []));
};

describe.each(['edition', 'index'] as const)('a sync with vectors in the %s', (place) => {
  const setUp = (host: FakeHost, more?: Parameters<typeof embeddingLibrary>[2]) =>
    embeddingLibrary(place, host, more);
  it('embeds every chunk once, and nothing when nothing changed', async () => {
    const { library, sync, model, index } = setUp(hostOf(10));
    expect(await sync({})).toMatchObject({
      outcome: 'published',
      embeddings: 10,
      added: 10,
      warning_count: 0,
    });
    expect([...model.texts].sort()).toEqual((await chunkTexts(library)).sort());
    expect(await chunksWithVectors(library, model)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    const [edition, upserts] = [library.status(['*']).edition, index.upserts];
    for (const request of [{}, { full: true }])
      expect(await sync(request)).toMatchObject({
        outcome: 'unchanged',
        embeddings: 0,
        writes: 0,
        edition,
      });
    expect(model.texts).toHaveLength(10);
    expect(index.upserts).toBe(upserts);
    expect(library.status(['*']).last_report).not.toHaveProperty('embeddings_missing');
  });
  it('embeds changed chunks only, and equal ones once', async () => {
    const host = hostOf(3);
    host.articles.push(hostArticle('twins.md', '## One\n\nText.\n\n## Two\n\nOther.'));
    const { library, sync, model } = setUp(host);
    await sync();
    model.texts.length = 0;
    host.articles[3] = hostArticle(
      'twins.md',
      '## One\n\nText.\n\n## Two\n\nChanged.\n\n## Two\n\nChanged.',
    );
    expect(await sync()).toMatchObject({ embeddings: 1 });
    expect(model.texts).toEqual(['Title of twins.md\nTwo\nChanged.']);
    expect(await chunksWithVectors(library, model)).toHaveLength(6);
  });
  it('reports the progress of embedding', async () => {
    const { library, model, rest } = setUp(hostOf(600));
    const seen: string[] = [];
    const { embedBatch } = model;
    model.embedBatch = async (texts) => {
      const { state, progress } = library.status(['*']);
      seen.push(`${state} ${progress?.embedded} of ${progress?.to_embed}`);
      return embedBatch(texts);
    };
    library.startSync({});
    await rest();
    expect(seen).toEqual([0, 256, 512].map((done) => `embedding ${done} of 600`));
  });
  it('publishes without the missing vectors when the model does not answer, reports it, and adds them later', async () => {
    const { library, sync, model, faults, rest } = setUp(hostOf(5));
    model.forever = DOWN;
    const report = await sync();
    expect(report).toMatchObject({
      outcome: 'published',
      embeddings: 0,
      embeddings_missing: 5,
      warning_count: 1,
    });
    expect(report?.warnings[0]?.reason).toContain('Cannot embed 5 texts');
    expect(faults).toHaveLength(4);
    expect(await chunksWithVectors(library, model)).toEqual([]);
    expect((await editionOf(library)).chunkCount).toBe(5);
    model.forever = undefined;
    expect(library.dueAt()).toBeDefined();
    await rest();
    expect(await chunksWithVectors(library, model)).toEqual([0, 1, 2, 3, 4]);
    expect(await sync()).toMatchObject({ outcome: 'unchanged', embeddings: 0, writes: 0 });
  });
  it('retries a failed call, after the pause that the service requests', async () => {
    const { sync, model, clock } = setUp(hostOf(5));
    model.failures.push(
      DOWN,
      new EmbeddingFailed('rate_limited', 'Cannot embed: too many', { retryAfterMs: 30_000 }),
    );
    const began = clock.now;
    expect(await sync()).toMatchObject({ embeddings: 5, warning_count: 0 });
    expect(clock.now - began).toBeGreaterThanOrEqual(31_000);
  });
  it('ends soon without vectors when the model does not answer, and adds them the next time', async () => {
    const { sync, model, clock } = setUp(hostOf(3));
    const { embedBatch } = model;
    let calls = 0;
    model.embedBatch = async () => {
      calls += 1;
      clock.now += 20_000;
      throw DOWN;
    };
    const began = clock.now;
    expect(await sync()).toMatchObject({
      outcome: 'published',
      embeddings: 0,
      embeddings_missing: 3,
    });
    expect([calls, clock.now - began < 25_000]).toEqual([1, true]);
    model.embedBatch = embedBatch;
    expect(await sync()).toMatchObject({ outcome: 'published', embeddings: 3 });
  });
  it.each<[string, (vectors: number[][]) => number[][]]>([
    ['too few', (vectors) => vectors.slice(1)],
    ['too short', (vectors) => vectors.map((vector) => vector.slice(1))],
    ['no numbers', (vectors) => vectors.map((vector) => vector.map(() => Number.NaN))],
  ])('refuses vectors that are %s', async (_, spoil) => {
    const { library, sync, model } = setUp(hostOf(3));
    const embedBatch = model.embedBatch;
    model.embedBatch = async (texts) => spoil(await embedBatch(texts));
    expect(await sync()).toMatchObject({
      outcome: 'published',
      embeddings: 0,
      embeddings_missing: 3,
    });
    expect(await chunksWithVectors(library, model)).toEqual([]);
  });
  it('embeds a text with a zero vector only once', async () => {
    const host = hostOf(2);
    host.articles.push(hostArticle('signs.md', '…', { title: '…' }));
    const { library, sync } = setUp(host);
    expect(await sync()).toMatchObject({ embeddings: 3 });
    expect(await sync()).toMatchObject({ outcome: 'unchanged', embeddings: 0 });
    expect((await editionOf(library)).chunkCount).toBe(3);
  });
  it('embeds everything again for another model', async () => {
    const first = setUp(hostOf(4));
    await first.sync();
    const model = fakeModel({ model: 'other', dimensions: 32 });
    const { library, sync, index } = setUp(hostOf(4), {
      ...first,
      model,
      index: { ...first.index, dimensions: 32 },
    });
    expect(await sync()).toMatchObject({ embeddings: 4, unchanged: 4, outcome: 'published' });
    expect(await chunksWithVectors(library, model)).toEqual([0, 1, 2, 3]);
    const lengths = [...index.vectors.values()].map(({ vector }) => vector.length);
    expect(lengths).toEqual(place === 'index' ? [32, 32, 32, 32] : []);
  });
  it('publishes an edition without vectors when the model is removed', async () => {
    const { sync, clock, sql } = setUp(hostOf(2));
    await sync();
    const { library } = libraryForTest(hostOf(2), { sql, clock });
    expect(await syncNow(library, { full: true })).toMatchObject({
      outcome: 'published',
      embeddings: 0,
    });
    expect(vectorsOf(await editionOf(library))).toBeUndefined();
  });
  it('ends in the same state after a crash at any write', async () => {
    let kills = 0;
    for (let lifetime = 0; ; lifetime += 1) {
      const host = hostOf(4);
      const { model, index, sql, editionStorage, clock, ...first } = setUp(host, { delayMs: 300 });
      const same = { model, index, sql, editionStorage, clock };
      await first.sync();
      host.articles = [
        hostArticle('a0.md', 'Changed.'),
        ...host.articles.slice(1, 3),
        hostArticle('new.md', 'New.'),
      ];
      const survived = await survives(() =>
        setUp(host, { ...same, ...killedAfter(lifetime, same) }).sync(),
      );
      const { library, sync } = setUp(host, same);
      if (!survived) {
        kills += 1;
        await sync();
      }
      expect(await chunksWithVectors(library, model), `killed after ${lifetime}`).toEqual([
        0, 1, 2, 3,
      ]);
      const ids = await Promise.all(
        (await chunkTexts(library)).map((text) => vectorIdOf(text, model)),
      );
      if (place === 'index')
        expect([...index.vectors.keys()].sort(), `killed after ${lifetime}`).toEqual(ids.sort());
      expect(sql.all('SELECT vector FROM vectors WHERE is_stored = 1')).toHaveLength(4);
      if (survived) break;
    }
    expect(kills).toBeGreaterThan(30);
  });
  it('embeds an article that a caller writes before it is published, or later when the model does not answer', async () => {
    for (const isDown of [false, true]) {
      const { library, model, rest } = setUp(hostOf(0));
      model.forever = isDown ? DOWN : undefined;
      await library.writeArticle('mine.md', { title: 'Mine', content: 'My own pump.' });
      await rest(isDown ? 2000 : undefined);
      expect((await editionOf(library)).chunkCount).toBe(1);
      expect(library.status(['*']).edition).toMatch(/^e000001-/);
      expect(await chunksWithVectors(library, model)).toEqual(isDown ? [] : [0]);
      model.forever = undefined;
      await rest();
      expect(await chunksWithVectors(library, model)).toEqual([0]);
    }
  });
  it('publishes a deletion without calling the model, and removes its vector', async () => {
    const { library, sync, model, index, rest } = setUp(hostOf(3));
    await sync();
    model.forever = DOWN;
    expect(await library.deleteArticle('a0.md')).toBe(true);
    expect(await chunksWithVectors(library, model)).toEqual([0, 1]);
    await rest();
    expect(index.vectors.size).toBe(place === 'index' ? 2 : 0);
  });
});

describe('a sync with a vector index', () => {
  const setUp = (host: FakeHost, delayMs = 0) => embeddingLibrary('index', host, { delayMs });
  it('publishes once the index finds the stored vectors', async () => {
    const { library, clock, index } = setUp(hostOf(5), 7000);
    const began = clock.now;
    library.startSync({});
    for (; library.currentEdition() === undefined && clock.now < began + 60_000; clock.now += 100)
      await library.work();
    expect(await index.pending()).toBe(0);
    expect(clock.now - began).toBeGreaterThanOrEqual(7100);
    expect(clock.now - began).toBeLessThan(12_000);
  });
  it('polls the index a limited number of times, and publishes after a minute anyway', async () => {
    const { library, sync, index } = setUp(hostOf(5), 10_000_000);
    const pending = vi.spyOn(index, 'pending');
    const warnings = [{ reason: expect.stringContaining('has not caught up') }];
    expect(await sync()).toMatchObject({
      outcome: 'published',
      embeddings: 5,
      warning_count: 1,
      warnings,
    });
    expect(pending.mock.calls.length).toBeLessThan(25);
    expect((await editionOf(library)).chunkCount).toBe(5);
  });
  it('removes vectors of deleted and changed chunks once the new edition is current, with retries', async () => {
    const host = hostOf(4);
    const { library, sync, index, rest } = setUp(host, 5000);
    await sync();
    host.articles = [hostArticle('a0.md', 'Changed.'), ...host.articles.slice(1, 3)];
    const remove = index.delete;
    let isDown = true;
    const currentAtDeletion: (string | undefined)[] = [];
    index.delete = async (ids) => {
      currentAtDeletion.push(library.currentEdition()?.edition.slice(0, 7));
      if (isDown) throw INDEX_DOWN;
      return remove(ids);
    };
    library.startSync({ full: true });
    await rest(20_000);
    expect(index.vectors.size).toBe(5);
    isDown = false;
    await rest();
    expect(index.vectors.size).toBe(3);
    expect(new Set(currentAtDeletion)).toEqual(new Set(['e000003']));
    expect(library.dueAt()).toBeUndefined();
  });
  it('stores a vector again when a chunk needs it during its removal', async () => {
    const { library, sync, index, rest, model } = setUp(hostOf(2));
    await library.writeArticle('mine.md', { title: 'Mine', content: 'My own pump.' });
    await sync();
    const remove = index.delete;
    index.delete = async (ids) => {
      index.delete = remove;
      await library.writeArticle('mine.md', { title: 'Mine', content: 'My own pump.' });
      await library.deleteArticle('a0.md');
      await remove(ids);
    };
    await library.deleteArticle('mine.md');
    await rest();
    expect(await chunksWithVectors(library, model)).toEqual([0, 1]);
    expect(index.vectors.size).toBe(2);
  });
  it('stores everything again in another index', async () => {
    const first = setUp(hostOf(3));
    await first.sync();
    const index = fakeIndex(first);
    const { sync } = embeddingLibrary('index', hostOf(3), { ...first, index, indexName: 'two' });
    expect(await sync()).toMatchObject({ embeddings: 3 });
    expect(index.vectors.size).toBe(3);
  });
});

it('a sync with more vectors than an edition may hold embeds none, and reports why', async () => {
  const model = fakeModel({ dimensions: 4_000_000 });
  const { library, sync } = embeddingLibrary('edition', hostOf(10), { model });
  const report = await sync();
  expect(report).toMatchObject({ outcome: 'published', embeddings: 0, warning_count: 1 });
  expect(report?.warnings[0]?.reason).toContain('too many');
  expect(model.texts).toEqual([]);
  expect(vectorsOf(await editionOf(library))).toBeUndefined();
  expect(await sync()).toMatchObject({ outcome: 'unchanged', writes: 0 });
});
