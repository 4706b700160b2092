import { getEventListeners } from 'node:events';
import { afterEach, expect, it, vi } from 'vitest';
import { type OpenAIConfig, openAICaller } from '../../src/ai/openai-client.ts';
import { QUOTA_USED_UP, startOpenAIServer } from '../../tools/stand-ins/openai/openai-server.ts';
import type { Fault } from '../../tools/stand-ins/server/faults.ts';
import { HANGS, openaiForTest } from './openai-for-test.ts';

type ServiceReply = Awaited<ReturnType<ReturnType<typeof openAICaller>>>;

const server = await openaiForTest();
afterEach(() => void vi.unstubAllEnvs());
const OPTIONS = { model: 'text-embedding-3-small', timeoutMs: 5000 };
const BODY = { model: 'text-embedding-3-small', input: ['a text'], dimensions: 2 };

const post = (
  config: Partial<OpenAIConfig> = {},
  { body = BODY, ...options }: { body?: typeof BODY; signal?: AbortSignal; retries?: 0 | 1 } = {},
): Promise<ServiceReply> =>
  openAICaller({ apiKey: server.apiKey, baseURL: server.url, ...config }, OPTIONS)(
    (client, request) => client.embeddings.create(body, request),
    { maxBytes: 65_536, retries: 1, ...options },
  );

const status = (code: number, rest: Partial<Extract<Fault, { kind: 'status' }>> = {}): Fault => ({
  kind: 'status',
  status: code,
  ...rest,
});
const AT_ONCE = { retryAfter: 0 };
const AGAIN = { 'x-should-retry': 'true' };
const NOT_AGAIN = { 'x-should-retry': 'false' };

