import { describe, expect, it } from 'vitest';
import {
  contentsOf,
  hostArticle,
  hostOf,
  hostWith,
  workThrough,
} from '../library/library-for-test.ts';
import { largeLibrary, largeMode, manifestNow, shownOf } from './large-library.ts';
import { lateIndexes, unavailable } from './late-index.ts';

const START = 1_800_000_000_000;

function startLarge(host = hostOf(30), more: { lateMs?: number; lingerMs?: number } = {}) {
  const clock = { now: START };
  const indexes = lateIndexes(clock, more);
  const parts = largeLibrary(host, { indexes, clock });
  const sync = async (request = {}, withinMs = 60_000) => {
    parts.library.startSync(request);
    await workThrough(parts, { withinMs });
    return parts.library.status(['*']).last_report;
  };
  const rest = (withinMs: number) => workThrough(parts, { withinMs });
  const shown = async () => shownOf(await manifestNow(parts.library), indexes);
  return { ...parts, host, clock, indexes, sync, rest, shown };
}

describe('a library in large mode', () => {
  it('publishes its passages into the index', async () => {
    const { sync, shown, library } = startLarge();
    const report = await sync();
    expect(report).toMatchObject({ outcome: 'published', added: 30, error: null });
    expect(await shown()).toEqual(contentsOf(library));
    const { number, tombstones, articles } = await manifestNow(library);
    expect({ number, tombstones, articles }).toEqual({ number: 1, tombstones: {}, articles: 30 });
  });

  it('writes and embeds nothing when nothing has changed', async () => {
    const { sync, indexes, library } = startLarge();
    await sync();
    const { upserts } = indexes;
    const before = library.currentEdition();
    expect(await sync({ full: true })).toMatchObject({ outcome: 'unchanged', writes: 0 });
    expect(indexes.upserts).toBe(upserts);
    expect(library.currentEdition()).toEqual(before);
  });

  it('shows an edition only once the index finds its records', async () => {
    const { sync, rest, library, clock } = startLarge(hostOf(30), { lateMs: 20_000 });
    await sync({}, 10_000);
    expect(library.currentEdition()).toBeUndefined();
    expect(library.status(['*'])).toMatchObject({
      state: 'publishing',
      progress: { indexed: 30, to_index: 30 },
    });
    await rest(60_000);
    expect(library.currentEdition()).toBeDefined();
    expect(clock.now).toBeGreaterThan(START + 20_000);
  });

  it('replaces changed articles, and deletes their old records later', async () => {
    const { sync, rest, shown, host, library, indexes } = startLarge(hostOf(30), {
      lingerMs: 30_000,
    });
    await sync();
    const old = await manifestNow(library);
    const before = await shown();
    host.articles = hostOf(30, { 3: 'Another text.' }).articles;
    expect(await sync({ full: true })).toMatchObject({ outcome: 'published', changed: 1 });
    expect(await shown()).toEqual(contentsOf(library));
    expect(await shownOf(old, indexes)).toEqual(before);
    expect(Object.values((await manifestNow(library)).tombstones)).toEqual([2]);
    await rest(310_000);
    expect(indexes.deletions).toBe(1);
    expect(Object.values((await manifestNow(library)).tombstones)).toEqual([2]);
    await rest(1_000_000);
    expect((await manifestNow(library)).tombstones).toEqual({});
    expect(await shown()).toEqual(contentsOf(library));
  });

  it('hides a deleted article at once while the index is down', async () => {
    const { sync, shown, library, indexes, rest } = startLarge();
    await sync();
    const { number, id } = await manifestNow(library);
    indexes.failure = unavailable();
    expect(await library.deleteArticle('a7.md')).toBe(true);
    const manifest = await manifestNow(library);
    expect(manifest.number).toBe(number);
    expect(manifest.id).not.toBe(id);
    expect(await shown()).toEqual(contentsOf(library));
    expect(await shown()).toHaveLength(29);
    indexes.failure = undefined;
    await rest(2_000_000);
    expect(indexes.visible(manifest.namespace)).toHaveLength(29);
    expect((await manifestNow(library)).tombstones).toEqual({});
  });

  it('reports an index that does not answer, and goes on when it does', async () => {
    const { sync, rest, shown, library, indexes } = startLarge();
    indexes.failure = unavailable();
    const report = await sync();
    expect(report).toMatchObject({ outcome: 'failed', error: { code: 'DATA_SOURCE_ERROR' } });
    expect(library.status(['*']).problem).toBe('Cannot publish now: the index does not answer');
    indexes.failure = undefined;
    await rest(600_000);
    expect(await shown()).toEqual(contentsOf(library));
    expect(library.status(['*']).problem).toBeUndefined();
  });

  it('fills another namespace when the model changes, and clears the old one', async () => {
    const { sync, shown, library, indexes, clock, sql, editionStorage, host } = startLarge();
    await sync();
    const old = await manifestNow(library);
    const mode = largeMode(indexes, { madeWith: 'other letters' });
    const parts = largeLibrary(host, { indexes, clock, mode, sql, editionStorage });
    parts.library.startSync({});
    await workThrough(parts, { withinMs: 60_000 });
    const manifest = await manifestNow(parts.library);
    expect([old.namespace, manifest.namespace]).toEqual(['passages_1', 'passages_2']);
    expect(await shownOf(old, indexes)).toHaveLength(30);
    expect(await shownOf(manifest, indexes)).toHaveLength(30);
    await workThrough(parts, { withinMs: 400_000 });
    expect(indexes.visible(old.namespace)).toEqual([]);
    expect(await shown()).toHaveLength(30);
  });

  it('fills another namespace when somebody has emptied it', async () => {
    const { sync, library, indexes } = startLarge();
    await sync();
    indexes.empty('passages_1');
    expect(await sync({ full: true })).toMatchObject({ error: null });
    const manifest = await manifestNow(library);
    expect(manifest.namespace).toBe('passages_2');
    expect(await shownOf(manifest, indexes)).toHaveLength(30);
  });

  it('keeps audiences apart', async () => {
    const metadata = {
      intent: [],
      device: [],
      last_updated: '2026-01-01T00:00:00Z',
      audience: ['staff'],
    };
    const host = hostWith([
      hostArticle('a.md', 'For all.'),
      hostArticle('b.md', 'For staff.', { metadata }),
    ]);
    const { sync, library, shown } = startLarge(host);
    await sync();
    expect((await manifestNow(library)).audienceLists).toEqual([[], ['staff']]);
    expect(await shown()).toEqual(['a.md: For all.']);
  });

  it('waits when a manifest can name no more dead articles, says so, and goes on', async () => {
    const clock = { now: START };
    const indexes = lateIndexes(clock);
    const host = hostOf(8);
    const mode = largeMode(indexes, { maxTombstones: 3 });
    const parts = largeLibrary(host, { indexes, clock, mode });
    const { library } = parts;
    library.startSync({});
    await workThrough(parts, { withinMs: 60_000 });
    host.articles = host.articles.map((_, at) => hostArticle(`a${at}.md`, 'Other text.'));
    library.startSync({ full: true });
    await workThrough(parts, { withinMs: 60_000 });
    expect(library.status(['*'])).toMatchObject({
      state: 'publishing',
      problem: expect.stringContaining('3 articles were changed or deleted'),
    });
    const texts = await shownOf(await manifestNow(library), indexes);
    expect(texts.filter((text) => text.endsWith('Other text.'))).toHaveLength(3);
    expect(await library.deleteArticle('a0.md')).toBe(true);
    expect(await shownOf(await manifestNow(library), indexes)).toHaveLength(7);
    await workThrough(parts, { withinMs: 6_000_000 });
    expect(library.status(['*']).problem).toBeUndefined();
    expect(await shownOf(await manifestNow(library), indexes)).toEqual(contentsOf(library));
  });

  it('keeps no earlier versions of articles', async () => {
    const clock = { now: START };
    const indexes = lateIndexes(clock);
    const host = hostOf(8);
    const parts = largeLibrary(host, { indexes, clock, history: 3 });
    for (const texts of [{}, { 2: 'Another text.' }]) {
      host.articles = hostOf(8, texts).articles;
      parts.library.startSync({ full: true });
      await workThrough(parts, { withinMs: 60_000 });
    }
    expect(parts.sql.all('SELECT id FROM versions')).toEqual([]);
  });

  it('moves a base that grows into the index, and back when it shrinks', async () => {
    const clock = { now: START };
    const indexes = lateIndexes(clock, { lateMs: 5000 });
    const host = hostOf(8);
    const parts = largeLibrary(host, {
      indexes,
      clock,
      mode: largeMode(indexes, { fromPassages: 10 }),
    });
    const { library } = parts;
    const sync = async (count: number, withinMs = 60_000) => {
      host.articles = hostOf(count).articles;
      library.startSync({ full: true, force: true });
      await workThrough(parts, { withinMs });
    };
    await sync(8);
    const small = library.currentEdition();
    expect(small?.chunks).toBe(8);
    await sync(12, 2000);
    expect(library.currentEdition()).toEqual(small);
    await workThrough(parts, { withinMs: 60_000 });
    expect((await manifestNow(library)).articles).toBe(12);
    await sync(4);
    await expect(manifestNow(library)).rejects.toThrow('none of large mode');
    expect(library.currentEdition()?.chunks).toBe(4);
    expect(indexes.visible('passages_1')).toHaveLength(12);
    await workThrough(parts, { withinMs: 400_000 });
    expect(indexes.visible('passages_1')).toEqual([]);
  });
});
