import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { launchChromium } from '../../research/screenshots/launch-chromium.ts';
import { ROUTES, type RouteName } from '../../src/contract/routes/http-routes.ts';
import { exampleRequest, replyProblem, requestSchema } from '../../tools/build/openapi.ts';
import type { Product } from '../../tools/run/product.ts';
import { withNulls } from '../contract/wire/null-members.ts';
import { undescribedReplies } from './described-replies.ts';
import { compileClient } from './generated-client.ts';
import { ask, grant, send, startEmbedded } from './product-for-test.ts';

const OWNER = 'ck_owner_0123456789abcdef';
const NO_RIGHTS = 'ck_no_rights_0123456789ab';
/** The id of a kept answer in the examples; one is kept here under another. */
const EXAMPLE_ANSWER = '5f0d3a2e-6c1b-4d5e-9f80-3a4b5c6d7e8f';
let answerId = EXAMPLE_ANSWER;
/** The edition in the examples; here it has another hash. */
const EXAMPLE_EDITION = 'e000001-0a1b2c3d';
let edition = EXAMPLE_EDITION;

const OIDC_PROVIDERS = JSON.stringify([
  {
    issuer: 'https://login.example.com/',
    audience: 'kb',
    grants: [{ workspaces: ['default'], capabilities: [] }],
  },
]);

let product: Product;
const keepAnswer = async (): Promise<void> => {
  const { metadata } = (await ask(product, 'How long does shipping to Canada take?')).reply;
  answerId = String(metadata?.answer_id);
  const isKept = async () => (await send(product, `GET /v1/answers/${answerId}`)).ok;
  await vi.waitUntil(isKept, { timeout: 60_000 });
};
beforeAll(async () => {
  product = await startEmbedded({
    webSearch: 'local',
    helpdesks: { HANDOVER: '{"default": "list"}' },
    allVars: { OIDC_PROVIDERS },
  });
  edition = (await product.sync({ full: true })).edition ?? edition;
  const capabilities = ['*', 'memory:restore'];
  await grant(product, OWNER, { capabilities, audiences: ['*'] });
  await keepAnswer();
  await grant(product, NO_RIGHTS, { capabilities: ['none:at-all'] });
}, 240_000);
afterAll(() => product?.stop());

const NAMES = Object.keys(ROUTES) as RouteName[];
const METHODS = ['PUT', 'POST', 'GET', 'DELETE'];
/** The order of examples: writes before reads, taxonomy and deletions last. */
const inOrder = (name: RouteName): number =>
  METHODS.findIndex((method) => name.startsWith(method)) +
  (name.includes('taxonomy') ? 10 : name.includes('activate') ? 20 : 0);

type Description = {
  [member: string]: unknown;
  paths: Record<string, Record<string, unknown>>;
  components: { schemas: Record<string, object> };
};
const described = async (): Promise<Description> =>
  (await fetch(new URL('/openapi.json', product.url))).json() as Promise<Description>;

/** What a program of others does with a client of theirs. */
const PROGRAM = `import { client } from './client.ts';
export const run = async () => {
  const asked = await client.POST('/v1/ask', { body: { query: 'How long does shipping to Canada take?' } });
  const page = await client.GET('/api/kb/articles', { params: { query: { limit: 2 } } });
  const missing = await client.GET('/api/kb/articles/{id}', { params: { path: { id: 'nope.md' } } });
  const { data: chat } = await client.POST('/v1/chat/completions', {
    body: { model: 'constellation', messages: [{ role: 'user', content: 'How do I reset the dashboard password?' }] },
  });
  const put = await client.PUT('/api/kb/articles/{id}', {
    params: { path: { id: 'generated/client.md' } },
    body: { title: 'Made by a generated client', content: '# Made by a generated client\\n\\nIt compiles.', metadata: {} },
  });
  const analyzed = await client.POST('/v1/support/analyze', { body: { message: 'My Apollo shows 0 H/s' } });
  const answer: string | undefined = asked.data?.answer;
  const titles: string[] | undefined = page.data?.articles.map(({ title }) => title);
  const notFound: string | undefined = missing.error?.error;
  const drafted: string | undefined = analyzed.data?.draft.text;
  return {
    ...{ answer, titles, notFound, status: missing.response.status, created: put.response.status, drafted },
    chat: chat?.choices[0]?.message.content,
  };
};
`;

