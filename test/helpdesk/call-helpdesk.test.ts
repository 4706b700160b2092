import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { callHelpdesk, type HelpdeskApi, pathOf, tellHelpdesk } from '../../src/helpdesk/call-helpdesk.ts';
import { HelpdeskFailed } from '../../src/helpdesk/helpdesk-tool.ts';

const NOW = 1_768_473_000_000;

/** Answers without a network; what was asked is kept. */
const answering = (answer: () => Response | Promise<Response>, more: Partial<HelpdeskApi> = {}) => {
  const asked: { url: string; init: RequestInit }[] = [];
  const api: HelpdeskApi = {
    tool: 'Tool',
    apiUrl: 'https://desk.example.com',
    headers: async () => ({ Authorization: 'Bearer key' }),
    fetch: async (url, init) => {
      asked.push({ url: String(url), init: init ?? {} });
      return answer();
    },
    now: () => NOW,
    ...more,
  };
  return { api, asked };
};

const get = {
  doing: 'read a ticket',
  path: '/tickets/1',
  reply: z.object({ id: z.string() }),
  signal: AbortSignal.timeout(5000),
};
const post = { ...get, doing: 'write a note', method: 'POST' as const, body: { text: 'x' } };

const failure = async (call: Promise<unknown>): Promise<HelpdeskFailed> => {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(HelpdeskFailed);
  return error as HelpdeskFailed;
};

describe('callHelpdesk()', () => {
  it('reads a reply by its schema', async () => {
    const { api, asked } = answering(() => Response.json({ id: '1', more: true }));
    expect(await callHelpdesk(api, get)).toEqual({ id: '1' });
    expect(asked[0]).toMatchObject({
      url: 'https://desk.example.com/tickets/1',
      init: { method: 'GET', redirect: 'manual', headers: { Authorization: 'Bearer key' } },
    });
  });

  it('sends JSON', async () => {
    const { api, asked } = answering(() => Response.json({ id: '1' }));
    await callHelpdesk(api, post);
    expect(asked[0]?.init).toMatchObject({
      method: 'POST',
      body: '{"text":"x"}',
      headers: { 'Content-Type': 'application/json' },
    });
  });

  it('says for every status whether it passes, whether it is unclear, and what an admin can do', async () => {
    const cases: [number, { isPassing: boolean; isUnclear: boolean }, RegExp][] = [
      [301, { isPassing: false, isUnclear: false }, /has moved/],
      [400, { isPassing: false, isUnclear: false }, /check the options/],
      [401, { isPassing: false, isUnclear: false }, /enter a valid one/],
      [403, { isPassing: false, isUnclear: false }, /give it the right/],
      [404, { isPassing: false, isUnclear: false }, /check the apiUrl/],
      [408, { isPassing: true, isUnclear: true }, /status is 408$/],
      [409, { isPassing: true, isUnclear: false }, /changed meanwhile/],
      [410, { isPassing: false, isUnclear: false }, /was deleted/],
      [418, { isPassing: false, isUnclear: false }, /status is 418$/],
      [422, { isPassing: false, isUnclear: false }, /closed or full/],
      [425, { isPassing: true, isUnclear: false }, /status is 425$/],
      [429, { isPassing: true, isUnclear: false }, /too many calls/],
      [500, { isPassing: true, isUnclear: true }, /status is 500$/],
      [503, { isPassing: true, isUnclear: true }, /status is 503$/],
    ];
    for (const [status, says, words] of cases) {
      const { api } = answering(() => new Response('secret', { status }));
      const error = await failure(callHelpdesk(api, post));
      expect(error).toMatchObject(says);
      expect(error.message).toMatch(words);
      expect(error.message).toMatch(/^Cannot write a note in Tool: status is /);
      const reading = await failure(callHelpdesk(api, get));
      expect(reading).toMatchObject({ isPassing: says.isPassing, isUnclear: false });
    }
  });

  it('follows no redirect', async () => {
    const { api, asked } = answering(
      () => new Response(null, { status: 302, headers: { location: 'https://elsewhere.example' } }),
    );
    await failure(callHelpdesk(api, get));
    expect(asked).toHaveLength(1);
  });

  it('calls nothing but https, and this machine', async () => {
    for (const apiUrl of [
      'http://desk.example.com',
      'ftp://desk.example.com',
      'http://127.0.0.1.example.com',
      'desk',
      undefined,
    ]) {
      const { api, asked } = answering(() => Response.json({ id: '1' }), { apiUrl });
      expect(await failure(callHelpdesk(api, get))).toMatchObject({ isPassing: false });
      expect(asked).toEqual([]);
    }
    for (const apiUrl of ['http://127.0.0.1:8080/desk', 'http://localhost:1', 'https://desk.example.com/base']) {
      const { api } = answering(() => Response.json({ id: '1' }), { apiUrl });
      expect(await callHelpdesk(api, get)).toEqual({ id: '1' });
    }
  });

  it('takes a lost, cut, wrong or huge reply of a write for unclear', async () => {
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
      expect(await failure(callHelpdesk(api, post))).toMatchObject({ isPassing: true, isUnclear: true });
    }
  });

  it('says nothing of a reply', async () => {
    const { api } = answering(() => Response.json({ id: { secret: 'dana@example.net' } }));
    const error = await failure(callHelpdesk(api, get));
    expect(JSON.stringify([error.message, error.cause])).not.toContain('dana');
  });

  it('asks nobody when there is no time left: nothing was written then', async () => {
    const { api, asked } = answering(() => Response.json({ id: '1' }));
    const error = await failure(callHelpdesk(api, { ...post, signal: AbortSignal.abort() }));
    expect(error).toMatchObject({ isPassing: true, isUnclear: false });
    expect(asked).toEqual([]);
  });

  it('renews its headers once where that may cure a 401', async () => {
    const renewed: boolean[] = [];
    const headers: HelpdeskApi['headers'] = async (options) => {
      renewed.push(options.renewed);
      return {};
    };
    const { api } = answering(
      () => (renewed.at(-1) ? Response.json({ id: '1' }) : new Response(null, { status: 401 })),
      {
        headers,
        renews: true,
      },
    );
    expect(await callHelpdesk(api, get)).toEqual({ id: '1' });
    expect(renewed).toEqual([false, true]);
  });

  it('waits as long as it is told, an hour at most, in each of the ways that tools tell it', async () => {
    const cases: [Record<string, string>, number | undefined][] = [
      [{ 'retry-after': '7' }, 7000],
      [{ 'retry-after': '0' }, 0],
      [{ 'retry-after': '0.5' }, 500],
      [{ 'retry-after': 'Thu, 15 Jan 2026 10:31:00 GMT' }, 60_000],
      [{ 'retry-after': 'Thu, 15 Jan 2026 10:00:00 GMT' }, 0],
      [{ 'retry-after': '99999999' }, 3_600_000],
      [{ 'retry-after': '-5' }, undefined],
      [{ 'retry-after': 'soon' }, undefined],
      [{ 'retry-after': '1'.repeat(300) }, undefined],
      [{ 'x-ratelimit-retry-after': '9' }, 9000],
      [{ 'ratelimit-reset': '12' }, 12_000],
      [{ 'x-ratelimit-reset': '1768473010' }, 10_000],
      [{ 'x-ratelimit-reset': '1768473010.25' }, 10_250],
      [{ 'retry-after': '3', 'x-ratelimit-reset': '1768473010' }, 3000],
      [{}, undefined],
    ];
    for (const [headers, retryAfterMs] of cases) {
      const { api } = answering(() => new Response(null, { status: 429, headers }));
      expect(await failure(callHelpdesk(api, get))).toMatchObject({ retryAfterMs });
    }
    const quiet = answering(() => new Response('Retry later', { status: 429 }), { quietMs: 60_000 });
    expect(await failure(callHelpdesk(quiet.api, get))).toMatchObject({ retryAfterMs: 60_000 });
  });
});

