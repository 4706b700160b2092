import { beforeEach, describe, expect, it } from 'vitest';
import { MAX_ARTICLE_BYTES } from '../../src/contract/routes/http-route.ts';
import { honoRoute, ROUTES, type RouteName } from '../../src/contract/routes/http-routes.ts';
import { HostErrorBody } from '../../src/contract/wire/host-article.ts';
import { KnowledgeRetrieval, unavailableRetrieval } from '../../src/contract/wire/knowledge.ts';
import { MAX_BODY_BYTES } from '../../src/gateway/access/gateway-error.ts';
import { localSigner } from '../../src/platform/context/identity.ts';
import { signedClient } from '../../src/platform/context/signed-client.ts';
import { identityOf, userContext } from '../platform/context/callers.ts';
import { functionFor, idOf, READER, replyOf, startGateway } from './gateway-for-test.ts';

const WRITER = 'ck_writer_0123456789abcdef';
const LIMITED = 'ck_limited_0123456789abcdef';
const EXPIRED = 'ck_expired_0123456789abcdef';
const DAMAGED = 'ck_damaged_0123456789abcd';
const keys = {
  [READER]: {},
  [LIMITED]: {},
  [DAMAGED]: '{"name":',
  [WRITER]: { capabilities: ['kb:*'], rate: 'unlimited' as const },
  [EXPIRED]: { expires_at: '2020-01-01T00:00:00Z' },
};

let gateway: Awaited<ReturnType<typeof startGateway>>;
const start = async (options: Parameters<typeof startGateway>[0] = {}) => {
  gateway = await startGateway({ keys, signer: await localSigner('gateway'), ...options });
};
beforeEach(() => start());
const send: typeof gateway.send = (...sent) => gateway.send(...sent);
const statusOf = async (...sent: Parameters<typeof send>) => (await send(...sent)).status;

