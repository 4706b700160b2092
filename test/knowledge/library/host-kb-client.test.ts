import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { addressProblem } from '../../../src/knowledge/library/fetch-host-listing.ts';
import {
  type HostCursor,
  type HostPage,
  hostKbClient,
} from '../../../src/knowledge/library/host-kb-client.ts';
import { loopbackServer } from '../../platform/http/loopback-server.ts';
import cases from './host-kb-client.json' with { type: 'json' };
import { hostArticle } from './library-for-test.ts';

type HostKbOptions = Parameters<typeof hostKbClient>[1];

const JSON_TYPE = { 'content-type': 'application/json' };
type Answer = (response: ServerResponse, url: URL, request: IncomingMessage) => unknown;
const closing: (() => Promise<void>)[] = [];
afterEach(() => Promise.all(closing.splice(0).map((close) => close())));

/** A local host with the given replies, and a client for it whose pauses take no time. */
const hostThat = async (answer: Answer, options: Partial<HostKbOptions> = {}) => {
  const requests: { url: string; authorization: string | undefined }[] = [];
  const { url: origin, close } = await loopbackServer((request, response) => {
    const { url = '/', headers } = request;
    requests.push({ url, authorization: headers.authorization });
    answer(response, new URL(url, 'http://host'), request);
  });
  closing.push(close);
  const pauses: number[] = [];
  const parts: HostKbOptions = {
    fetch,
    allowed: { hosts: [new URL(origin).host], allowsLocal: true },
    random: () => 1,
    now: () => Date.parse('2026-01-01T00:00:00Z'),
    sleep: async (ms) => void pauses.push(ms),
    ...options,
  };
  const client = hostKbClient({ url: `${origin}/api/kb/articles`, token: 'secret' }, parts);
  return {
    read: (cursor?: HostCursor, filters = {}) => client.readPage(filters, cursor),
    requests,
    pauses,
  };
};

const send = (response: ServerResponse, body: unknown, headers: Record<string, string> = {}) =>
  response.writeHead(200, { ...JSON_TYPE, ...headers }).end(JSON.stringify(body));

const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(code, headers).end();

const sendText =
  (text: string, type = 'application/json'): Answer =>
  (response) =>
    response.writeHead(200, { 'content-type': type }).end(text);

/** The ids of all pages, each page as one word. */
const readAll = async ({ read }: { read: (cursor?: HostCursor) => Promise<HostPage> }) => {
  const pages: string[] = [];
  for (let cursor: HostCursor | undefined; pages.length === 0 || cursor !== undefined; ) {
    const page = await read(cursor);
    pages.push(page.articles.map(({ id }) => id).join(''));
    cursor = page.next;
  }
  return pages;
};

const articles = [...'abcde'].map((id) => hostArticle(id, 'Text.'));

