import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { addressProblem } from '../../../src/knowledge/library/allowed-hosts.ts';
import type { HostCursor } from '../../../src/knowledge/library/host-kb-client.ts';
import { type HostPage, hostKbClient } from '../../../src/knowledge/library/host-kb-client.ts';
import cases from './host-kb-client.json' with { type: 'json' };
import { hostArticle } from './library-for-test.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
type Answer = (request: IncomingMessage, response: ServerResponse, url: URL) => void;

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

/** A local host with the given replies, and a client for it whose pauses take no time. */
const hostThat = async (answer: Answer, options: object = {}) => {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    answer(request, response, new URL(request.url ?? '/', 'http://host'));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const pauses: number[] = [];
  const client = hostKbClient(
    { url: `${origin}/api/kb/articles`, token: 'secret' },
    {
      fetch,
      allowed: { hosts: [new URL(origin).host], allowsLocal: true },
      now: () => Date.parse('2026-01-01T00:00:00Z'),
      random: () => 1,
      sleep: async (ms) => void pauses.push(ms),
      ...options,
    },
  );
  return { client, requests, pauses, origin };
};

const send = (response: ServerResponse, body: unknown, headers: Record<string, string> = {}) =>
  response.writeHead(200, { ...JSON_TYPE, ...headers }).end(JSON.stringify(body));

const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (_, response) =>
    void response.writeHead(code, headers).end();

const readAll = async (client: ReturnType<typeof hostKbClient>): Promise<HostPage[]> => {
  const pages: HostPage[] = [];
  let cursor: HostCursor | undefined;
  do {
    const page = await client.readPage({}, cursor);
    pages.push(page);
    cursor = page.next;
  } while (cursor && pages.length < 10);
  return pages;
};

const articles = ['a', 'b', 'c', 'd', 'e'].map((id) => hostArticle(id, 'Text.'));
const idsOf = (pages: HostPage[]) => pages.map((page) => page.articles.map(({ id }) => id).join(''));

