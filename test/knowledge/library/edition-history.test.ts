import { describe, expect, it } from 'vitest';
import {
  EditionActivated,
  EditionChanges,
  EditionList,
} from '../../../src/contract/wire/editions.ts';
import type { Library } from '../../../src/knowledge/library/library.ts';
import { nodeSql } from '../../../tools/stand-ins/node-sql.ts';
import {
  hostArticle,
  hostOf,
  hostWith,
  libraryForTest,
  syncNow,
  workThrough,
} from './library-for-test.ts';

const listOf = (library: Library) => EditionList.parse(library.editions(['*'])).editions;
const changesOf = (library: Library, edition: string, query = {}) =>
  EditionChanges.parse(library.editionChanges(edition, query, ['*']));
const activate = async (library: Library, edition: string) =>
  EditionActivated.parse(await library.activateEdition(edition, ['*']));
const textsOf = (library: Library, ...ids: string[]) => ids.map((id) => library.readText(id)?.text);

/** Three editions: five articles; one changed, one removed, one added; one written by a caller. */
const withThree = async (history = 5) => {
  const host = hostOf(5);
  const parts = libraryForTest(host, { history });
  const { library, clock } = parts;
  await syncNow(library);
  host.articles = [
    ...hostOf(4).articles.with(1, hostArticle('a1.md', 'Another text.')),
    hostArticle('new.md', 'A new text.'),
  ];
  clock.now += 60_000;
  await syncNow(library, { full: true });
  await library.writeArticle('own.md', {
    title: 'Own',
    url: 'https://own.example/own',
    content: 'Written here.',
  });
  await workThrough(parts, { withinMs: 30_000 });
  const [third = '', second = '', first = ''] = listOf(library).map(({ id }) => id);
  return { ...parts, host, first, second, third };
};

describe('the history of editions', () => {
  it('lists what each edition changed, and why it was published', async () => {
    const { library } = await withThree();
    expect(listOf(library)).toMatchObject([
      {
        cause: 'write',
        is_current: true,
        articles: 6,
        changes: { added: 1, changed: 0, removed: 0 },
      },
      {
        cause: 'sync',
        is_current: false,
        articles: 5,
        changes: { added: 1, changed: 1, removed: 1 },
      },
      { cause: 'sync', is_current: false, articles: 5, changes: null },
    ]);
  });
  it('dates the current edition by its publication, which needs no sync', async () => {
    const { library } = await withThree();
    const { published_at: at, last_report: report } = library.status(['*']);
    expect(at).toBe(listOf(library)[0]?.published_at);
    expect(Date.parse(at ?? '')).toBeGreaterThan(Date.parse(report?.finished_at ?? ''));
    // Others learn no time of an article that they may not read.
    expect(library.status(['staff'])).not.toHaveProperty('published_at');
  });
  it('shows the articles that differ between two editions, with their texts on both sides', async () => {
    const { library, first, second, third } = await withThree();
    expect(changesOf(library, second, { article: 'a1.md' })).toMatchObject({
      from: first,
      added: 1,
      changed: 1,
      removed: 1,
      articles: [
        { id: 'a1.md', title: 'Title of a1.md', change: 'changed' },
        { id: 'a4.md', title: 'Title of a4.md', change: 'removed' },
        { id: 'new.md', change: 'added' },
      ],
      article: { before: 'Text number 1.', after: 'Another text.', is_cut: false },
    });
    expect(changesOf(library, third, { from: first })).toMatchObject({
      added: 2,
      changed: 1,
      removed: 1,
    });
    expect(library.editionChanges('e000099-00000000', {}, ['*'])).toBeUndefined();
  });
  it('publishes an earlier edition again until the next sync, which publishes the sources', async () => {
    const { library, first, host } = await withThree();
    expect(await activate(library, first)).toMatchObject({ restored: 2, removed: 2, left_out: 0 });
    const ids = ['a1.md', 'a4.md', 'new.md', 'own.md'];
    expect(textsOf(library, ...ids)).toEqual([
      'Text number 1.',
      'Text number 4.',
      undefined,
      undefined,
    ]);
    expect(listOf(library)[0]).toMatchObject({ cause: 'activate', is_current: true, articles: 5 });
    host.filters.length = 0;
    await syncNow(library);
    expect(host.filters[0]?.updatedSince).toBeUndefined();
    expect(textsOf(library, 'a1.md', 'a4.md', 'new.md')).toEqual([
      'Another text.',
      undefined,
      'A new text.',
    ]);
  });
  it('never restores articles that a caller deleted', async () => {
    const { library, first } = await withThree();
    for (const id of ['a2.md', 'a1.md']) await library.deleteArticle(id);
    const { article } = changesOf(library, listOf(library)[0]?.id ?? '', {
      from: first,
      article: 'a1.md',
    });
    expect(article).toEqual({ before: null, after: null, is_cut: false });
    expect(await activate(library, first)).toMatchObject({ left_out: 2 });
    expect(textsOf(library, 'a1.md', 'a2.md')).toEqual([undefined, undefined]);
  });
  it('keeps the configured number of editions for 30 days, with their texts', async () => {
    const { library, clock, sql, host } = await withThree(1);
    expect(listOf(library)).toHaveLength(2);
    const versions = () =>
      sql.all<{ id: string }>('SELECT id FROM versions ORDER BY id').map(({ id }) => id);
    expect(versions()).toEqual([]);
    host.articles = hostOf(3).articles;
    await syncNow(library, { full: true, force: true });
    expect(versions()).toEqual(['a1.md', 'a3.md', 'new.md']);
    clock.now += 31 * 86_400_000;
    await syncNow(library);
    expect(versions()).toEqual([]);
    expect(listOf(library)).toHaveLength(1);
  });
  it('keeps nothing unless configured, and then deletes older editions', async () => {
    const [sql, host] = [nodeSql(), hostOf(3)];
    const { library } = libraryForTest(host, { history: 5, sql });
    await syncNow(library);
    host.articles = hostOf(2).articles;
    await syncNow(library, { full: true, force: true });
    expect(listOf(library)).toHaveLength(2);
    const without = libraryForTest(host, { sql }).library;
    await syncNow(without);
    expect(EditionList.parse(without.editions(['*']))).toEqual({ editions: [], kept: 0 });
    expect(sql.all('SELECT id FROM versions')).toEqual([]);
  });
  it('is hidden from callers who may not read every article, even after the last restricted one is removed', async () => {
    const secret = hostArticle('s.md', 'For staff.', {
      metadata: {
        intent: [],
        device: [],
        last_updated: '2026-01-01T00:00:00Z',
        audience: ['staff'],
      },
    });
    const host = hostWith([secret, ...hostOf(3).articles]);
    const { library } = libraryForTest(host, { history: 5 });
    await syncNow(library);
    const [edition = { id: '' }] = EditionList.parse(library.editions(['*'])).editions;
    for (const held of [[], ['staff'], ['other']]) {
      expect(library.editions(held)).toBe('hidden');
      expect(library.editionChanges(edition.id, {}, held)).toBe('hidden');
      expect(await library.activateEdition(edition.id, held)).toBe('hidden');
    }
    host.articles = hostOf(3).articles;
    await syncNow(library, { full: true, force: true });
    expect(library.editions([])).toBe('hidden');
  });
  it('refuses to activate while a sync runs, and an unknown edition', async () => {
    const { library, first } = await withThree();
    expect(await library.activateEdition('e000099-00000000', ['*'])).toBe('unknown');
    library.startSync({});
    expect(await library.activateEdition(first, ['*'])).toBe('syncing');
  });
});
