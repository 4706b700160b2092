import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import {
  contextGuard,
  faultHandler,
  type GuardedEnv,
  type GuardOptions,
  requireCapability,
} from '../../../src/platform/context/context-guard.ts';
import type {
  OriginContext,
  VerifiedContext,
} from '../../../src/platform/context/request-context.ts';
import { memoryReplayStore } from '../../../src/platform/context/verify-context.ts';
import { jsonAnswer } from '../../../src/platform/http/json-http.ts';
import {
  type App,
  callFrom,
  identityOf,
  notebook,
  signedRequest,
  targetOf,
  userContext,
} from './callers.ts';

const guarded = async (options: Partial<GuardOptions> = {}) => {
  const { lines, log, text } = notebook();
  const identity = await identityOf('navigator');
  const app = new Hono<GuardedEnv>()
    .use(contextGuard({ ...identity, access: 'signed', log, ...options }))
    .post('/echo', async (c) => c.json({ got: await c.req.json(), for: c.get('context').subject }))
    .get('/nothing', (c) => c.body(null, 204))
    .get('/secret', requireCapability('kb:hr:read'), (c) => c.json({ salary: 7 }))
    .get('/broken', () => {
      throw new Error('password=hunter2 in "SELECT 1"');
    });
  app.onError(faultHandler({ self: 'navigator', log }));
  return { app, lines, text };
};

/** What a caller gets from the guarded app, once it has checked the receipt. */
const callGuarded = async (
  app: App,
  request: object,
  {
    from = 'gateway',
    context = userContext(),
  }: { from?: string; context?: OriginContext | VerifiedContext } = {},
) => {
  const targets = { navigator: targetOf(app).target };
  const sent = { to: 'navigator', path: '/echo', ...request };
  const { answer } = await callFrom(from, context, { targets, request: sent });
  if (!answer.ok) throw new Error('The receipt is not accepted');
  const { status, receipt, contentType } = answer;
  return { status, receipt, body: contentType?.includes('json') ? answer.json() : undefined };
};

/** A context that a service originates. */
const ownContext = (self: string, subject = `svc:${self}`) => userContext({ self, subject });

const anonymous = { workspace: 'default', capabilities: ['kb:public'], secret: 's' };

