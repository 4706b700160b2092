import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { HelpdeskFailed } from '../../../src/helpdesk/helpdesk-tool.ts';
import { type ApiSettings, helpdeskApi, pathOf, readPages } from '../../../src/helpdesk/tools/helpdesk-api.ts';

const NOW = 1_768_473_000_000;

/** An API that answers without a network and records its requests. */
const answering = (answer: () => Response | Promise<Response>, more: Partial<ApiSettings> = {}) => {
  const requests: { url: string; init: RequestInit }[] = [];
  const api = helpdeskApi({
    tool: 'Tool',
    apiUrl: 'https://desk.example.com',
    headers: async () => ({ Authorization: 'Bearer key' }),
    fetch: async (url, init) => {
      requests.push({ url: String(url), init: init ?? {} });
      return answer();
    },
    now: () => NOW,
    ...more,
  });
  return { api, requests };
};

const get = {
  action: 'read a ticket',
  path: '/tickets/1',
  reply: z.object({ id: z.string() }),
  signal: AbortSignal.timeout(5000),
};
const post = { ...get, action: 'write a note', method: 'POST' as const, body: { text: 'x' } };

const failure = async (call: Promise<unknown>): Promise<HelpdeskFailed> => {
  const error = await call.then(() => undefined).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(HelpdeskFailed);
  return error as HelpdeskFailed;
};

