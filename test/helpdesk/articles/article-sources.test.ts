import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LOCAL_DESK_IDS, type LocalDeskId } from '../../../src/dev/stand-ins/helpdesks/desk/local-desk.ts';
import { type LocalHelpdesks, startHelpdesks } from '../../../src/dev/stand-ins/helpdesks/start-helpdesks.ts';
import type { ArticleSource, SourceArticle, UnreadableArticle } from '../../../src/helpdesk/articles/article-source.ts';
import { readSources } from '../../../src/helpdesk/articles/source-settings.ts';

let now = 1_768_473_000_000;
let helpdesks: LocalHelpdesks;
beforeAll(async () => {
  helpdesks = await startHelpdesks({ now: () => now });
});
afterAll(() => helpdesks.stop());
beforeEach(() => {
  helpdesks.faults.none();
  for (const { articles } of Object.values(helpdesks.desks)) for (const { id } of articles.all()) articles.remove(id);
});

const OWN: Record<LocalDeskId, object> = {
  chatwoot: { accountId: '1', portal: 'help', locales: ['en', 'de'] },
  zendesk: { email: 'assistant@support.example.com' },
  intercom: {},
  zammad: {},
  'help-scout': {},
};

/** A source as its settings have it; its replies may be changed on their way. */
const sourceOf = (
  tool: LocalDeskId,
  { more = {}, send = fetch }: { more?: object; send?: typeof fetch } = {},
): ArticleSource => {
  const { apiUrl, token } = helpdesks.desks[tool].articleSource;
  const setting = { tool, apiUrl, tokenSecret: 'TOKEN', ...OWN[tool], ...more };
  const variables = { ENVIRONMENT: 'development', ARTICLE_SOURCES: JSON.stringify({ default: setting }), TOKEN: token };
  const open = readSources(variables, { fetch: send, now: () => now }).find('default');
  if (open === undefined) throw new Error('There is no source');
  return open.source;
};

const asked = { limit: 100, updatedSinceMs: undefined, position: undefined, signal: AbortSignal.timeout(60_000) };

const readAll = async (
  source: ArticleSource,
  request: Partial<Omit<typeof asked, 'updatedSinceMs'>> & { updatedSinceMs?: number } = {},
) => {
  const pages: (SourceArticle | UnreadableArticle)[][] = [];
  let position: unknown;
  do {
    const page = await source.readPage({ ...asked, ...request, position });
    pages.push([...page.articles]);
    // As it travels.
    position = page.next === undefined ? undefined : JSON.parse(JSON.stringify(page.next));
  } while (position !== undefined && pages.length < 100);
  return pages;
};
/** What the further pages have. */
const readFrom = async (source: ArticleSource, from: unknown, request: object = { limit: 20 }) => {
  const found: (SourceArticle | UnreadableArticle)[] = [];
  for (let position = from; position !== undefined; ) {
    const page = await source.readPage({ ...asked, ...request, position });
    found.push(...page.articles);
    position = page.next;
  }
  return found;
};
const titlesOf = (articles: readonly (SourceArticle | UnreadableArticle)[]) =>
  articles.map((one) => ('title' in one ? one.title : `unreadable ${one.unreadableId}`));

/** Replies of the stand-in, changed. */
const changing =
  (change: (body: Record<string, unknown>, url: URL) => unknown): typeof fetch =>
  async (input, init) => {
    const response = await fetch(input, init);
    return Response.json(change((await response.json()) as Record<string, unknown>, new URL(String(input))));
  };

