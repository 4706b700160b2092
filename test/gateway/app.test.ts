import { Hono } from 'hono';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { HostErrorBody } from '../../src/contract/host-article.ts';
import { honoRoute, ROUTES, type RouteName } from '../../src/contract/http-routes.ts';
import { KnowledgeRetrieval, unavailableRetrieval } from '../../src/contract/knowledge.ts';
import type { Librarian } from '../../src/contract/librarian.ts';
import { validateResponse } from '../../src/contract/validate-response.ts';
import { createLibrarians } from '../../src/delegation/librarian-directory.ts';
import { type ApiKeyRecord, hashApiKey, kvApiKeys } from '../../src/gateway/api-keys.ts';
import { createApp } from '../../src/gateway/app.ts';
import { MAX_BODY_BYTES } from '../../src/gateway/gateway-error.ts';
import { contextGuard, type GuardedEnv } from '../../src/runtime/context-guard.ts';
import type { LogLine } from '../../src/runtime/log.ts';
import { serveLibrarian } from '../../src/runtime/serve-librarian.ts';
import { signedClient, type Target } from '../../src/runtime/signed-client.ts';
import type { Signer } from '../../src/signing/compact-jws.ts';
import { localDirectory, localSigner } from '../../src/signing/identity.ts';
import { MAX_ARTICLE_BYTES } from '../../src/signing/limits.ts';
import { originate } from '../../src/signing/request-context.ts';
import { keyStore } from './key-store.ts';

const READER = 'ck_reader_0123456789abcdef';
const WRITER = 'ck_writer_0123456789abcdef';
const LIMITED = 'ck_limited_0123456789abcdef';
const EXPIRED = 'ck_expired_0123456789abcdef';
const DAMAGED = 'ck_damaged_0123456789abcd';

const record = (changes: Partial<ApiKeyRecord>): ApiKeyRecord => ({
  name: 'test',
  workspaces: ['acme', 'globex'],
  capabilities: ['kb:read'],
  rate: 'standard',
  ...changes,
});

let seen: Parameters<Librarian>[];
let log: LogLine[];
let limited: Set<string>;
let app: ReturnType<typeof createApp>;

/** The gateway with a real signed client in front of a real librarian; only the stores are in memory. */
const start = async (
  librarian: Librarian = async () => ({ answer: 'Forty-two.', confidence: 0.9 }),
  more: Record<string, Target> = {},
) => {
  const directory = await localDirectory();
  // Late calls of one test do not appear in the next one.
  const calls = seen;
  const navigator = serveLibrarian(
    async (query, context) => {
      calls.push([query, context]);
      return librarian(query, context);
    },
    { id: 'navigator', name: 'Navigator', capabilities: ['kb:read'] },
    { signer: await localSigner('navigator'), directory, log: () => {} },
  );
  const functions: Record<string, Target> = {
    navigator: { fetch: async (request) => navigator.fetch(request) },
    ...more,
  };
  const limiter = { limit: async ({ key }: { key: string }) => ({ success: !limited.has(key) }) };
  const records = {
    [READER]: record({}),
    [WRITER]: record({ capabilities: ['kb:*'], rate: 'unlimited' }),
    [LIMITED]: record({}),
    [EXPIRED]: record({ expires_at: '2020-01-01T00:00:00Z' }),
  };
  const store = await keyStore(records);
  store.stored.set(await hashApiKey(DAMAGED), '{"name":');
  app = createApp({
    keys: kvApiKeys(store.kv),
    limits: { standard: limiter, high: limiter, anonymous: limiter },
    client: signedClient({
      self: 'gateway',
      signer: await localSigner('gateway'),
      directory,
      targets: functions,
      log: (line) => log.push(line),
    }),
    directory,
    signer: await localSigner('gateway'),
    functions,
    librarians: createLibrarians({ targets: functions, own: ['navigator'] }),
    corsOrigins: ['https://desk.example.com'],
    health: { status: 'ok', adapters: { knowledge: 'embedded' } },
    log: (line) => log.push(line),
  });
};

