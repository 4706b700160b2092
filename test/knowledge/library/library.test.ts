import { describe, expect, it } from 'vitest';
import type { SyncReport } from '../../../src/contract/wire/sync.ts';
import { attachSection } from '../../../src/knowledge/edition/edition-format.ts';
import type { Library } from '../../../src/knowledge/library/library.ts';
import { EDITION_PART_BYTES, FIRST_PAGE } from '../../../src/platform/storage/edition-storage.ts';
import type { Sql, SqlValue } from '../../../src/platform/storage/sql.ts';
import { summariseSync } from '../../../tools/run/sync-progress.ts';
import { nodeSql } from '../../../tools/stand-ins/node-sql.ts';
import {
  contentsOf,
  editionOf,
  type FakeHost,
  hostArticle,
  hostOf,
  hostWith,
  Killed,
  killedAfter,
  libraryForTest,
  mapStorage,
  survives,
  syncNow,
  workOff,
  workThrough,
} from './library-for-test.ts';

/** A library that has synced with its host. */
const synced = async (count: number, options: Parameters<typeof libraryForTest>[1] = {}) => {
  const host = hostOf(count);
  const parts = libraryForTest(host, options);
  return { host, ...parts, report: await syncNow(parts.library) };
};

const editionTexts = async (library: Library): Promise<string[]> => {
  if (!library.currentEdition()) return [];
  const edition = await editionOf(library);
  return Array.from({ length: edition.chunkCount }, (_, index) => edition.chunk(index).text);
};

/** Expects that edition storage has the parts of the current edition and nothing else. */
const expectCurrentPartsOnly = (library: Library, { parts }: ReturnType<typeof mapStorage>) =>
  expect([...parts.keys()]).toEqual(library.currentEdition()?.parts.map(({ key }) => key));

const mine = (content: string) => ({ title: 'Mine', content });

