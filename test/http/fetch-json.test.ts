import { describe, expect, it } from 'vitest';
import { type FetchJsonOptions, fetchJson, HttpFailure, retryAfterMs, sendOk } from '../../src/http/fetch-json.ts';

const NOW = 1_768_473_000_000;

/** Answers each call with the next reply, without network access. */
const serving = (...replies: (() => Response | Promise<Response>)[]) => {
  const calls: { url: string; init: RequestInit }[] = [];
  const fetch: typeof globalThis.fetch = async (url, init = {}) => {
    calls.push({ url: String(url), init });
    return replies[Math.min(calls.length, replies.length) - 1]?.() ?? Response.json({});
  };
  const get = (more: Partial<FetchJsonOptions> = {}) =>
    fetchJson('https://api.example.com/items', {
      ...{ fetch, headers: {}, signal: new AbortController().signal, maxBytes: 100, now: () => NOW },
      ...more,
    });
  return { fetch, calls, get };
};

const failure = async (call: Promise<unknown>): Promise<HttpFailure> => {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(HttpFailure);
  return error as HttpFailure;
};

const lost = () => Promise.reject(new TypeError('fetch failed at https://api.example.com/?key=secret'));
const status = (code: number, headers: Record<string, string> = {}) =>
  new Response('secret', { status: code, headers });

describe('fetchJson()', () => {
  it('reads JSON of any 2xx status, and follows no redirect', async () => {
    const { get, calls } = serving(() => Response.json({ id: 1 }, { status: 201, headers: { 'resource-id': '7' } }));
    const { json, headers } = await get({ method: 'POST', body: '{}' });
    expect([json, headers.get('resource-id')]).toEqual([{ id: 1 }, '7']);
    expect(calls[0]?.init).toMatchObject({ method: 'POST', body: '{}', redirect: 'manual' });
    const moved = serving(() => status(302, { location: 'https://elsewhere.example' }));
    expect(await failure(moved.get())).toMatchObject({ kind: 'status', status: 302 });
    expect(moved.calls).toHaveLength(1);
  });

  it.each([
    ['unreachable', lost],
    ['status', () => status(404)],
    ['too-large', () => new Response('x'.repeat(101))],
    ['not-json', () => new Response('{"id": ')],
    ['not-json', () => new Response(new Uint8Array([0x22, 0xff, 0x22]))],
    ['not-json', () => new Response(null, { status: 204 })],
    ['broken-off', () => new Response(new ReadableStream({ start: (stream) => stream.error(new Error('reset')) }))],
  ])('fails as %s, without quoting the address or the reply', async (kind, reply) => {
    const error = await failure(serving(reply).get());
    expect(error.kind).toBe(kind);
    expect(error.message).not.toMatch(/secret|example/);
  });

  it('times out even when fetch or the body ignores the signal', async () => {
    for (const reply of [() => new Promise<Response>(() => {}), () => new Response(new ReadableStream())]) {
      expect(await failure(serving(reply).get({ timeoutMs: 20 }))).toMatchObject({ kind: 'timeout' });
      const ended = AbortSignal.abort();
      expect(await failure(serving(reply).get({ signal: ended }))).toMatchObject({ kind: 'timeout' });
    }
  });

  it('retries a lost connection and 5xx up to `retries` times, and nothing else', async () => {
    for (const first of [lost, () => status(500), () => status(503, { 'retry-after': '0' })]) {
      const { get, calls } = serving(first, () => Response.json({ id: 1 }));
      expect((await get({ retries: 1, timeoutMs: 5000 })).json).toEqual({ id: 1 });
      expect(calls).toHaveLength(2);
    }
    for (const first of [() => status(429), () => status(400), () => new Response('no JSON')]) {
      const { get, calls } = serving(first);
      await failure(get({ retries: 3 }));
      expect(calls).toHaveLength(1);
    }
    const { get, calls } = serving(() => status(502));
    expect(await failure(get({ retries: 2 }))).toMatchObject({ status: 502 });
    expect(calls).toHaveLength(3);
  });

  it('waits for Retry-After between attempts, and fails when the deadline comes first', async () => {
    const soon = serving(
      () => status(503, { 'retry-after': '0.01' }),
      () => Response.json({}),
    );
    expect((await soon.get({ retries: 1, timeoutMs: 5000 })).json).toEqual({});
    const later = serving(() => status(503, { 'retry-after': '5' }));
    expect(await failure(later.get({ retries: 1, timeoutMs: 5000 }))).toMatchObject({ status: 503 });
    expect(later.calls).toHaveLength(1);
  });
});

describe('sendOk()', () => {
  it('returns a 2xx response, and discards the body of any other status', async () => {
    const signal = new AbortController().signal;
    const ok = serving(() => new Response('no JSON', { status: 201 }));
    expect((await sendOk('https://a.example', { fetch: ok.fetch, headers: {}, signal })).status).toBe(201);
    const cancelled: unknown[] = [];
    const body = new ReadableStream({ cancel: (reason) => void cancelled.push(reason) });
    const refused = serving(() => new Response(body, { status: 403, headers: { 'x-a': '1' } }));
    const error = await failure(sendOk('https://a.example', { fetch: refused.fetch, headers: {}, signal }));
    expect([error.status, error.headers.get('x-a'), cancelled]).toEqual([403, '1', [undefined]]);
  });
});

describe('retryAfterMs()', () => {
  it.each([
    [{ 'retry-after': '7' }, 7000],
    [{ 'retry-after': ' 0 ' }, 0],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after': 'Thu, 15 Jan 2026 10:31:00 GMT' }, 60_000],
    [{ 'retry-after': 'Thu, 15 Jan 2026 10:00:00 GMT' }, 0],
    [{ 'retry-after': '-5' }, undefined],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': '1'.repeat(300) }, undefined],
    [{ 'x-ratelimit-reset': '9' }, undefined],
    [{}, undefined],
  ])('reads %j as %s', (headers, expected) => {
    expect(retryAfterMs(new Headers(headers as Record<string, string>), NOW)).toBe(expected);
  });

  it('reads further headers in order, including a time since 1970', () => {
    const names = ['retry-after', 'ratelimit-reset', 'x-ratelimit-reset'];
    const read = (headers: Record<string, string>) => retryAfterMs(new Headers(headers), NOW, names);
    expect(read({ 'ratelimit-reset': '12', 'x-ratelimit-reset': '99' })).toBe(12_000);
    expect(read({ 'retry-after': '3', 'x-ratelimit-reset': '1768473010' })).toBe(3000);
    expect(read({ 'x-ratelimit-reset': '1768473010.25' })).toBe(10_250);
    expect(read({ 'x-ratelimit-reset': '1768472000' })).toBe(0);
  });
});