it.each<[string, Fault]>([
  ['status 408', status(408, AT_ONCE)],
  ['status 429 that may be tried again at once', status(429, AT_ONCE)],
  [
    'status 429 that may be tried again in milliseconds',
    status(429, { headers: { 'retry-after-ms': '20' } }),
  ],
  ['status 500', status(500, AT_ONCE)],
  ['status 503', status(503, AT_ONCE)],
  ['a page of a proxy', { kind: 'html-502' }],
  ['a connection that breaks', { kind: 'reset' }],
  ['a connection that breaks in the reply', { kind: 'reset-in-body' }],
  ['status 409 that the service wants to see again', status(409, { ...AT_ONCE, headers: AGAIN })],
])('retries once after %s', async (_, fault) => {
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
    status(503, { ...AT_ONCE, headers: NOT_AGAIN }),
  ],
  ['a wait that is too long to sit out', status(429, { retryAfter: 3 })],
  [
    'a wait until a date that is too far',
    status(503, { retryAfter: 'Wed, 21 Oct 2065 07:28:00 GMT' }),
  ],
  ['an exhausted quota', { ...QUOTA_USED_UP, ...AT_ONCE }],
  ['an exhausted quota, despite Retry-After', { ...QUOTA_USED_UP, headers: AGAIN }],
  ['a reply that is not JSON', { kind: 'malformed-json' }],
])('does not retry after %s', async (_, fault) => {
  server.faults.next(1, fault);
  await post();
  expect(server.requests).toHaveLength(1);
});
it.each([
  ['does not retry twice', 1, 2],
  ['does not retry when the caller disables retries', 0, 1],
] as const)('%s', async (_, retries, requests) => {
  server.faults.always(status(503, AT_ONCE));
  const failed = { ok: false, reason: 'unavailable', problem: 'status is 503' };
  expect(await post({}, { retries })).toMatchObject(failed);
  expect(server.requests).toHaveLength(requests);
});
it('starts no retry that the time left does not allow', async () => {
  server.faults.always(status(503, { retryAfter: 2 }));
  expect(await post({ timeoutMs: 1500 })).toMatchObject({
    problem: 'status is 503',
    retryAfterMs: 2000,
  });
  expect(server.requests).toHaveLength(1);
});
it.each<[string, Fault, number | undefined]>([
  ['seconds', status(429, { retryAfter: 30 }), 30_000],
  ['an hour', status(429, { retryAfter: 3600 }), 60_000],
  ['a date', status(429, { retryAfter: 'Sat, 21 Nov 2026 12:00:20 GMT' }), 20_000],
  ['a date in the past', status(429, { retryAfter: 'Sat, 21 Nov 2020 12:00:00 GMT' }), 0],
  ['milliseconds', status(429, { retryAfter: 30, headers: { 'retry-after-ms': '2500' } }), 2500],
  ['nothing that can be read', status(429, { retryAfter: 'soon' }), undefined],
  ['a negative number', status(429, { retryAfter: -5 }), undefined],
])('reports the wait that the service asks for: %s', async (_, fault, retryAfterMs) => {
  server.faults.always(fault);
  const now = () => Date.UTC(2026, 10, 21, 12);
  const reply = await post({ now }, { retries: 0 });
  expect(reply).toMatchObject({ ok: false, reason: 'rate_limited' });
  expect(reply).toHaveProperty('retryAfterMs', retryAfterMs);
});
const ENDLESS: typeof HANGS = [...HANGS, ['is too slow', { kind: 'delay', ms: 10_000 }]];
it.each(ENDLESS)('ends in its own time when the service %s', async (_, fault) => {
  server.faults.always(fault);
  const problem = 'no answer within 150 ms';
  expect(await post({ timeoutMs: 150 })).toEqual({ ok: false, reason: 'unavailable', problem });
});
it('leaves no listener on a signal that outlives it', async () => {
  const { signal } = new AbortController();
  await post({}, { signal });
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
it('names the code of a broken connection, and quotes neither address nor key', async () => {
  const gone = await startOpenAIServer();
  await gone.stop();
  const reply = await post({ baseURL: gone.url }, { retries: 0 });
  expect(reply).toMatchObject({
    reason: 'unavailable',
    problem: 'it cannot be reached (ECONNREFUSED)',
  });
});
it('quotes nothing from the service or the network', async () => {
  server.faults.always(status(400, { message: 'You sent "a text" with sk-local-0000' }));
  const refused = await post();
  expect(refused).toMatchObject({
    ok: false,
    reason: 'refused',
    problem: 'status is 400',
    retryAfterMs: undefined,
  });
  expect(JSON.stringify(refused)).not.toMatch(/You sent|a text|sk-local/);
  const talkative: typeof fetch = () =>
    Promise.reject(new TypeError(`Bearer ${server.apiKey} is no header`));
  expect(await post({ fetch: talkative }, { retries: 0 })).toMatchObject({
    problem: 'it cannot be reached',
  });
});
it('reads no address, key, header or log level from the environment, and logs nothing', async () => {
  const environment = {
    BASE_URL: 'http://127.0.0.1:9/v1',
    API_KEY: 'sk-environment',
    ORG_ID: 'org-environment',
  };
  const others = { CUSTOM_HEADERS: 'X-Environment: 1', LOG: 'debug' };
  for (const [name, value] of Object.entries({ ...environment, ...others }))
    vi.stubEnv(`OPENAI_${name}`, value);
  const methods = (['debug', 'info', 'log', 'warn', 'error'] as const).map((name) =>
    vi.spyOn(console, name),
  );
  expect(await post()).toMatchObject({ ok: true });
  expect(JSON.stringify(server.requests[0]?.headers)).not.toContain('nvironment');
  expect(methods.flatMap(({ mock }) => mock.calls)).toEqual([]);
  for (const method of methods) method.mockRestore();
});
it('sends no request that is larger than 4 million characters', async () => {
  const body = { ...BODY, input: ['x'.repeat(4_200_000)] };
  expect(await post({}, { body })).toMatchObject({ ok: false, reason: 'refused' });
  expect(server.requests).toHaveLength(0);
});