describe('a sync', () => {
  it('publishes all articles, and writes nothing when nothing changed', async () => {
    const { library, editionStorage, report } = await synced(10);
    const expected = {
      outcome: 'published',
      full: true,
      added: 10,
      changed: 0,
      skipped_count: 0,
      error: null,
    };
    expect(report).toMatchObject(expected);
    const { state, articles, chunks, edition } = library.status(['*']);
    expect([state, articles, chunks]).toEqual(['idle', 10, 10]);
    expect(edition).toMatch(/^e000001-[0-9a-f]{8}$/);
    expect(await editionTexts(library)).toContain('Text number 7.');
    expectCurrentPartsOnly(library, editionStorage);
    for (const request of [{}, { full: true }])
      expect(await syncNow(library, request)).toMatchObject({
        outcome: 'unchanged',
        unchanged: 10,
        writes: 0,
        edition,
      });
  });
  it('reads every article again, once and in full, when the reading of articles has changed', async () => {
    const { library, sql } = await synced(3);
    const metadata = { format: 'commonmark' as const, language: 'de', intent: ['open'] };
    const put = { title: 'Mine', content: '# Mine\n\nUse :::note here.\n\n\n', metadata };
    await library.writeArticle('mine.md', put, ['*']);
    await syncNow(library);
    const before = library.readArticle('mine.md', ['*']);
    // As an earlier version left them.
    sql.run("UPDATE articles SET hash = 'of an earlier version'");
    sql.run("UPDATE texts SET text = 'As it was read before.'");
    sql.run("UPDATE state SET value = '1' WHERE name = 'read_by'");
    const report = await syncNow(library);
    expect(report).toMatchObject({
      outcome: 'published',
      full: true,
      reread: true,
      changed: 4,
      unchanged: 0,
      removed: 0,
    });
    expect(library.readText('mine.md', ['*'])?.text).toBe('# Mine\n\nUse :::note here.');
    expect(library.readArticle('mine.md', ['*'])).toEqual(before);
    expect(summariseSync(report as SyncReport, library.status(['*']))).toContain(
      'every article was read again',
    );
    const next = await syncNow(library, { full: true });
    expect(next).toMatchObject({ outcome: 'unchanged', writes: 0 });
    expect(next).not.toHaveProperty('reread');
  });
  it('publishes an empty edition when the host has nothing yet', async () => {
    const { library, report } = await synced(0);
    expect(report).toMatchObject({ outcome: 'published', error: null });
    expect(await editionTexts(library)).toEqual([]);
  });
  it('requests only changes after the first time, since before the last listing, and deletes nothing then', async () => {
    // Ten minutes before the last listing it was another day.
    const { host, library, clock } = await synced(4, {
      clock: { now: Date.UTC(2027, 0, 15, 0, 9) },
    });
    clock.now += 3_600_000;
    host.articles = [hostArticle('a1.md', 'Changed.'), hostArticle('new.md', 'New.')];
    const report = await syncNow(library);
    expect(report).toMatchObject({
      full: false,
      added: 1,
      changed: 1,
      removed: 0,
      held_deletions: null,
    });
    expect(host.filters).toEqual([{ updatedSince: undefined }, { updatedSince: '2027-01-14' }]);
    const expected = ['Text number 0.', 'Changed.', 'Text number 2.', 'Text number 3.', 'New.'];
    expect(await editionTexts(library)).toEqual(expected);
  });
  it('lists everything again once the last full listing is a day old', async () => {
    const { host, library, clock } = await synced(4);
    host.articles = host.articles.slice(1);
    const fullAfter: unknown[] = [];
    for (let hours = 1; hours <= 25; hours++) {
      clock.now += 3_600_000;
      const report = await syncNow(library);
      if (report?.full) fullAfter.push([hours, report.removed]);
    }
    expect(fullAfter).toEqual([[24, 1]]);
  });
  it('removes what a full listing lacks up to 30 %, and beyond reports why not, unless forced', async () => {
    const { library, ...first } = await synced(10);
    first.host.articles.splice(0, 3);
    const removal = { outcome: 'published', removed: 3, held_deletions: null };
    expect(await syncNow(library, { full: true })).toMatchObject(removal);
    expect(await editionTexts(library)).not.toContain('Text number 2.');
    const { host, library: other } = await synced(10);
    host.articles.splice(0, 4);
    const ids = ['a0.md', 'a1.md', 'a2.md', 'a3.md'];
    const held = {
      count: 4,
      of: 10,
      limit: 0.3,
      ids,
      how_to_force: expect.stringContaining('"force": true'),
    };
    const report = await syncNow(other, { full: true });
    expect(report).toMatchObject({
      outcome: 'unchanged',
      removed: 0,
      writes: 0,
      held_deletions: held,
    });
    expect(other.status(['*']).articles).toBe(10);
    expect(await syncNow(other, { force: true })).toMatchObject({
      ...removal,
      full: true,
      removed: 4,
    });
    expect(other.status(['*']).articles).toBe(6);
  });
  it.each<[string, Partial<FakeHost> | ((articles: unknown[]) => Partial<FakeHost>), string]>([
    ['fails in the middle', { failsAtPage: 1 }, 'status is 500'],
    [
      'has fewer articles than its total',
      (articles) => ({ total: 10, articles: articles.slice(0, 8) }),
      'the host says that there are 10 articles, and sent 8',
    ],
    ['is empty', { articles: [] }, 'it is empty, and 10 articles are known'],
  ])('changes nothing when the listing %s, even when forced', async (_, changes, problem) => {
    const { host, library } = await synced(10);
    const [edition, contents] = [library.status(['*']).edition, contentsOf(library)];
    host.articles[0] = hostArticle('a0.md', 'Changed.');
    Object.assign(host, typeof changes === 'function' ? changes(host.articles) : changes);
    const error = { code: 'DATA_SOURCE_ERROR', message: expect.stringContaining(problem) };
    expect(await syncNow(library, { full: true, force: true })).toMatchObject({
      outcome: 'failed',
      edition,
      error,
    });
    expect(contentsOf(library)).toEqual(contents);
  });
  it('skips a broken article with its reason, keeps its previous version, and reads the others', async () => {
    const { host, library } = await synced(4);
    host.articles = [
      hostArticle('a0.md', ' '),
      hostArticle('../x', 'Text.'),
      hostArticle('a1.md', '---\nt: "x\n---\nBroken front matter.'),
      hostArticle('a1.md', 'Again.'),
      ...host.articles.slice(2),
    ];
    const report = await syncNow(library, { full: true });
    expect(report).toMatchObject({
      outcome: 'published',
      changed: 1,
      skipped_count: 3,
      warning_count: 1,
      warnings: [{ id: 'a1.md', reason: expect.stringContaining('front matter') }],
    });
    expect(report?.skipped.map(({ id, reason }) => `${id}: ${reason}`)).toEqual([
      'a1.md: Cannot take in the article: its id was listed before',
      'a0.md: Cannot take in the article: content is empty',
      '../x: Cannot take in the article: id has an empty, . or .. part',
    ]);
    const texts = (await editionTexts(library)).join();
    for (const kept of ['Text number 0.', 'Broken front matter.']) expect(texts).toContain(kept);
  });
  it('removes nothing when an entry has no id, as it may be any article', async () => {
    const { host, library } = await synced(10);
    host.articles[3] = { nonsense: true };
    const report = await syncNow(library, { full: true });
    expect(report).toMatchObject({ removed: 0, held_deletions: { count: 1, ids: ['a3.md'] } });
  });
  it.each([
    ['far too much text', 400_000],
    ['slightly too much text, which is known only after the build', 34_000],
  ])(
    'keeps the previous edition when there is %s, and publishes when there is less',
    async (_, length) => {
      const { host, library, clock } = await synced(10, { maxEditionBytes: 60_000 });
      const before = library.status(['*']).edition;
      const words = Array.from({ length: length / 8 }, (_, at) => `w${at.toString(36)}`).join(' ');
      host.articles.push(hostArticle('large.md', words));
      const report = await syncNow(library, { full: true });
      expect(report).toMatchObject({ outcome: 'failed', added: 1, edition: before });
      expect(report?.error).toMatchObject({
        code: 'DATA_SOURCE_ERROR',
        recoverable: false,
        message: expect.stringMatching(
          /^Cannot publish: the articles take 0\.\d MiB of 0\.\d that .*; the one before stays$/,
        ),
      });
      expect(await editionTexts(library)).toHaveLength(10);
      // There is no retry before an article changes.
      clock.now += 60_000;
      await workOff(library);
      expect(library.status(['*']).edition).toBe(before);
      await expect(library.deleteArticle('a1.md')).rejects.toThrow('Cannot publish');
      host.articles.pop();
      expect(await syncNow(library, { full: true })).toMatchObject({
        outcome: 'published',
        error: null,
      });
      expect(await editionTexts(library)).toHaveLength(9);
    },
  );
  it.each<[string, number | undefined, (edition: Uint8Array, sql: Sql) => Uint8Array]>([
    ['the new one', undefined, (edition) => edition.subarray(0, edition.length / 2)],
    [
      'a page of its texts',
      0,
      (edition, sql) => {
        const ofNew = `part >= ${FIRST_PAGE} AND edition NOT IN (SELECT edition FROM editions)`;
        sql.run(`UPDATE edition_rows SET bytes = x'ffff0000' WHERE ${ofNew}`);
        return edition;
      },
    ],
  ])('keeps the previous edition when %s cannot be opened', async (_, pagedFromBytes, damage) => {
    const sql = nodeSql();
    let isDamaged = false;
    const complete = (edition: Uint8Array) => (isDamaged ? damage(edition, sql) : edition);
    const { host, library, report, ...parts } = await synced(4, { sql, complete, pagedFromBytes });
    host.articles.push(hostArticle('new.md', 'New.'));
    isDamaged = true;
    library.startSync({ full: true });
    await workThrough({ library, ...parts });
    expect(library.status(['*'])).toMatchObject({
      edition: report?.edition,
      last_report: { outcome: 'failed' },
    });
    expect((await editionOf(library)).chunkCount).toBe(4);
    isDamaged = false;
    expect(await syncNow(library, { full: true })).toMatchObject({ outcome: 'published' });
    expect((await editionOf(library)).chunkCount).toBe(5);
  });
  it('shares the bytes of an edition between all its parts', async () => {
    const complete = (edition: Uint8Array) =>
      attachSection(edition, 'x', new Uint8Array(EDITION_PART_BYTES));
    const { editionStorage } = await synced(4, { complete });
    const buffers = [...editionStorage.parts.values()].map(({ buffer }) => buffer);
    expect([buffers.length, new Set(buffers).size]).toEqual([2, 1]);
  });
  it('continues when another sync is requested', async () => {
    const { library } = libraryForTest(hostOf(10));
    expect(library.startSync({}).started).toBe(true);
    const expected = {
      started: false,
      status: { state: 'listing', progress: { run_id: 'run-1' } },
    };
    expect(library.startSync({ full: true })).toMatchObject(expected);
    await workOff(library);
    expect(library.status(['*']).last_report?.added).toBe(10);
  });
  it('ends in the same state after a crash at any write', async () => {
    let kills = 0;
    for (let lifetime = 0; ; lifetime += 1) {
      const same = { sql: nodeSql(), editionStorage: mapStorage() };
      const articles = ['a0', 'a2', 'a4', 'a5'].map((id, index) =>
        hostArticle(`${id}.md`, `${'ABEF'[index]}.`),
      );
      const host = hostWith(articles, 2);
      const first = libraryForTest(host, same).library;
      await syncNow(first);
      await first.writeArticle('mine.md', mine('M.'));
      host.articles = [
        hostArticle('a0.md', 'Changed.'),
        ...host.articles.slice(1, 3),
        hostArticle('new.md', 'N.'),
      ];
      const mortal = killedAfter(lifetime, same);
      const survived = await survives(async () =>
        syncNow(libraryForTest(host, mortal).library, { full: true }),
      );
      const { library } = libraryForTest(host, same);
      // The current edition can be read after the crash.
      await editionTexts(library);
      if (!survived) {
        kills += 1;
        if (library.status(['*']).state === 'idle') library.startSync({ full: true });
        await workOff(library);
      }
      const contents = ['a0.md: Changed.', 'a2.md: B.', 'a4.md: E.', 'mine.md: M.', 'new.md: N.'];
      expect(contentsOf(library), `killed after ${lifetime}`).toEqual(contents);
      const texts = (await editionTexts(library)).sort();
      expect(texts, `killed after ${lifetime}`).toEqual(['B.', 'Changed.', 'E.', 'M.', 'N.']);
      expect(library.dueAt()).toBeDefined();
      if (survived) break;
    }
    expect(kills).toBeGreaterThan(20);
  });
});

