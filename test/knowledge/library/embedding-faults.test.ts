import { describe, expect, it } from 'vitest';
import { EmbeddingFailed } from '../../../src/ai/embeddings/base.ts';
import { DOWN, type FakeModel, INDEX_DOWN, REFUSED } from '../vectors-for-test.ts';
import { embeddingLibrary, type FakeHost, hostArticle, hostWith } from './library-for-test.ts';

const DAY_MS = 86_400_000;
const idOf = (number: number) => `a${String(number).padStart(4, '0')}.md`;
const hostOf = (count: number, texts: Record<number, string> = {}): FakeHost => {
  const textOf = (at: number) => texts[at] ?? `About pump number ${at}.`;
  return hostWith(
    Array.from({ length: count }, (_, at) => hostArticle(idOf(at), textOf(at))),
    100,
  );
};

/** Makes the model refuse calls with one of these words in a text. */
const refusing = (model: FakeModel, words: readonly string[]): FakeModel & { calls: number } => {
  const { embedBatch } = model;
  const choosy = Object.assign(model, { calls: 0 });
  model.embedBatch = async (texts, options) => {
    choosy.calls += 1;
    if (texts.some((text) => words.some((word) => text.includes(word)))) throw REFUSED;
    return embedBatch(texts, options);
  };
  return choosy;
};

const setUp = (host: FakeHost, { place = 'index' as 'edition' | 'index' } = {}) => embeddingLibrary(place, host);

describe.each(['edition', 'index'] as const)('a model that refuses a text, vectors in the %s', (place) => {
  it.each([0, 255, 256, 299])('embeds all other texts when it refuses number %i, and names its article', async (at) => {
    const { sync, model } = setUp(hostOf(300, { [at]: 'poison' }), { place });
    const choosy = refusing(model, ['poison']);
    const report = await sync();
    expect(report).toMatchObject({ outcome: 'published', embeddings: 299, warning_count: 1 });
    expect(report).not.toHaveProperty('embeddings_missing');
    expect(report.warnings).toEqual([{ id: idOf(at), reason: expect.stringContaining('the model refuses it') }]);
    expect(new Set(model.texts.filter((text) => text.includes('pump'))).size).toBe(299);
    expect(model.texts.filter((text) => text.includes('pump'))).toHaveLength(299);
    expect(choosy.calls).toBeLessThan(60);
  });

  it('retries that text only when it changes, or in a full sync', async () => {
    const host = hostOf(3, { 1: 'poison' });
    const { sync, model } = setUp(host, { place });
    const choosy = refusing(model, ['poison']);
    await sync();
    choosy.calls = 0;
    expect(await sync({})).toMatchObject({ embeddings: 0, warning_count: 0, outcome: 'unchanged' });
    expect(choosy.calls).toBe(0);
    expect(await sync()).toMatchObject({ embeddings: 0, warning_count: 1, outcome: 'unchanged' });
    host.articles = hostOf(3).articles;
    expect(await sync()).toMatchObject({ embeddings: 1, changed: 1 });
  });

  it('embeds refused texts in a full sync after the outage', async () => {
    const { sync, model } = setUp(hostOf(100), { place });
    const { embedBatch } = model;
    refusing(model, ['pump']);
    await sync({ full: true }, 10_000);
    Object.assign(model, { embedBatch });
    await sync({});
    expect(await sync({ full: true })).toMatchObject({ embeddings: 16, warning_count: 0, outcome: 'published' });
    expect(await sync({ full: true })).toMatchObject({ embeddings: 0, outcome: 'unchanged' });
  });

  it('embeds all other texts when it refuses several', async () => {
    const { sync, model } = setUp(hostOf(40, { 0: 'poison', 1: 'poison too', 20: 'venom', 39: 'venom too' }), {
      place,
    });
    refusing(model, ['poison', 'venom']);
    const report = await sync();
    expect(report).toMatchObject({ embeddings: 36 });
    expect(report.warnings.map(({ id }) => id)).toEqual([0, 1, 20, 39].map(idOf));
  });

  it('ends early when every text is refused, with a report, and retries them later', async () => {
    const { sync, model, clock } = setUp(hostOf(300), { place });
    model.forever = REFUSED;
    const began = clock.now;
    const report = await sync({ full: true }, 10_000);
    expect(report).toMatchObject({ outcome: 'published', embeddings_missing: 300, warning_count: 1 });
    expect(report.warnings[0]).toEqual({ id: '(vectors)', reason: expect.stringContaining('refuses every text') });
    expect(clock.now - began).toBeLessThan(10_000);
    model.forever = undefined;
    expect(await sync()).toMatchObject({ embeddings: 300 });
  });

  it('retries refused texts a bounded number of times', async () => {
    const { sync, model } = setUp(hostOf(100, {}), { place });
    const choosy = refusing(model, ['pump']);
    const report = await sync({ full: true }, 10_000);
    expect(report).toMatchObject({ outcome: 'published', embeddings: 0, embeddings_missing: 84, warning_count: 16 });
    expect(choosy.calls).toBeLessThan(100);
  });
});