describe('a call that fails otherwise than by the rate limit', () => {
  it('asks for no rest, though the tool tells of its window with every answer', async () => {
    const headers = { 'x-ratelimit-reset': '1768473010', 'ratelimit-reset': '12', 'x-ratelimit-retry-after': '9' };
    for (const status of [408, 409, 500, 502, 503]) {
      const { api } = answering(() => new Response(null, { status, headers }));
      expect(await failure(callHelpdesk(api, get))).toMatchObject({ isPassing: true, retryAfterMs: undefined });
    }
    const { api } = answering(() => new Response(null, { status: 503, headers: { ...headers, 'retry-after': '7' } }));
    expect(await failure(callHelpdesk(api, get))).toMatchObject({ retryAfterMs: 7000 });
  });
});

describe('tellHelpdesk()', () => {
  it('gives the headers of a success, whatever its body is', async () => {
    const { api } = answering(() => new Response('no JSON', { status: 201, headers: { 'resource-id': '7' } }));
    const { reply: _, ...call } = post;
    expect((await tellHelpdesk(api, call)).get('resource-id')).toBe('7');
  });
});

describe('pathOf()', () => {
  it('puts each value into a segment of its own', () => {
    expect(pathOf`/a/${'x y'}/b/${'../c'}`).toBe('/a/x%20y/b/..%2Fc');
  });

  it('takes no value that would lead elsewhere', () => {
    for (const value of ['', '.', '..', 'x'.repeat(257)]) expect(() => pathOf`/a/${value}`).toThrow(HelpdeskFailed);
  });
});