describe('POST /v1/ask', () => {
  it('passes user and workspace to the librarian, with read-only rights', async () => {
    const origin = { classification_reasoning: ['Because I say so'] };
    const body = {
      query: 'How many?',
      workspace_id: 'globex',
      metadata: { product: 'A', question_origin: origin },
    };
    const { headers } = await send('/v1/ask', body, { key: WRITER });
    const id = expect.stringMatching(/^user:[0-9a-f]{16}$/);
    const user = { id, workspaceId: 'globex', capabilities: ['kb:read'] };
    expect(gateway.asked).toMatchObject([{ query: 'How many?', context: { user } }]);
    const context = gateway.asked[0]?.context;
    // Only the concierge sets the reason of the routing.
    const classification_reasoning = [expect.stringMatching(/^The words fit no other librarian/)];
    const question_origin = { classification_reasoning, memory_context_used: false };
    expect(context?.metadata).toEqual({ product: 'A', question_origin });
    expect(headers.get('x-request-id')).toBe(context?.trace?.traceId);
  });
  it.each<[string, unknown, RegExp, Record<string, string>?]>([
    ['an empty question', { query: '' }, /query: is empty/],
    ['a question of blanks', { query: ' \n\t ' }, /query: is empty/],
    [
      'a question of control characters',
      { query: '\u0000\u0001\u0002' },
      /query: has no visible character/,
    ],
    [
      'a question of 50,000 characters',
      { query: 'x'.repeat(50_000) },
      /query: is longer than 4000 characters/,
    ],
    ['no question', {}, /query: is missing/],
    ['an unknown member', { query: 'x', user: 'root' }, /user: is not a known member/],
    ['an invalid time', { query: 'x', timeout_ms: 0 }, /timeout_ms/],
    ['a body that is not JSON', '{"query":', /not JSON/],
    [
      'an object in place of a text',
      { query: { length: { valueOf: 0, toString: 0 } } },
      /cannot be read/,
    ],
    ['a list', '[]', /Cannot read the request/],
    [
      'a body over 64 KiB',
      { query: 'x'.repeat(MAX_BODY_BYTES) },
      new RegExp(`${MAX_BODY_BYTES} bytes`),
    ],
    [
      'two workspaces',
      { query: 'x', workspace_id: 'globex' },
      /name different ones/,
      { path: '?workspace_id=acme' },
    ],
  ])('refuses %s', async (_, body, says, { path = '', ...headers } = {}) => {
    const reply = await replyOf(send(`/v1/ask${path}`, body, headers));
    const error = {
      code: 'INVALID_QUERY',
      message: expect.stringMatching(says),
      suggestion: expect.any(String),
    };
    expect(reply).toMatchObject({ status: 400, body: { error } });
    expect(gateway.asked).toEqual([]);
  });
  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/xml', ''])(
    'refuses the content type "%s" with 415, and says what to send',
    async (type) => {
      const routes = ['/v1/ask', '/v1/navigate', '/v1/agents/semantic', '/v1/knowledge/search'];
      for (const route of routes) {
        const reply = await replyOf(send(route, '{"query":"x"}', { 'content-type': type }));
        expect([route, reply.status, reply.headers.get('accept')]).toEqual([
          route,
          415,
          'application/json',
        ]);
        expect(reply.body).toMatchObject({
          error: {
            code: 'INVALID_QUERY',
            suggestion: expect.stringContaining('Content-Type: application/json'),
          },
        });
      }
      expect(gateway.asked).toEqual([]);
    },
  );
  it.each([
    [
      { include: ['statments'] },
      'Send include.0 as "statements", "navigator", "trace" or "why", or leave out include',
    ],
    [{ include: 'trace' }, /^Send include as a list of up to 8, each "statements"/],
    [
      { timeout_ms: 'soon' },
      'Send timeout_ms as a number from 1 to 300,000, or leave out timeout_ms',
    ],
    [{ facts: 'yes' }, 'Send facts as true or false, or leave out facts'],
    [{ librarain: 'navigator' }, 'Send librarian in place of librarain'],
    [{ colour: 'red' }, /^Leave out colour; what is taken here: query, librarian, /],
    [{ metadata: 'x' }, 'Send metadata as an object, or leave out metadata'],
    [{ query: '' }, 'Send query as a text of 1 to 4,000 characters'],
    [{ query: undefined, querry: 'x' }, 'Send query in place of querry'],
  ])('suggests what to send for the member that is wrong: %o', async (members, suggestion) => {
    const { body } = await replyOf(send('/v1/ask', { query: 'x', ...members }));
    const says = typeof suggestion === 'string' ? suggestion : expect.stringMatching(suggestion);
    expect(body).toMatchObject({ error: { code: 'INVALID_QUERY', suggestion: says } });
  });
  it('passes on an error of the librarian, without the text of its exception', async () => {
    await start({
      librarianOf: { navigator: () => Promise.reject(new Error('the password is swordfish')) },
    });
    const { status, body } = await replyOf(send('/v1/ask', { query: 'x' }));
    expect([status, JSON.stringify(body)]).toEqual([500, expect.not.stringContaining('swordfish')]);
  });
});

describe('API keys', () => {
  it.each<[string, Record<string, string>, RegExp]>([
    ['no key', {}, /has no API key/],
    [
      'an unknown key',
      { authorization: 'Bearer ck_unknown_0123456789abcdef' },
      /unknown or has expired/,
    ],
    ['an expired key', { authorization: `Bearer ${EXPIRED}` }, /unknown or has expired/],
    [
      'a key whose record is damaged',
      { authorization: `Bearer ${DAMAGED}` },
      /unknown or has expired/,
    ],
    ['a key in another scheme', { authorization: `Basic ${READER}` }, /is malformed/],
    ['a key that is too short to be one', { authorization: 'Bearer short' }, /is malformed/],
    ['a key with a space in it', { authorization: `Bearer ${READER} x` }, /is malformed/],
  ])('are required: %s is refused with the reason', async (_, headers, says) => {
    const sent = {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: '{"query":"x"}',
    };
    const reply = await replyOf(gateway.app.request('/v1/ask', sent));
    const error = { code: 'UNAUTHORIZED', message: expect.stringMatching(says) };
    expect(reply).toMatchObject({ status: 401, body: { error } });
    expect(reply.headers.get('www-authenticate')).toMatch(/^Bearer/);
    expect(gateway.asked).toEqual([]);
  });
  it('are limited by their rate, with Retry-After, unless it is unlimited', async () => {
    for (const key of [READER, WRITER]) gateway.limited.add(await idOf(key));
    const { status, headers, body } = await replyOf(send('/v1/ask', { query: 'x' }));
    expect([status, headers.get('retry-after')]).toEqual([429, '60']);
    expect(body.error).toMatchObject({ code: 'RATE_LIMITED', recoverable: true });
    expect(await statusOf('/v1/ask', { query: 'x' }, { key: WRITER })).toBe(200);
  });
  it('are limited by address only when they are refused', async () => {
    gateway.limited.add('192.0.2.1');
    expect(await statusOf('/v1/ask', { query: 'x' }, { key: 'ck_guess_0123456789abcdef' })).toBe(
      429,
    );
    expect(await statusOf('/v1/ask', { query: 'x' })).toBe(200);
  });
});

