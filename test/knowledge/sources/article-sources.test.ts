import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ArticleSource } from '../../../src/knowledge/sources/article-source.ts';
import {
  LOCAL_DESK_IDS,
  type LocalDeskId,
} from '../../../tools/stand-ins/helpdesks/desk/local-desk.ts';
import {
  type LocalHelpdesks,
  startHelpdesks,
} from '../../../tools/stand-ins/helpdesks/start-helpdesks.ts';
import type { Fault } from '../../../tools/stand-ins/server/faults.ts';
import { idsOf, type Reading, readAll, readPages, sourceFrom, titlesOf } from './read-source.ts';

let now = 1_768_473_000_000;
let helpdesks: LocalHelpdesks;
beforeAll(async () => {
  helpdesks = await startHelpdesks({ now: () => now });
});
afterAll(() => helpdesks.stop());
beforeEach(() => {
  helpdesks.faults.none();
  for (const { articles } of Object.values(helpdesks.desks))
    for (const { id } of articles.all()) articles.remove(id);
});

const OWN: Record<LocalDeskId, object> = {
  chatwoot: { accountId: '1', portal: 'help', locales: ['en', 'de'] },
  zendesk: { email: 'assistant@support.example.com' },
  intercom: {},
  zammad: {},
  'help-scout': {},
};

/** A source as configured; `send` may change its replies. */
const sourceOf = (
  tool: LocalDeskId,
  { more = {}, send = fetch }: { more?: object; send?: typeof fetch } = {},
) => {
  const { apiUrl, token } = helpdesks.desks[tool].articleSource;
  return sourceFrom({ tool, apiUrl, ...OWN[tool], ...more }, { send, token, now: () => now })
    .source;
};
const firstPage = (source: ArticleSource, more: object = {}) =>
  source.readPage({
    limit: 100,
    updatedSinceMs: undefined,
    position: undefined,
    signal: AbortSignal.timeout(60_000),
    ...more,
  });

/** Replies of the stand-in, changed. */
const changing =
  (change: (body: Record<string, unknown>, url: URL) => object): typeof fetch =>
  async (input, init) => {
    const response = await fetch(input, init);
    return Response.json(
      change((await response.json()) as Record<string, unknown>, new URL(String(input))),
    );
  };

/** Replies of the stand-in with each entry of a list changed. */
const changingEach = (list: string, change: (one: object) => object) =>
  changing((body) => ({ ...body, [list]: (body[list] as object[]).map(change) }));

describe.each(LOCAL_DESK_IDS)('the articles of %s', (tool) => {
  const desk = () => helpdesks.desks[tool];
  const locale = tool === 'zendesk' || tool === 'zammad' ? 'en-us' : 'en';
  const add = (title: string) => desk().articles.add({ title, body: `<p>${title}</p>`, locale });
  it('are listed completely, page by page', async () => {
    for (let at = 0; at < 30; at += 1) add(`article ${at}`);
    const pages = await readPages(sourceOf(tool), { limit: 10 });
    expect(pages.length).toBeGreaterThan(1);
    const titles = titlesOf(pages.flat());
    expect([titles.length, new Set(titles).size]).toEqual([30, 30]);
  });
  it('exclude drafts, private and archived articles', async () => {
    add('public');
    const closed = [{ state: 'draft' }, { state: 'archived' }, { audience: 'private' }] as const;
    for (const state of closed)
      desk().articles.add({
        title: Object.values(state).join(),
        body: '<p>Text</p>',
        locale,
        ...state,
      });
    expect(titlesOf(await readAll(sourceOf(tool)))).toEqual(['public']);
    const changed = await readAll(sourceOf(tool), { updatedSinceMs: now - 1000 });
    // An article that may have been public before gets no audience.
    const shown = changed.filter(
      (article) => !('audience' in article && article.audience?.length === 0),
    );
    expect(titlesOf(shown)).toEqual(['public']);
  });
  it.each([undefined, 0])(
    'are an empty list for an empty knowledge base, since %s',
    async (updatedSinceMs) => {
      expect(await readAll(sourceOf(tool), { updatedSinceMs })).toEqual([]);
    },
  );
  it('can be limited to those changed since a time', async () => {
    add('old');
    const edited = add('edited');
    now += 3_600_000;
    desk().articles.edit(edited, { body: '<p>new</p>' });
    add('new');
    const found = await readAll(sourceOf(tool), { updatedSinceMs: now - 1000 });
    expect(titlesOf(found).sort()).toEqual(['edited', 'new']);
  });
  it.each<[string, Fault]>([
    ['RATE_LIMITED', { kind: 'status', status: 429, headers: { 'retry-after': '7' } }],
    ['SERVICE_UNAVAILABLE', { kind: 'status', status: 503 }],
    ['SERVICE_UNAVAILABLE', { kind: 'html-502' }],
    ['SERVICE_UNAVAILABLE', { kind: 'reset' }],
    ['SERVICE_UNAVAILABLE', { kind: 'reset-in-body' }],
    ['SERVICE_UNAVAILABLE', { kind: 'hang-before-headers' }],
    ['DATA_SOURCE_ERROR', { kind: 'malformed-json' }],
    ['DATA_SOURCE_ERROR', { kind: 'truncated-json' }],
    ['UNAUTHORIZED', { kind: 'status', status: 401 }],
    ['UNAUTHORIZED', { kind: 'status', status: 403 }],
    ['INVALID_QUERY', { kind: 'status', status: 400 }],
    [
      'INVALID_QUERY',
      { kind: 'status', status: 302, headers: { location: 'http://127.0.0.1:1/' } },
    ],
  ])('fail with %s for %j', async (code, fault) => {
    add('one');
    helpdesks.faults.always(fault, `/${tool}`);
    const reported = code === 'RATE_LIMITED' && {
      reported: { details: { retry_after_seconds: 7 } },
    };
    const timeout = fault.kind === 'hang-before-headers' && { signal: AbortSignal.timeout(50) };
    const failed = firstPage(sourceOf(tool), { ...timeout });
    await expect(failed).rejects.toMatchObject({ name: 'SourceFailed', code, ...reported });
  });
  const FORGED = [
    5,
    'next',
    { page: -1 },
    { page: 1e9, seen: 0 },
    { locale: 99 },
    { start: 'x' },
    { after: '../..' },
  ];
  it.each(FORGED)('are not read from the forged position %j', async (position) => {
    await expect(firstPage(sourceOf(tool), { position })).rejects.toMatchObject({
      code: 'INVALID_QUERY',
    });
  });
});