describe('hostKbClient()', () => {
  it('sends filters, limit and token', async () => {
    let authorization: string | undefined;
    const { client, requests } = await hostThat((request, response) => {
      authorization = request.headers.authorization;
      send(response, { articles, total: 5 });
    });
    await client.readPage({ intent: 'not_hashing', device: 'Apollo II', updatedSince: '2024-01-14T00:00:00Z' });
    expect(requests).toEqual([
      '/api/kb/articles?intent=not_hashing&device=Apollo+II&updated_since=2024-01-14T00%3A00%3A00Z&limit=100',
    ]);
    expect(authorization).toBe('Bearer secret');
  });

  it.each<[string, (url: URL, origin: () => string) => [body: object, headers?: Record<string, string>]]>([
    [
      'next_cursor',
      (url) => {
        const from = Number(url.searchParams.get('cursor') ?? 0);
        return [{ next_cursor: from + 2 < 5 ? String(from + 2) : null, from }];
      },
    ],
    [
      'Link',
      (url) => {
        const from = Number(url.searchParams.get('from') ?? 0);
        return [
          { from },
          from + 2 < 5
            ? { link: `</x>; rel="prev", </api/kb/articles?from=${from + 2}>; title="a, b"; rel="next"` }
            : {},
        ];
      },
    ],
    [
      'pages counted until the total',
      (url) => [{ from: 2 * (Number(url.searchParams.get('page') ?? 1) - 1), total: 5 }],
    ],
    ['offsets counted until the total', (url) => [{ from: Number(url.searchParams.get('offset') ?? 0), total: 5 }]],
  ])('follows %s', async (_, pageFor) => {
    const { client } = await hostThat((_request, response, url) => {
      const [{ from, ...body }, headers] = pageFor(url, () => '') as [{ from: number }, Record<string, string>?];
      send(response, { ...body, articles: articles.slice(from, from + 2) }, headers);
    });
    expect(idsOf(await readAll(client))).toEqual(['ab', 'cd', 'e']);
  });

  it('refuses a link to another host', async () => {
    const { client } = await hostThat((_, response) =>
      send(response, { articles }, { link: '<http://169.254.169.254/>; rel=next' }),
    );
    await expect(client.readPage({})).rejects.toThrow('the link to the next page leads elsewhere');
  });

  it('retries with growing pauses, and not before the time that the host asks for', async () => {
    const answers = [
      [503, {}],
      [429, { 'retry-after': '7' }],
      [500, { 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' }],
    ] as const;
    let count = 0;
    const { client, pauses } = await hostThat((_, response) => {
      const answer = answers[count++];
      if (answer) response.writeHead(answer[0], answer[1]).end();
      else send(response, { articles });
    });
    expect(await readAll(client)).toHaveLength(1);
    expect(pauses).toEqual([500, 7000, 30_000]);
  });

  it.each<[string, Answer, string, number]>([
    ['keeps failing', status(500), 'status is 500', 4],
    ['requests too long a pause', status(503, { 'retry-after': '3600' }), 'status is 503', 1],
    ['refuses', status(403), 'status is 403', 1],
    ['closes the connection', (request) => void request.socket.destroy(), 'the host cannot be reached', 4],
    [
      'truncates its reply',
      (_, response) => void response.writeHead(200, JSON_TYPE).end('{"articles": [{"id"'),
      'cut off or no JSON',
      4,
    ],
    [
      'ends before its content length',
      (request, response) => {
        response.writeHead(200, { ...JSON_TYPE, 'content-length': '1000' }).write('{"articles": [');
        response.once('close', () => {});
        setImmediate(() => request.socket.destroy());
      },
      'the host cannot be reached',
      4,
    ],
    [
      'sends HTML',
      (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Log in'),
      'not JSON by its content type',
      1,
    ],
    [
      'sends another object',
      (_, response) => void send(response, { items: [] }),
      'the answer is no listing: articles',
      1,
    ],
    [
      'sends too much',
      (_, response) => {
        response.writeHead(200, JSON_TYPE);
        for (let count = 0; count < 30; count += 1) response.write(' '.repeat(100_000));
        response.end('{}');
      },
      'a page is larger than 1000000 bytes',
      3,
    ],
    [
      'redirects to another host',
      status(302, { location: 'http://169.254.169.254/latest' }),
      'a host that is not allowed',
      1,
    ],
    ['redirects in a circle', status(302, { location: '/api/kb/articles' }), 'more than 3 redirects', 4],
  ])('reports the problem when the host %s', async (_, answer, problem, attempts) => {
    const { client, requests } = await hostThat(answer, { maxBytes: 1_000_000 });
    await expect(client.readPage({})).rejects.toThrow(problem);
    expect(requests).toHaveLength(attempts);
  });

  it.each<[string, Answer]>([
    ['at all', () => {}],
    ['to the end', (_, response) => void response.writeHead(200, JSON_TYPE).write('{"articles": [')],
  ])('gives up after the timeout when the host does not answer %s', async (_, answer) => {
    const { client, requests } = await hostThat(answer, { timeoutMs: 50 });
    await expect(client.readPage({})).rejects.toThrow('no answer within 50 ms');
    expect(requests).toHaveLength(4);
  });

  it.each(['counted', 'cursor'])(
    'requests fewer articles when a page is too large, and misses none: %s',
    async (kind) => {
      const many = Array.from({ length: 25 }, (_, at) =>
        hostArticle(`a${at}`, at < 12 ? 'Short.' : 'Long. '.repeat(200)),
      );
      const { client, requests } = await hostThat(
        (_, response, url) => {
          const limit = Number(url.searchParams.get('limit'));
          const from =
            kind === 'cursor'
              ? Number(url.searchParams.get('cursor') ?? 0)
              : limit * (Number(url.searchParams.get('page') ?? 1) - 1);
          const next = from + limit < many.length && kind === 'cursor' ? { next_cursor: String(from + limit) } : {};
          send(response, { articles: many.slice(from, from + limit), total: many.length, ...next });
        },
        { limit: 10, maxBytes: 8_000 },
      );
      const pages: HostPage[] = [];
      let cursor: HostCursor | undefined;
      do {
        const page = await client.readPage({}, cursor);
        pages.push(page);
        cursor = page.next;
      } while (cursor);
      expect(pages.flatMap((page) => page.articles.map(({ id }) => id))).toEqual(many.map(({ id }) => id));
      expect(requests[0]).toContain('limit=10');
      expect(requests.at(-1)).toContain('limit=1');
    },
  );

  it('fails when pages cannot be made smaller', async () => {
    const body = { articles: [hostArticle('a', 'x'.repeat(3000))], total: 5 };
    const { client, requests } = await hostThat((_, response) => send(response, body), { maxBytes: 2_000 });
    await expect(client.readPage({}, { kind: 'count', page: 2, offset: 50 })).rejects.toThrow('a page is larger');
    await expect(client.readPage({}, { kind: 'link', value: `${'http://127.0.0.1'}/` })).rejects.toThrow();
    expect(requests).toHaveLength(1);
  });

  it('skips the broken articles of a page, each with its reason', async () => {
    const long = hostArticle('long', 'x'.repeat(5_000_000));
    const unreadable = { id: 'scan.pdf', problem: 'not readable: it has no text' };
    const { client } = await hostThat((_, response) =>
      send(response, { articles: [articles[0], long, { id: 7, title: 'x' }, 'nonsense', unreadable, articles[1]] }),
    );
    const page = await client.readPage({});
    expect(page.articles.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(page).toMatchObject({
      received: 6,
      skipped: [
        { id: 'long', reason: 'Cannot take in the article: content is longer than 500000 characters' },
        { id: '7', reason: expect.stringContaining('content') },
        { id: '(number 4 on its page)' },
        { id: 'scan.pdf', reason: 'Cannot take in the article: not readable: it has no text' },
      ],
    });
  });

  it('skips objects in place of strings', async () => {
    const trap = { length: { valueOf: 0, toString: 0 } };
    const article = { ...hostArticle('a', 'Text.'), title: trap };
    const { client } = await hostThat((_, response) => send(response, { articles: [article, articles[1]] }));
    expect(await client.readPage({})).toMatchObject({ articles: [{ id: 'b' }], skipped: [{ id: 'a' }] });
    const other = await hostThat((_, response) => send(response, { articles: [], next_cursor: trap }));
    await expect(other.client.readPage({})).rejects.toThrow('the answer is no listing');
  });

  it('follows a redirect on the same host', async () => {
    const { client } = await hostThat((_, response, url) =>
      url.pathname === '/moved' ? send(response, { articles }) : response.writeHead(308, { location: '/moved' }).end(),
    );
    expect((await client.readPage({})).received).toBe(5);
  });
});

describe('addressProblem()', () => {
  const { hosts } = cases;
  it.each(cases.addresses as [string, string | null][])('in production: %s %s', (url, problem) => {
    expect(addressProblem(new URL(url), { hosts, allowsLocal: false })).toBe(problem ?? undefined);
  });
  it('allows loopback addresses in development', () => {
    expect(addressProblem(new URL('http://127.0.0.1:8080/a'), { hosts, allowsLocal: true })).toBeUndefined();
  });
});
