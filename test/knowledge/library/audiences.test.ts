import { describe, expect, it } from 'vitest';
import { hostArticle, hostWith, libraryForTest, syncNow } from './library-for-test.ts';

const forStaff = (id: string, audience: unknown = ['staff']) => ({
  ...hostArticle(id, `# Secret ${id}\n\nText.`),
  metadata: { intent: [], device: [], last_updated: '2026-01-01T00:00:00Z', audience },
});

const synced = async () => {
  const host = hostWith([
    hostArticle('open.md', 'For all.'),
    forStaff('staff.md'),
    forStaff('none.md', ['The Staff']),
  ]);
  const { library } = libraryForTest(host);
  await syncNow(library);
  return { host, library };
};

describe('a library with restricted articles', () => {
  it.each([
    [undefined, ['open.md']],
    [[], ['open.md']],
    [['sales'], ['open.md']],
    [
      ['sales', 'staff'],
      ['open.md', 'staff.md'],
    ],
    [['*'], ['none.md', 'open.md', 'staff.md']],
  ])('shows the audiences %j only what they may read, in every method', async (audiences, ids) => {
    const { library } = await synced();
    const page = library.listArticles({ limit: 10, audiences });
    expect([page.articles.map(({ id }) => id), page.total]).toEqual([ids, ids.length]);
    expect(library.inventory({ limit: 10 }, audiences).articles.map(({ id }) => id)).toEqual(ids);
    expect(library.status(audiences).articles).toBe(ids.length);
    for (const id of ['open.md', 'staff.md', 'none.md']) {
      expect(library.readArticle(id, audiences) !== undefined, id).toBe(ids.includes(id));
      expect(library.readText(id, audiences) !== undefined, id).toBe(ids.includes(id));
    }
  });
  it('hides article ids in sync reports from callers who may not read all articles', async () => {
    const { library } = await synced();
    expect(library.status(['*']).last_report?.warnings.map(({ id }) => id)).toContain('none.md');
    expect(JSON.stringify(library.status(['staff']))).not.toContain('none.md');
    expect(library.status(['staff']).last_report).toMatchObject({
      outcome: 'published',
      warnings: [],
      skipped: [],
    });
  });
  it('hides the id of a refused article only if it is restricted', async () => {
    const refused = [{ ...forStaff('secret.md'), content: '' }, hostArticle('open.md', '')];
    const [restricted, open] = refused.map((article) =>
      libraryForTest(hostWith([article, hostArticle('b.md', 'B.')])),
    );
    for (const parts of [restricted, open]) await syncNow(parts!.library);
    expect(JSON.stringify(restricted!.library.status())).not.toContain('secret.md');
    expect(JSON.stringify(restricted!.library.status(['*']))).toContain('secret.md');
    expect(open!.library.status().last_report?.skipped.map(({ id }) => id)).toEqual(['open.md']);
  });
  it('reports of a sync what it did to articles for everybody, as without the others', async () => {
    const open = [
      hostArticle('a.md', 'One.'),
      hostArticle('b.md', 'Two.'),
      hostArticle('empty.md', ''),
    ];
    const others = Array.from({ length: 9 }, (_, at) => forStaff(`s${at}.md`));
    const reports = async (isFull: boolean) => {
      const host = hostWith(isFull ? [...others, ...open] : open, 3);
      const { library } = libraryForTest(host);
      const shown: unknown[] = [];
      const step = async () => {
        library.startSync({ full: true, force: true });
        while (library.status(['*']).state !== 'idle') {
          const { progress } = library.status(['sales']);
          expect([
            progress?.listed,
            progress?.total,
            progress?.processed,
            progress?.to_process,
          ]).toEqual([0, undefined, 0, 0]);
          await library.work();
        }
        shown.push(library.status(['sales']), library.status());
      };
      await step();
      // Changed, restricted, removed.
      host.articles = host.articles.map((each) =>
        JSON.stringify(each).includes('"a.md"') ? hostArticle('a.md', 'New.') : each,
      );
      await step();
      host.articles = host.articles.filter((each) => !JSON.stringify(each).includes('"b.md"'));
      if (isFull) host.articles = host.articles.slice(2);
      await step();
      // Only what is for staff changes.
      if (isFull) host.articles[0] = { ...forStaff('s2.md'), content: 'Other.' };
      await step();
      // The host breaks, and says how much it has.
      host.total = host.articles.length + 3;
      await step();
      return shown;
    };
    const [full, alone] = [await reports(true), await reports(false)];
    expect(full).toEqual(alone);
    expect(full[0]).toMatchObject({
      last_report: { outcome: 'published', added: 2, skipped: [{ id: 'empty.md' }] },
    });
    expect(full[2]).toMatchObject({
      last_report: { outcome: 'published', changed: 1, unchanged: 1 },
    });
    expect(full[6]).toMatchObject({
      last_report: { outcome: 'unchanged', changed: 0, unchanged: 1 },
    });
    expect(full[8]).toMatchObject({
      last_report: { outcome: 'failed', error: { code: 'DATA_SOURCE_ERROR' } },
    });
  });
  it('counts an article that is restricted as removed, and one that is opened as added', async () => {
    const { host, library } = await synced();
    host.articles = [
      { ...hostArticle('open.md', 'For all.'), metadata: forStaff('x').metadata },
      hostArticle('staff.md', 'For all now.'),
    ];
    await syncNow(library, { full: true, force: true });
    expect(library.status(['staff']).last_report).toMatchObject({
      added: 1,
      removed: 1,
      changed: 0,
      unchanged: 0,
    });
  });
  it('publishes again when only the audience of an article has changed', async () => {
    const { host, library } = await synced();
    const before = library.status(['*']).edition;
    host.articles[0] = { ...hostArticle('open.md', 'For all.'), metadata: forStaff('x').metadata };
    await syncNow(library, { full: true });
    expect(library.status(['*']).edition).not.toBe(before);
    expect(library.readArticle('open.md')).toBeUndefined();
  });
  it('refuses to write or delete an article that the caller may not read', async () => {
    const { library } = await synced();
    const put = (id: string, audience: string[] | undefined, audiences: string[]) =>
      library.writeArticle(
        id,
        { title: 'T', content: 'New.', metadata: audience && { audience } },
        audiences,
      );
    expect(await put('staff.md', undefined, [])).toHaveProperty('forbidden');
    expect(await put('new.md', ['staff'], [])).toHaveProperty('forbidden');
    expect(await put('new.md', ['staff'], ['sales'])).toHaveProperty('forbidden');
    expect(await library.deleteArticle('staff.md', ['sales'])).toBe(false);
    expect(library.readArticle('staff.md', ['staff'])?.content).toContain('Secret');
    expect(await put('new.md', ['staff'], ['staff'])).toMatchObject({
      isNew: true,
      article: { audiences: ['staff'] },
    });
    expect(await put('staff.md', undefined, ['staff'])).toMatchObject({ isNew: false });
    expect(library.readArticle('staff.md')).toMatchObject({ content: 'New.' });
    expect(await library.deleteArticle('new.md', ['*'])).toBe(true);
  });
});