describe.each(['chatwoot', 'intercom', 'help-scout'] as const)('a counted list of %s', (tool) => {
  const desk = () => helpdesks.desks[tool].articles;
  const fill = (count: number) =>
    Array.from({ length: count }, (_, at) =>
      desk().add({ title: `article ${at}`, body: `<p>${at}</p>` }),
    );
  /** Sixty articles: what they are called, which the first page has, and which the others, after a change between. */
  const readAround = async (
    change: (ids: string[], read: string[]) => void,
    { before, ...reading }: Reading & { before?: (ids: string[]) => void } = {},
  ) => {
    const ids = fill(60);
    before?.(ids);
    const source = sourceOf(tool);
    const { articles, next } = await firstPage(source, { limit: 20, ...reading });
    now += 1000;
    const read = idsOf(articles);
    change(ids, read);
    if (next === undefined) return { ids, found: read };
    const rest = readAll(source, { limit: 20, ...reading, position: next });
    const found = await rest
      .then((more) => [...read, ...idsOf(more)])
      .catch((error: unknown) => {
        // A list that fails is not taken for complete.
        expect(error).toMatchObject({ code: 'DATA_SOURCE_ERROR' });
        return undefined;
      });
    return { ids, found };
  };
  it('fails when it gets shorter while it is read, since an article was skipped', async () => {
    const { found } = await readAround((ids) => {
      for (const id of [ids[0], ids.at(-1)]) desk().remove(id ?? '');
    });
    expect(found).toBeUndefined();
  });
  it('is complete when an article is added while it is read', async () => {
    const { found } = await readAround(() => fill(1));
    expect(new Set(found).size).toBeGreaterThanOrEqual(60);
  });
  it('continues when it moves, as a listing of changes', async () => {
    const edit = (ids: string[]) => desk().edit(ids[0] ?? '', { body: '<p>new</p>' });
    const { found = [] } = await readAround(edit, { updatedSinceMs: now - 10_000_000 });
    expect(found.length).toBeGreaterThan(20);
  });
  type Changes = [
    string,
    (ids: string[], read: string[]) => void,
    removed: number[],
    before?: (ids: string[]) => void,
  ];
  const removeAt = (at: number) => (ids: string[]) => {
    desk().remove(ids[at] ?? '');
    fill(1);
  };
  it.each<Changes>([
    ['the first is deleted and another added', removeAt(0), [0]],
    ['the last is deleted and another added', removeAt(59), [59]],
    [
      'one is edited, and moves to a page that was read already',
      (ids, read) =>
        desk().edit(ids.find((id) => !read.includes(id)) ?? '', { body: '<p>new</p>' }),
      [],
    ],
    [
      'one is unpublished and another published',
      (ids) => {
        desk().unpublish(ids[0] ?? '');
        desk().edit(ids[59] ?? '', { state: 'published' });
      },
      [0, 59],
      (ids) => desk().unpublish(ids[59] ?? ''),
    ],
  ])(
    'never counts as complete without a remaining article when %s meanwhile',
    async (_, change, removed, before) => {
      const { ids, found } = await readAround(change, { ...(before && { before }) });
      const missing = ids.filter(
        (id, at) => !removed.includes(at) && found?.includes(id) === false,
      );
      expect(missing).toEqual([]);
    },
  );
  it('fails when it ends before its total', async () => {
    fill(30);
    const list = { chatwoot: 'payload', intercom: 'data', 'help-scout': 'articles' }[tool];
    const send = changing((body, { searchParams, pathname }) => {
      if (searchParams.get('page') !== '2' || pathname.endsWith('/collections')) return body;
      const empty = tool === 'help-scout' ? { ...(body.articles as object), items: [] } : [];
      return { ...body, [list]: empty };
    });
    await expect(readAll(sourceOf(tool, { send }), { limit: 20 })).rejects.toMatchObject({
      code: 'DATA_SOURCE_ERROR',
    });
  });
});