describe('HelpdeskApi.call()', () => {
  it('reads a reply by its schema', async () => {
    const { api, requests } = answering(() => Response.json({ id: '1', more: true }));
    expect(await api.call(get)).toEqual({ id: '1' });
    const init = { method: 'GET', redirect: 'manual', headers: { Authorization: 'Bearer key' } };
    expect(requests[0]).toMatchObject({ url: 'https://desk.example.com/tickets/1', init });
  });
  it('sends JSON', async () => {
    const { api, requests } = answering(() => Response.json({ id: '1' }));
    await api.call(post);
    const headers = { 'Content-Type': 'application/json' };
    expect(requests[0]?.init).toMatchObject({ method: 'POST', body: '{"text":"x"}', headers });
  });
  it.each([
    [301, false, false, /has another address/],
    [400, false, false, /check the options/],
    [401, false, false, /enter a valid one/],
    [403, false, false, /give it the right/],
    [404, false, false, /check the apiUrl/],
    [408, true, true, /status is 408$/],
    [409, true, false, /changed meanwhile/],
    [410, false, false, /was deleted/],
    [418, false, false, /status is 418$/],
    [422, false, false, /closed or full/],
    [425, true, false, /status is 425$/],
    [429, true, false, /too many calls/],
    [500, true, true, /status is 500$/],
    [503, true, true, /status is 503$/],
  ])(
    'reports for status %i whether it is transient (%s), whether the outcome is unknown (%s), and what an admin can do',
    async (status, isTransient, isOutcomeUnknown, words) => {
      const { api } = answering(() => new Response('secret', { status }));
      const error = await failure(api.call(post));
      expect(error).toMatchObject({ isTransient, isOutcomeUnknown });
      expect(error.message).toMatch(words);
      expect(error.message).toMatch(/^Cannot write a note in Tool: status is /);
      expect(await failure(api.call(get))).toMatchObject({ isTransient, isOutcomeUnknown: false });
    },
  );
  it('follows no redirect', async () => {
    const headers = { location: 'https://elsewhere.example' };
    const { api, requests } = answering(() => new Response(null, { status: 302, headers }));
    await failure(api.call(get));
    expect(requests).toHaveLength(1);
  });
  it('calls only https, and this machine', async () => {
    const http = ['http://desk.example.com', 'ftp://desk.example.com', 'http://127.0.0.1.example.com'];
    for (const apiUrl of [...http, 'desk', undefined]) {
      const { api, requests } = answering(() => Response.json({ id: '1' }), { apiUrl });
      expect(await failure(api.call(get))).toMatchObject({ isTransient: false });
      expect(requests).toEqual([]);
    }
    for (const apiUrl of ['http://127.0.0.1:8080/desk', 'http://localhost:1', 'https://desk.example.com/base']) {
      const { api } = answering(() => Response.json({ id: '1' }), { apiUrl });
      expect(await api.call(get)).toEqual({ id: '1' });
    }
  });
  it('treats a lost, truncated, wrong or huge reply as transient, and the outcome of a write as unknown', async () => {
    const start = (controller: ReadableStreamDefaultController) => {
      controller.enqueue(new TextEncoder().encode('{"id"'));
      controller.error(new Error('reset'));
    };
    for (const answer of [
      () => Promise.reject(new TypeError('fetch failed')),
      () => new Response('{"id": "1'),
      () => new Response(new ReadableStream({ start })),
      () => new Response('<html>'),
      () => Response.json({ other: 1 }),
      () => new Response(new Uint8Array(4_194_305)),
      () => new Response(null, { status: 201 }),
    ]) {
      const { api } = answering(answer);
      expect(await failure(api.call(post))).toMatchObject({ isTransient: true, isOutcomeUnknown: true });
      expect(await failure(api.call(get))).toMatchObject({ isTransient: true, isOutcomeUnknown: false });
    }
  });
  it('quotes nothing of a reply', async () => {
    const { api } = answering(() => Response.json({ id: { secret: 'dana@example.net' } }));
    const error = await failure(api.call(get));
    expect(JSON.stringify([error.message, error.cause])).not.toContain('dana');
  });
  it('sends nothing when no time is left', async () => {
    const { api, requests } = answering(() => Response.json({ id: '1' }));
    const error = await failure(api.call({ ...post, signal: AbortSignal.abort() }));
    expect(error).toMatchObject({ isTransient: true, isOutcomeUnknown: false });
    expect(requests).toEqual([]);
  });
  it('retries a 401 once with renewed headers when the tool allows it', async () => {
    const renewed: boolean[] = [];
    const headers: ApiSettings['headers'] = async (options) => {
      renewed.push(options.renewed);
      return {};
    };
    const answer = () => (renewed.at(-1) ? Response.json({ id: '1' }) : new Response(null, { status: 401 }));
    const { api } = answering(answer, { headers, renewsOn401: true });
    expect(await api.call(get)).toEqual({ id: '1' });
    expect(renewed).toEqual([false, true]);
  });
  it('reports the wait after 429 from each header that tools use, an hour at most', async () => {
    const cases: [Record<string, string>, number | undefined][] = [
      [{ 'retry-after': '7' }, 7000],
      [{ 'retry-after': '99999999' }, 3_600_000],
      [{ 'x-ratelimit-retry-after': '9' }, 9000],
      [{ 'ratelimit-reset': '12' }, 12_000],
      [{ 'x-ratelimit-reset': '1768473010' }, 10_000],
      [{ 'retry-after': '3', 'x-ratelimit-reset': '1768473010' }, 3000],
      [{}, undefined],
    ];
    for (const [headers, retryAfterMs] of cases) {
      const { api } = answering(() => new Response(null, { status: 429, headers }));
      expect(await failure(api.call(get))).toMatchObject({ retryAfterMs });
    }
    const quiet = answering(() => new Response('Retry later', { status: 429 }), { rateLimitWaitMs: 60_000 });
    expect(await failure(quiet.api.call(get))).toMatchObject({ retryAfterMs: 60_000 });
  });
  it('ignores the rate-limit window after other failures, as tools send it with every reply', async () => {
    const headers = { 'x-ratelimit-reset': '1768473010', 'ratelimit-reset': '12', 'x-ratelimit-retry-after': '9' };
    for (const status of [408, 409, 500, 502, 503]) {
      const { api } = answering(() => new Response(null, { status, headers }));
      expect(await failure(api.call(get))).toMatchObject({ isTransient: true, retryAfterMs: undefined });
    }
    const { api } = answering(() => new Response(null, { status: 503, headers: { ...headers, 'retry-after': '7' } }));
    expect(await failure(api.call(get))).toMatchObject({ retryAfterMs: 7000 });
  });
});

describe('HelpdeskApi.send()', () => {
  it('returns the headers of a success, whatever its body is', async () => {
    const { api } = answering(() => new Response('no JSON', { status: 201, headers: { 'resource-id': '7' } }));
    const { reply: _, ...call } = post;
    expect((await api.send(call)).get('resource-id')).toBe('7');
  });
});

describe('pathOf()', () => {
  it('encodes each value as one segment', () => {
    expect(pathOf`/a/${'x y'}/b/${'../c'}`).toBe('/a/x%20y/b/..%2Fc');
  });
  it('refuses values that would change the path', () => {
    for (const value of ['', '.', '..', 'x'.repeat(257)]) expect(() => pathOf`/a/${value}`).toThrow(HelpdeskFailed);
  });
});

describe('readPages()', () => {
  it.each([
    [5, 3, [1, 2, 3]],
    [2, 3, [1, 2]],
    [5, 1, [1]],
  ])('reads at most %i pages of %i', async (most, count, pages) => {
    const read = async (at = 1) => ({ page: at, next: at < count ? at + 1 : undefined });
    expect(await readPages(most, read)).toEqual(pages);
  });
});