describe('/librarians/*', () => {
  /** Calls the navigator through the gateway, as another librarian would. */
  const callWith = async (signer: Awaited<ReturnType<typeof localSigner>>) => {
    const navigator = { fetch: async (request: Request) => gateway.app.fetch(request) };
    const client = signedClient({
      ...(await identityOf('gateway')),
      signer,
      targets: { navigator },
      log: () => {},
    });
    return client.call(userContext(), {
      to: 'navigator',
      path: '/librarians/navigator/ask',
      body: { query: 'x' },
    });
  };

  it('describes a librarian to anonymous callers', async () => {
    const { body } = await replyOf(gateway.app.request('/librarians/navigator'));
    expect(body).toMatchObject({
      id: 'navigator',
      access: 'signed',
      keys: [{ kid: 'dev.navigator.1' }],
    });
  });
  it('passes a signed context through unchanged, and its receipt back', async () => {
    expect(await callWith(await localSigner('gateway'))).toMatchObject({ ok: true, status: 200 });
  });
  it('never forwards an API key or a cookie', async () => {
    let seen = new Headers();
    const fetch = async (request: Request) => {
      seen = request.headers;
      return new Response('{}');
    };
    await start({ functions: { partner: { fetch } } });
    await send(
      '/librarians/partner/ask',
      { query: 'x' },
      { cookie: 'session=1', 'context-token': 'a.b.c' },
    );
    expect(['authorization', 'cookie', 'context-token'].map((name) => seen.get(name))).toEqual([
      null,
      null,
      'a.b.c',
    ]);
  });
  it.each(['oracle', '__proto__', 'constructor/ask', '%2e%2e/ask'])(
    'answers 404 at %s',
    async (id) => {
      expect((await gateway.app.request(`/librarians/${id}`)).status).toBe(404);
    },
  );
  it('limits the rate of a librarian, identified by its signature', async () => {
    gateway.limited.add('librarian gateway');
    await callWith(await localSigner('gateway'));
    expect(gateway.lines.at(-1)).toMatchObject({ outcome: 'RATE_LIMITED' });
    // A forged call in its name does not count.
    await callWith(await localSigner('gateway', 'another seed'));
    expect(gateway.lines.at(-1)).toMatchObject({ status: 401 });
  });
  it('limits the rate of an address', async () => {
    gateway.limited.add('address 192.0.2.1');
    expect(await statusOf('/librarians/navigator')).toBe(429);
  });
});

