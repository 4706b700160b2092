import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { KnowledgeSearchResponse } from '../../src/contract/wire/knowledge.ts';
import { mayRead } from '../../src/platform/context/capabilities.ts';
import type { Product } from '../../tools/run/product.ts';
import { grant, send } from './product-for-test.ts';

/** Places of an article, each with a unique word. */
const PLACES = ['title', 'heading', 'body', 'device', 'intent', 'id', 'url'] as const;
type Place = (typeof PLACES)[number];

interface Written {
  audience: string[] | undefined;
  word: Record<Place, string>;
}

/** Long and dissimilar words, so that a misspelling can only mean one of them. */
const wordOf = (article: number, place: number): string => {
  const [first = '', second = ''] = ['bdfgkl'[article] ?? '', 'mnprstv'[place] ?? ''];
  return `qu${first}o${second}a${first}i${second}u${first}ez`;
};

const articleOf = ({ audience, word }: Written) => ({
  title: `Pump care ${word.title}`,
  url: `https://kb.example.com/${word.url}`,
  content: `# Pump care ${word.title}

To reset the pump, hold its button ${word.body} for seven seconds until the lamp blinks twice.

## Cleaning ${word.heading}

Rinse the filter of the pump ${word.body} under warm water every two weeks.`,
  metadata: {
    device: [`Pump ${word.device}`],
    intent: [word.intent],
    ...(audience && { audience }),
  },
});

const NAMES = ['staff', 'sales', 'legal'];
const written = fc
  .array(fc.option(fc.subarray(NAMES, { minLength: 1 }), { nil: undefined, freq: 3 }), {
    minLength: 3,
    maxLength: 6,
  })
  // Restricted and public articles.
  .filter(
    (all) =>
      all.some((audience) => audience === undefined) &&
      all.some((audience) => audience !== undefined),
  );
const readers = fc.uniqueArray(fc.subarray(NAMES), {
  minLength: 2,
  maxLength: 3,
  selector: (held) => held.join(),
});

const CAPABILITIES = [
  'kb:*',
  'memory:*',
  'answers:*',
  'sql:read',
  'web:search',
  'support:*',
  'helpdesk:write',
  'metrics:read',
];

