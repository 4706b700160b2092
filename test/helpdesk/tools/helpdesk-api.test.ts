import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { HelpdeskFailed } from '../../../src/helpdesk/helpdesk-tool.ts';
import { type ApiSettings, helpdeskApi, pathOf, readPages } from '../../../src/helpdesk/tools/helpdesk-api.ts';

const NOW = 1_768_473_000_000;

/** Answers without a network; what was asked is kept. */
const answering = (answer: () => Response | Promise<Response>, more: Partial<ApiSettings> = {}) => {
  const asked: { url: string; init: RequestInit }[] = [];
  const api = helpdeskApi({
    tool: 'Tool',
    apiUrl: 'https://desk.example.com',
    headers: async () => ({ Authorization: 'Bearer key' }),
    fetch: async (url, init) => {
      asked.push({ url: String(url), init: init ?? {} });
      return answer();
    },
    now: () => NOW,
    ...more,
  });
  return { api, asked };
};

const get = {
  action: 'read a ticket',
  path: '/tickets/1',
  reply: z.object({ id: z.string() }),
  signal: AbortSignal.timeout(5000),
};
const post = { ...get, action: 'write a note', method: 'POST' as const, body: { text: 'x' } };

const failure = async (call: Promise<unknown>): Promise<HelpdeskFailed> => {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(HelpdeskFailed);
  return error as HelpdeskFailed;
};

describe('HelpdeskApi.call()', () => {
  it('reads a reply by its schema', async () => {
    const { api, asked } = answering(() => Response.json({ id: '1', more: true }));
    expect(await api.call(get)).toEqual({ id: '1' });
    expect(asked[0]).toMatchObject({
      url: 'https://desk.example.com/tickets/1',
      init: { method: 'GET', redirect: 'manual', headers: { Authorization: 'Bearer key' } },
    });
  });

  it('sends JSON', async () => {
    const { api, asked } = answering(() => Response.json({ id: '1' }));
    await api.call(post);
    expect(asked[0]?.init).toMatchObject({
      method: 'POST',
      body: '{"text":"x"}',
      headers: { 'Content-Type': 'application/json' },
    });
  });

  it('reports for every status whether it is transient, whether the outcome is unknown, and what an admin can do', async () => {
    const cases: [number, { isTransient: boolean; isOutcomeUnknown: boolean }, RegExp][] = [
      [301, { isTransient: false, isOutcomeUnknown: false }, /has another address/],
      [400, { isTransient: false, isOutcomeUnknown: false }, /check the options/],
      [401, { isTransient: false, isOutcomeUnknown: false }, /enter a valid one/],
      [403, { isTransient: false, isOutcomeUnknown: false }, /give it the right/],
      [404, { isTransient: false, isOutcomeUnknown: false }, /check the apiUrl/],
      [408, { isTransient: true, isOutcomeUnknown: true }, /status is 408$/],
      [409, { isTransient: true, isOutcomeUnknown: false }, /changed meanwhile/],
      [410, { isTransient: false, isOutcomeUnknown: false }, /was deleted/],
      [418, { isTransient: false, isOutcomeUnknown: false }, /status is 418$/],
      [422, { isTransient: false, isOutcomeUnknown: false }, /closed or full/],
      [425, { isTransient: true, isOutcomeUnknown: false }, /status is 425$/],
      [429, { isTransient: true, isOutcomeUnknown: false }, /too many calls/],
      [500, { isTransient: true, isOutcomeUnknown: true }, /status is 500$/],
      [503, { isTransient: true, isOutcomeUnknown: true }, /status is 503$/],
    ];
    for (const [status, says, words] of cases) {
      const { api } = answering(() => new Response('secret', { status }));
      const error = await failure(api.call(post));
      expect(error).toMatchObject(says);
      expect(error.message).toMatch(words);
      expect(error.message).toMatch(/^Cannot write a note in Tool: status is /);
      const reading = await failure(api.call(get));
      expect(reading).toMatchObject({ isTransient: says.isTransient, isOutcomeUnknown: false });
    }
  });

  it('follows no redirect', async () => {
    const { api, asked } = answering(
      () => new Response(null, { status: 302, headers: { location: 'https://elsewhere.example' } }),
    );
    await failure(api.call(get));
    expect(asked).toHaveLength(1);
  });

  it('calls only https, and this machine', async () => {
    for (const apiUrl of [
      'http://desk.example.com',
      'ftp://desk.example.com',
      'http://127.0.0.1.example.com',
      'desk',
      undefined,
    ]) {
      const { api, asked } = answering(() => Response.json({ id: '1' }), { apiUrl });
      expect(await failure(api.call(get))).toMatchObject({ isTransient: false });
      expect(asked).toEqual([]);
    }
    for (const apiUrl of ['http://127.0.0.1:8080/desk', 'http://localhost:1', 'https://desk.example.com/base']) {
      const { api } = answering(() => Response.json({ id: '1' }), { apiUrl });
      expect(await api.call(get)).toEqual({ id: '1' });
    }
  });

  it('treats the outcome of a write as unknown when its reply is lost, truncated, wrong or huge', async () => {
    const broken = new ReadableStream({
      start: (controller) => {
        controller.enqueue(new TextEncoder().encode('{"id"'));
        controller.error(new Error('reset'));
      },
    });
    for (const answer of [
      () => Promise.reject(new TypeError('fetch failed')),
      () => new Response('{"id": "1'),
      () => new Response(broken),
      () => new Response('<html>'),
      () => Response.json({ other: 1 }),
      () => new Response(new Uint8Array(4_194_305)),
      () => new Response(null, { status: 201 }),
    ]) {
      const { api } = answering(answer);
      expect(await failure(api.call(post))).toMatchObject({ isTransient: true, isOutcomeUnknown: true });
    }
  });

  it('quotes nothing of a reply', async () => {
    const { api } = answering(() => Response.json({ id: { secret: 'dana@example.net' } }));
    const error = await failure(api.call(get));
    expect(JSON.stringify([error.message, error.cause])).not.toContain('dana');
  });

  it('sends nothing when no time is left', async () => {
    const { api, asked } = answering(() => Response.json({ id: '1' }));
    const error = await failure(api.call({ ...post, signal: AbortSignal.abort() }));
    expect(error).toMatchObject({ isTransient: true, isOutcomeUnknown: false });
    expect(asked).toEqual([]);
  });

  it('retries a 401 once with renewed headers, where the tool allows it', async () => {
    const renewed: boolean[] = [];
    const headers: ApiSettings['headers'] = async (options) => {
      renewed.push(options.renewed);
      return {};
    };
    const { api } = answering(
      () => (renewed.at(-1) ? Response.json({ id: '1' }) : new Response(null, { status: 401 })),
      { headers, renewsOn401: true },
    );
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
});

describe('a call that fails for another reason than the rate limit', () => {
  it('ignores the rate-limit window, which tools send with every reply', async () => {
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

  it('refuses values that would lead elsewhere', () => {
    for (const value of ['', '.', '..', 'x'.repeat(257)]) expect(() => pathOf`/a/${value}`).toThrow(HelpdeskFailed);
  });
});

describe('readPages()', () => {
  const pagesOf = (count: number) => async (next: number | undefined) => {
    const at = next ?? 1;
    return { page: at, next: at < count ? at + 1 : undefined };
  };

  it('reads to the last page, or to the greatest number of pages', async () => {
    expect(await readPages(5, pagesOf(3))).toEqual([1, 2, 3]);
    expect(await readPages(2, pagesOf(3))).toEqual([1, 2]);
    expect(await readPages(5, pagesOf(1))).toEqual([1]);
  });
});