describe('articles that callers write', () => {
  it('are not changed by a sync', async () => {
    const { library } = libraryForTest(hostOf(2));
    await library.writeArticle('a1.md', mine('My own.'));
    await library.writeArticle('mine.md', mine('Mine too.'));
    const report = await syncNow(library, { full: true });
    const reason =
      'Cannot take in the article: the library has an article of its own under this id';
    expect(report?.skipped).toEqual([{ id: 'a1.md', reason }]);
    expect(await editionTexts(library)).toEqual(['Text number 0.', 'My own.', 'Mine too.']);
  });
  it('take over an article of a source, and the reply says so', async () => {
    const { library } = await synced(1);
    const write = async (id: string) => library.writeArticle(id, mine('My own.'));
    expect(library.readText('a0.md')?.owner).toBe('host');
    expect(await write('a0.md')).toMatchObject({
      isNew: false,
      note: expect.stringMatching('came from a source'),
    });
    expect(library.readText('a0.md')?.owner).toBe('local');
    for (const id of ['a0.md', 'new.md']) expect(await write(id)).not.toHaveProperty('note');
  });
  it('are published after a second, and within five when they keep coming', async () => {
    const { library, clock, wakes } = libraryForTest(hostOf(0));
    const began = clock.now;
    for (let count = 0; count < 8; count += 1) {
      await library.writeArticle(`m${count}.md`, mine(`Text ${count}.`));
      clock.now += 900;
    }
    expect(wakes).toEqual(
      [1000, 1900, 2800, 3700, 4600, 5000, 5000, 5000].map((after) => began + after),
    );
    await library.work();
    expect(library.status(['*']).articles).toBe(8);
  });
  it('are removed from the current edition when a deletion returns, for good', async () => {
    const { host, library } = await synced(2);
    expect(await library.deleteArticle('a0.md')).toBe(true);
    expect(await editionTexts(library)).toEqual(['Text number 1.']);
    host.articles[0] = hostArticle('a0.md', 'Changed at the host.');
    await syncNow(library, { full: true });
    expect(await editionTexts(library)).toEqual(['Text number 1.']);
    expect(await library.deleteArticle('a0.md')).toBe(false);
    await library.writeArticle('a0.md', mine('Back.'));
    expect(library.readText('a0.md')?.text).toBe('Back.');
    // An article of a caller that replaced one of the host.
    await library.deleteArticle('a0.md');
    await syncNow(library, { full: true });
    expect(await editionTexts(library)).toEqual(['Text number 1.']);
  });
  it.each<[string, unknown[], number]>([
    ['so little that deletions are held', [], 6],
    ['an entry without an id in its place', [{ nonsense: true }], 1],
  ])('stay deleted when the host once lists %s', async (_, instead, count) => {
    const { host, library } = await synced(10);
    await library.deleteArticle('a0.md');
    const listed = [...host.articles];
    host.articles.splice(0, count, ...instead);
    await syncNow(library, { full: true });
    host.articles = listed;
    await syncNow(library, { full: true });
    expect(library.readText('a0.md')).toBeUndefined();
  });
});