describe('GET /openapi.json', () => {
  it('is a valid description of exactly the existing routes', async () => {
    const description = await described();
    expect(await new Validator().validate(description)).toEqual({ valid: true });
    const names = Object.entries(description.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(names.toSorted()).toEqual(NAMES.toSorted());
    const schemas = Object.values(description.components.schemas);
    expect(schemas.filter((schema) => Object.keys(schema).length === 0)).toEqual([]);
    expect(description.components.schemas.AskRequest).toMatchObject({
      properties: { timeout_ms: { description: expect.stringContaining('milliseconds') } },
    });
  });

  it('makes a client of openapi-typescript that compiles and runs', async () => {
    const description = JSON.stringify(await described());
    const { problems, run } = await compileClient(description, PROGRAM, product);
    expect(problems).toBe('');
    expect(await run?.()).toEqual({
      answer: expect.stringContaining('Canada'),
      titles: [expect.any(String), expect.any(String)],
      notFound: 'NOT_FOUND',
      status: 404,
      chat: expect.any(String),
      created: 201,
      drafted: expect.any(String),
    });
    // The compiler has to see the types: a limit is a number, and a question is required.
    const wrong = PROGRAM.replace('limit: 2', "limit: 'two'").replace(
      'body: { query:',
      'body: { question:',
    );
    const refused = await compileClient(description, wrong, product);
    expect(refused.problems.match(/error TS\d+/g)).toEqual(['error TS2353', 'error TS2322']);
  });

  it('is revalidated by its ETag, and needs no key', async () => {
    const first = await fetch(new URL('/openapi.json', product.url));
    const headers = { 'If-None-Match': first.headers.get('ETag') ?? '' };
    expect((await fetch(new URL('/openapi.json', product.url), { headers })).status).toBe(304);
    expect(first.headers.get('Cache-Control')).toBe('no-cache');
  });
});

/**
 * These need a code of an identity provider, or a ticket with its messages (a restored one has none);
 * describe-sign-in.ts, describe-panel.ts and describe-tickets.ts test them.
 */
const NEEDS_OTHERS: ReadonlySet<RouteName> = new Set([
  'POST /v1/sign-in',
  'GET /v1/support/tickets/case',
  'GET /v1/support/tickets/draft',
  'POST /v1/support/tickets/feedback',
]);

describe('the example of a route', () => {
  const SIGNED = NAMES.filter(
    (name) => 'access' in ROUTES[name] && ROUTES[name].access === 'signed',
  );

  it.each(
    NAMES.filter((name) => !SIGNED.includes(name)).toSorted(
      (one, other) => inOrder(one) - inOrder(other),
    ),
  )('%s works, and its reply matches the description', async (name) => {
    const { method, path, body } = exampleRequest(name);
    const route = `${method} ${path.replace(EXAMPLE_ANSWER, answerId).replace(EXAMPLE_EDITION, edition)}`;
    const response = await send(product, route, body, OWNER);
    const text = await response.text();
    const status = NEEDS_OTHERS.has(name) ? 404 : expect.toSatisfy(isSuccess);
    expect([response.status, text.slice(0, 500)]).toEqual([status, expect.anything()]);
    const isJson = response.headers.get('Content-Type')?.includes('json') === true;
    expect(
      replyProblem(name, { status: response.status, body: isJson ? JSON.parse(text) : text }),
    ).toBeUndefined();
  });

  it.each(NAMES.filter((name) => !SIGNED.includes(name) && requestSchema(name) !== undefined))(
    '%s takes null in every optional member as absent',
    async (name) => {
      const { method, path, body } = exampleRequest(name);
      // The deletions above leave no answer.
      if (path.includes(EXAMPLE_ANSWER)) await keepAnswer();
      const route = `${method} ${path.replace(EXAMPLE_ANSWER, answerId).replace(EXAMPLE_EDITION, edition)}`;
      const given = withNulls(requestSchema(name) ?? z.never(), body);
      const response = await send(product, route, given, OWNER);
      const status = NEEDS_OTHERS.has(name) ? 404 : expect.toSatisfy(isSuccess);
      expect([response.status, (await response.text()).slice(0, 500)]).toEqual([
        status,
        expect.anything(),
      ]);
    },
  );

  it.each(SIGNED)('%s is refused without a signature, in the described form', async (name) => {
    const { method, path, body } = exampleRequest(name);
    const response = await send(product, `${method} ${path}`, body, OWNER);
    expect(response.status).toBe(401);
    expect(
      replyProblem(name, { status: response.status, body: await response.json() }),
    ).toBeUndefined();
  });

  it.each(NAMES.filter((name) => 'capability' in ROUTES[name]))(
    '%s needs the described capability',
    async (name) => {
      const { method, path, body } = exampleRequest(name);
      const response = await send(product, `${method} ${path}`, body, NO_RIGHTS);
      const refused: unknown = await response.json();
      expect([response.status, JSON.stringify(refused)]).toEqual([
        401,
        expect.stringContaining('capability'),
      ]);
      expect(replyProblem(name, { status: 401, body: refused })).toBeUndefined();
    },
  );
});

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

describe('GET /docs', () => {
  it('shows the routes and runs an example, without a request to another host', async () => {
    const browser = await launchChromium();
    try {
      const page = await browser.newPage();
      const problems: string[] = [];
      page.on('pageerror', ({ message }) => problems.push(message));
      page.on('console', (line) => void (line.type() === 'error' && problems.push(line.text())));
      page.on('request', (request) => {
        if (/^https?:/.test(request.url()) && new URL(request.url()).origin !== product.url.origin)
          problems.push(request.url());
      });
      await page.goto(new URL('/docs', product.url).href);
      await page.click('.authorize');
      await page.fill('.auth-container input', product.key);
      await page.click('.auth-btn-wrapper .authorize');
      await page.click('.btn-done');
      await page.click('#operations-Ask-postAsk .opblock-summary-control');
      await page.click('#operations-Ask-postAsk .execute');
      const reply = page.locator('#operations-Ask-postAsk .live-responses-table');
      await reply.getByText('4 to 7').first().waitFor({ timeout: 60_000 });
      expect(problems).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});

describe('whatever is replied', () => {
  it('has a status, a media type and a body that the description has', async () => {
    const described = (await (
      await fetch(new URL('/openapi.json', product.url))
    ).json()) as Parameters<typeof undescribedReplies>[0]['described'];
    const place = (path: string): string =>
      path.replace(EXAMPLE_ANSWER, answerId).replace(EXAMPLE_EDITION, edition);
    const tried = { url: product.url, described, key: OWNER, noRights: NO_RIGHTS, place };
    const { problems, requests } = await undescribedReplies(tried);
    expect(problems).toEqual([]);
    expect(requests).toBeGreaterThan(1500);
  }, 300_000);

  it('has numbers for limits, and examples of their types', async () => {
    const { paths } = await described();
    const parameters = Object.values(paths)
      .flatMap(
        (item) =>
          Object.values(item) as {
            parameters?: { name: string; schema: { type?: string }; example?: unknown }[];
          }[],
      )
      .flatMap((operation) => operation.parameters ?? []);
    const limits = parameters.filter(({ name }) => name === 'limit');
    expect(limits.length).toBeGreaterThan(5);
    for (const { schema, example = 1 } of limits)
      expect([schema.type, typeof example]).toEqual(['integer', 'number']);
  });
});
