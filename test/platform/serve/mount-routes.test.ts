import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { InventoryQuery } from '../../../src/contract/wire/moving.ts';
import { SyncRequest } from '../../../src/contract/wire/sync.ts';
import type { GuardedEnv } from '../../../src/platform/context/context-guard.ts';
import { mountRoutes } from '../../../src/platform/serve/mount-routes.ts';
import { identityOf, signedRequest, userContext } from '../context/callers.ts';

const ROUTES = {
  'GET /articles/{id}': { capability: 'kb:read', hasSlashes: true, query: 'InventoryQuery' },
  'POST /sync': {
    capability: 'kb:write',
    grants: 'kb:sync:write',
    alsoNeeds: 'kb:read',
    body: 'SyncRequest',
  },
} as const;

/** What a route replies in a context with some capabilities. */
const reply = async (route: string, capabilities: string[], body?: object) => {
  const app = new Hono<GuardedEnv>();
  const guard = {
    ...(await identityOf('library')),
    access: 'signed' as const,
    log: () => undefined,
  };
  const mount = mountRoutes(app, ROUTES, guard);
  mount(
    'GET /articles/{id}',
    { query: InventoryQuery, purpose: 'list articles' },
    (c, { query, path }) => c.json({ query, path }),
  );
  mount('POST /sync', { body: SyncRequest, whenEmpty: {} }, (c, sent) => c.json(sent.body));
  const [method = '', path = ''] = route.split(' ');
  const context = userContext({ capabilities });
  const request = await signedRequest('library', method, path, {
    context,
    body: body === undefined ? '' : JSON.stringify(body),
  });
  const response = await app.request(request);
  return { status: response.status, body: await response.json() };
};

it('gives a handler its query and the parameters of its path, slashes included', async () => {
  expect(await reply('GET /articles/a/b%20c.md?limit=3', ['kb:read'])).toEqual({
    status: 200,
    body: { query: expect.objectContaining({ limit: 3 }), path: { id: 'a/b c.md' } },
  });
});

it('refuses a faulty query, says what cannot be done and what to send', async () => {
  expect(await reply('GET /articles/a?limit=none', ['kb:read'])).toMatchObject({
    status: 400,
    body: {
      error: {
        code: 'INVALID_QUERY',
        librarian: 'library',
        message: expect.stringContaining('Cannot list articles: limit'),
        suggestion: expect.stringContaining('?limit='),
      },
    },
  });
});

it('reads the body, or what stands for an empty one', async () => {
  const rights = ['kb:sync:write', 'kb:read'];
  expect(await reply('POST /sync', rights, { full: true })).toMatchObject({ body: { full: true } });
  expect(await reply('POST /sync', rights)).toMatchObject({ status: 200 });
  expect((await reply('POST /sync', rights, { full: 'yes' })).status).toBe(400);
});

it.each([
  { rights: ['kb:sync:write'], missing: 'kb:read' },
  { rights: ['kb:sync:write', 'kb:read'], missing: undefined },
  { rights: ['kb:write', 'kb:read'], missing: 'kb:sync:write' },
  { rights: ['kb:read'], missing: 'kb:sync:write' },
])('demands what is granted and what is needed besides: $rights', async ({ rights, missing }) => {
  const { status, body } = await reply('POST /sync', rights);
  expect([status, (body as { error?: { details?: object } }).error?.details]).toEqual(
    missing === undefined ? [200, undefined] : [401, { missing }],
  );
});