describe('old editions', () => {
  it('are stored for five minutes, and then removed from the library and the edition storage', async () => {
    const { library, editionStorage, clock } = await synced(2);
    const old = library.currentEdition()?.edition ?? '';
    await library.deleteArticle('a0.md');
    clock.now += 299_000;
    await library.work();
    expect(library.editionPart(old, 0)).toBeDefined();
    clock.now += 2000;
    await library.work();
    expect(library.editionPart(old, 0)).toBeUndefined();
    expectCurrentPartsOnly(library, editionStorage);
  });
  it('are removed from edition storage a minute later when a deletion failed', async () => {
    const map = mapStorage();
    let isDown = true;
    const remove = (key: string) => (isDown ? Promise.reject(new Error('down')) : map.delete(key));
    const { library, clock, wakes, faults } = await synced(2, {
      editionStorage: { ...map, delete: remove },
    });
    await library.deleteArticle('a0.md');
    clock.now += 301_000;
    await library.work();
    expect([map.parts.size, faults.length, wakes.at(-1)]).toEqual([2, 1, clock.now + 60_000]);
    isDown = false;
    clock.now += 60_000;
    await library.work();
    expectCurrentPartsOnly(library, map);
    expect(library.dueAt()).toBeUndefined();
  });
  it('are removed if never published, once a later one is published', async () => {
    const same = {
      sql: nodeSql(),
      editionStorage: mapStorage(),
      clock: { now: 1_800_000_000_000 },
    };
    const { host } = await synced(2, same);
    // A process that crashes after it has stored the parts.
    const run = (query: string, ...values: SqlValue[]) => {
      if (query.includes('is_current = 1 WHERE')) throw new Killed();
      same.sql.run(query, ...values);
    };
    host.articles[0] = hostArticle('a0.md', 'Lost.');
    const dying = libraryForTest(host, { ...same, sql: { ...same.sql, run } }).library;
    await expect(dying.deleteArticle('a1.md')).rejects.toThrow(Killed);
    expect(same.editionStorage.parts.size).toBe(2);
    const { library } = libraryForTest(host, same);
    await syncNow(library, { full: true });
    same.clock.now += 301_000;
    await library.work();
    expectCurrentPartsOnly(library, same.editionStorage);
    expect(library.dueAt()).toBeUndefined();
  });
});