describe('an index that rejects vectors', () => {
  it('never causes a text to be embedded twice', async () => {
    const { sync, model, index } = setUp(hostOf(300));
    const { upsert } = index;
    index.upsert = () => Promise.reject(INDEX_DOWN);
    const expected = { outcome: 'published', embeddings: 0, embeddings_missing: 300 };
    expect(await sync({}, DAY_MS)).toMatchObject(expected);
    expect([model.texts.length, new Set(model.texts).size]).toEqual([256, 256]);
    index.upsert = upsert;
    expect(await sync({})).toMatchObject({ embeddings: 300, outcome: 'published' });
    expect([model.texts.length, index.vectors.size]).toEqual([300, 300]);
  });

  it('receives the same vectors later', async () => {
    const [failing, plain] = [setUp(hostOf(5)), setUp(hostOf(5))];
    failing.index.failures.push(INDEX_DOWN);
    await failing.sync();
    await plain.sync();
    const numbersIn = ({ index }: typeof plain) =>
      [...index.vectors].map(([id, { vector }]) => [id, vector]).toSorted();
    expect(numbersIn(failing)).toEqual(numbersIn(plain));
  });

  it('receives vectors that are then deleted from the database', async () => {
    const { sync, index, sql } = setUp(hostOf(5));
    index.failures.push(INDEX_DOWN);
    await sync();
    expect(sql.all('SELECT vector FROM vectors WHERE packed IS NOT NULL')).toEqual([]);
  });
});

describe('an index that has lost vectors', () => {
  const lossy = async (count = 20) => {
    const parts = setUp(hostOf(count));
    await parts.sync();
    parts.model.texts.length = 0;
    return parts;
  };

  it('receives them again in a full sync, with a report', async () => {
    const { sync, index, model } = await lossy();
    const [kept, ...lost] = [...index.vectors.keys()];
    await index.delete(lost);
    expect(await sync({})).toMatchObject({ embeddings: 0 });
    const report = await sync({ full: true });
    expect(report).toMatchObject({ embeddings: 19, warning_count: 1 });
    expect(report.warnings[0]?.reason).toContain('lost 19 vectors');
    expect([index.vectors.size, model.texts.length, index.vectors.has(kept ?? '')]).toEqual([20, 19, true]);
  });

  it('is compared page by page, and nothing is stored again when none is missing', async () => {
    const { sync, index, model } = await lossy();
    const ids = [...index.vectors.keys()];
    const cursors: (string | undefined)[] = [];
    index.list = async ({ cursor } = {}) => {
      cursors.push(cursor);
      const from = Number(cursor ?? 0);
      return { ids: ids.slice(from, from + 8), ...(from + 8 < ids.length ? { next: String(from + 8) } : {}) };
    };
    expect(await sync({ full: true })).toMatchObject({ embeddings: 0, outcome: 'unchanged', writes: 0 });
    expect([cursors, model.texts.length]).toEqual([[undefined, '8', '16'], 0]);
  });

  it('is compared up to a page limit, and the sync reports beyond it', async () => {
    const { sync, index } = await lossy();
    let pages = 0;
    index.list = async () => {
      pages += 1;
      return { ids: [], next: 'again' };
    };
    const report = await sync({ full: true });
    expect(report).toMatchObject({ outcome: 'unchanged', embeddings: 0, warning_count: 1 });
    expect(report.warnings[0]?.reason).toContain('Cannot compare');
    expect(pages).toBe(300);
  });

  it('does not fail a sync when it does not answer', async () => {
    const { sync, index } = await lossy();
    index.list = () => Promise.reject(INDEX_DOWN);
    expect(await sync({ full: true })).toMatchObject({ outcome: 'unchanged', embeddings: 0, warning_count: 1 });
  });
});

describe.each(['edition', 'index'] as const)('a forced sync, vectors in the %s', (place) => {
  it('embeds and stores everything again', async () => {
    const { sync, model, library } = setUp(hostOf(20), { place });
    await sync();
    const { edition } = library.status();
    expect(await sync({ full: true, force: true })).toMatchObject({ embeddings: 20, warning_count: 0, edition });
    expect(model.texts).toHaveLength(40);
  });

  it('keeps the vectors of the edition while the model does not answer', async () => {
    const { sync, model, library, rest } = setUp(hostOf(20), { place });
    await sync();
    const { edition } = library.status();
    model.forever = DOWN;
    const report = await sync({ full: true, force: true });
    expect(report).toMatchObject({ outcome: 'unchanged', edition, embeddings: 0, warning_count: 1 });
    expect(report).not.toHaveProperty('embeddings_missing');
    model.forever = undefined;
    await rest();
    expect(model.texts).toHaveLength(40);
  });
});

describe.each(['edition', 'index'] as const)('a sync that removes an article, vectors in the %s', (place) => {
  it.each([
    ['limits calls', new EmbeddingFailed('rate_limited', 'Cannot embed: too many', { retryAfterMs: 60_000 }), 0],
    ['hangs', DOWN, 20_000],
  ])('publishes the removal before it embeds when the model %s', async (_, failure, tookMs) => {
    const host = hostOf(400);
    const { library, sync, model, clock } = setUp(host, { place });
    await sync();
    const before = library.status();
    host.articles = hostOf(400, { 1: 'Changed.' }).articles.slice(1);
    const seen: unknown[] = [];
    model.embedBatch = async () => {
      seen.push(library.status().articles, library.status().edition !== before.edition);
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
    const { sync, model } = setUp(host, { place });
    await sync();
    host.articles = hostOf(11, { 1: 'Changed.' }).articles.slice(1);
    expect(await sync()).toMatchObject({ outcome: 'published', removed: 1, changed: 1, added: 1, embeddings: 2 });
    expect(model.texts).toHaveLength(12);
  });
});

it('work() schedules its next run after an unexpected error in embedding', async () => {
  const { library, model, wakes, faults, clock, sql, rest } = setUp(hostOf(3));
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
