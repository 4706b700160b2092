import { describe, expect, it } from 'vitest';
import { hostArticle, hostWith, libraryForTest, syncNow } from './library-for-test.ts';

const forStaff = (id: string, audience: unknown = ['staff']) => ({
  ...hostArticle(id, `# Secret ${id}\n\nText.`),
  metadata: { intent: [], device: [], last_updated: '2026-01-01T00:00:00Z', audience },
});

const synced = async () => {
  const host = hostWith([hostArticle('open.md', 'For all.'), forStaff('staff.md'), forStaff('none.md', ['The Staff'])]);
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
    [['*'], ['open.md', 'staff.md', 'none.md']],
  ])('shows the audiences %j only what they may read, in every method', async (audiences, ids) => {
    const { library } = await synced();
    const page = library.listArticles({ limit: 10, audiences });
    expect([page.articles.map(({ id }) => id), page.total]).toEqual([ids, ids.length]);
    expect(library.inventory({ limit: 10 }, audiences).articles.map(({ id }) => id)).toEqual([...ids].sort());
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
    expect(library.status(['staff']).last_report).toMatchObject({ outcome: 'published', warnings: [], skipped: [] });
  });
  it('hides the id of a refused article only if it is restricted', async () => {
    const refused = [{ ...forStaff('secret.md'), content: '' }, hostArticle('open.md', '')];
    const [restricted, open] = refused.map((article) => libraryForTest(hostWith([article, hostArticle('b.md', 'B.')])));
    for (const parts of [restricted, open]) await syncNow(parts!.library);
    expect(JSON.stringify(restricted!.library.status())).not.toContain('secret.md');
    expect(JSON.stringify(restricted!.library.status(['*']))).toContain('secret.md');
    expect(open!.library.status().last_report?.skipped.map(({ id }) => id)).toEqual(['open.md']);
  });
  it('publishes again when only the audience of an article has changed', async () => {
    const { host, library } = await synced();
    const before = library.status().edition;
    host.articles[0] = { ...hostArticle('open.md', 'For all.'), metadata: forStaff('x').metadata };
    await syncNow(library, { full: true });
    expect(library.status().edition).not.toBe(before);
    expect(library.readArticle('open.md')).toBeUndefined();
  });
  it('refuses to write or delete an article that the caller may not read', async () => {
    const { library } = await synced();
    const put = (id: string, audience: string[] | undefined, audiences: string[]) =>
      library.writeArticle(id, { title: 'T', content: 'New.', metadata: audience && { audience } }, audiences);
    expect(await put('staff.md', undefined, [])).toHaveProperty('forbidden');
    expect(await put('new.md', ['staff'], [])).toHaveProperty('forbidden');
    expect(await put('new.md', ['staff'], ['sales'])).toHaveProperty('forbidden');
    expect(await library.deleteArticle('staff.md', ['sales'])).toBe(false);
    expect(library.readArticle('staff.md', ['staff'])?.content).toContain('Secret');
    expect(await put('new.md', ['staff'], ['staff'])).toMatchObject({ isNew: true, article: { audiences: ['staff'] } });
    expect(await put('staff.md', undefined, ['staff'])).toMatchObject({ isNew: false });
    expect(library.readArticle('staff.md')).toMatchObject({ content: 'New.' });
    expect(await library.deleteArticle('new.md', ['*'])).toBe(true);
  });
});
