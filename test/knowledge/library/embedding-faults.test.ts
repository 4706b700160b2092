import { describe, expect, it } from 'vitest';
import { EmbeddingFailed } from '../../../src/ai/embeddings/base.ts';
import { DOWN, type FakeModel, INDEX_DOWN, REFUSED } from '../vectors-for-test.ts';
import { embeddingLibrary, hostOf } from './library-for-test.ts';

const DAY_MS = 86_400_000;
const PLACES = ['edition', 'index'] as const;

/** Makes the model refuse calls with this word in a text. */
const refusing = (model: FakeModel, word: string): FakeModel & { calls: number } => {
  const { embedBatch } = model;
  const choosy = Object.assign(model, { calls: 0 });
  model.embedBatch = async (texts, options) => {
    choosy.calls += 1;
    if (texts.some((text) => text.includes(word))) throw REFUSED;
    return embedBatch(texts, options);
  };
  return choosy;
};

describe.each(PLACES)('a model that refuses a text, vectors in the %s', (place) => {
  it.each([[[0]], [[255]], [[256]], [[299]], [[0, 1, 20, 39]]])(
    'names the articles of %j, and embeds all others',
    async (numbers) => {
      const texts = Object.fromEntries(numbers.map((number) => [number, `poison ${number}`]));
      const { sync, model } = embeddingLibrary(place, hostOf(300, texts));
      const choosy = refusing(model, 'poison');
      const report = await sync();
      const [embeddings, warning_count] = [300 - numbers.length, numbers.length];
      expect(report).toMatchObject({ outcome: 'published', embeddings, warning_count });
      expect(report).not.toHaveProperty('embeddings_missing');
      const reason = expect.stringContaining('the model refuses it');
      expect(report.warnings).toEqual(numbers.map((number) => ({ id: `a${number}.md`, reason })));
      const embedded = model.texts.filter((text) => text.includes('number'));
      expect([embedded.length, new Set(embedded).size]).toEqual([embeddings, embeddings]);
      expect(choosy.calls).toBeLessThan(60 * numbers.length);
    },
  );
  it('retries that text only when it changes, or in a full sync', async () => {
    const host = hostOf(3, { 1: 'poison' });
    const { sync, model } = embeddingLibrary(place, host);
    const choosy = refusing(model, 'poison');
    await sync();
    choosy.calls = 0;
    expect(await sync({})).toMatchObject({ embeddings: 0, warning_count: 0, outcome: 'unchanged' });
    expect(choosy.calls).toBe(0);
    expect(await sync()).toMatchObject({ embeddings: 0, warning_count: 1, outcome: 'unchanged' });
    host.articles = hostOf(3).articles;
    expect(await sync()).toMatchObject({ embeddings: 1, changed: 1 });
  });
  it('retries refused texts a bounded number of times, and in a full sync after the outage', async () => {
    const { sync, model } = embeddingLibrary(place, hostOf(100));
    const { embedBatch } = model;
    const choosy = refusing(model, 'number');
    const report = await sync({ full: true }, 10_000);
    expect(report).toMatchObject({
      outcome: 'published',
      embeddings: 0,
      embeddings_missing: 84,
      warning_count: 16,
    });
    expect(choosy.calls).toBeLessThan(100);
    Object.assign(model, { embedBatch });
    await sync({});
    expect(await sync({ full: true })).toMatchObject({
      embeddings: 16,
      warning_count: 0,
      outcome: 'published',
    });
    expect(await sync({ full: true })).toMatchObject({ embeddings: 0, outcome: 'unchanged' });
  });
  it('ends early when every text is refused, with a report, and retries them later', async () => {
    const { sync, model, clock } = embeddingLibrary(place, hostOf(300));
    model.forever = REFUSED;
    const began = clock.now;
    const report = await sync({ full: true }, 10_000);
    expect(report).toMatchObject({
      outcome: 'published',
      embeddings_missing: 300,
      warning_count: 1,
      warnings: [{ id: '(vectors)', reason: expect.stringContaining('refuses every text') }],
    });
    expect(clock.now - began).toBeLessThan(10_000);
    model.forever = undefined;
    expect(await sync()).toMatchObject({ embeddings: 300 });
  });
});

describe('an index that rejects vectors', () => {
  it('never causes a text to be embedded twice', async () => {
    const { sync, model, index } = embeddingLibrary('index', hostOf(300));
    const { upsert } = index;
    index.upsert = () => Promise.reject(INDEX_DOWN);
    const expected = { outcome: 'published', embeddings: 0, embeddings_missing: 300 };
    expect(await sync({}, DAY_MS)).toMatchObject(expected);
    expect([model.texts.length, new Set(model.texts).size]).toEqual([256, 256]);
    index.upsert = upsert;
    expect(await sync({})).toMatchObject({ embeddings: 300, outcome: 'published' });
    expect([model.texts.length, index.vectors.size]).toEqual([300, 300]);
  });
  it('receives the same vectors later, which are then deleted from the database', async () => {
    const [failing, plain] = [
      embeddingLibrary('index', hostOf(5)),
      embeddingLibrary('index', hostOf(5)),
    ];
    failing.index.failures.push(INDEX_DOWN);
    await failing.sync();
    await plain.sync();
    const stored = ({ index }: typeof plain) =>
      [...index.vectors].map(([id, { vector }]) => [id, vector]).toSorted();
    expect(stored(failing)).toEqual(stored(plain));
    expect(failing.sql.all('SELECT vector FROM vectors WHERE packed IS NOT NULL')).toEqual([]);
  });
});

