import { describe, expect, it } from 'vitest';
import { HealthKind } from '../../src/contract/wire/knowledge.ts';
import { Overview } from '../../src/contract/wire/overview.ts';
import type { RequestContext } from '../../src/platform/context/request-context.ts';
import { functionFor, READER, replyOf, startGateway } from './gateway-for-test.ts';

const OWNER = 'ck_owner_0123456789abcdef';
const keys = {
  [READER]: {},
  [OWNER]: {
    capabilities: ['answers:read', 'support:analyze', 'kb:*', 'helpdesk:*'],
    audiences: ['staff'],
  },
};
const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 10, 20);

const VERDICTS = ['answered', 'hedged', 'declined', 'clarifying', 'closes', 'person', 'error'];
const verdicts = Object.fromEntries(VERDICTS.map((verdict) => [verdict, 0]));
const counts = { total: 0, verdicts, disliked: 0, interfaces: [] };
const page = { total: 0, next_cursor: null };
const gaps = { ...page, gaps: [], edition: null };
const health = {
  edition: 'e000001-0a1b2c3d',
  created_at: '2026-11-19T10:00:00Z',
  articles: 3,
  counts: Object.fromEntries(HealthKind.options.map((kind) => [kind, 0])),
  findings: [],
};
const checks = {
  checks: [],
  counts: { red: 1, not_run: 0, green: 2 },
  pending: 0,
  last_ran_at: null,
  running: false,
  next_cursor: null,
};
const REPLIES: Record<string, object> = {
  '/v1/answers-counted': [counts, counts],
  '/v1/answers': { ...page, answers: [] },
  '/v1/knowledge/gaps': gaps,
  '/v1/knowledge/health': health,
  '/v1/support/tickets': { ...page, tickets: [], helpdesks: [] },
  '/v1/knowledge/checks': checks,
};

const FUNCTIONS = ['memory', 'support', 'semantic', 'webhooks', 'navigator'];

/** The gateway in front of functions that reply with `replies` by path, and what they were asked. */
const start = async (replies: Record<string, () => Response | Promise<Response>> = {}) => {
  const requests: { path: string; query: URLSearchParams; context: RequestContext }[] = [];
  const targets = FUNCTIONS.map(async (id) => [
    id,
    await functionFor(id, (c) => {
      const { pathname: path, searchParams: query } = new URL(c.req.url);
      requests.push({ path, query, context: c.get('context') });
      return replies[path]?.() ?? Response.json(REPLIES[path]);
    }),
  ]);
  let clock = START;
  const gateway = await startGateway({
    keys,
    // Time passes between any two looks at the clock.
    now: () => clock++,
    functions: Object.fromEntries(await Promise.all(targets)),
    keepsAnswers: (workspace) => workspace === 'globex',
  });
  const read = async (query = '', key = OWNER) => {
    const { status, body } = await replyOf(
      gateway.send(`/v1/overview${query}`, undefined, { key }),
    );
    return { status, body, overview: status === 200 ? Overview.parse(body) : undefined };
  };
  return { read, requests, lines: gateway.lines };
};

describe('GET /v1/overview', () => {
  it('compares two times of one length, also while the clock runs', async () => {
    const { read, requests } = await start();
    const { overview } = await read('?days=28');
    const [from = 0, to = 0, before = 0] = [overview?.from, overview?.to, overview?.before].map(
      (each) => Date.parse(each ?? ''),
    );
    expect([to - from, from - before]).toEqual([28 * DAY_MS, 28 * DAY_MS]);
    const counted = requests.find(({ path }) => path === '/v1/answers-counted');
    expect(Object.fromEntries(counted?.query ?? [])).toEqual({
      before: overview?.before,
      from: overview?.from,
      to: overview?.to,
    });
  });
  it('reads each part for the workspace and the audiences of the key, within seconds', async () => {
    const { read, requests } = await start();
    const { overview } = await read('?workspace_id=globex&days=1');
    expect(overview).toMatchObject({
      answers: { are_kept: true },
      checks: { red: 1, green: 2 },
      unread: [],
    });
    expect(requests).toHaveLength(10);
    for (const { context } of requests) {
      expect(context).toMatchObject({ workspace: 'globex', audiences: ['staff'] });
      expect(context.deadlineMs - context.startedAtMs).toBeLessThanOrEqual(5000);
    }
  });
  it('lists the gaps of the days once the open ones are listed', async () => {
    const { read, requests } = await start();
    await read('?days=3');
    const listed = requests.filter(({ path }) => path === '/v1/knowledge/gaps');
    const [first, ...others] = listed.map(({ query }) => [query.get('state'), query.get('days')]);
    expect(first).toEqual(['open', null]);
    expect(others).toEqual([
      ['open', '3'],
      ['closed', '3'],
    ]);
  });
  it.each<[string, () => Response | Promise<Response>]>([
    ['a status of a failure', () => Response.json({ error: 'walrus' }, { status: 503 })],
    ['a body that is no JSON', () => new Response('walrus: not {JSON')],
    ['another form', () => Response.json({ walrus: 1 })],
  ])('names and logs a part that fails with %s, and shows the others', async (_, reply) => {
    const { read, lines } = await start({ '/v1/knowledge/gaps': reply });
    const { overview } = await read();
    expect(overview).toMatchObject({
      gaps: null,
      unread: [{ part: 'gaps' }],
      articles: { articles: 3 },
    });
    const faults = lines.filter(({ event }) => event === 'fault');
    expect(faults).toMatchObject([{ where: 'overview gaps', librarian: 'gateway' }]);
    expect(JSON.stringify(faults)).not.toContain('walrus');
  });
  it('names the capabilities that the key lacks, and does not ask for their parts', async () => {
    const { read, requests } = await start();
    const { overview } = await read('', READER);
    expect(overview?.unread).toContainEqual({ part: 'answers', missing: 'answers:read' });
    expect(overview).toMatchObject({ answers: null, tickets: null });
    expect(requests.map(({ path }) => path)).not.toContain('/v1/answers-counted');
  });
  it.each(['?days=0', '?days=29', '?days=x', '?weeks=1'])('refuses %s', async (query) => {
    const { read } = await start();
    expect(await read(query)).toMatchObject({
      status: 400,
      body: { error: { code: 'INVALID_QUERY' } },
    });
  });
  it('refuses a workspace that is not one of the key', async () => {
    const { read, requests } = await start();
    expect((await read('?workspace_id=other')).status).toBe(401);
    expect(requests).toEqual([]);
  });
});