describe('/webhooks/*', () => {
  /** The deliveries that reach the function: path, credentials, body. */
  const deliveries = async () => {
    const reached: (string | null)[][] = [];
    const fetch = async (request: Request) => {
      const { pathname } = new URL(request.url);
      reached.push([pathname, request.headers.get('authorization'), await request.text()]);
      return Response.json({ accepted: 1 });
    };
    await start({ functions: { webhooks: { fetch } } });
    return reached;
  };

  it("forwards a helpdesk's delivery byte for byte with its own credentials, without requiring a key", async () => {
    const reached = await deliveries();
    const body = '{"a":"\\u003cb\\u003e" ,\n "id": 12345678901234567890}\n';
    const reply = await replyOf(send('/webhooks/zendesk/acme', body, { key: 'of the desk' }));
    expect(reply).toMatchObject({ status: 200, body: { accepted: 1 } });
    expect(reached).toEqual([['/webhooks/zendesk/acme', 'Bearer of the desk', body]]);
  });
  it('limits the rate of deliveries of an address, before the body is read', async () => {
    const reached = await deliveries();
    gateway.limited.add('address 192.0.2.1');
    expect([await statusOf('/webhooks/zendesk', '{}'), reached]).toEqual([429, []]);
  });
});

const STREAM = { accept: 'text/event-stream' };
it.each<[string, number, string, unknown, Record<string, string>, object]>([
  [
    'a workspace of others',
    401,
    '/v1/ask',
    { query: 'x', workspace_id: 'initech' },
    {},
    { code: 'UNAUTHORIZED' },
  ],
  [
    'a missing capability',
    401,
    '/v1/sync',
    {},
    {},
    { code: 'UNAUTHORIZED', details: { missing: 'kb:write' } },
  ],
  [
    'a missing key',
    401,
    '/v1/knowledge/retrieve',
    {},
    { authorization: '' },
    { code: 'UNAUTHORIZED' },
  ],
  [
    'an API key in place of a signed context',
    401,
    '/librarians/navigator/ask',
    { query: 'x' },
    {},
    {},
  ],
  [
    'a format with a stream',
    400,
    '/v1/agents/semantic?format=text',
    { query: 'x' },
    STREAM,
    { code: 'INVALID_QUERY' },
  ],
  ['deliveries without helpdesks', 404, '/webhooks/zendesk', {}, {}, { code: 'NOT_FOUND' }],
])('%s are refused with %i', async (_, status, path, body, headers, error) => {
  const reply = await replyOf(send(path, body, headers));
  expect(reply).toMatchObject({
    status,
    body: { error: { suggestion: expect.any(String), ...error } },
  });
  const challenge = path.startsWith('/librarians/')
    ? 'ContextToken'
    : 'Bearer realm="constellation"';
  expect(reply.headers.get('www-authenticate')).toBe(status === 401 ? challenge : null);
  expect(gateway.asked).toEqual([]);
});
it('a route that writes has only its own capability, though its function also reads', async () => {
  const held: (readonly string[])[] = [];
  const support = await functionFor('support', (c) => {
    held.push(c.get('context').capabilities);
    return c.json({});
  });
  await start({ functions: { support } });
  expect(await statusOf('/v1/support/taxonomy', '{}', { method: 'PUT', key: WRITER })).toBe(200);
  expect(await statusOf('/v1/knowledge/retrieve', {}, { key: WRITER })).toBe(200);
  expect(held).toEqual([['support:taxonomy:write'], ['kb:read']]);
  expect(await statusOf('/v1/support/analyze', { message: 'x' })).toBe(401);
});
it('a preview of checks needs to read what its answers quote', async () => {
  const [both, writer] = ['ck_both_0123456789abcdef', 'ck_writes_0123456789abcdef'];
  const held: (readonly string[])[] = [];
  const navigator = await functionFor('navigator', (c) => {
    held.push(c.get('context').capabilities);
    return c.json({});
  });
  await start({
    functions: { navigator },
    keys: {
      [both]: { capabilities: ['kb:read', 'kb:write'] },
      [writer]: { capabilities: ['kb:write'] },
    },
  });
  const path = '/v1/knowledge/checks/preview';
  expect(await statusOf(path, {}, { key: both })).toBe(200);
  expect(await statusOf(path, {}, { key: writer })).toBe(401);
  expect(held).toEqual([['kb:checks:write', 'kb:read']]);
});
it('the routes are those of the API description, and the pages', () => {
  const described = new Set(
    (Object.keys(ROUTES) as RouteName[]).map((name) => honoRoute(name).join(' ')),
  );
  const all = gateway.app.routes
    .filter(({ method }) => method !== 'ALL')
    .map(({ method, path }) => `${method} ${path}`);
  expect(all.length).toBeGreaterThan(40);
  expect(all.filter((route) => !described.has(route))).toEqual([
    'GET /.well-known/agent.json',
    ...['GET /docs', 'GET /docs/:file', 'GET /search', 'GET /kb/:id{.+}', 'GET /pages.css'],
    ...[
      'GET /',
      'GET /console/:file',
      'GET /panel/:helpdesk{chatwoot|zendesk}',
      'GET /widget.js',
      'GET /widget-markdown.js',
      'GET /*',
    ],
  ]);
});
it('GET /v1/access shows workspaces and rights of the key, but not its name', async () => {
  const rights = { capabilities: ['kb:read'], rate: 'standard', authentication: 'key' };
  expect((await replyOf(send('/v1/access'))).body).toEqual({
    workspaces: ['acme', 'globex'],
    ...rights,
  });
});
it('GET /v1/librarians lists the concierge and every librarian as it describes itself', async () => {
  const navigator = { id: 'navigator', name: 'Navigator', capabilities: ['kb:read'], health: 'ok' };
  const { body } = await replyOf(send('/v1/librarians'));
  expect(body).toMatchObject({ librarians: [{ id: 'concierge' }, navigator] });
});
it('a page of articles links to the next page of the same workspace', async () => {
  const Link = '</api/kb/articles?limit=2&cursor=a2>; rel="next"';
  const library = await functionFor('library', (c) =>
    c.json({ of: c.get('context').workspace, asked: c.req.query() }, 200, { Link }),
  );
  await start({ functions: { library } });
  const first = await replyOf(send('/api/kb/articles?limit=2&workspace_id=globex'));
  expect(first.body).toEqual({ of: 'globex', asked: { limit: '2' } });
  const link = /<(.+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
  expect((await replyOf(send(link))).body).toEqual({
    of: 'globex',
    asked: { limit: '2', cursor: 'a2' },
  });
  expect((await send('/api/kb/articles')).headers.get('link')).not.toContain('workspace_id');
  expect(await statusOf('/api/kb/articles', undefined, { method: 'HEAD' })).toBe(200);
});
it.each([
  ['GET articles', undefined, 'UNAUTHORIZED', 401],
  ['GET articles', 'ck_absent_0123456789abcdef', 'UNAUTHORIZED', 401],
  ['DELETE articles/a', READER, 'UNAUTHORIZED', 401],
  ['GET articles', LIMITED, 'RATE_LIMITED', 429],
  ['GET nowhere', READER, 'NOT_FOUND', 404],
  ['PATCH articles/a', READER, 'INVALID_QUERY', 405],
  ['PUT articles/a', WRITER, 'INVALID_QUERY', 415],
  [`GET articles?cursor=${'x'.repeat(2000)}`, READER, 'INVALID_QUERY', 400],
  ['GET articles', READER, 'DELEGATION_FAILED', 502],
])(
  'errors of /api/kb of %.40s with the key %s have the form of a host',
  async (route, key, code, status) => {
    gateway.limited.add(await idOf(LIMITED));
    const [method = '', path] = route.split(' ');
    const headers = {
      method,
      'content-type': 'text/plain',
      ...(key === undefined ? { authorization: '' } : { key }),
    };
    const reply = await replyOf(
      send(`/api/kb/${path}`, method === 'PUT' ? 'no JSON' : undefined, headers),
    );
    expect([reply.status, reply.headers.get('x-request-id')]).toEqual([status, expect.any(String)]);
    const advice = status === 401 ? 'www-authenticate' : 'retry-after';
    expect(reply.headers.has(advice)).toBe([401, 429].includes(status));
    const { info, ...body } = HostErrorBody.parse(reply.body);
    expect(body).toEqual({ error: code, message: info?.message });
    expect(info).toMatchObject({ code, suggestion: expect.any(String) });
  },
);

const TEXT = { 'content-type': 'text/plain' };
it.each([
  ['a body of another type', 'hello', TEXT, 'invalid_query', 'content type'],
  [
    'a body that is too large',
    'x'.repeat(256 * 1024 + 1),
    {},
    'invalid_query',
    'longer than 262144 bytes',
  ],
  ['a function that does not answer', '{}', {}, 'unavailable', undefined],
])(
  'POST /v1/knowledge/retrieve is 200 with a reason for %s',
  async (_, sent, headers, why, says) => {
    const { status, body } = await replyOf(send('/v1/knowledge/retrieve', sent, headers));
    const detail = says === undefined ? undefined : expect.stringContaining(says);
    expect(status).toBe(200);
    expect(KnowledgeRetrieval.parse(body)).toEqual({
      ...unavailableRetrieval(),
      degraded: [why],
      detail,
    });
  },
);
it('GET /healthz shows the key directory, and is degraded in the 30 days before it expires', async () => {
  const directory = { sequence: 0, expires_at: '2100-01-01T00:00:00.000Z' };
  expect((await replyOf(send('/healthz'))).body).toMatchObject({ status: 'ok', directory });
  await start({ now: () => Date.UTC(2099, 11, 15) });
  expect((await replyOf(send('/healthz'))).body.status).toBe('degraded');
});

describe('every answer', () => {
  it.each([
    ['/healthz', 200],
    ['/nowhere', 404],
    ['/v1/ask', 401],
  ])('of %s carries the security headers and a request id', async (path, status) => {
    const response = await gateway.app.request(path);
    expect(response.status).toBe(status);
    const headers = {
      'x-content-type-options': /nosniff/,
      'content-security-policy': /default-src 'none'/,
      'strict-transport-security': /max-age=\d+/,
      'cache-control': /^no-store$/,
      'x-request-id': /^[0-9a-f]{32}$/,
    };
    for (const [name, value] of Object.entries(headers))
      expect(response.headers.get(name), name).toMatch(value);
  });
  it('allows CORS only for configured origins', async () => {
    const preflight = async (origin: string) => {
      // Including a header of the official OpenAI client.
      const headers = {
        'access-control-request-headers': 'authorization,content-type,x-stainless-lang',
      };
      const sent = {
        method: 'OPTIONS',
        origin,
        'access-control-request-method': 'POST',
        ...headers,
      };
      return (await send('/v1/chat/completions', undefined, sent)).headers;
    };
    const allowed = await preflight('https://desk.example.com');
    expect(allowed.get('access-control-allow-headers')).toContain('x-stainless-lang');
    expect(allowed.get('access-control-allow-origin')).toBe('https://desk.example.com');
    expect(
      (await preflight('https://evil.example.com')).get('access-control-allow-origin'),
    ).toBeNull();
  });
  it('writes one log line, without the question and the key', async () => {
    await send('/v1/ask', { query: 'my e-mail is ann@example.com' });
    const line = {
      event: 'request',
      librarian: 'navigator',
      route: 'POST /v1/ask',
      status: 200,
      outcome: 'ok',
    };
    expect(gateway.lines).toEqual([
      expect.objectContaining({ ...line, trace_id: expect.any(String) }),
    ]);
    expect(JSON.stringify(gateway.lines)).not.toMatch(/ann@example|ck_reader/);
  });
  it('omits article ids and unknown paths from the log', async () => {
    const articles = [
      '/api/kb/articles/my-secret-project',
      '/api/kb/text/crm/john-smith-refund.md',
    ];
    for (const path of [...articles, '/john.smith-called', '/%0A{"event":"forged"}'])
      await send(path);
    expect(JSON.stringify(gateway.lines)).not.toMatch(/secret-project|john|forged/);
  });
});
it('an article may have up to 3 MiB', async () => {
  const put = (bytes: number) =>
    statusOf('/api/kb/articles/a', 'x'.repeat(bytes), { method: 'PUT', key: WRITER });
  // No function is there to store it.
  expect([await put(MAX_ARTICLE_BYTES), await put(MAX_ARTICLE_BYTES + 1)]).toEqual([502, 400]);
});