describe('hostKbClient()', () => {
  it('sends filters, limit and token', async () => {
    const { read, requests } = await hostThat((response) => send(response, { articles, total: 5 }));
    await read(undefined, {
      intent: 'not_hashing',
      device: 'Apollo II',
      updatedSince: '2024-01-14T00:00:00Z',
    });
    const query =
      'intent=not_hashing&device=Apollo+II&updated_since=2024-01-14T00%3A00%3A00Z&limit=100';
    expect(requests).toEqual([
      { url: `/api/kb/articles?${query}`, authorization: 'Bearer secret' },
    ]);
  });
  it.each<[string, string, (from: number) => { body?: object; headers?: Record<string, string> }]>([
    [
      'next_cursor',
      'cursor',
      (from) => ({ body: { next_cursor: from < 4 ? String(from + 2) : null } }),
    ],
    [
      'Link',
      'from',
      (from) => {
        const next = `</api/kb/articles?from=${from + 2}>; title="a, b"; rel="next"`;
        return from < 4 ? { headers: { link: `</x>; rel="prev", ${next}` } } : {};
      },
    ],
    ['pages counted until the total', 'page', () => ({ body: { total: 5 } })],
    ['offsets counted until the total', 'offset', () => ({ body: { total: 5 } })],
  ])('follows %s', async (_, parameter, more) => {
    const host = await hostThat((response, url) => {
      const given = url.searchParams.get(parameter);
      const from = parameter === 'page' ? 2 * (Number(given ?? 1) - 1) : Number(given ?? 0);
      const { body, headers } = more(from);
      send(response, { ...body, articles: articles.slice(from, from + 2) }, headers);
    });
    expect(await readAll(host)).toEqual(['ab', 'cd', 'e']);
  });
  it('refuses a link to another host', async () => {
    const link = '<http://169.254.169.254/>; rel=next';
    const { read } = await hostThat((response) => send(response, { articles }, { link }));
    await expect(read()).rejects.toThrow('the link to the next page leads elsewhere');
  });
  it('retries with growing pauses, and not before the time that the host asks for', async () => {
    const answers = [
      status(503),
      status(429, { 'retry-after': '7' }),
      status(500, { 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' }),
    ];
    const { read, pauses } = await hostThat((...given) => {
      const answer = answers.shift();
      return answer ? answer(...given) : send(given[0], { articles });
    });
    expect((await read()).received).toBe(5);
    expect(pauses).toEqual([500, 7000, 30_000]);
  });
  it.each<[string, Answer, string, number]>([
    ['keeps failing', status(500), 'status is 500', 4],
    ['requests too long a pause', status(503, { 'retry-after': '3600' }), 'status is 503', 1],
    ['refuses', status(403), 'status is 403', 1],
    [
      'closes the connection',
      (_, __, { socket }) => socket.destroy(),
      'the host cannot be reached',
      4,
    ],
    ['truncates its reply', sendText('{"articles": [{"id"'), 'cut off or no JSON', 4],
    [
      'ends before its content length',
      (response, _, { socket }) => {
        response.writeHead(200, { ...JSON_TYPE, 'content-length': '1000' }).write('{"articles": [');
        setImmediate(() => socket.destroy());
      },
      'the host cannot be reached',
      4,
    ],
    ['sends HTML', sendText('<p>Log in', 'text/html'), 'not JSON by its content type', 1],
    ['sends another object', sendText('{"items": []}'), 'the answer is no listing: articles', 1],
    ['sends too much', sendText(' '.repeat(3_000_000)), 'a page is larger than 1000000 bytes', 3],
    [
      'redirects to another host',
      status(302, { location: 'http://[::1]/x' }),
      'a host that is not allowed',
      1,
    ],
    [
      'redirects in a circle',
      status(302, { location: '/api/kb/articles' }),
      'more than 3 redirects',
      4,
    ],
  ])('reports the problem when the host %s', async (_, answer, problem, attempts) => {
    const { read, requests } = await hostThat(answer, { maxBytes: 1_000_000 });
    await expect(read()).rejects.toThrow(problem);
    expect(requests).toHaveLength(attempts);
  });
  it.each<[string, Answer]>([
    ['at all', () => {}],
    ['to the end', (response) => response.writeHead(200, JSON_TYPE).write('{"articles": [')],
  ])('gives up after the timeout when the host does not answer %s', async (_, answer) => {
    const { read, requests } = await hostThat(answer, { timeoutMs: 50 });
    await expect(read()).rejects.toThrow('no answer within 50 ms');
    expect(requests).toHaveLength(4);
  });
  it.each(['page', 'cursor'])(
    'requests fewer articles when a page is too large, and misses none: %s',
    async (kind) => {
      const textOf = (at: number) => (at < 12 ? 'Short.' : 'Long. '.repeat(200));
      const many = Array.from({ length: 25 }, (_, at) => hostArticle(`a${at}`, textOf(at)));
      const answer: Answer = (response, { searchParams }) => {
        const [limit, given] = [Number(searchParams.get('limit')), searchParams.get(kind)];
        const from = kind === 'cursor' ? Number(given ?? 0) : limit * (Number(given ?? 1) - 1);
        const next =
          from + limit < many.length && kind === 'cursor'
            ? { next_cursor: String(from + limit) }
            : {};
        send(response, { articles: many.slice(from, from + limit), total: many.length, ...next });
      };
      const host = await hostThat(answer, { limit: 10, maxBytes: 8_000 });
      expect((await readAll(host)).join('')).toBe(many.map(({ id }) => id).join(''));
      const limits = host.requests.map(({ url }) => Number(/limit=(\d+)/.exec(url)?.[1]));
      expect([limits[0], Math.min(...limits) < 10]).toEqual([10, true]);
    },
  );
  it('fails when pages cannot be made smaller', async () => {
    const body = { articles: [hostArticle('a', 'x'.repeat(3000))], total: 5 };
    const { read, requests } = await hostThat((response) => send(response, body), {
      maxBytes: 2_000,
    });
    await expect(read({ kind: 'count', page: 2, offset: 50 })).rejects.toThrow('a page is larger');
    await expect(read({ kind: 'link', value: 'http://127.0.0.1/' })).rejects.toThrow();
    expect(requests).toHaveLength(1);
  });
  it('skips the broken articles of a page, each with its reason', async () => {
    const trap = { length: { valueOf: 0, toString: 0 } };
    const sent = [
      ...[
        articles[0],
        hostArticle('long', 'x'.repeat(5_000_000)),
        { id: 7, title: 'x' },
        'nonsense',
      ],
      ...[
        { id: 'scan.pdf', problem: 'not readable: it has no text' },
        { ...articles[2], title: trap },
        articles[1],
      ],
    ];
    const { read } = await hostThat((response) => send(response, { articles: sent }));
    const page = await read();
    expect(page.articles.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(page.received).toBe(7);
    expect(page.skipped).toMatchObject([
      {
        id: 'long',
        reason: 'Cannot take in the article: content is longer than 500000 characters',
      },
      { id: '7', reason: expect.stringContaining('content') },
      { id: '(number 4 on its page)' },
      { id: 'scan.pdf', reason: 'Cannot take in the article: not readable: it has no text' },
      { id: 'c' },
    ]);
    const other = await hostThat((response) => send(response, { articles: [], next_cursor: trap }));
    await expect(other.read()).rejects.toThrow('the answer is no listing');
  });
  it('follows a redirect on the same host', async () => {
    const { read } = await hostThat((response, { pathname }) =>
      pathname === '/moved'
        ? send(response, { articles })
        : response.writeHead(308, { location: '/moved' }).end(),
    );
    expect((await read()).received).toBe(5);
  });
});

const addresses = cases.addresses as [string, string | null][];
it.each([...addresses, ['http://127.0.0.1:8080/a', null, true] as [string, null, boolean]])(
  'addressProblem() of %s: %s',
  (url, problem, allowsLocal = false) =>
    expect(addressProblem(new URL(url), { hosts: cases.hosts, allowsLocal })).toBe(
      problem ?? undefined,
    ),
);