describe('listArticles()', () => {
  it('filters, counts and pages', async () => {
    const { library } = await synced(5);
    const metadata = {
      intent: ['Not_Hashing'],
      device: ['Apollo II'],
      last_updated: '2026-05-01T00:00:00Z',
    };
    await library.writeArticle('x.md', { title: 'X', content: 'X.', metadata });
    const ids = (query: object) =>
      library.listArticles({ limit: 10, ...query }).articles.map(({ id }) => id);
    expect(ids({ intent: 'not_hashing' })).toEqual(['x.md']);
    expect(ids({ device: 'apollo ii', intent: 'other' })).toEqual([]);
    expect(ids({ updatedSince: '2026-03-01T00:00:00.000Z' })).toEqual(['x.md']);
    const { next, total } = library.listArticles({ limit: 4 });
    expect(total).toBe(6);
    const expected = { articles: [{ id: 'a4.md' }, { id: 'x.md' }], next: undefined, total: 6 };
    expect(library.listArticles({ limit: 4, after: next })).toMatchObject(expected);
  });
  const LABELS = Array.from({ length: 100 }, (_, index) => `${index}${'x'.repeat(97)}`);
  const metadata = { intent: LABELS, device: LABELS, last_updated: '2026-01-01T00:00:00Z' };
  it.each<[string, string, number, object?]>([
    ['Latin', 'a'.repeat(450_000), 4],
    ['Chinese', '\u6587'.repeat(450_000), 1],
    ['quotes', '"'.repeat(450_000), 4],
    ['text after a NUL', `a\u0000${'b'.repeat(450_000)}`, 4],
    ['control characters', `a${'\u0001'.repeat(450_000)}b`, 6],
    ['much metadata', 'Text.', 92, { metadata }],
  ])('limits a page to 4 MiB of JSON, with %s', async (_, content, shown, more) => {
    const articles = Array.from({ length: more ? 250 : 6 }, (_, at) =>
      hostArticle(`a${at}`, content, more),
    );
    const { library } = libraryForTest(hostWith(articles, 500));
    await syncNow(library);
    const page = library.listArticles({ limit: 500 });
    expect([page.articles.length, page.next !== undefined]).toEqual([
      shown,
      shown < articles.length,
    ]);
    expect(new TextEncoder().encode(JSON.stringify(page)).length).toBeLessThan(4 * 1024 * 1024);
  });
  it('returns content unchanged except for control characters', async () => {
    const { library } = libraryForTest(hostWith([hostArticle('n.md', 'N\u0000.')]));
    await syncNow(library);
    // Content of the host is compared in its original form, so that it is not read again each time.
    expect(await syncNow(library, { full: true })).toMatchObject({
      outcome: 'unchanged',
      unchanged: 1,
    });
    const content = 'One.\r\n\r\n\tTwo.';
    const written = await library.writeArticle('x.md', mine('One.\r\n\r\n\tTwo\u0000\u001b.'));
    expect(written).toMatchObject({ article: { content } });
    expect(library.readArticle('x.md')?.content).toBe(content);
  });
});

it('isFirstCall() recognises a repeated call until it has expired', () => {
  const { library } = libraryForTest(hostOf(1));
  const note = (link: string, atMs: number) =>
    library.isFirstCall(link, { ttlSeconds: 65, nowMs: 3_600_000 + atMs });
  const noted = [note('a', 0), note('a', 64_999), note('b', 0), note('a', 65_000)];
  expect(noted).toEqual([true, false, true, true]);
});
