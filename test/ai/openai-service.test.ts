import { getEventListeners } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type OpenAIServiceConfig, openAIService, type ServiceReply } from '../../src/ai/openai-service.ts';
import { type OpenAIServer, QUOTA_USED_UP, startOpenAIServer } from '../../src/dev/stand-ins/openai/openai-server.ts';
import type { Fault } from '../../src/dev/stand-ins/server/faults.ts';

let server: OpenAIServer;
beforeAll(async () => {
  server = await startOpenAIServer();
});
afterEach(() => {
  server.faults.none();
  server.forgetRequests();
});
afterAll(() => server.stop());

const OPTIONS = { model: 'text-embedding-3-small', timeoutMs: 5000 };
const BODY = { model: 'text-embedding-3-small', input: ['a text'], dimensions: 2 };

const post = (
  config: Partial<OpenAIServiceConfig> = {},
  options: { signal?: AbortSignal; retries?: 0 | 1 } = {},
): Promise<ServiceReply> =>
  openAIService({ apiKey: server.apiKey, baseURL: server.url, ...config }, OPTIONS).post('/embeddings', BODY, {
    maxBytes: 65_536,
    retries: 1,
    ...options,
  });

const status = (code: number, rest: Partial<Extract<Fault, { kind: 'status' }>> = {}): Fault => ({
  kind: 'status',
  status: code,
  ...rest,
});
const AT_ONCE = { retryAfter: 0 };

describe('openAIService().post()', () => {
  it.each<[string, Fault]>([
    ['status 408', status(408, AT_ONCE)],
    ['status 429 that may be tried again at once', status(429, AT_ONCE)],
    ['status 429 that may be tried again in milliseconds', status(429, { headers: { 'retry-after-ms': '20' } })],
    ['status 500', status(500, AT_ONCE)],
    ['status 503', status(503, AT_ONCE)],
    ['a page of a proxy', { kind: 'html-502' }],
    ['a connection that breaks', { kind: 'reset' }],
    ['a connection that breaks in the answer', { kind: 'reset-in-body' }],
    [
      'status 409 that the service wants to see again',
      status(409, { ...AT_ONCE, headers: { 'x-should-retry': 'true' } }),
    ],
  ])('sends once more after %s', async (_, fault) => {
    server.faults.next(1, fault);
    expect(await post()).toMatchObject({ ok: true });
    expect(server.requests).toHaveLength(2);
    expect(server.requests[1]?.body).toBe(server.requests[0]?.body);
  });

  it.each<[string, Fault]>([
    ['status 400', status(400, AT_ONCE)],
    ['status 401', status(401, AT_ONCE)],
    ['status 404', status(404, AT_ONCE)],
    ['status 409', status(409, AT_ONCE)],
    [
      'status 503 that the service does not want to see again',
      status(503, { ...AT_ONCE, headers: { 'x-should-retry': 'false' } }),
    ],
    ['a wait that is too long to sit out', status(429, { retryAfter: 3 })],
    ['a wait until a date that is too far', status(503, { retryAfter: 'Wed, 21 Oct 2065 07:28:00 GMT' })],
    ['a quota that is used up', { ...QUOTA_USED_UP, ...AT_ONCE }],
    ['a quota that is used up, although told to', { ...QUOTA_USED_UP, headers: { 'x-should-retry': 'true' } }],
    ['an answer that is no JSON', { kind: 'malformed-json' }],
  ])('sends nothing more after %s', async (_, fault) => {
    server.faults.next(1, fault);
    expect(await post()).toMatchObject({ ok: false });
    expect(server.requests).toHaveLength(1);
  });

  it('sends no third time', async () => {
    server.faults.always(status(503, AT_ONCE));
    expect(await post()).toMatchObject({ ok: false, reason: 'unavailable', problem: 'status is 503' });
    expect(server.requests).toHaveLength(2);
  });

  it('sends once where no repeat is wanted', async () => {
    server.faults.always(status(503, AT_ONCE));
    expect(await post({}, { retries: 0 })).toMatchObject({ ok: false, reason: 'unavailable' });
    expect(server.requests).toHaveLength(1);
  });

  it.each<[string, Fault, number | undefined]>([
    ['seconds', status(429, { retryAfter: 30 }), 30_000],
    ['an hour', status(429, { retryAfter: 3600 }), 60_000],
    ['a date', status(429, { retryAfter: 'Sat, 21 Nov 2026 12:00:20 GMT' }), 20_000],
    ['a date that is over', status(429, { retryAfter: 'Sat, 21 Nov 2020 12:00:00 GMT' }), 0],
    ['milliseconds', status(429, { retryAfter: 30, headers: { 'retry-after-ms': '2500' } }), 2500],
    ['nothing that can be read', status(429, { retryAfter: 'soon' }), undefined],
    ['a negative number', status(429, { retryAfter: -5 }), undefined],
  ])('tells the wait that the service asks for: %s', async (_, fault, retryAfterMs) => {
    server.faults.always(fault);
    const now = () => Date.UTC(2026, 10, 21, 12);
    const reply = await post({ now }, { retries: 0 });
    expect(reply).toMatchObject({ ok: false, reason: 'rate_limited' });
    expect(reply).toHaveProperty('retryAfterMs', retryAfterMs);
  });

  it.each<[string, Fault]>([
    ['never answers', { kind: 'hang-before-headers' }],
    ['stops in its answer', { kind: 'hang-in-body' }],
    ['is too slow', { kind: 'delay', ms: 10_000 }],
    ['has itself waited for', status(503, { retryAfter: 2 })],
  ])('ends in its own time when the service %s', async (_, fault) => {
    server.faults.always(fault);
    const began = performance.now();
    expect(await post({ timeoutMs: 150 })).toEqual({
      ok: false,
      reason: 'unavailable',
      problem: 'no answer within 150 ms',
    });
    expect(performance.now() - began).toBeLessThan(1000);
  });

  it('ends at once for a fetch that listens to no signal', async () => {
    const deaf: typeof fetch = () => new Promise(() => {});
    const controller = new AbortController();
    const posting = post({ fetch: deaf }, { signal: controller.signal });
    controller.abort();
    expect(await posting).toMatchObject({ ok: false, reason: 'aborted' });
  });

  it('leaves no listener behind on a signal that outlives it', async () => {
    const { signal } = new AbortController();
    await post({}, { signal });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('says what the system calls a broken connection, and quotes neither address nor key', async () => {
    const gone = await startOpenAIServer();
    await gone.stop();
    const reply = await post({ baseURL: gone.url }, { retries: 0 });
    expect(reply).toMatchObject({ reason: 'unavailable', problem: 'it cannot be reached (ECONNREFUSED)' });
  });

  it('repeats nothing that the service or the network said', async () => {
    server.faults.always(status(400, { message: 'You sent "a text" with sk-local-0000' }));
    expect(await post()).toEqual({ ok: false, reason: 'refused', problem: 'status is 400', retryAfterMs: undefined });
    const talkative: typeof fetch = () => Promise.reject(new TypeError(`Bearer ${server.apiKey} is no header`));
    expect(await post({ fetch: talkative }, { retries: 0 })).toMatchObject({ problem: 'it cannot be reached' });
  });

  it('sends no request that is larger than 4 million characters', async () => {
    const service = openAIService({ apiKey: server.apiKey, baseURL: server.url }, OPTIONS);
    const reply = await service.post('/embeddings', 'x'.repeat(4_200_000), { maxBytes: 1, retries: 1 });
    expect(reply).toMatchObject({ ok: false, reason: 'refused' });
    expect(server.requests).toHaveLength(0);
  });
});
