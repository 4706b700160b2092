import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { helpdeskApi, pathOf, readPages } from '../../../src/support/tools/helpdesk-api.ts';
import { HelpdeskFailed } from '../../../src/support/tools/helpdesk-tool.ts';

type ApiSettings = Parameters<typeof helpdeskApi>[0];

/** An API that answers without a network and records its requests. */
const answering = (answer: () => Response | Promise<Response>, more: Partial<ApiSettings> = {}) => {
  const requests: { url: string; init: RequestInit | undefined }[] = [];
  const signal = AbortSignal.timeout(5000);
  const settings: ApiSettings = {
    signal,
    tool: 'Tool',
    apiUrl: 'https://desk.example.com',
    now: () => 1_768_473_000_000,
    headers: async () => ({ Authorization: 'Bearer key' }),
    fetch: async (url, init) => {
      requests.push({ url: String(url), init });
      return answer();
    },
    ...more,
  };
  const reply = z.object({ id: z.string() });
  return {
    requests,
    get: () => helpdeskApi(settings).call({ action: 'read a ticket', path: '/tickets/1', reply }),
    post: (given = signal) =>
      helpdeskApi({ ...settings, signal: given }).call({
        action: 'write',
        path: '/tickets/1',
        reply,
        method: 'POST',
        body: { text: 'x' },
      }),
  };
};
const replying = (
  status: number,
  headers: Record<string, string> = {},
  more: Partial<ApiSettings> = {},
) => answering(() => new Response('secret', { status, headers }), more);
const ANSWER = () => Response.json({ id: '1', more: true });

describe('HelpdeskApi.call()', () => {
  it('sends JSON, follows no redirect, and reads a reply by its schema', async () => {
    const { post, requests } = answering(ANSWER);
    expect(await post()).toEqual({ id: '1' });
    const headers = { Authorization: 'Bearer key', 'Content-Type': 'application/json' };
    const init = { method: 'POST', redirect: 'manual', body: '{"text":"x"}', headers };
    expect(requests).toMatchObject([{ url: 'https://desk.example.com/tickets/1', init }]);
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
    'reports status %i, and what helps: is transient %s, unknown outcome %s',
    async (status, isTransient, isOutcomeUnknown, words) => {
      const { post, get, requests } = replying(status, { location: 'https://elsewhere.example' });
      const failed: unknown = await post().catch((error: Error) => error);
      const message = expect.stringMatching(words);
      expect(failed).toMatchObject({
        name: 'HelpdeskFailed',
        isTransient,
        isOutcomeUnknown,
        message,
      });
      expect(String(failed)).toContain('Cannot write in Tool: status is ');
      expect(JSON.stringify([String(failed), (failed as Error).cause])).not.toContain('secret');
      await expect(get()).rejects.toMatchObject({ isTransient, isOutcomeUnknown: false });
      expect(requests).toHaveLength(2);
    },
  );
  it.each([
    'http://desk.example.com',
    'ftp://desk.example.com',
    'http://127.0.0.1.example.com',
    'desk',
    undefined,
  ])('does not call %s', async (apiUrl) => {
    const { get, requests } = answering(ANSWER, { apiUrl });
    await expect(get()).rejects.toMatchObject({ name: 'HelpdeskFailed', isTransient: false });
    expect(requests).toEqual([]);
  });
  it.each(['http://127.0.0.1:8080/desk', 'http://localhost:1', 'https://desk.example.com/base'])(
    'calls %s',
    async (apiUrl) => expect(await answering(ANSWER, { apiUrl }).get()).toEqual({ id: '1' }),
  );
  const start = (controller: ReadableStreamDefaultController) => {
    controller.enqueue(new TextEncoder().encode('{"id"'));
    controller.error(new Error('reset'));
  };
  it.each<[string, () => Response | Promise<Response>]>([
    ['lost', () => Promise.reject(new TypeError('fetch failed'))],
    ['truncated', () => new Response('{"id": "1')],
    ['broken off', () => new Response(new ReadableStream({ start }))],
    ['wrong', () => new Response('<html>')],
    ['of another form', () => Response.json({ id: { secret: 'dana@example.net' } })],
    ['huge', () => new Response(new Uint8Array(4_194_305))],
    ['empty', () => new Response(null, { status: 201 })],
  ])(
    'treats a reply that is %s as transient, a write as of unknown outcome, and quotes nothing',
    async (_, answer) => {
      const { post, get } = answering(answer);
      await expect(post()).rejects.toMatchObject({ isTransient: true, isOutcomeUnknown: true });
      const failed: unknown = await get().catch((error: Error) => error);
      expect(failed).toMatchObject({
        name: 'HelpdeskFailed',
        isTransient: true,
        isOutcomeUnknown: false,
      });
      expect(JSON.stringify([String(failed), (failed as Error).cause])).not.toMatch(/dana|html/);
    },
  );
  it('sends nothing when no time is left', async () => {
    const { post, requests } = answering(ANSWER);
    await expect(post(AbortSignal.abort())).rejects.toMatchObject({
      isTransient: true,
      isOutcomeUnknown: false,
    });
    expect(requests).toEqual([]);
  });
  const WINDOW = {
    'x-ratelimit-reset': '1768473010',
    'ratelimit-reset': '12',
    'x-ratelimit-retry-after': '9',
  };
  it.each<[number, Record<string, string>, number | undefined, number?]>([
    [429, { 'retry-after': '7' }, 7000],
    [429, { 'retry-after': '99999999' }, 3_600_000],
    [429, { 'x-ratelimit-retry-after': '9' }, 9000],
    [429, { 'ratelimit-reset': '12' }, 12_000],
    [429, { 'x-ratelimit-reset': '1768473010' }, 10_000],
    [429, { 'retry-after': '3', 'x-ratelimit-reset': '1768473010' }, 3000],
    [429, {}, undefined],
    [429, {}, 60_000, 60_000],
    // Tools send the window of their rate limit with every reply.
    ...[408, 409, 500, 502, 503].map(
      (status) => [status, WINDOW, undefined] as [number, typeof WINDOW, undefined],
    ),
    [503, { ...WINDOW, 'retry-after': '7' }, 7000],
  ])(
    'reports after status %i with %j a wait of %s ms',
    async (status, headers, retryAfterMs, rateLimitWaitMs) => {
      const { get } = replying(
        status,
        headers,
        rateLimitWaitMs === undefined ? {} : { rateLimitWaitMs },
      );
      await expect(get()).rejects.toMatchObject({ isTransient: true, retryAfterMs });
    },
  );
});

describe('pathOf()', () => {
  it('encodes each value as one segment', () =>
    expect(pathOf`/a/${'x y'}/b/${'../c'}`).toBe('/a/x%20y/b/..%2Fc'));
  it.each(['', '.', '..', 'x'.repeat(257)])('refuses %j, which would change the path', (value) => {
    expect(() => pathOf`/a/${value}`).toThrow(HelpdeskFailed);
  });
});

it.each([
  [5, 3, [1, 2, 3]],
  [2, 3, [1, 2]],
])('readPages() reads at most %i pages of %i', async (most, count, pages) => {
  expect(
    await readPages(most, async (at: number = 1) => ({
      page: at,
      next: at < count ? at + 1 : undefined,
    })),
  ).toEqual(pages);
});