describe('an article that cannot be read', () => {
  it('stays in the list by its id, so that it does not look deleted', async () => {
    helpdesks.desks.zendesk.articles.add({ title: 'fine', body: '<p>Text</p>' });
    const odd = [{ id: 77, title: 5 }, { title: 'nameless' }, 'nonsense'];
    const send = changing((body) => ({
      ...body,
      articles: [...(body.articles as unknown[]), ...odd],
    }));
    const found = titlesOf(await readAll(sourceOf('zendesk', { send })));
    expect(found).toEqual([
      'fine',
      'unreadable 77',
      'unreadable undefined',
      'unreadable undefined',
    ]);
  });
  it('stays in the list of its locale by its own id', async () => {
    const send = changing((body) => ({ ...body, articles: [{ id: 77, title: 5 }] }));
    const found = await readAll(sourceOf('zendesk', { more: { locales: ['en-us', 'de'] }, send }));
    expect(titlesOf(found)).toEqual(expect.arrayContaining(['unreadable 77', 'unreadable 77-de']));
  });
  it.each([
    ['beside its article', {}, ['Fans', 'unreadable 77-de']],
    ['with its article', { title: 5 }, ['unreadable 77', 'unreadable 77-de']],
  ])('stays in the list as a translation %s', async (_, more, expected) => {
    helpdesks.desks.intercom.articles.add({ title: 'Fans', body: '<p>Fans</p>' });
    const translated_content = { type: 'list', de: { title: 5, state: 'published' }, fr: null };
    const send = changingEach('data', (one) => ({ ...one, id: '77', translated_content, ...more }));
    expect(titlesOf(await readAll(sourceOf('intercom', { send })))).toEqual(
      expect.arrayContaining(expected),
    );
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
        ? (body.articles as object[]).map((one) => ({
            ...one,
            id: Number(id),
            source_locale: 'en-us',
          }))
        : body.articles,
    }));
    const found = await readAll(sourceOf('zendesk', { more: { locales: ['en-us', 'de'] }, send }));
    expect(found).toMatchObject([
      { id, title: 'Fans', locale: 'en-us' },
      { id: `${id}-de`, title: 'Lüfter', locale: 'de' },
    ]);
  });
  it.each([{ user_segment_id: 360_500 }, { user_segment_ids: [360_500] }])(
    'maps user segments to the audiences in the settings, and hides those of unknown segments: %j',
    async (segment) => {
      helpdesks.desks.zendesk.articles.add({ title: 'Partners', body: '<p>Text</p>' });
      const send = changingEach('articles', (one) => ({ ...one, ...segment }));
      const known = sourceOf('zendesk', { send, more: { segments: { 360500: 'partners' } } });
      expect(await readAll(known)).toMatchObject([{ audience: ['partners'] }]);
      const unknown = sourceOf('zendesk', { send, more: { segments: { 1: 'partners' } } });
      expect(await readAll(unknown)).toEqual([]);
      expect(await readAll(unknown, { updatedSinceMs: now })).toMatchObject([{ audience: [] }]);
    },
  );
  it('follows the feed to its end, and sends no article twice for the second that pages share', async () => {
    const { articles } = helpdesks.desks.zendesk;
    const since = now;
    for (let at = 0; at < 1200; at += 1) {
      now += 1000;
      articles.add({ title: `article ${at}`, body: '<p>Text</p>' });
    }
    const pages = await readPages(sourceOf('zendesk'), { updatedSinceMs: since });
    expect([pages.length, pages.flat().length]).toEqual([3, 1200]);
  });
  it('lists everything when the feed cannot get past one second', async () => {
    const { articles } = helpdesks.desks.zendesk;
    for (let at = 0; at < 1100; at += 1)
      articles.add({ title: `article ${at}`, body: '<p>Text</p>' });
    const found = await readAll(sourceOf('zendesk'), { updatedSinceMs: now });
    expect(new Set(titlesOf(found)).size).toBe(1100);
  });
});