/** Workspaces with articles for some audiences: what each route shows to each key. */
export function describeAudiences(productOf: () => Product): void {
  let made = 0;
  const keyFor = async (
    workspace: string,
    audiences: readonly string[] | undefined,
  ): Promise<string> => {
    made += 1;
    const key = `ck_audiences_${String(made).padStart(12, '0')}`;
    await grant(productOf(), key, {
      capabilities: CAPABILITIES,
      workspaces: [workspace],
      ...(audiences && { audiences: [...audiences] }),
    });
    return key;
  };

  const rpc = (method: string, params: object) => ({ jsonrpc: '2.0', id: 1, method, params });
  const userMessage = (text: string) => ({
    messageId: crypto.randomUUID(),
    role: 'ROLE_USER',
    parts: [{ text }],
  });
  const asTicket = (query: string) => ({ message: `Hello, ${query} Thanks`, subject: 'The pump' });

  /** Every route that shows articles or questions about them. */
  const routesFor = (
    query: string,
    { id, workspace }: { id: string; workspace: string },
  ): [string, unknown?][] => [
    ['POST /v1/knowledge/search', { query, limit: 50 }],
    [
      'POST /v1/knowledge/retrieve',
      { intent: 'unknown', message: query, metadata: { include_weak: true } },
    ],
    ['POST /v1/ask', { query, conversation_id: 'shared' }],
    ['POST /v1/ask', { query: `${query} And the filter?`, librarian: 'semantic' }],
    ['POST /v1/ask?events', { query: 'And the filter?', conversation_id: 'shared' }],
    ['POST /v1/navigate', { query }],
    ['POST /v1/agents/semantic', { query }],
    ['POST /v1/agents/semantic?format=display', { query }],
    ['POST /v1/agents/hybrid', { query }],
    ['POST /v1/support/analyze', asTicket(query)],
    [
      'POST /v1/chat/completions',
      { model: 'constellation', messages: [{ role: 'user', content: query }] },
    ],
    [
      'POST /v1/chat/completions',
      { model: 'navigator', stream: true, messages: [{ role: 'user', content: query }] },
    ],
    ['POST /mcp', rpc('tools/call', { name: 'search', arguments: { query } })],
    ['POST /mcp', rpc('tools/call', { name: 'ask', arguments: { query } })],
    ['POST /mcp', rpc('tools/call', { name: 'read_article', arguments: { id } })],
    ['POST /mcp', rpc('tools/call', { name: 'list_gaps', arguments: {} })],
    ['POST /mcp', rpc('tools/call', { name: 'analyze_ticket', arguments: asTicket(query) })],
    ['POST /mcp', rpc('resources/list', {})],
    [
      'POST /mcp',
      rpc('resources/read', { uri: `constellation://articles/${encodeURIComponent(id)}` }),
    ],
    ['GET /v1/knowledge/gaps?state=all'],
    ['GET /v1/knowledge/gaps/records'],
    ['GET /v1/knowledge/stats'],
    ['GET /v1/knowledge/health'],
    ['GET /v1/sync'],
    ['GET /api/kb/articles'],
    ['GET /api/kb/inventory'],
    [`GET /api/kb/articles/${id}`],
    [`GET /api/kb/text/${id}`],
    [`GET /v1/workspaces/${workspace}/memories`],
    [`POST /v1/workspaces/${workspace}/memories/search`, { query }],
    [`POST /v1/workspaces/${workspace}/memories/context`, { query }],
    [`GET /search?q=${encodeURIComponent(query)}`],
    [`GET /kb/${id}`],
    ['GET /metrics'],
    ['GET /v1/answers?limit=200'],
    ['GET /v1/answers?format=jsonl'],
    ['GET /v1/answers/statistics'],
    ['POST /a2a', rpc('SendMessage', { message: userMessage(query) })],
    [
      'POST /a2a',
      rpc('SendMessage', { message: { ...userMessage('And how long?'), contextId: 'shared' } }),
    ],
    ['POST /a2a', rpc('ListTasks', { includeArtifacts: true })],
    ['POST /v1/ask', { query, librarian: 'navigator', explain: true }],
  ];

  const replyTo = async (key: string, route: string, body?: unknown) => {
    const [method = '', path = ''] = route.split(' ');
    const response = await fetch(new URL(path, productOf().url), {
      method,
      headers: {
        authorization: /^\/(?:search|kb)\b/.test(path)
          ? `Basic ${btoa(`reader:${key}`)}`
          : `Bearer ${key}`,
        'content-type': 'application/json',
        ...(path === '/mcp'
          ? { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' }
          : {}),
        ...(path === '/a2a' ? { 'a2a-version': '1.0' } : {}),
        ...(/navigate|\?events$/.test(path) ? { accept: 'text/event-stream' } : {}),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return {
      status: response.status,
      headers: [...response.headers].join('\n'),
      text: await response.text(),
    };
  };
  const textOf = async (key: string, route: string, body?: unknown): Promise<string> => {
    const { headers, text } = await replyTo(key, route, body);
    return `${headers}\n${text}`.toLowerCase();
  };

  const search = async (key: string, query: string) => {
    const response = await send(
      productOf(),
      'POST /v1/knowledge/search',
      { query, limit: 50 },
      key,
    );
    return KnowledgeSearchResponse.parse(await response.json());
  };

  /** A misspelling that search corrects when it knows the word. */
  const misspelt = (word: string): string => `${word.slice(0, 4)}${word.slice(5)}`;

  const check = async (audiences: (string[] | undefined)[], held: string[][]): Promise<void> => {
    made += 1;
    const workspace = `w${made}`;
    const articles = audiences.map((audience, at): Written => {
      const word = Object.fromEntries(
        PLACES.map((place, index) => [place, wordOf(at, index)]),
      ) as Written['word'];
      return { audience, word };
    });
    const owner = await keyFor(workspace, ['*']);
    for (const article of articles) {
      const route = `PUT /api/kb/articles/guides/${article.word.id}.md`;
      expect((await send(productOf(), route, articleOf(article), owner)).status).toBe(201);
    }
    const isPublished = async () =>
      (await search(owner, 'reset the pump').catch(() => ({ hits: [] }))).hits;
    await expect
      .poll(async () => new Set((await isPublished()).map(({ article_id }) => article_id)).size, {
        timeout: 60_000,
      })
      .toBe(articles.length);

    // A reader of everything has asked about it, in a shared conversation.
    for (const { word } of articles) {
      const query = `Why does ${word.title} with ${word.body} not fit the ${word.device} cable?`;
      await textOf(owner, 'POST /v1/ask', { query, conversation_id: 'shared' });
      await textOf(owner, 'POST /v1/support/analyze', asTicket(query));
    }

    for (const names of [...held, undefined]) {
      const key = await keyFor(workspace, names);
      const hidden = articles.filter(({ audience }) => !mayRead(names ?? [], audience));
      const words = hidden.flatMap(({ word }) => PLACES.map((place) => word[place]));
      const probes = ['How do I reset the pump?', ...hidden.map(({ word }) => probeFor(word))];
      for (const [at, query] of probes.entries()) {
        const id = `guides/${articles[at % articles.length]?.word.id}.md`;
        for (const [route, body] of routesFor(query, { id, workspace })) {
          const shown = await textOf(key, route, body);
          // Words of the request are known to the caller.
          const secret = words.filter(
            (word) => !`${route} ${JSON.stringify(body ?? '')}`.includes(word),
          );
          expect(
            secret.filter((word) => shown.includes(word)),
            `${names?.join() ?? 'nothing'} at ${route} with ${query}`,
          ).toEqual([]);
        }
      }
      for (const { audience, word } of articles) {
        const found = JSON.stringify(await search(key, `${word.body} ${word.title}`));
        expect(
          found.includes(word.title),
          `${names?.join() ?? 'nothing'} reads ${audience?.join() ?? 'all'}`,
        ).toBe(mayRead(names ?? [], audience));
      }
      const listed = await textOf(key, 'GET /api/kb/articles');
      for (const { audience, word } of articles)
        expect(listed.includes(word.url)).toBe(mayRead(names ?? [], audience));
    }
  };

  const probeFor = (word: Written['word']): string =>
    `Why does the ${misspelt(word.title)} ${misspelt(word.body)} of ${misspelt(word.device)} not clean ${misspelt(word.heading)}?`;

  it('no route shows a word of an article to a key without its audience, and keys with it find it', {
    timeout: 600_000,
  }, async () => {
    const runs = Number(process.env.AUDIENCE_RUNS ?? 1);
    await fc.assert(fc.asyncProperty(written, readers, check), {
      numRuns: runs,
      endOnFailure: true,
    });
  });

  it('a key without the audience of an article cannot distinguish its id from an unknown one', async () => {
    const [lawyer, seller] = [await keyFor('law', ['legal']), await keyFor('law', ['sales'])];
    const [hidden, unknown] = ['policies/severance.md', 'policies/nothing.md'];
    const article = {
      title: 'Severance',
      content: 'It is 7340 euros.',
      metadata: { audience: ['legal'] },
    };
    expect(
      (await send(productOf(), `PUT /api/kb/articles/${hidden}`, article, lawyer)).status,
    ).toBe(201);
    const written = { title: 'Mine', content: 'Written by somebody who cannot know the other.' };
    const routesTo = (id: string): [string, unknown?][] => [
      [`PUT /api/kb/articles/${id}`, written],
      [`PUT /api/kb/articles/${id}`, { ...written, metadata: { audience: ['sales'] } }],
      [`GET /api/kb/articles/${id}`],
      [`GET /api/kb/text/${id}`],
      [`GET /kb/${id}`],
      ['POST /mcp', rpc('tools/call', { name: 'read_article', arguments: { id } })],
      [
        'POST /mcp',
        rpc('resources/read', { uri: `constellation://articles/${encodeURIComponent(id)}` }),
      ],
      [`DELETE /api/kb/articles/${id}`],
    ];
    for (const [at, [route, body]] of routesTo(hidden).entries()) {
      const { status, text } = await replyTo(seller, route, body);
      const missing = await replyTo(seller, ...routesTo(unknown)[at]!);
      const same = text
        .replaceAll(hidden, unknown)
        .replaceAll(encodeURIComponent(hidden), encodeURIComponent(unknown));
      expect([route, status, same]).toEqual([route, missing.status, missing.text]);
    }
    expect((await replyTo(lawyer, `GET /api/kb/articles/${hidden}`)).text).toContain('7340');
    // Whoever reads everything creates, and all write what they read.
    expect(
      (await send(productOf(), `PUT /api/kb/articles/policies/more.md`, written, lawyer)).status,
    ).toBe(201);
    expect(
      (await send(productOf(), `PUT /api/kb/articles/policies/more.md`, written, seller)).status,
    ).toBe(200);
  });

  it('a key without the audiences of those who asked cannot distinguish the ids of their turns, gaps and answers from unknown ones', {
    timeout: 60_000,
  }, async () => {
    const workspace = 'asked';
    const [lawyer, seller] = [
      await keyFor(workspace, ['legal']),
      await keyFor(workspace, ['sales']),
    ];
    const article = {
      title: 'Severance',
      content: 'The severance is 7340 euros.',
      metadata: { audience: ['legal'] },
    };
    expect(
      (await send(productOf(), 'PUT /api/kb/articles/policies/severance.md', article, lawyer))
        .status,
    ).toBe(201);
    await expect.poll(() => isFound(lawyer, 'severance'), { timeout: 60_000 }).toBe(true);
    const json = async (key: string, route: string, body?: unknown) =>
      JSON.parse((await replyTo(key, route, body)).text) as Record<string, { id?: string }[]>;
    const query = 'Who signs the blenkwort of the severance?';
    await json(lawyer, 'POST /v1/ask', { query, conversation_id: 'theirs' });
    await json(lawyer, 'POST /v1/knowledge/gaps', { query });
    const first = async (route: string, list: string): Promise<string | undefined> =>
      (await json(lawyer, route))[list]?.[0]?.id;
    const memories = `/v1/workspaces/${workspace}/memories`;
    const idOf = async (route: string, list: string): Promise<string> => {
      await expect.poll(() => first(route, list), { timeout: 60_000 }).toBeTruthy();
      return (await first(route, list)) ?? '';
    };
    const turn = await idOf(`GET ${memories}`, 'memories');
    const gap = await idOf('GET /v1/knowledge/gaps?state=all', 'gaps');
    const answer = await idOf('GET /v1/answers?limit=1', 'answers');
    const routesTo = (id: { turn: string; gap: string; answer: string }): [string, unknown?][] => [
      [`GET ${memories}/${id.turn}`],
      [`DELETE ${memories}/${id.turn}`],
      [
        `POST ${memories}`,
        { type: 'note', content: 'x', related_to: [{ memory_id: id.turn, type: 'about' }] },
      ],
      [`DELETE /v1/knowledge/gaps/${id.gap}`],
      [`GET /v1/answers/${id.answer}`],
      [`POST /v1/answers/${id.answer}/replay`, {}],
      [`POST /v1/answers/${id.answer}/feedback`, { value: 'up' }],
      [`DELETE /v1/answers/${id.answer}`],
    ];
    const none = '6f1d3a2e-6c1b-4d5e-9f80-3a4b5c6d7e8f';
    for (const [at, [route, body]] of routesTo({ turn, gap, answer }).entries()) {
      const hidden = await replyTo(seller, route, body);
      const unknown = await replyTo(
        seller,
        ...routesTo({ turn: none, gap: none, answer: none })[at]!,
      );
      const same = [turn, gap, answer].reduce((text, id) => text.replaceAll(id, none), hidden.text);
      expect([route, hidden.status, same]).toEqual([route, unknown.status, unknown.text]);
      expect(unknown.status).toBeGreaterThanOrEqual(400);
    }
    // Nothing of it has happened.
    for (const route of [`GET ${memories}/${turn}`, `GET /v1/answers/${answer}`])
      expect([route, (await replyTo(lawyer, route)).status]).toEqual([route, 200]);
    const note = { type: 'note', content: 'x', related_to: [{ memory_id: turn, type: 'about' }] };
    expect((await replyTo(lawyer, `POST ${memories}`, note)).status).toBe(201);
    expect((await replyTo(lawyer, `DELETE /v1/knowledge/gaps/${gap}`)).status).toBe(204);
    expect((await replyTo(lawyer, `DELETE ${memories}/${turn}`)).status).toBe(204);
  });

  const put = async (key: string, id: string, article: object): Promise<void> =>
    expect((await send(productOf(), `PUT /api/kb/articles/${id}`, article, key)).ok).toBe(true);
  const isFound = async (key: string, word: string): Promise<boolean> =>
    JSON.stringify(await search(key, word).catch(() => '')).includes(word);

  it('an article that was restricted or deleted since is not read from an edition of before', {
    timeout: 60_000,
  }, async () => {
    const workspace = 'replays';
    const owner = await keyFor(workspace, ['*']);
    const [moved, gone, open] = ['quorvish', 'blenwick', 'straddow'];
    const about = (word: string) => ({
      title: `The ${word}`,
      content: `# The ${word}\n\nThe ${word} is cleaned every nine days.`,
    });
    for (const word of [moved, gone, open]) await put(owner, `${word}.md`, about(word));
    await expect.poll(() => isFound(owner, open), { timeout: 60_000 }).toBe(true);
    const reader = await keyFor(workspace, undefined);
    const asked = new Map<string, { id: string; edition: string }>();
    for (const word of [moved, gone, open]) {
      const reply = await send(
        productOf(),
        'POST /v1/ask',
        { query: `How often is the ${word} cleaned?`, librarian: 'navigator' },
        reader,
      );
      const { metadata } = (await reply.json()) as {
        metadata: { answer_id: string; edition: string };
      };
      asked.set(word, { id: metadata.answer_id, edition: metadata.edition });
    }
    const replay = async (word: string, key = reader) => {
      const { id = '', edition } = asked.get(word) ?? {};
      const reply = await send(productOf(), `POST /v1/answers/${id}/replay`, { edition }, key);
      return {
        status: reply.status,
        after: JSON.stringify(((await reply.json()) as { after?: unknown }).after ?? ''),
      };
    };
    await expect.poll(async () => (await replay(moved)).status).toBe(200);
    expect((await replay(moved)).after).toContain('nine days');

    await put(owner, `${moved}.md`, { ...about(moved), metadata: { audience: ['staff'] } });
    expect(
      (await send(productOf(), `DELETE /api/kb/articles/${gone}.md`, undefined, owner)).status,
    ).toBe(204);
    await expect.poll(() => isFound(reader, moved), { timeout: 60_000 }).toBe(false);
    // Each function reads the new edition within seconds.
    for (const word of [moved, gone])
      await expect
        .poll(async () => (await replay(word)).after, { timeout: 60_000 })
        .not.toContain(`${word} is cleaned`);
    // What was deleted is gone for everybody; what was restricted, for those without its audience.
    expect((await replay(gone, owner)).after).not.toContain(`${gone} is cleaned`);
    expect((await replay(moved, owner)).after).toContain(`${moved} is cleaned`);
    expect(await replay(open)).toMatchObject({
      status: 200,
      after: expect.stringContaining('nine days'),
    });
  });

  it('changes of an article tell nothing to a key without its audience, not even that there was one', {
    timeout: 60_000,
  }, async () => {
    const workspace = 'times';
    const [owner, reader] = [await keyFor(workspace, ['*']), await keyFor(workspace, ['sales'])];
    await put(owner, 'open.md', { title: 'Open', content: 'The grommet is blue.' });
    await put(owner, 'staff.md', {
      title: 'Staff',
      content: 'One.',
      metadata: { audience: ['staff'] },
    });
    const shown = async (key: string): Promise<string> =>
      JSON.stringify(
        await Promise.all(
          ['GET /api/kb/articles', 'GET /v1/sync', 'GET /api/kb/inventory'].map(async (route) =>
            (await send(productOf(), route, undefined, key)).json(),
          ),
        ),
      );
    await expect.poll(() => isFound(owner, 'grommet'), { timeout: 60_000 }).toBe(true);
    const [before, all] = [await shown(reader), await shown(owner)];
    await put(owner, 'staff.md', {
      title: 'Staff',
      content: 'Two.',
      metadata: { audience: ['staff'] },
    });
    await put(owner, 'more.md', {
      title: 'More',
      content: 'A sprocket.',
      metadata: { audience: ['staff'] },
    });
    await expect.poll(() => shown(owner), { timeout: 60_000 }).not.toBe(all);
    // Published, too: times of editions would tell it.
    await expect.poll(() => isFound(owner, 'sprocket'), { timeout: 60_000 }).toBe(true);
    expect(await shown(reader)).toBe(before);
    await put(owner, 'open.md', { title: 'Open', content: 'The grommet is red.' });
    await expect.poll(() => shown(reader), { timeout: 60_000 }).not.toBe(before);
  });
}