describe.each(LOCAL_DESK_IDS)('the articles of %s', (tool) => {
  const desk = () => helpdesks.desks[tool];
  const locale = tool === 'zendesk' || tool === 'zammad' ? 'en-us' : 'en';
  const add = (title: string) => desk().articles.add({ title, body: `<p>${title}</p>`, locale });

  it('are listed completely, page by page', async () => {
    for (let at = 0; at < 30; at += 1) add(`article ${at}`);
    const pages = await readAll(sourceOf(tool), { limit: 10 });
    expect(pages.length).toBeGreaterThan(1);
    const titles = titlesOf(pages.flat());
    expect([titles.length, new Set(titles).size]).toEqual([30, 30]);
  });

  it('exclude drafts, private and archived articles', async () => {
    add('public');
    const closed = [{ state: 'draft' }, { state: 'archived' }, { audience: 'private' }] as const;
    for (const state of closed)
      desk().articles.add({ title: Object.values(state).join(), body: '<p>Text</p>', locale, ...state });
    expect(titlesOf((await readAll(sourceOf(tool))).flat())).toEqual(['public']);
    expect(titlesOf((await readAll(sourceOf(tool), { updatedSinceMs: now - 1000 })).flat())).toEqual(['public']);
  });

  it('are an empty list for an empty knowledge base', async () => {
    expect((await readAll(sourceOf(tool))).flat()).toEqual([]);
    expect((await readAll(sourceOf(tool), { updatedSinceMs: now })).flat()).toEqual([]);
  });

  it('can be limited to those changed since a time', async () => {
    add('old');
    const edited = add('edited');
    now += 3_600_000;
    desk().articles.edit(edited, { body: '<p>new</p>' });
    add('new');
    const found = await readAll(sourceOf(tool), { updatedSinceMs: now - 1000 });
    expect(titlesOf(found.flat()).sort()).toEqual(['edited', 'new']);
  });

  it('fail with a code that says whether the failure is transient', async () => {
    add('one');
    const codes = [
      [{ kind: 'status', status: 429, headers: { 'retry-after': '7' } }, 'RATE_LIMITED', 7],
      [{ kind: 'status', status: 503 }, 'SERVICE_UNAVAILABLE', undefined],
      [{ kind: 'html-502' }, 'SERVICE_UNAVAILABLE', undefined],
      [{ kind: 'reset' }, 'SERVICE_UNAVAILABLE', undefined],
      [{ kind: 'reset-in-body' }, 'SERVICE_UNAVAILABLE', undefined],
      [{ kind: 'malformed-json' }, 'DATA_SOURCE_ERROR', undefined],
      [{ kind: 'truncated-json' }, 'DATA_SOURCE_ERROR', undefined],
      [{ kind: 'status', status: 401 }, 'UNAUTHORIZED', undefined],
      [{ kind: 'status', status: 403 }, 'UNAUTHORIZED', undefined],
      [{ kind: 'status', status: 400 }, 'INVALID_QUERY', undefined],
      [{ kind: 'status', status: 302, headers: { location: 'http://127.0.0.1:1/' } }, 'INVALID_QUERY', undefined],
    ] as const;
    for (const [fault, code, seconds] of codes) {
      helpdesks.faults.none();
      helpdesks.faults.always(fault, `/${tool}`);
      const failure = await sourceOf(tool)
        .readPage(asked)
        .catch((error: unknown) => error);
      expect(failure).toMatchObject({ name: 'SourceFailed', code });
      if (seconds !== undefined)
        expect(failure).toMatchObject({ reported: { details: { retry_after_seconds: seconds } } });
    }
  });

  it('fail when the time is up', async () => {
    helpdesks.faults.always({ kind: 'hang-before-headers' }, `/${tool}`);
    const request = { ...asked, signal: AbortSignal.timeout(50) };
    await expect(sourceOf(tool).readPage(request)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });

  it('are not read from a forged position', async () => {
    for (const position of [
      5,
      'next',
      { page: -1 },
      { page: 1e9, seen: 0 },
      { locale: 99 },
      { start: 'x' },
      { after: '../..' },
    ])
      await expect(sourceOf(tool).readPage({ ...asked, position })).rejects.toMatchObject({ code: 'INVALID_QUERY' });
  });
});

describe.each(['chatwoot', 'intercom', 'help-scout'] as const)('a counted list of %s', (tool) => {
  const fill = (count: number) =>
    Array.from({ length: count }, (_, at) =>
      helpdesks.desks[tool].articles.add({ title: `article ${at}`, body: `<p>${at}</p>` }),
    );

  it('fails when it gets shorter while it is read, since an article was skipped', async () => {
    const ids = fill(60);
    const source = sourceOf(tool);
    const { next } = await source.readPage({ ...asked, limit: 20 });
    for (const id of [ids[0], ids.at(-1)]) helpdesks.desks[tool].articles.remove(id ?? '');
    await expect(source.readPage({ ...asked, limit: 20, position: next })).rejects.toMatchObject({
      code: 'DATA_SOURCE_ERROR',
    });
  });

  it('never counts as complete when an edited article moves to a page that was read already', async () => {
    const ids = fill(60);
    const source = sourceOf(tool);
    const { articles, next } = await source.readPage({ ...asked, limit: 20 });
    const read = new Set(articles.map((one) => ('id' in one ? one.id : '')));
    now += 1000;
    const edited = ids.find((id) => !read.has(id)) ?? '';
    helpdesks.desks[tool].articles.edit(edited, { body: '<p>new</p>' });
    const rest = await readFrom(source, next).catch((error: unknown) => error);
    const isFound = Array.isArray(rest) && rest.some((one) => 'id' in one && one.id === edited);
    if (!isFound) expect(rest).toMatchObject({ code: 'DATA_SOURCE_ERROR' });
  });

  it('is complete when an article is added while it is read', async () => {
    fill(60);
    const source = sourceOf(tool);
    const { articles, next } = await source.readPage({ ...asked, limit: 20 });
    now += 1000;
    fill(1);
    const rest = await readFrom(source, next);
    const ids = [...articles, ...rest].map((one) => ('id' in one ? one.id : ''));
    expect(new Set(ids).size).toBeGreaterThanOrEqual(60);
  });

  it('misses no remaining article when one is unpublished and another published meanwhile', async () => {
    const ids = fill(60);
    const { articles } = helpdesks.desks[tool];
    articles.unpublish(ids.at(-1) ?? '');
    const source = sourceOf(tool);
    const first = await source.readPage({ ...asked, limit: 20 });
    now += 1000;
    articles.unpublish(ids[0] ?? '');
    articles.edit(ids.at(-1) ?? '', { state: 'published' });
    const rest = await readFrom(source, first.next).catch((error: unknown) => error);
    if (!Array.isArray(rest)) return expect(rest).toMatchObject({ code: 'DATA_SOURCE_ERROR' });
    const found = [...first.articles, ...rest].map((one) => ('id' in one ? one.id : ''));
    expect(ids.slice(1, -1).filter((id) => !found.includes(id))).toEqual([]);
  });

  it('misses no remaining article when one is deleted and another added meanwhile', async () => {
    for (const position of [0, 59]) {
      const ids = fill(60);
      const source = sourceOf(tool);
      const first = await source.readPage({ ...asked, limit: 20 });
      now += 1000;
      helpdesks.desks[tool].articles.remove(ids[position] ?? '');
      fill(1);
      const rest = await readFrom(source, first.next).catch((error: unknown) => error);
      if (!Array.isArray(rest)) {
        expect(rest).toMatchObject({ code: 'DATA_SOURCE_ERROR' });
        continue;
      }
      const found = [...first.articles, ...rest].map((one) => ('id' in one ? one.id : ''));
      expect(ids.filter((id) => id !== ids[position] && !found.includes(id))).toEqual([]);
    }
  });

  it('continues when it moves, as a listing of changes', async () => {
    const ids = fill(60);
    const source = sourceOf(tool);
    const since = { limit: 20, updatedSinceMs: now - 10_000_000 };
    const { next } = await source.readPage({ ...asked, ...since });
    now += 1000;
    helpdesks.desks[tool].articles.edit(ids[0] ?? '', { body: '<p>new</p>' });
    expect((await readFrom(source, next, since)).length).toBeGreaterThan(0);
  });

  it('fails when it ends before its total', async () => {
    fill(30);
    const list = { chatwoot: 'payload', intercom: 'data', 'help-scout': 'articles' }[tool];
    const send = changing((body, { searchParams, pathname }) => {
      if (searchParams.get('page') !== '2' || pathname.endsWith('/collections')) return body;
      const empty = tool === 'help-scout' ? { ...(body.articles as object), items: [] } : [];
      return { ...body, [list]: empty };
    });
    await expect(readAll(sourceOf(tool, { send }), { limit: 20 })).rejects.toMatchObject({ code: 'DATA_SOURCE_ERROR' });
  });
});

describe('an article that cannot be read', () => {
  it('stays in the list by its id, so that it does not look deleted', async () => {
    helpdesks.desks.zendesk.articles.add({ title: 'fine', body: '<p>Text</p>' });
    const send = changing((body) => ({
      ...body,
      articles: [...(body.articles as unknown[]), { id: 77, title: 5 }, { title: 'nameless' }, 'nonsense'],
    }));
    const [page] = await readAll(sourceOf('zendesk', { send }));
    expect(titlesOf(page ?? [])).toEqual(['fine', 'unreadable 77', 'unreadable undefined', 'unreadable undefined']);
  });
});

describe('a translation that cannot be read', () => {
  it('stays in the list of its locale by its own id', async () => {
    const send = changing((body) => ({ ...body, articles: [{ id: 77, title: 5 }] }));
    const pages = await readAll(sourceOf('zendesk', { more: { locales: ['en-us', 'de'] }, send }));
    expect(titlesOf(pages.flat())).toEqual(expect.arrayContaining(['unreadable 77', 'unreadable 77-de']));
  });

  it('stays in the list beside its article, and with it', async () => {
    helpdesks.desks.intercom.articles.add({ title: 'Fans', body: '<p>Fans</p>' });
    const withTranslation = (more: object) =>
      changing((body) => ({
        ...body,
        data: (body.data as object[]).map((one) => ({
          ...{ ...one, id: '77', translated_content: { type: 'list', de: { title: 5, state: 'published' }, fr: null } },
          ...more,
        })),
      }));
    const beside = await readAll(sourceOf('intercom', { send: withTranslation({}) }));
    expect(titlesOf(beside.flat())).toEqual(['Fans', 'unreadable 77-de']);
    const both = await readAll(sourceOf('intercom', { send: withTranslation({ title: 5 }) }));
    expect(titlesOf(both.flat())).toEqual(expect.arrayContaining(['unreadable 77', 'unreadable 77-de']));
  });
});

describe('zendeskArticles()', () => {
  it('lists each configured locale, a translation with its own id', async () => {
    const { articles } = helpdesks.desks.zendesk;
    const id = articles.add({ title: 'Fans', body: '<p>Fans</p>' });
    articles.add({ title: 'Lüfter', body: '<p>Lüfter</p>', locale: 'de' });
    const send = changing((body, { pathname }) => ({
      ...body,
      articles: pathname.includes('/de/')
        ? (body.articles as object[]).map((one) => ({ ...one, id: Number(id), source_locale: 'en-us' }))
        : body.articles,
    }));
    const pages = await readAll(sourceOf('zendesk', { more: { locales: ['en-us', 'de'] }, send }));
    expect(pages.flat()).toMatchObject([
      { id, title: 'Fans', locale: 'en-us' },
      { id: `${id}-de`, title: 'Lüfter', locale: 'de' },
    ]);
  });

  it('omits articles for user segments', async () => {
    helpdesks.desks.zendesk.articles.add({ title: 'Partners', body: '<p>Text</p>' });
    const send = changing((body) => ({
      ...body,
      articles: (body.articles as object[]).map((one) => ({ ...one, user_segment_ids: [360_500] })),
    }));
    expect((await readAll(sourceOf('zendesk', { send }))).flat()).toEqual([]);
  });

  it('follows the feed to its end, and sends no article twice for the second that pages share', async () => {
    const { articles } = helpdesks.desks.zendesk;
    const since = now;
    for (let at = 0; at < 1200; at += 1) {
      now += 1000;
      articles.add({ title: `article ${at}`, body: '<p>Text</p>' });
    }
    const pages = await readAll(sourceOf('zendesk'), { updatedSinceMs: since });
    expect([pages.length, pages.flat().length]).toEqual([3, 1200]);
  });

  it('lists everything when the feed cannot get past one second', async () => {
    const { articles } = helpdesks.desks.zendesk;
    for (let at = 0; at < 1100; at += 1) articles.add({ title: `article ${at}`, body: '<p>Text</p>' });
    const pages = await readAll(sourceOf('zendesk'), { updatedSinceMs: now });
    expect(new Set(titlesOf(pages.flat())).size).toBe(1100);
  });
});

describe('intercomArticles()', () => {
  it('lists published translations with their own ids', async () => {
    const id = helpdesks.desks.intercom.articles.add({ title: 'Fans', body: '<p>Fans</p>' });
    const version = {
      title: 'Lüfter',
      body: '<p>Lüfter</p>',
      state: 'published',
      url: 'https://help.example.com/de/1',
    };
    const translated_content = {
      type: 'article_translated_content',
      en: { ...version, title: 'Fans' },
      de: version,
      fr: { ...version, title: 'Brouillon', state: 'draft' },
      it: { ...version, title: 'Interno', url: null },
    };
    const send = changing((body) => ({
      ...body,
      data: (body.data as object[]).map((one) => ({ ...one, translated_content })),
    }));
    expect((await readAll(sourceOf('intercom', { send }))).flat()).toMatchObject([
      { id, title: 'Fans', locale: 'en' },
      { id: `${id}-de`, title: 'Lüfter', locale: 'de', url: 'https://help.example.com/de/1' },
    ]);
  });

  it('requests no internal articles', async () => {
    helpdesks.desks.intercom.articles.add({ title: 'Secret', body: '<p>Text</p>', audience: 'private' });
    helpdesks.forgetRequests();
    expect((await readAll(sourceOf('intercom'))).flat()).toEqual([]);
    expect(helpdesks.requests.map(({ path }) => path)).toEqual(['/intercom/articles']);
  });
});

describe('chatwootArticles()', () => {
  it('takes the locale of an article from its list', async () => {
    const { articles } = helpdesks.desks.chatwoot;
    articles.add({ title: 'Fans', body: '## Fans' });
    articles.add({ title: 'Lüfter', body: '## Lüfter', locale: 'de' });
    articles.add({ title: 'Ventilateurs', body: '## Ventilateurs', locale: 'fr' });
    const more = { publicUrl: 'https://help.example.com/' };
    const found = (await readAll(sourceOf('chatwoot', { more }))).flat();
    expect(found).toMatchObject([
      { title: 'Fans', locale: 'en', format: 'markdown' },
      { title: 'Lüfter', locale: 'de' },
    ]);
    expect(found[0]).toMatchObject({
      url: expect.stringMatching(/^https:\/\/help\.example\.com\/hc\/help\/articles\/\d+-fans$/),
    });
  });
});

describe('zammadArticles()', () => {
  it('adds the locale and the public URL to a translation', async () => {
    const { articles } = helpdesks.desks.zammad;
    articles.add({ title: 'Clean the fans', body: '<p>Fans</p>' });
    articles.add({ title: 'Lüfter reinigen', body: '<p>Lüfter</p>', locale: 'de-de' });
    const found = (await readAll(sourceOf('zammad', { more: { publicUrl: 'https://help.example.com' } }))).flat();
    expect(found).toMatchObject([
      { title: 'Clean the fans', locale: 'en-us' },
      { title: 'Lüfter reinigen', locale: 'de-de' },
    ]);
    const [first, second] = found.map((one) => ('url' in one ? one.url : ''));
    expect(first).toMatch(/^https:\/\/help\.example\.com\/help\/en-us\/1-using-the-device\/\d+-clean-the-fans$/);
    expect(second).toMatch(/\/help\/de-de\/1\/\d+-lufter-reinigen$/);
    expect('id' in (found[1] ?? {}) && found[1]).toMatchObject({ id: expect.stringMatching(/^\d+-de-de$/) });
  });

  it('counts a scheduled publication as a change, however old the article is', async () => {
    const id = helpdesks.desks.zammad.articles.add({ title: 'planned', body: '<p>Text</p>', locale: 'en-us' });
    const planned = now + 3_600_000;
    const send = changing((body) => {
      const answers = body.KnowledgeBaseAnswer as Record<string, object> | undefined;
      const answer = { ...answers?.[id], published_at: new Date(planned).toISOString() };
      return answers === undefined ? body : { ...body, KnowledgeBaseAnswer: { [id]: answer } };
    });
    const source = sourceOf('zammad', { send });
    expect((await readAll(source)).flat()).toEqual([]);
    now = planned + 1;
    expect(titlesOf((await readAll(source, { updatedSinceMs: planned - 1 })).flat())).toEqual(['planned']);
  });

  it('omits articles that are scheduled or archived', async () => {
    const { articles } = helpdesks.desks.zammad;
    articles.add({ title: 'now', body: '<p>Text</p>' });
    articles.add({ title: 'archived', body: '<p>Text</p>', state: 'archived' });
    expect(titlesOf((await readAll(sourceOf('zammad'))).flat())).toEqual(['now']);
    now -= 1000;
    expect((await readAll(sourceOf('zammad'))).flat()).toEqual([]);
    now += 1000;
  });
});

describe('helpScoutArticles()', () => {
  it('omits an article that is unpublished while the list is read, and continues', async () => {
    const { articles } = helpdesks.desks['help-scout'];
    const gone = articles.add({ title: 'gone', body: '<p>Text</p>' });
    articles.add({ title: 'kept', body: '<p>Text</p>' });
    helpdesks.faults.always({ kind: 'status', status: 404 }, `/help-scout/v1/articles/${gone}`);
    expect(titlesOf((await readAll(sourceOf('help-scout'))).flat())).toEqual(['kept']);
  });
});
