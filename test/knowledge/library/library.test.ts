import { describe, expect, it } from 'vitest';
import { nodeSql } from '../../../src/dev/stand-ins/node-sql.ts';
import type { Library } from '../../../src/knowledge/library/library.ts';
import { attachSection } from '../../../src/search/edition-format.ts';
import { EDITION_PART_BYTES, FIRST_PAGE } from '../../../src/storage/edition-storage.ts';
import type { Sql, SqlValue } from '../../../src/storage/sql.ts';
import {
  contentsOf,
  editionOf,
  type FakeHost,
  hostArticle,
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

const hostOf = (count: number): FakeHost => {
  const articles = Array.from({ length: count }, (_, at) => hostArticle(`a${at}.md`, `## Part\n\nText number ${at}.`));
  return hostWith(articles, 4);
};

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

describe('a sync', () => {
  it('reads and publishes all articles', async () => {
    const { library, editionStorage } = libraryForTest(hostOf(10));
    const expected = { outcome: 'published', full: true, added: 10, changed: 0, skipped_count: 0, error: null };
    expect(await syncNow(library)).toMatchObject(expected);
    expect(library.status()).toMatchObject({
      state: 'idle',
      articles: 10,
      chunks: 10,
      edition: expect.stringMatching(/^e000001-[0-9a-f]{8}$/),
    });
    expect(await editionTexts(library)).toContain('Text number 7.');
    expect([...editionStorage.parts.keys()]).toEqual(library.currentEdition()?.parts.map(({ key }) => key));
  });

  it('writes nothing when nothing changed, and keeps the edition', async () => {
    const { library } = await synced(10);
    const before = library.status().edition;
    for (const request of [{}, { full: true }])
      expect(await syncNow(library, request)).toMatchObject({
        outcome: 'unchanged',
        unchanged: 10,
        writes: 0,
        edition: before,
      });
  });

  it('requests only changes after the first time, since before the last listing, and deletes nothing then', async () => {
    const { host, library, clock } = await synced(4);
    const began = clock.now;
    clock.now += 3_600_000;
    host.articles = [hostArticle('a1.md', 'Changed.'), hostArticle('new.md', 'New.')];
    const report = await syncNow(library);
    expect(report).toMatchObject({ full: false, added: 1, changed: 1, removed: 0, held_deletions: null });
    expect(host.filters).toEqual([
      { updatedSince: undefined },
      { updatedSince: new Date(began - 600_000).toISOString().slice(0, 10) },
    ]);
    const expected = ['Text number 0.', 'Changed.', 'Text number 2.', 'Text number 3.', 'New.'];
    expect(await editionTexts(library)).toEqual(expected);
  });

  it('lists everything again once the last full listing is a day old', async () => {
    const { host, library, clock } = await synced(4);
    host.articles = host.articles.slice(1);
    const reports = [];
    for (let hours = 1; hours <= 25; hours++) {
      clock.now += 3_600_000;
      reports.push(await syncNow(library));
    }
    expect(reports.flatMap((report, at) => (report?.full ? [at + 1] : []))).toEqual([24]);
    expect(reports[23]).toMatchObject({ removed: 1 });
  });

  it('removes what a full listing lacks, up to 30 %', async () => {
    const { host, library } = await synced(10);
    host.articles.splice(0, 3);
    const report = await syncNow(library, { full: true });
    expect(report).toMatchObject({ outcome: 'published', removed: 3, held_deletions: null });
    expect(await editionTexts(library)).not.toContain('Text number 2.');
  });

  it('removes nothing when more than 30 % would go, reports why, and removes it when forced', async () => {
    const { host, library } = await synced(10);
    host.articles.splice(0, 4);
    const held = {
      count: 4,
      of: 10,
      limit: 0.3,
      ids: ['a0.md', 'a1.md', 'a2.md', 'a3.md'],
      how_to_force: expect.stringContaining('"force": true'),
    };
    const report = await syncNow(library, { full: true });
    expect(report).toMatchObject({ outcome: 'unchanged', removed: 0, writes: 0, held_deletions: held });
    expect(library.status().articles).toBe(10);
    const expected = { outcome: 'published', full: true, removed: 4, held_deletions: null };
    expect(await syncNow(library, { force: true })).toMatchObject(expected);
    expect(library.status().articles).toBe(6);
  });

  it.each<[string, (host: FakeHost) => void, string]>([
    ['fails in the middle', (host) => Object.assign(host, { failsAtPage: 1 }), 'status is 500'],
    [
      'has fewer articles than its total',
      (host) => Object.assign(host, { total: 10, articles: host.articles.slice(0, 8) }),
      'the host says that there are 10 articles, and sent 8',
    ],
    ['is empty', (host) => Object.assign(host, { articles: [] }), 'it is empty, and 10 articles are known'],
  ])('changes nothing when the listing %s, even when forced', async (_, spoil, problem) => {
    const { host, library } = await synced(10);
    const [edition, contents] = [library.status().edition, contentsOf(library)];
    host.articles[0] = hostArticle('a0.md', 'Changed.');
    spoil(host);
    expect(await syncNow(library, { full: true, force: true })).toMatchObject({
      outcome: 'failed',
      edition,
      error: { code: 'DATA_SOURCE_ERROR', message: expect.stringContaining(problem) },
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
    expect((await editionTexts(library)).join()).toContain('Text number 0.');
    expect((await editionTexts(library)).join()).toContain('Broken front matter.');
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
    'keeps the previous edition when there is %s, with an error, and publishes when there is less',
    async (_, length) => {
      const { host, library, clock } = await synced(10, { maxEditionBytes: 60_000 });
      const before = library.status().edition;
      const words = Array.from({ length: length / 8 }, (_, at) => `w${at.toString(36)}`).join(' ');
      host.articles.push(hostArticle('large.md', words));
      const report = await syncNow(library, { full: true });
      expect(report).toMatchObject({ outcome: 'failed', added: 1, edition: before });
      expect(report?.error).toMatchObject({ code: 'DATA_SOURCE_ERROR', recoverable: false });
      expect(report?.error?.message).toMatch(
        /^Cannot publish: the articles take 0\.\d MiB of 0\.\d that .*; the one before stays$/,
      );
      expect(await editionTexts(library)).toHaveLength(10);
      // There is no retry before an article changes.
      clock.now += 60_000;
      await workOff(library);
      expect(library.status().edition).toBe(before);
      await expect(library.deleteArticle('a1.md')).rejects.toThrow('Cannot publish');
      host.articles.pop();
      expect(await syncNow(library, { full: true })).toMatchObject({ outcome: 'published', error: null });
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
    expect(library.status()).toMatchObject({ edition: report?.edition, last_report: { outcome: 'failed' } });
    expect((await editionOf(library)).chunkCount).toBe(4);
    isDamaged = false;
    expect(await syncNow(library, { full: true })).toMatchObject({ outcome: 'published' });
    expect((await editionOf(library)).chunkCount).toBe(5);
  });

  it('shares the bytes of an edition between all its parts', async () => {
    const complete = (edition: Uint8Array) => attachSection(edition, 'x', new Uint8Array(EDITION_PART_BYTES));
    const { editionStorage, report } = await synced(4, { complete });
    expect(report).toMatchObject({ outcome: 'published' });
    const parts = [...editionStorage.parts.values()];
    expect(parts).toHaveLength(2);
    expect(new Set(parts.map(({ buffer }) => buffer)).size).toBe(1);
  });

  it('continues when another sync is requested', async () => {
    const { library } = libraryForTest(hostOf(10));
    expect(library.startSync({}).started).toBe(true);
    const expected = { started: false, status: { state: 'listing', progress: { run_id: 'run-1' } } };
    expect(library.startSync({ full: true })).toMatchObject(expected);
    await workOff(library);
    expect(library.status().last_report?.added).toBe(10);
  });

  it('publishes an empty edition when the host has nothing yet', async () => {
    const { library } = libraryForTest(hostOf(0));
    expect(await syncNow(library)).toMatchObject({ outcome: 'published', error: null });
    expect(await editionTexts(library)).toEqual([]);
  });

  it('ends in the same state after a crash at any write', async () => {
    const wanted = {
      contents: ['a0.md: Changed.', 'a2.md: B.', 'a4.md: E.', 'mine.md: M.', 'new.md: N.'],
      texts: ['Changed.', 'B.', 'E.', 'M.', 'N.'],
    };
    let kills = 0;
    for (let lifetime = 0; ; lifetime += 1) {
      const sql = nodeSql();
      const editionStorage = mapStorage();
      const articles = ['a0', 'a2', 'a4', 'a5'].map((id, index) => hostArticle(`${id}.md`, `${'ABEF'[index]}.`));
      const host = hostWith(articles, 2);
      const first = libraryForTest(host, { sql, editionStorage });
      await syncNow(first.library);
      await first.library.writeArticle('mine.md', { title: 'Mine', content: 'M.' });
      host.articles = [hostArticle('a0.md', 'Changed.'), ...host.articles.slice(1, 3), hostArticle('new.md', 'N.')];
      const mortal = killedAfter(lifetime, { sql, editionStorage });
      const survived = await survives(async () => {
        await syncNow(libraryForTest(host, mortal).library, { full: true });
      });
      // The current edition can be read after the crash.
      await editionTexts(libraryForTest(host, { sql, editionStorage }).library);
      const { library } = libraryForTest(host, { sql, editionStorage });
      if (!survived) {
        kills += 1;
        if (library.status().state === 'idle') library.startSync({ full: true });
        await workOff(library);
      }
      expect(
        { contents: contentsOf(library), texts: (await editionTexts(library)).sort() },
        `killed after ${lifetime}`,
      ).toEqual({ contents: wanted.contents, texts: wanted.texts.toSorted() });
      expect(library.isBusy()).toBe(true);
      if (survived) break;
    }
    expect(kills).toBeGreaterThan(20);
  });
});

describe('articles that callers write', () => {
  it('are not changed by a sync', async () => {
    const host = hostOf(2);
    const { library } = libraryForTest(host);
    await library.writeArticle('a1.md', { title: 'Mine', content: 'My own.' });
    await library.writeArticle('mine.md', { title: 'Mine', content: 'Mine too.' });
    const report = await syncNow(library, { full: true });
    expect(report?.skipped).toEqual([
      { id: 'a1.md', reason: 'Cannot take in the article: the library has an article of its own under this id' },
    ]);
    expect(await editionTexts(library)).toEqual(['Text number 0.', 'My own.', 'Mine too.']);
  });

  it('are published after a second, and within five when they keep coming', async () => {
    const { library, clock, wakes } = libraryForTest(hostOf(0));
    const began = clock.now;
    for (let count = 0; count < 8; count += 1) {
      await library.writeArticle(`m${count}.md`, { title: 'M', content: `Text ${count}.` });
      clock.now += 900;
    }
    expect(wakes).toEqual([1000, 1900, 2800, 3700, 4600, 5000, 5000, 5000].map((after) => began + after));
    await library.work();
    expect(library.status().articles).toBe(8);
  });

  it('are removed from the current edition when a deletion returns, for good', async () => {
    const { host, library } = await synced(2);
    expect(await library.deleteArticle('a0.md')).toBe(true);
    expect(await editionTexts(library)).toEqual(['Text number 1.']);
    host.articles[0] = hostArticle('a0.md', 'Changed at the host.');
    await syncNow(library, { full: true });
    expect(await editionTexts(library)).toEqual(['Text number 1.']);
    expect(await library.deleteArticle('a0.md')).toBe(false);
    await library.writeArticle('a0.md', { title: 'Back', content: 'Back.' });
    expect(library.readText('a0.md')).toBe('Back.');
  });

  it('stay deleted when they replaced an article of the host', async () => {
    const { library } = await synced(2);
    await library.writeArticle('a0.md', { title: 'Mine', content: 'My own.' });
    await library.deleteArticle('a0.md');
    await syncNow(library, { full: true });
    expect(await editionTexts(library)).toEqual(['Text number 1.']);
  });

  it.each<[string, (host: FakeHost) => void]>([
    ['so little that deletions are held', (host) => host.articles.splice(0, 6)],
    ['an entry without an id in its place', (host) => host.articles.splice(0, 1, { nonsense: true })],
  ])('stay deleted when the host once lists %s', async (_, spoil) => {
    const { host, library } = await synced(10);
    await library.deleteArticle('a0.md');
    const listed = [...host.articles];
    spoil(host);
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
    expect([...editionStorage.parts.keys()]).toEqual(library.currentEdition()?.parts.map(({ key }) => key));
  });

  it('are removed from edition storage a minute later when a deletion failed', async () => {
    const map = mapStorage();
    let isDown = true;
    const editionStorage = {
      ...map,
      delete: (key: string) => (isDown ? Promise.reject(new Error('down')) : map.delete(key)),
    };
    const { library, clock, wakes, faults } = await synced(2, { editionStorage });
    await library.deleteArticle('a0.md');
    clock.now += 301_000;
    await library.work();
    expect(map.parts.size).toBe(2);
    expect(faults).toHaveLength(1);
    expect(wakes.at(-1)).toBe(clock.now + 60_000);
    isDown = false;
    clock.now += 60_000;
    await library.work();
    expect([...map.parts.keys()]).toEqual(library.currentEdition()?.parts.map(({ key }) => key));
    expect(library.isBusy()).toBe(false);
  });

  it('are removed if never published, once a later one is published', async () => {
    const [sql, editionStorage, clock] = [nodeSql(), mapStorage(), { now: 1_800_000_000_000 }];
    const host = hostOf(2);
    await syncNow(libraryForTest(host, { sql, editionStorage, clock }).library);
    // A process that crashes after it has stored the parts.
    const dying = {
      ...sql,
      run: (query: string, ...values: SqlValue[]) => {
        if (query.includes('is_current = 1 WHERE')) throw new Killed();
        sql.run(query, ...values);
      },
    };
    host.articles[0] = hostArticle('a0.md', 'Lost.');
    const first = libraryForTest(host, { sql: dying, editionStorage, clock }).library;
    await expect(first.deleteArticle('a1.md')).rejects.toThrow(Killed);
    expect(editionStorage.parts.size).toBe(2);
    const { library } = libraryForTest(host, { sql, editionStorage, clock });
    await syncNow(library, { full: true });
    clock.now += 301_000;
    await library.work();
    expect([...editionStorage.parts.keys()]).toEqual(library.currentEdition()?.parts.map(({ key }) => key));
    expect(library.isBusy()).toBe(false);
  });
});

describe('listArticles()', () => {
  it('filters, counts and pages', async () => {
    const { library } = await synced(5);
    await library.writeArticle('x.md', {
      title: 'X',
      content: 'X.',
      metadata: { intent: ['Not_Hashing'], device: ['Apollo II'], last_updated: '2026-05-01T00:00:00Z' },
    });
    const ids = (query: object) => library.listArticles({ limit: 10, ...query }).articles.map(({ id }) => id);
    expect(ids({ intent: 'not_hashing' })).toEqual(['x.md']);
    expect(ids({ device: 'apollo ii', intent: 'other' })).toEqual([]);
    expect(ids({ updatedSince: '2026-03-01T00:00:00.000Z' })).toEqual(['x.md']);
    const first = library.listArticles({ limit: 4 });
    expect(first).toMatchObject({ total: 6 });
    const expected = { articles: [{ id: 'a4.md' }, { id: 'x.md' }], next: undefined, total: 6 };
    expect(library.listArticles({ limit: 4, from: first.next })).toMatchObject(expected);
  });

  it.each<[string, string, number]>([
    ['Latin', 'a'.repeat(450_000), 4],
    ['Chinese', '\u6587'.repeat(450_000), 1],
    ['quotes', '"'.repeat(450_000), 4],
    ['text after a NUL', `a\u0000${'b'.repeat(450_000)}`, 4],
    ['control characters', `a${'\u0001'.repeat(450_000)}b`, 6],
  ])('limits a page to 4 MiB of JSON, with %s', async (_, content, shown) => {
    const { library } = libraryForTest(hostWith(['a', 'b', 'c', 'd', 'e', 'f'].map((id) => hostArticle(id, content))));
    await syncNow(library);
    const { articles } = library.listArticles({ limit: 10 });
    expect(articles).toHaveLength(shown);
    expect(new TextEncoder().encode(JSON.stringify(articles)).length).toBeLessThan(4 * 1024 * 1024);
  });

  it('counts metadata towards the page limit', async () => {
    const labels = Array.from({ length: 100 }, (_, index) => `${index}${'x'.repeat(97)}`);
    const metadata = { intent: labels, device: labels, last_updated: '2026-01-01T00:00:00Z' };
    const articles = Array.from({ length: 250 }, (_, index) => hostArticle(`a${index}`, 'Text.', { metadata }));
    const { library } = libraryForTest(hostWith(articles, 500));
    await syncNow(library);
    const page = library.listArticles({ limit: 500 });
    expect(page.next).toBeDefined();
    expect(JSON.stringify(page).length).toBeLessThan(4 * 1024 * 1024);
  });

  it('returns content unchanged except for control characters', async () => {
    const { library } = await synced(1);
    const content = 'One.\r\n\r\n\tTwo\u0000\u001b.';
    expect(await library.writeArticle('x.md', { title: 'X', content })).toMatchObject({
      article: { content: 'One.\r\n\r\n\tTwo.' },
    });
    expect(library.readArticle('x.md')?.content).toBe('One.\r\n\r\n\tTwo.');
    // Content of the host is compared in its original form, so that it is not read again each time.
    const { library: other } = libraryForTest(hostWith([hostArticle('n.md', 'N\u0000.')]));
    await syncNow(other);
    expect(await syncNow(other, { full: true })).toMatchObject({ outcome: 'unchanged', unchanged: 1 });
  });
});

it('isFirstCall() recognises a repeated call until it has expired', () => {
  const { library } = libraryForTest(hostOf(1));
  const note = (link: string, atMs: number) => library.isFirstCall(link, { ttlSeconds: 65, nowMs: 3_600_000 + atMs });
  const noted = [note('a', 0), note('a', 64_999), note('b', 0), note('a', 65_000)];
  expect(noted).toEqual([true, false, true, true]);
});