describe('an index that has lost vectors', () => {
  const synced = async () => {
    const parts = embeddingLibrary('index', hostOf(20));
    await parts.sync();
    parts.model.texts.length = 0;
    return { ...parts, ids: [...parts.index.vectors.keys()] };
  };
  it('receives them again in a full sync, with a report', async () => {
    const { sync, index, model, ids } = await synced();
    await index.delete(ids.slice(1));
    expect(await sync({})).toMatchObject({ embeddings: 0 });
    const report = await sync({ full: true });
    const warnings = [{ reason: expect.stringContaining('lost 19 vectors') }];
    expect(report).toMatchObject({ embeddings: 19, warning_count: 1, warnings });
    expect([index.vectors.size, model.texts.length, index.vectors.has(ids[0] ?? '')]).toEqual([
      20,
      19,
      true,
    ]);
  });
  it('is compared page by page, and nothing is stored again when none is missing', async () => {
    const { sync, index, model, ids } = await synced();
    const cursors: (string | undefined)[] = [];
    index.list = async ({ cursor } = {}) => {
      cursors.push(cursor);
      const from = Number(cursor ?? 0);
      return {
        ids: ids.slice(from, from + 8),
        ...(from + 8 < ids.length ? { next: String(from + 8) } : {}),
      };
    };
    expect(await sync({ full: true })).toMatchObject({
      embeddings: 0,
      outcome: 'unchanged',
      writes: 0,
    });
    expect([cursors, model.texts.length]).toEqual([[undefined, '8', '16'], 0]);
  });
  it.each<[string, number, () => Promise<{ ids: string[]; next: string }>]>([
    ['beyond a page limit', 300, async () => ({ ids: [], next: 'again' })],
    ['when it does not answer', 1, () => Promise.reject(INDEX_DOWN)],
  ])('is not compared %s, which the sync reports', async (_, pages, list) => {
    const { sync, index } = await synced();
    let listed = 0;
    index.list = () => {
      listed += 1;
      return list();
    };
    const warnings = [{ reason: expect.stringContaining('Cannot compare') }];
    expect(await sync({ full: true })).toMatchObject({
      outcome: 'unchanged',
      embeddings: 0,
      warnings,
    });
    expect(listed).toBe(pages);
  });
});

describe.each(PLACES)('a forced sync, vectors in the %s', (place) => {
  it('embeds everything again, and keeps the vectors of the edition while the model does not answer', async () => {
    const { sync, model, library, rest } = embeddingLibrary(place, hostOf(20));
    await sync();
    const { edition } = library.status(['*']);
    const force = { full: true, force: true };
    expect(await sync(force)).toMatchObject({ embeddings: 20, warning_count: 0, edition });
    expect(model.texts).toHaveLength(40);
    model.forever = DOWN;
    const report = await sync(force);
    expect(report).toMatchObject({
      outcome: 'unchanged',
      edition,
      embeddings: 0,
      warning_count: 1,
    });
    expect(report).not.toHaveProperty('embeddings_missing');
    model.forever = undefined;
    await rest();
    expect(model.texts).toHaveLength(60);
  });
});

describe.each(PLACES)('a sync that removes an article, vectors in the %s', (place) => {
  it.each([
    [
      'limits calls',
      new EmbeddingFailed('rate_limited', 'Cannot embed: too many', { retryAfterMs: 60_000 }),
      0,
    ],
    ['hangs', DOWN, 20_000],
  ])('publishes the removal before it embeds when the model %s', async (_, failure, tookMs) => {
    const host = hostOf(400);
    const { library, sync, model, clock } = embeddingLibrary(place, host);
    await sync();
    const before = library.status(['*']);
    host.articles = hostOf(400, { 1: 'Changed.' }).articles.slice(1);
    const seen: unknown[] = [];
    model.embedBatch = async () => {
      seen.push(library.status(['*']).articles, library.status(['*']).edition !== before.edition);
      clock.now += tookMs;
      throw failure;
    };
    const began = clock.now;
    library.startSync({ full: true });
    await library.work();
    expect(seen).toEqual([399, true]);
    expect(clock.now - began).toBe(tookMs);
  });
  it('ends with one report on all changes', async () => {
    const host = hostOf(10);
    const { sync, model } = embeddingLibrary(place, host);
    await sync();
    host.articles = hostOf(11, { 1: 'Changed.' }).articles.slice(1);
    expect(await sync()).toMatchObject({
      outcome: 'published',
      removed: 1,
      changed: 1,
      added: 1,
      embeddings: 2,
    });
    expect(model.texts).toHaveLength(12);
  });
});

it('work() schedules its next run after an unexpected error in embedding', async () => {
  const { library, model, wakes, faults, clock, sql, rest } = embeddingLibrary('index', hostOf(3));
  model.forever = DOWN;
  library.startSync({});
  await rest(60_000);
  model.forever = undefined;
  clock.now = wakes.at(-1) ?? 0;
  wakes.length = 0;
  // Removes the table of vectors.
  sql.run('ALTER TABLE vectors RENAME TO elsewhere');
  await library.work();
  expect(faults.at(-1)).toBeInstanceOf(Error);
  expect(wakes.at(-1)).toBeGreaterThan(clock.now);
  sql.run('ALTER TABLE elsewhere RENAME TO vectors');
  await rest();
  expect(model.texts).toHaveLength(3);
});