it('intercomArticles() lists published translations with their own ids', async () => {
  const id = helpdesks.desks.intercom.articles.add({ title: 'Fans', body: '<p>Fans</p>' });
  const text = { title: 'Lüfter', body: '<p>Lüfter</p>' };
  const version = { ...text, state: 'published', url: 'https://help.example.com/de/1' };
  const translated_content = {
    type: 'article_translated_content',
    en: { ...version, title: 'Fans' },
    de: version,
    fr: { ...version, title: 'Brouillon', state: 'draft' },
    it: { ...version, title: 'Interno', url: null },
  };
  const send = changingEach('data', (one) => ({ ...one, translated_content }));
  expect(await readAll(sourceOf('intercom', { send }))).toMatchObject([
    { id, title: 'Fans', locale: 'en' },
    { id: `${id}-de`, title: 'Lüfter', locale: 'de', url: 'https://help.example.com/de/1' },
  ]);
});

it('chatwootArticles() takes the locale of an article from its list', async () => {
  const { articles } = helpdesks.desks.chatwoot;
  articles.add({ title: 'Fans', body: '## Fans' });
  articles.add({ title: 'Lüfter', body: '## Lüfter', locale: 'de' });
  articles.add({ title: 'Ventilateurs', body: '## Ventilateurs', locale: 'fr' });
  const more = { publicUrl: 'https://help.example.com/' };
  const found = await readAll(sourceOf('chatwoot', { more }));
  const url = expect.stringMatching(/^https:\/\/help\.example\.com\/hc\/help\/articles\/\d+-fans$/);
  expect(found).toMatchObject([
    { title: 'Fans', locale: 'en', format: 'markdown', url },
    { title: 'Lüfter', locale: 'de' },
  ]);
});

describe('zammadArticles()', () => {
  it('adds the locale and the public URL to a translation', async () => {
    const { articles } = helpdesks.desks.zammad;
    articles.add({ title: 'Clean the fans', body: '<p>Fans</p>' });
    articles.add({ title: 'Lüfter reinigen', body: '<p>Lüfter</p>', locale: 'de-de' });
    const found = await readAll(
      sourceOf('zammad', { more: { publicUrl: 'https://help.example.com' } }),
    );
    const like = (pattern: RegExp) => expect.stringMatching(pattern);
    const english = like(
      /^https:\/\/help\.example\.com\/help\/en-us\/1-using-the-device\/\d+-clean-the-fans$/,
    );
    const german = { id: like(/^\d+-de-de$/), url: like(/\/help\/de-de\/1\/\d+-lufter-reinigen$/) };
    expect(found).toMatchObject([
      { title: 'Clean the fans', locale: 'en-us', url: english },
      { title: 'Lüfter reinigen', locale: 'de-de', ...german },
    ]);
  });
  it('counts a scheduled publication as a change, however old the article is', async () => {
    const id = helpdesks.desks.zammad.articles.add({
      title: 'planned',
      body: '<p>Text</p>',
      locale: 'en-us',
    });
    const planned = now + 3_600_000;
    const send = changing((body) => {
      const answers = body.KnowledgeBaseAnswer as Record<string, object> | undefined;
      const answer = { ...answers?.[id], published_at: new Date(planned).toISOString() };
      return answers === undefined ? body : { ...body, KnowledgeBaseAnswer: { [id]: answer } };
    });
    const source = sourceOf('zammad', { send });
    expect(await readAll(source)).toEqual([]);
    now = planned + 1;
    expect(titlesOf(await readAll(source, { updatedSinceMs: planned - 1 }))).toEqual(['planned']);
  });
});

it('helpScoutArticles() omits an article that is unpublished while the list is read, and continues', async () => {
  const { articles } = helpdesks.desks['help-scout'];
  const gone = articles.add({ title: 'gone', body: '<p>Text</p>' });
  articles.add({ title: 'kept', body: '<p>Text</p>' });
  helpdesks.faults.always({ kind: 'status', status: 404 }, `/help-scout/v1/articles/${gone}`);
  expect(titlesOf(await readAll(sourceOf('help-scout')))).toEqual(['kept']);
});