describe('contextGuard() accepts', () => {
  it('a signed call, passes its body to the route and signs the answer', async () => {
    const { app } = await guarded();
    const { body, receipt } = await callGuarded(app, { body: { a: 1 } });
    expect(body).toEqual({ got: { a: 1 }, for: 'user:u_secret' });
    expect(receipt).toMatchObject({ iss: 'navigator', aud: 'gateway', st: 200 });
  });
  it('a path and a query of any characters, exactly as sent', async () => {
    const { app } = await guarded();
    app.get('/find/:what', (c) => c.json({ what: c.req.param('what'), more: c.req.query('more') }));
    const { body } = await callGuarded(app, { path: '/find/50%25 €?more=a b&x=%2F#top' });
    expect(body).toEqual({ what: '50% €', more: 'a b' });
  });
  it('anonymous callers when access is public, with an id that hides their address and changes daily', async () => {
    const day = Date.parse('2026-11-21T12:00:00Z');
    const ask = async (now: number) => {
      const { app } = await guarded({ access: 'public', anonymous, now: () => now });
      const headers = { 'Content-Type': 'application/json', 'CF-Connecting-IP': '203.0.113.9' };
      const response = await app.request('/echo', { method: 'POST', body: '{}', headers });
      const { for: subject } = (await response.json()) as { for: string };
      return { subject, receipt: response.headers.get('Context-Receipt') };
    };
    const [first, again, later] = await Promise.all([
      ask(day),
      ask(day + 1000),
      ask(day + 86_400_000),
    ]);
    expect(first?.subject).toMatch(/^anon:[A-Za-z0-9_-]{22}$/);
    expect(again?.subject).toBe(first?.subject);
    expect(later?.subject).not.toBe(first?.subject);
    expect(first?.receipt).toBeNull();
  });
  it.each([
    ['00', false],
    ['01', true],
  ])('the sampled flag %s of an anonymous caller', async (flag, sampled) => {
    const { app } = await guarded({ access: 'public', anonymous });
    app.get('/sampled', (c) => c.json(c.get('context').sampled ?? null));
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-${flag}`;
    expect(await (await app.request('/sampled', { headers: { traceparent } })).json()).toBe(
      sampled,
    );
  });
});

describe('contextGuard() refuses', () => {
  it.each(['signed', 'user'] as const)(
    '6 a missing header where access is %s, in standard form',
    async (access) => {
      const { app } = await guarded({ access, anonymous });
      const response = await app.request('/echo', { method: 'POST', body: '{}' });
      expect(response.status).toBe(401);
      expect(response.headers.get('WWW-Authenticate')).toBe('ContextToken');
      expect(await response.json()).toMatchObject({
        error: { code: 'UNAUTHORIZED', librarian: 'navigator' },
      });
    },
  );
  it('T20 an invalid token even when anonymous callers are allowed', async () => {
    const { app } = await guarded({ access: 'public', anonymous });
    const elsewhere =
      (await signedRequest('navigator', 'GET', '/secret')).headers.get('Context-Token') ?? '';
    for (const token of ['', 'garbage', '~', elsewhere])
      expect((await app.request('/nothing', { headers: { 'Context-Token': token } })).status).toBe(
        401,
      );
    expect((await app.request('/nothing')).status).toBe(204);
  });
  it('T21 the rights of a stripped token: the caller has those of an anonymous caller', async () => {
    const { app } = await guarded({ access: 'public', anonymous });
    const context = userContext({ capabilities: ['kb:*'] });
    const request = await signedRequest('navigator', 'GET', '/secret', { context });
    expect((await app.request(request)).status).toBe(200);
    expect((await app.request(new Request(request.url))).status).toBe(401);
  });
  it('T23 a context without the capability, and names it', async () => {
    const { app } = await guarded();
    const error = { code: 'UNAUTHORIZED', details: { missing: 'kb:hr:read' } };
    expect(await callGuarded(app, { path: '/secret' })).toMatchObject({
      status: 401,
      body: { error },
    });
  });
  it('services and anonymous callers when only users may call, with a receipt', async () => {
    const { app } = await guarded({ access: 'user' });
    const service = { from: 'webhooks', context: ownContext('webhooks') };
    expect(await callGuarded(app, { path: '/nothing' }, service)).toMatchObject({
      status: 401,
      receipt: { st: 401 },
    });
  });
  it('T27 a librarian that drops the chain and originates a context without the right to', async () => {
    const { app } = await guarded({ callers: ['gateway'] });
    const asItself = (from: string, subject: string) =>
      callGuarded(app, { path: '/nothing' }, { from, context: ownContext(from, subject) });
    // A librarian without workspaces cannot originate a context; one that may is refused by the route's list of callers.
    expect(await asItself('semantic', 'svc:semantic')).toMatchObject({ status: 401 });
    expect(await asItself('semantic', 'user:u_secret')).toMatchObject({ status: 401 });
    expect(await asItself('webhooks', 'svc:webhooks')).toMatchObject({ status: 401 });
    const open = await guarded();
    const { body } = await callGuarded(
      open.app,
      { body: {} },
      { from: 'webhooks', context: ownContext('webhooks') },
    );
    expect(body).toMatchObject({ for: 'svc:webhooks' });
    expect(open.lines).toMatchObject([{ chain: ['webhooks'] }]);
  });
  it('an exact replay when there is a replay store', async () => {
    const { app } = await guarded({ replay: memoryReplayStore() });
    const request = await signedRequest('navigator', 'GET', '/nothing');
    expect((await app.request(request.clone())).status).toBe(204);
    expect((await app.request(request)).status).toBe(401);
  });
  it.each([
    ['too large', `"${'x'.repeat(300)}"`, {}],
    ['of another type', '"x"', { 'Content-Type': 'text/plain' }],
    ['encoded', '"x"', { 'Content-Encoding': 'gzip' }],
    ['larger than declared', `"${'x'.repeat(300)}"`, { 'Content-Length': '5' }],
  ])('a body that is %s', async (_, body, headers) => {
    const { app } = await guarded({ maxBodyBytes: 300 });
    const request = await signedRequest('navigator', 'POST', '/echo', { body });
    for (const [name, value] of Object.entries(headers)) request.headers.set(name, value);
    const response = await app.request(request);
    expect([response.status, response.headers.has('Context-Receipt')]).toEqual([400, true]);
  });
});

describe('contextGuard() signs', () => {
  it.each([
    ['/nothing', 204],
    ['/broken', 500],
    ['/unknown', 404],
  ])('every answer of the route: %s %d', async (path, status) => {
    const { app } = await guarded();
    expect(await callGuarded(app, { path })).toMatchObject({ status, receipt: { st: status } });
  });
  it('the final response, when a later middleware rewrites it', async () => {
    const { log } = notebook();
    const app = new Hono<GuardedEnv>()
      .use(contextGuard({ ...(await identityOf('navigator')), access: 'signed', log }))
      .use(async (c, next) => {
        await next();
        c.res = new Response(`[${await c.res.text()}]`, {
          headers: { 'Content-Type': 'application/json' },
        });
      })
      .get('/rewritten', () => jsonAnswer({ a: 1 }));
    expect((await callGuarded(app, { path: '/rewritten' })).body).toEqual([{ a: 1 }]);
  });
  it('a response with a declared length, so that callers read it in one piece', async () => {
    const { app } = await guarded();
    for (const path of ['/secret', '/unknown', '/broken']) {
      const response = await app.request(await signedRequest('navigator', 'GET', path));
      expect(response.headers.get('Content-Length')).toBe(
        String((await response.arrayBuffer()).byteLength),
      );
    }
  });
  it('refusals of authentic calls, so that the caller can trust them', async () => {
    const { app } = await guarded({ maxHops: 1 });
    // An intermediate librarian that calls the navigator and returns the result.
    const semantic = new Hono<GuardedEnv>()
      .use(
        contextGuard({ ...(await identityOf('semantic')), access: 'signed', log: () => undefined }),
      )
      .get('/on', async (c) =>
        c.json(
          await callGuarded(
            app,
            { path: '/nothing' },
            { from: 'semantic', context: c.get('context') },
          ),
        ),
      );
    const targets = { semantic: targetOf(semantic).target };
    const { answer } = await callFrom('gateway', userContext(), {
      targets,
      request: { to: 'semantic', path: '/on' },
    });
    expect(answer.ok && answer.json()).toMatchObject({
      status: 508,
      body: { error: { code: 'MAX_DEPTH_EXCEEDED' } },
    });
  });
  it('the usage that the route reports', async () => {
    const { app } = await guarded();
    app.get('/paid', (c) => {
      c.set('usage', { tokens: 12 });
      return c.json({});
    });
    expect((await callGuarded(app, { path: '/paid' })).receipt.use).toEqual({ tokens: 12 });
  });
  it('nothing for anonymous callers', async () => {
    const { app } = await guarded();
    const token =
      (await signedRequest('navigator', 'GET', '/nothing')).headers.get('Context-Token') ?? '';
    const forged = `${token.slice(0, -20)}${'A'.repeat(20)}`;
    const { status, headers } = await app.request('/nothing', {
      headers: { 'Context-Token': forged },
    });
    expect([status, headers.get('Context-Receipt')]).toEqual([401, null]);
  });
});

it('T25 the log of a guarded route has one line per request, without token, body, subject or stack trace', async () => {
  const { app, lines, text } = await guarded();
  for (const call of [
    { body: { query: 'my card is 4111-1111-1111' } },
    { path: '/secret' },
    { path: '/broken' },
  ])
    await callGuarded(app, call);
  const request = await signedRequest('navigator', 'GET', '/nothing');
  await app.request('/elsewhere', { headers: request.headers });
  expect(lines.filter(({ event }) => event === 'request')).toMatchObject([
    {
      librarian: 'navigator',
      route: 'POST /echo',
      status: 200,
      outcome: 'ok',
      hops: 1,
      chain: ['gateway'],
    },
    { route: 'GET /secret', status: 401, outcome: 'UNAUTHORIZED' },
    { route: 'GET /broken', status: 500, outcome: 'INTERNAL_ERROR' },
    { route: 'GET /*', status: 401, reason: 'the token is for another operation' },
  ]);
  const token = request.headers.get('Context-Token') ?? '';
  for (const secret of ['4111-1111', 'u_secret', 'SELECT', token, token.split('.')[2] ?? ''])
    expect(text()).not.toContain(secret);
  const trace_id = expect.stringMatching(/^[0-9a-f]{32}$/);
  expect(lines[0]).toMatchObject({ trace_id, link: expect.stringMatching(/^.{8}$/) });
});