beforeEach(async () => {
  seen = [];
  log = [];
  limited = new Set();
  await start();
});

const post = (path: string, body: unknown, { key = READER, ...headers }: Record<string, string> = {}) =>
  app.request(path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${key}`,
      'cf-connecting-ip': '192.0.2.1',
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

const errorOf = async (response: Response) =>
  ((await response.json()) as { error: { code: string; message: string; suggestion?: string; details?: unknown } })
    .error;

describe('POST /v1/agents/{type}', () => {
  it('refuses a format together with a stream', async () => {
    const response = await post('/v1/agents/semantic?format=text', { query: 'x' }, { accept: 'text/event-stream' });
    expect([response.status, await errorOf(response)]).toMatchObject([
      400,
      {
        code: 'INVALID_QUERY',
        message: expect.stringContaining('stream'),
        suggestion: expect.stringContaining('format'),
      },
    ]);
  });
});

describe('POST /v1/ask', () => {
  it('answers with the Response of the librarian', async () => {
    const response = await post('/v1/ask', { query: 'How many?' });
    expect(response.status).toBe(200);
    expect(validateResponse(await response.json())).toMatchObject({ ok: true, value: { answer: 'Forty-two.' } });
  });

  it('passes user and workspace to the librarian, with read-only rights', async () => {
    await post(
      '/v1/ask',
      {
        ...{ query: 'How many?', workspace_id: 'globex' },
        metadata: { product: 'Apollo', question_origin: { classification_reasoning: ['Because I say so'] } },
      },
      { key: WRITER },
    );
    const [query, context] = seen[0]!;
    expect(query).toBe('How many?');
    expect(context?.user).toMatchObject({
      id: expect.stringMatching(/^user:[0-9a-f]{16}$/),
      workspaceId: 'globex',
      capabilities: ['kb:read'],
    });
    // Only the concierge sets the reason of the routing.
    const reasons = [expect.stringMatching(/^The words fit no other librarian/)];
    const origin = { classification_reasoning: reasons, memory_context_used: false };
    expect(context?.metadata).toEqual({ product: 'Apollo', question_origin: origin });
  });

  it('uses the first workspace of the key when the request names none', async () => {
    await post('/v1/ask', { query: 'How many?' });
    expect(seen[0]![1]?.user?.workspaceId).toBe('acme');
  });

  it('passes the remaining time of the caller to the librarian', async () => {
    await post('/v1/ask', { query: 'How many?', timeout_ms: 1500 });
    expect(seen[0]![1]?.timeout).toBeLessThanOrEqual(1500);
  });

  it('returns the trace id of the librarian in X-Request-Id', async () => {
    const response = await post('/v1/ask', { query: 'How many?' });
    expect(response.headers.get('x-request-id')).toBe(seen[0]![1]?.trace?.traceId);
  });

  it.each([
    ['an empty question', { query: '' }, /query: is empty/],
    ['a question of blanks', { query: ' \n\t ' }, /query: is empty/],
    ['a question of control characters', { query: '\u0000\u0001\u0002' }, /query: has no visible character/],
    ['a question of 100,000 characters', { query: 'x'.repeat(50_000) }, /query: is longer than 4000 characters/],
    ['no question', {}, /query: is missing/],
    ['an unknown member', { query: 'x', user: 'root' }, /user: is not a known member/],
    ['an invalid time', { query: 'x', timeout_ms: 0 }, /timeout_ms/],
    ['a body that is not JSON', '{"query":', /not JSON/],
    ['an object in place of a text', { query: { length: { valueOf: 0, toString: 0 } } }, /cannot be read/],
    ['a list', '[]', /Cannot read the request/],
  ])('refuses %s', async (_name, body, says) => {
    const response = await post('/v1/ask', body);
    expect(response.status).toBe(400);
    const error = await errorOf(response);
    expect(error).toMatchObject({ code: 'INVALID_QUERY', suggestion: expect.any(String) });
    expect(error.message).toMatch(says);
    expect(seen).toEqual([]);
  });

  it('refuses a body over 64 KiB', async () => {
    const response = await post('/v1/ask', { query: 'x'.repeat(MAX_BODY_BYTES) });
    expect(response.status).toBe(400);
    expect(await errorOf(response)).toMatchObject({ code: 'INVALID_QUERY', details: { max_bytes: MAX_BODY_BYTES } });
  });

  it('refuses another content type', async () => {
    expect((await post('/v1/ask', '{"query":"x"}', { 'content-type': 'text/plain' })).status).toBe(400);
  });

  it('rejects an unknown librarian, and lists the known ones', async () => {
    const response = await post('/v1/ask', { query: 'x', librarian: 'oracle' });
    expect(response.status).toBe(404);
    expect(await errorOf(response)).toMatchObject({
      code: 'NOT_FOUND',
      suggestion: 'Ask one of: concierge, navigator',
    });
  });

  it('refuses a workspace that the key does not name', async () => {
    const response = await post('/v1/ask', { query: 'x', workspace_id: 'initech' });
    expect(response.status).toBe(401);
    expect(seen).toEqual([]);
  });

  it('refuses two different workspaces in one request', async () => {
    expect((await post('/v1/ask?workspace_id=acme', { query: 'x', workspace_id: 'globex' })).status).toBe(400);
  });

  it('passes on an error of the librarian, without the text of its exception', async () => {
    await start(async () => {
      throw new Error('password of the database is swordfish');
    });
    const response = await post('/v1/ask', { query: 'x' });
    expect(response.status).toBe(500);
    expect(JSON.stringify(await errorOf(response))).not.toContain('swordfish');
  });

  it('answers TIMEOUT when the librarian takes longer than timeout_ms', async () => {
    await start(() => new Promise(() => {}));
    const response = await post('/v1/ask', { query: 'x', timeout_ms: 20 });
    expect(response.status).toBe(504);
    expect(await errorOf(response)).toMatchObject({ code: 'TIMEOUT' });
  });
});

describe('API keys', () => {
  it.each<[string, Record<string, string>, RegExp]>([
    ['no key', {}, /has no API key/],
    ['an unknown key', { authorization: 'Bearer ck_unknown_0123456789abcdef' }, /unknown or has expired/],
    ['an expired key', { authorization: `Bearer ${EXPIRED}` }, /unknown or has expired/],
    ['a key whose record is damaged', { authorization: `Bearer ${DAMAGED}` }, /unknown or has expired/],
    ['a key in another scheme', { authorization: `Basic ${READER}` }, /is malformed/],
    ['a key that is too short to be one', { authorization: 'Bearer short' }, /is malformed/],
    ['a key with a space in it', { authorization: `Bearer ${READER} x` }, /is malformed/],
  ])('are required: %s is refused with the reason', async (_name, headers, message) => {
    const response = await app.request('/v1/ask', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: '{"query":"x"}',
    });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/);
    expect(await errorOf(response)).toMatchObject({ code: 'UNAUTHORIZED', message: expect.stringMatching(message) });
    expect(seen).toEqual([]);
  });

  it('name the missing capability', async () => {
    const response = await post('/v1/sync', {});
    expect(response.status).toBe(401);
    expect(await errorOf(response)).toMatchObject({ code: 'UNAUTHORIZED', details: { missing: 'kb:write' } });
  });

  it('are limited by their rate, with Retry-After', async () => {
    const id = await idOf(READER);
    limited.add(id);
    const response = await post('/v1/ask', { query: 'x' });
    expect(response.status).toBe(429);
    expect(response.headers.get('retry-after')).toBe('60');
    expect(await errorOf(response)).toMatchObject({ code: 'RATE_LIMITED', recoverable: true });
  });

  it('with an unlimited rate are not limited', async () => {
    limited.add(await idOf(WRITER));
    expect((await post('/v1/ask', { query: 'x' }, { key: WRITER })).status).toBe(200);
  });

  it('are limited by address only when they are refused', async () => {
    limited.add('192.0.2.1');
    const guess = { key: 'ck_guess_0123456789abcdef' };
    expect((await post('/v1/ask', { query: 'x' }, guess)).status).toBe(429);
    expect((await post('/v1/ask', { query: 'x' })).status).toBe(200);
  });
});

describe('/librarians/*', () => {
  it('describes a librarian to anonymous callers', async () => {
    const response = await app.request('/librarians/navigator');
    expect(await response.json()).toMatchObject({
      id: 'navigator',
      access: 'signed',
      keys: [{ kid: 'dev.navigator.1' }],
    });
  });

  it('does not accept an API key in place of a signed context', async () => {
    const response = await post('/librarians/navigator/ask', { query: 'x' });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('ContextToken');
    expect(seen).toEqual([]);
  });

  it('passes a signed context through unchanged, and its receipt back', async () => {
    const directory = await localDirectory();
    const outside = { fetch: async (request: Request) => app.fetch(request) };
    const client = signedClient({
      self: 'gateway',
      signer: await localSigner('gateway'),
      directory,
      targets: { navigator: outside },
      log: () => {},
    });
    const context = originate({
      self: 'gateway',
      subject: 'user:u_1',
      workspace: 'acme',
      authentication: 'key',
      capabilities: ['kb:read'],
      now: Date.now(),
    });
    const answer = await client.call(context, {
      to: 'navigator',
      path: '/librarians/navigator/ask',
      body: { query: 'x' },
    });
    expect(answer).toMatchObject({ ok: true, status: 200 });
  });

  it('never forwards an API key or a cookie', async () => {
    const seenHeaders: Headers[] = [];
    const partner = {
      fetch: async (request: Request) => {
        seenHeaders.push(request.headers);
        return new Response('{}');
      },
    };
    await start(undefined, { partner });
    await post('/librarians/partner/ask', { query: 'x' }, { cookie: 'session=1', 'context-token': 'a.b.c' });
    expect([seenHeaders[0]?.get('authorization'), seenHeaders[0]?.get('cookie')]).toEqual([null, null]);
    expect(seenHeaders[0]?.get('context-token')).toBe('a.b.c');
  });

  it.each(['/librarians/oracle', '/librarians/__proto__', '/librarians/constructor/ask', '/librarians/%2e%2e/ask'])(
    'answers 404 at %s',
    async (path) => {
      expect((await app.request(path)).status).toBe(404);
    },
  );

  it('limits the rate of a librarian, identified by its signature', async () => {
    limited.add('librarian gateway');
    const directory = await localDirectory();
    const outside = { fetch: async (request: Request) => app.fetch(request) };
    const call = async (signer: Signer) =>
      signedClient({ self: 'gateway', signer, directory, targets: { navigator: outside }, log: () => {} }).call(
        originate({
          ...{ self: 'gateway', subject: 'user:u_1', workspace: 'acme', authentication: 'key' },
          ...{ capabilities: ['kb:read'], now: Date.now() },
        }),
        { to: 'navigator', path: '/librarians/navigator/ask', body: { query: 'x' } },
      );
    await call(await localSigner('gateway'));
    expect(log.at(-1)).toMatchObject({ outcome: 'RATE_LIMITED' });
    // A forged call in its name does not count.
    await call(await localSigner('gateway', 'another seed'));
    expect(log.at(-1)).toMatchObject({ status: 401 });
  });

  it('limits the rate of an address', async () => {
    limited.add('address 192.0.2.1');
    expect((await app.request('/librarians/navigator', { headers: { 'cf-connecting-ip': '192.0.2.1' } })).status).toBe(
      429,
    );
  });
});

describe('/webhooks/*', () => {
  it("forwards a helpdesk's delivery byte for byte with its own credentials, without requiring a key", async () => {
    const seenRequests: { path: string; authorization: string | null; body: string }[] = [];
    const webhooks = {
      fetch: async (request: Request) => {
        const body = await request.text();
        seenRequests.push({
          path: new URL(request.url).pathname,
          authorization: request.headers.get('authorization'),
          body,
        });
        return Response.json({ accepted: 1 });
      },
    };
    await start(undefined, { webhooks });
    const body = '{"a":"\\u003cb\\u003e" ,\n "id": 12345678901234567890}\n';
    const response = await post('/webhooks/zendesk/acme', body, { key: 'of the desk' });
    expect([response.status, await response.json()]).toEqual([200, { accepted: 1 }]);
    expect(seenRequests).toEqual([{ path: '/webhooks/zendesk/acme', authorization: 'Bearer of the desk', body }]);
  });

  it('limits the rate of deliveries of an address, before the body is read', async () => {
    limited.add('address 192.0.2.1');
    const reached: string[] = [];
    const fetch = async ({ url }: Request) => {
      reached.push(url);
      return Response.json({ accepted: 1 });
    };
    await start(undefined, { webhooks: { fetch } });
    expect((await post('/webhooks/zendesk', '{}')).status).toBe(429);
    expect(reached).toEqual([]);
  });

  it('is NOT_FOUND without helpdesks', async () => {
    expect((await post('/webhooks/zendesk', '{}')).status).toBe(404);
  });
});

describe('a route that writes', () => {
  it('has only its own capability, though its function also reads', async () => {
    const held: (readonly string[])[] = [];
    const guarded = async (self: string): Promise<Target> => {
      const desk = new Hono<GuardedEnv>();
      const signer = await localSigner(self);
      desk.use(contextGuard({ self, access: 'signed', signer, directory: await localDirectory(), log: () => {} }));
      desk.all('*', (c) => {
        held.push(c.get('context').capabilities);
        return c.json({});
      });
      return { fetch: async (request) => desk.fetch(request) };
    };
    await start(undefined, { support: await guarded('support') });
    const put = { method: 'PUT', headers: { 'content-type': 'application/json', authorization: `Bearer ${WRITER}` } };
    expect((await app.request('/v1/support/taxonomy', { ...put, body: '{}' })).status).toBe(200);
    expect((await post('/v1/knowledge/retrieve', {}, { key: WRITER })).status).toBe(200);
    expect(held).toEqual([['support:taxonomy:write'], ['kb:read']]);
    expect((await post('/v1/support/analyze', { message: 'x' })).status).toBe(401);
  });
});

describe('the routes', () => {
  it('are those of the API description, and the pages', () => {
    const described = new Set((Object.keys(ROUTES) as RouteName[]).map((name) => honoRoute(name).join(' ')));
    const routes = app.routes.filter(({ method }) => method !== 'ALL').map(({ method, path }) => `${method} ${path}`);
    expect(routes.length).toBeGreaterThan(40);
    const others = routes.filter((route) => !described.has(route));
    expect(others).toEqual([
      ...['GET /docs', 'GET /docs/:file', 'GET /search', 'GET /kb/:id{.+}', 'GET /pages.css'],
      ...['GET /', 'GET /console/:file', 'GET /panel/:helpdesk{chatwoot|zendesk}', 'GET /widget.js', 'GET /*'],
    ]);
  });
});

describe('GET /v1/access', () => {
  it('shows workspaces and rights of the key, but not its name', async () => {
    const response = await app.request('/v1/access', { headers: { authorization: `Bearer ${READER}` } });
    expect(await response.json()).toEqual({
      ...{ workspaces: ['acme', 'globex'], capabilities: ['kb:read'], rate: 'standard', authentication: 'key' },
    });
  });
});

describe('GET /v1/librarians', () => {
  it('lists the concierge and every librarian as it describes itself', async () => {
    const response = await app.request('/v1/librarians', { headers: { authorization: `Bearer ${READER}` } });
    expect(await response.json()).toMatchObject({
      librarians: [
        { id: 'concierge' },
        { id: 'navigator', name: 'Navigator', capabilities: ['kb:read'], health: 'ok' },
      ],
    });
  });
});

describe('a page of articles', () => {
  it('links to the next page of the same workspace', async () => {
    const directory = await localDirectory();
    const guard = contextGuard({
      self: 'library',
      signer: await localSigner('library'),
      directory,
      access: 'signed',
      log: () => {},
    });
    const library = new Hono<GuardedEnv>().get('/api/kb/articles', guard, (c) =>
      c.json({ of: c.get('context').workspace, asked: c.req.query() }, 200, {
        Link: '</api/kb/articles?limit=2&cursor=a2>; rel="next"',
      }),
    );
    const target = { fetch: async (request: Request) => library.fetch(request) };
    await start(undefined, { library: target });
    const headers = { authorization: `Bearer ${READER}` };
    const first = await app.request('/api/kb/articles?limit=2&workspace_id=globex', { headers });
    expect(await first.json()).toEqual({ of: 'globex', asked: { limit: '2' } });
    const link = first.headers.get('link')?.match(/<(.+)>; rel="next"/)?.[1] ?? '';
    const second = await app.request(link, { headers });
    expect(await second.json()).toEqual({ of: 'globex', asked: { limit: '2', cursor: 'a2' } });
    expect((await app.request('/api/kb/articles', { headers })).headers.get('link')).not.toContain('workspace_id');
    expect((await app.request('/api/kb/articles', { method: 'HEAD', headers })).status).toBe(200);
  });
});

describe('errors of /api/kb', () => {
  it.each([
    ['GET articles', undefined, 'UNAUTHORIZED', 401],
    ['GET articles', 'ck_absent_0123456789abcdef', 'UNAUTHORIZED', 401],
    ['DELETE articles/a', READER, 'UNAUTHORIZED', 401],
    ['GET articles', LIMITED, 'RATE_LIMITED', 429],
    ['GET nowhere', READER, 'NOT_FOUND', 404],
    ['PATCH articles/a', READER, 'NOT_FOUND', 404],
    ['PUT articles/a', WRITER, 'INVALID_QUERY', 400],
    [`GET articles?cursor=${'x'.repeat(2000)}`, READER, 'INVALID_QUERY', 400],
    ['GET articles', READER, 'DELEGATION_FAILED', 502],
  ])('of %.40s with the key %s have the form of a host', async (route, key, code, status) => {
    limited.add(await idOf(LIMITED));
    const [method = '', path] = route.split(' ');
    const response = await app.request(`/api/kb/${path}`, {
      method,
      headers: { 'content-type': 'text/plain', ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) },
      ...(method === 'PUT' ? { body: 'no JSON' } : {}),
    });
    expect([response.status, response.headers.get('x-request-id')]).toEqual([status, expect.any(String)]);
    expect(response.headers.has(status === 401 ? 'www-authenticate' : 'retry-after')).toBe([401, 429].includes(status));
    const { info, ...body } = HostErrorBody.parse(await response.json());
    expect(body).toEqual({ error: code, message: info?.message });
    expect(info).toMatchObject({ code, suggestion: expect.any(String) });
  });
});

describe('POST /v1/knowledge/retrieve', () => {
  const TEXT = { 'content-type': 'text/plain' };
  it.each([
    ['a body of another type', 'hello', TEXT, 'invalid_query', 'content type'],
    ['a body that is too large', 'x'.repeat(256 * 1024 + 1), {}, 'invalid_query', 'longer than 262144 bytes'],
    ['a function that does not answer', '{}', {}, 'unavailable', undefined],
  ])('is 200 with a reason for %s', async (_, body, headers, why, detail) => {
    const response = await post('/v1/knowledge/retrieve', body, headers);
    expect(response.status).toBe(200);
    const block = KnowledgeRetrieval.parse(await response.json());
    const expected = detail === undefined ? undefined : expect.stringContaining(detail);
    expect(block).toEqual({ ...unavailableRetrieval(), degraded: [why], detail: expected });
  });

  it('refuses a missing key', async () => {
    expect((await app.request('/v1/knowledge/retrieve', { method: 'POST' })).status).toBe(401);
  });
});

describe('GET /healthz', () => {
  it('shows the key directory, and is degraded in the 30 days before it expires', async () => {
    const health = async () => (await (await app.request('/healthz')).json()) as Record<string, unknown>;
    expect(await health()).toMatchObject({
      status: 'ok',
      directory: { sequence: 0, expires_at: '2100-01-01T00:00:00.000Z' },
    });
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2099-12-15') });
    await start();
    vi.useRealTimers();
    expect((await health()).status).toBe('degraded');
  });
});

describe('every answer', () => {
  it.each([
    ['/healthz', 200],
    ['/nowhere', 404],
    ['/v1/ask', 401],
  ])('of %s carries the security headers and a request id', async (path, status) => {
    const response = await app.request(path);
    expect(response.status).toBe(status);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(response.headers.get('strict-transport-security')).toMatch(/max-age=\d+/);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f]{32}$/);
  });

  it('allows CORS only for configured origins', async () => {
    const preflight = (origin: string) =>
      app.request('/v1/chat/completions', {
        method: 'OPTIONS',
        headers: {
          ...{ origin, 'access-control-request-method': 'POST' },
          // Including a header of the official OpenAI client.
          'access-control-request-headers': 'authorization,content-type,x-stainless-lang',
        },
      });
    const allowed = (await preflight('https://desk.example.com')).headers.get('access-control-allow-headers');
    expect(allowed).toContain('x-stainless-lang');
    expect((await preflight('https://desk.example.com')).headers.get('access-control-allow-origin')).toBe(
      'https://desk.example.com',
    );
    expect((await preflight('https://evil.example.com')).headers.get('access-control-allow-origin')).toBeNull();
  });

  it('writes one log line, without the question and the key', async () => {
    await post('/v1/ask', { query: 'my e-mail is ann@example.com' });
    expect(log).toHaveLength(1);
    expect(log[0]).toMatchObject({
      event: 'request',
      librarian: 'navigator',
      route: 'POST /v1/ask',
      status: 200,
      outcome: 'ok',
      trace_id: expect.any(String),
    });
    expect(JSON.stringify(log)).not.toMatch(/ann@example|ck_reader/);
  });

  it('omits article ids and unknown paths from the log', async () => {
    const headers = { authorization: `Bearer ${READER}` };
    await app.request('/api/kb/articles/my-secret-project', { headers });
    await app.request('/api/kb/text/crm/john-smith-refund.md', { headers });
    await app.request('/john.smith-called');
    await app.request('/%0A{"event":"forged"}');
    expect(JSON.stringify(log)).not.toMatch(/secret-project|john|forged/);
  });
});

describe('a function that cannot be reached', () => {
  it('accepts an article of up to 3 MiB', async () => {
    const put = (bytes: number) =>
      app.request('/api/kb/articles/a', {
        method: 'PUT',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${WRITER}` },
        body: 'x'.repeat(bytes),
      });
    expect((await put(MAX_ARTICLE_BYTES)).status).toBe(502);
    expect((await put(MAX_ARTICLE_BYTES + 1)).status).toBe(400);
  });
});

const idOf = async (secret: string): Promise<string> => (await hashApiKey(secret)).slice(0, 16);
