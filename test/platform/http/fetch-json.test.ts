import { describe, expect, it } from 'vitest';
import {
  fetchJson,
  HttpFailure,
  retryAfterMs,
  sendOk,
} from '../../../src/platform/http/fetch-json.ts';

type FetchJsonOptions = Parameters<typeof fetchJson>[1];

const NOW = 1_768_473_000_000;

/** Answers each call with the next reply, without network access. */
const serving = (...replies: (() => Response | Promise<Response>)[]) => {
  const calls: { url: string; init: RequestInit }[] = [];
  const fetch: typeof globalThis.fetch = async (url, init = {}) => {
    calls.push({ url: String(url), init });
    return replies[Math.min(calls.length, replies.length) - 1]?.() ?? Response.json({});
  };
  const options = { fetch, headers: {}, signal: new AbortController().signal };
  const get = (more: Partial<FetchJsonOptions> = {}) =>
    fetchJson('https://api.example.com/items', {
      ...options,
      maxBytes: 100,
      now: () => NOW,
      ...more,
    });
  return { calls, get, send: () => sendOk('https://a.example', options) };
};

const failure = async (call: Promise<unknown>): Promise<HttpFailure> => {
  const error: unknown = await call.catch((reason: unknown) => reason);
  return error instanceof HttpFailure ? error : expect.unreachable(String(error));
};

const lost = () =>
  Promise.reject(new TypeError('fetch failed at https://api.example.com/?key=secret'));
const status = (code: number, headers: Record<string, string> = {}) => {
  return () => new Response('secret', { status: code, headers });
};
const found = () => Response.json({ id: 1 }, { status: 201, headers: { 'resource-id': '7' } });

describe('fetchJson()', () => {
  it('reads JSON of any 2xx status, and follows no redirect', async () => {
    const { get, calls } = serving(found);
    const { json, headers } = await get({ method: 'POST', body: '{}' });
    expect([json, headers.get('resource-id')]).toEqual([{ id: 1 }, '7']);
    expect(calls[0]?.init).toMatchObject({ method: 'POST', body: '{}', redirect: 'manual' });
    const moved = serving(status(302, { location: 'https://elsewhere.example' }));
    expect(await failure(moved.get())).toMatchObject({ kind: 'status', status: 302 });
    expect(moved.calls).toHaveLength(1);
  });
  it.each([
    ['unreachable', lost],
    ['status', status(404)],
    ['too-large', () => new Response('x'.repeat(101))],
    ['not-json', () => new Response('{"id": ')],
    ['not-json', () => new Response(new Uint8Array([0x22, 0xff, 0x22]))],
    ['not-json', () => new Response(null, { status: 204 })],
    [
      'broken-off',
      () =>
        new Response(new ReadableStream({ start: (stream) => stream.error(new Error('reset')) })),
    ],
  ])('fails as %s, without quoting the address or the reply', async (kind, reply) => {
    const error = await failure(serving(reply).get());
    expect(error.kind).toBe(kind);
    expect(error.message).not.toMatch(/secret|example/);
  });
  it.each([
    ['fetch', () => new Promise<Response>(() => {})],
    ['the body', () => new Response(new ReadableStream())],
  ])('times out even when %s ignores the signal', async (_, reply) => {
    expect(await failure(serving(reply).get({ timeoutMs: 20 }))).toMatchObject({ kind: 'timeout' });
    expect(await failure(serving(reply).get({ signal: AbortSignal.abort() }))).toMatchObject({
      kind: 'timeout',
    });
  });
  it.each([
    ['a lost connection', lost, undefined],
    ['500', status(500), undefined],
    ['503 after the wait that it asks for', status(503, { 'retry-after': '0.01' }), undefined],
    ['503 with a wait beyond the deadline', status(503, { 'retry-after': '5' }), 'status'],
    ['429', status(429), 'status'],
    ['400', status(400), 'status'],
    ['a reply that is not JSON', () => new Response('no JSON'), 'not-json'],
  ])('retries a lost connection and 5xx within the deadline: %s', async (_, first, fails) => {
    const { get, calls } = serving(first, found);
    const reply = get({ retries: 3, timeoutMs: 5000 });
    if (fails === undefined) expect((await reply).json).toEqual({ id: 1 });
    else expect((await failure(reply)).kind).toBe(fails);
    expect(calls).toHaveLength(fails === undefined ? 2 : 1);
  });
  it('retries no more often than allowed', async () => {
    const { get, calls } = serving(status(502));
    expect(await failure(get({ retries: 2 }))).toMatchObject({ status: 502 });
    expect(calls).toHaveLength(3);
  });
});
it('sendOk() returns a 2xx response, and discards the body of any other status', async () => {
  expect((await serving(() => new Response('no JSON', { status: 201 })).send()).status).toBe(201);
  const cancelled: unknown[] = [];
  const body = new ReadableStream({ cancel: (reason) => void cancelled.push(reason) });
  const error = await failure(
    serving(() => new Response(body, { status: 403, headers: { 'x-a': '1' } })).send(),
  );
  expect([error.status, error.headers.get('x-a'), cancelled]).toEqual([403, '1', [undefined]]);
});
it.each<[Record<string, string>, number | undefined, string[]?]>([
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
  [{ second: '12', third: '99' }, 12_000, ['retry-after', 'second', 'third']],
  [{ 'retry-after': '3', third: '1768473010' }, 3000, ['retry-after', 'second', 'third']],
  // Seconds since 1970.
  [{ third: '1768473010.25' }, 10_250, ['third']],
  [{ third: '1768472000' }, 0, ['third']],
])('retryAfterMs() reads %j as %s', (headers, expected, names) => {
  expect(retryAfterMs(new Headers(headers), NOW, names)).toBe(expected);
});
