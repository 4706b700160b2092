import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  type FaultPlan,
  type ServiceFault,
  startFaultPlan,
} from '../../research/bench/chaos/fault-plan.ts';
import {
  type ProductWithDesks,
  startWithDesks,
} from '../../research/bench/chaos/product-with-desks.ts';
import { signCall } from '../../research/bench/chaos/sign-call.ts';
import { Healthz } from '../../src/contract/core/librarian.ts';
import { SyncStatus } from '../../src/contract/wire/sync.ts';
import { ReplayResponse, TicketsResponse } from '../../src/contract/wire/tickets.ts';
import { ROOT } from '../../tools/functions.ts';
import type { LocalDesk, SignOptions } from '../../tools/stand-ins/helpdesks/desk/local-desk.ts';
import {
  type LocalHelpdesks,
  startHelpdesks,
} from '../../tools/stand-ins/helpdesks/start-helpdesks.ts';

const OLD_SECRET = 'the-secret-before-this-one';
const ACME_SECRET = 'the-secret-of-the-team-acme';
const support = {
  name: 'support-for-test',
  main: join(ROOT, 'test/support/tickets/support-for-test.ts'),
};

let helpdesks: LocalHelpdesks;
let others: LocalHelpdesks;
let plan: FaultPlan;
let running: ProductWithDesks;
let chatwoot: LocalDesk;
const lines: string[] = [];
/** The next faults, by service. */
const faults: Record<string, ServiceFault[]> = {};
const asked: string[] = [];

beforeAll(async () => {
  [helpdesks, others] = await Promise.all([startHelpdesks(), startHelpdesks()]);
  ({ chatwoot } = helpdesks.desks);
  plan = await startFaultPlan((service) => {
    asked.push(service);
    return faults[service]?.shift() ?? 'none';
  });
  const connected = (desk: LocalDesk, change: Partial<LocalDesk['connection']>): LocalDesk => ({
    ...desk,
    connection: { ...desk.connection, ...change },
  });
  const rotated = connected(chatwoot, { secrets: [...chatwoot.connection.secrets, OLD_SECRET] });
  const acme = connected(others.desks.chatwoot, { secrets: [ACME_SECRET] });
  const noSecret = connected(others.desks.zammad, { secrets: [''] });
  const noToken = connected(others.desks.zendesk, { apiToken: '' });
  running = await startWithDesks({
    plan,
    support,
    desks: {
      default: [rotated, helpdesks.desks.zendesk],
      acme: [acme],
      bare: [noSecret],
      tokenless: [noToken],
    },
    main: join(ROOT, 'research/bench/chaos/crashing-webhooks.mjs'),
    variables: {
      TICKET_RETRY_MS: '100',
      TICKET_SETTLE_MS: '400',
      TICKET_CALL_MS: '600',
      TICKET_ANALYSE_MS: '1000',
      TICKET_ATTEMPTS: '4',
      CRASHES: '0',
    },
    onLog: (line) => lines.push(line),
  });
});

afterEach(() => {
  helpdesks.faults.none();
  others.faults.none();
  for (const service of Object.keys(faults)) delete faults[service];
});

afterAll(async () => {
  await running?.stop();
  await plan?.stop();
  await helpdesks?.stop();
  await others?.stop();
});

interface Posted {
  workspace?: string;
  sign?: SignOptions;
  desk?: LocalDesk;
}

const post = async (
  ticketId: string,
  messageId: string,
  options: Posted = {},
): Promise<Response> => {
  const { workspace, sign, desk = chatwoot } = options;
  const { headers, body } = desk.sign(ticketId, messageId, sign);
  const path = `/webhooks/${desk.id}${workspace === undefined ? '' : `/${workspace}`}`;
  return fetch(new URL(path, running.webhooks), { method: 'POST', headers, body });
};
/** Delivers a new ticket. */
const deliver = async (message: string, options: Posted = {}) => {
  const { ticketId, messageId } = (options.desk ?? chatwoot).createTicket({ message });
  const answer = await post(ticketId, messageId, options);
  return { ticketId, messageId, answer: [answer.status, await answer.json()] };
};
const ACCEPTED = [200, { accepted: 1 }];

/** Polls until the result is truthy. */
const until = <T>(ask: () => T | Promise<T>) =>
  vi.waitUntil(ask, { timeout: 60_000, interval: 100 }) as Promise<NonNullable<T>>;

const noteOf = (ticketId: string, desk = chatwoot) => until(() => desk.notes(ticketId)[0]);
/** Until the ticket is no longer open, when a second note would exist too. */
const settled = async (ticketId: string, workspace = 'default') =>
  until(async () => {
    const listed = (state: string) => ticketIn(ticketId, state, workspace);
    return (await listed('open')) === undefined
      ? ((await listed('done')) ?? (await listed('dead')))
      : undefined;
  });
const hasOneNote = async (ticketId: string) => {
  await settled(ticketId);
  await helpdesks.finishLate();
  expect(chatwoot.notes(ticketId)).toHaveLength(1);
};

interface Call {
  workspace?: string;
  body?: unknown;
  can?: string;
}
const call = (
  route: string,
  { workspace = 'default', body, can = 'helpdesk:write' }: Call = {},
) => {
  const [method = '', path = ''] = route.split(' ');
  const called = { method, path: `/v1/support/tickets${path}`, body };
  return signCall({
    to: 'webhooks',
    url: running.webhooks,
    ...called,
    workspace,
    capabilities: [can],
  });
};
const tickets = async (query = '', workspace = 'default') =>
  TicketsResponse.parse((await call(`GET ${query}`, { workspace })).json);
const ticketIn = async (ticketId: string, state: string, workspace?: string) =>
  (await tickets(`?state=${state}&limit=200`, workspace)).tickets.find(
    ({ ticket_id }) => ticket_id === ticketId,
  );
const replay = async (body: object) =>
  ReplayResponse.parse((await call('POST /replay', { body })).json);

describe('a delivery', () => {
  it('leads to one note with the analysis of support, signed by this function', async () => {
    const { ticketId, answer } = await deliver('My Apollo shows 0 H/s.');
    expect(answer).toEqual(ACCEPTED);
    const { body } = await noteOf(ticketId);
    expect(body).toContain('In default for svc:webhooks');
    expect(body).toContain('My Apollo shows 0 H/s.');
    expect(chatwoot.seenByCustomer(ticketId)).toHaveLength(1);
  });

  it('of twenty at once, and again later, leads to one note', async () => {
    const { ticketId, messageId } = chatwoot.createTicket({ message: 'Twenty times.' });
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(ticketId, messageId)));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    await noteOf(ticketId);
    await post(ticketId, messageId, { sign: { deliveryId: 'another' } });
    await hasOneNote(ticketId);
  });

  it('is accepted with the previous secret during rotation', async () => {
    const { ticketId, answer } = await deliver('Rotated.', { sign: { secret: OLD_SECRET } });
    expect(answer).toEqual(ACCEPTED);
    await noteOf(ticketId);
  });

  it('for a workspace whose token is not set is stored, and listed with the reason', async () => {
    const { ticketId, answer } = await deliver('No token.', {
      desk: others.desks.zendesk,
      workspace: 'tokenless',
    });
    expect(answer).toEqual(ACCEPTED);
    const dead = await until(async () => (await tickets('?state=dead', 'tokenless')).tickets[0]);
    const last_error =
      'Cannot reach the helpdesk: its connection cannot be used; helpdesks of this list says why';
    expect(dead).toMatchObject({ ticket_id: ticketId, attempts: 4, last_error });
  });

  it('stays within its workspace', async () => {
    const desk = others.desks.chatwoot;
    const { ticketId } = await deliver('Ours alone.', {
      desk,
      workspace: 'acme',
      sign: { secret: ACME_SECRET },
    });
    expect((await noteOf(ticketId, desk)).body).toContain('In acme for svc:webhooks');
    await settled(ticketId, 'acme');
    const listed = (await tickets('?state=done', 'acme')).tickets;
    expect(listed.map(({ ticket_id }) => ticket_id)).toEqual([ticketId]);
  });

  it('of a note of the product changes nothing', async () => {
    const { ticketId } = await deliver('Echo.');
    const { id } = await noteOf(ticketId);
    expect(await (await post(ticketId, id)).json()).toEqual({ accepted: 0 });
    await hasOneNote(ticketId);
  });
});

describe('faults', () => {
  it.each(['status', 'reset', 'lost', 'hang'] as const)(
    'of support, twice (%s): still one note',
    async (fault) => {
      faults.support = [fault, fault];
      await hasOneNote((await deliver(`Support fails: ${fault}.`)).ticketId);
    },
  );

  it('of support, permanent: no note, the message is listed as dead, and replayed once support is back', async () => {
    faults.support = Array(20).fill('status');
    const { ticketId } = await deliver('Support is gone.');
    const dead = await until(() => ticketIn(ticketId, 'dead'));
    const last_error =
      'Cannot analyse the message: there is no answer of support (DELEGATION_FAILED)';
    expect(dead).toMatchObject({
      helpdesk: 'chatwoot',
      state: 'dead',
      attempts: 4,
      next_attempt_at: null,
      last_error,
    });
    expect(chatwoot.notes(ticketId)).toEqual([]);
    delete faults.support;
    expect(await replay({ ids: [dead.id, 'none'] })).toEqual({
      replayed: 1,
      unknown: ['none'],
      remaining: 0,
    });
    await noteOf(ticketId);
    expect(await settled(ticketId)).toMatchObject({
      state: 'done',
      result: 'note',
      last_error: null,
    });
    expect(await ticketIn(ticketId, 'open')).toBeUndefined();
    expect(await replay({ ids: [dead.id] })).toMatchObject({ replayed: 0 });
  });

  it.each([
    ['the reply of the write, carried out', { kind: 'reset', executed: true }],
    ['the reply of the write, carried out later', { kind: 'reset', executedAfterMs: 250 }],
    ['the reply of the write, never carried out', { kind: 'reset' }],
    ['the rest of the reply', { kind: 'reset-in-body' }],
    ['the reply that never ends', { kind: 'hang-in-body' }],
    ['a failing proxy', { kind: 'html-502' }],
    ['an answer that never comes, carried out', { kind: 'hang-before-headers', executed: true }],
  ] as const)('of the helpdesk (%s): one note', async (message, fault) => {
    const { ticketId, messageId } = chatwoot.createTicket({ message });
    helpdesks.faults.next(
      1,
      fault,
      ({ method, path }) => method === 'POST' && path.includes(`/${ticketId}/`),
    );
    await post(ticketId, messageId);
    await hasOneNote(ticketId);
  });

  it('of support, the library and a helpdesk together (hang): no delivery waits for them', async () => {
    faults.support = Array(40).fill('hang');
    faults.library = Array(40).fill('hang');
    helpdesks.faults.always({ kind: 'hang-before-headers' }, '/zendesk');
    asked.length = 0;
    const created = [chatwoot, helpdesks.desks.zendesk].flatMap((desk) =>
      Array.from({ length: 5 }, (_, at) => ({
        desk,
        ...desk.createTicket({ message: `Nothing answers ${at}.` }),
      })),
    );
    const article = others.desks.zendesk.signArticle?.('17', 'published');
    const sendArticle = () =>
      fetch(new URL('/webhooks/zendesk/tokenless', running.webhooks), {
        method: 'POST',
        ...article,
      });
    const deliveries = created.flatMap(({ ticketId, messageId, desk }) => [
      { kind: desk.id as string, send: () => post(ticketId, messageId, { desk }) },
      { kind: 'article', send: sendArticle },
    ]);
    const times: Record<string, number[]> = {};
    const answer = async ({ kind, send }: (typeof deliveries)[number]) => {
      const startedAt = performance.now();
      expect((await send()).status).toBe(200);
      times[kind] = [...(times[kind] ?? []), performance.now() - startedAt];
    };
    // One after the other, while the work on those before hangs; then all at once.
    for (const delivery of deliveries) await answer(delivery);
    await Promise.all(deliveries.map(answer));
    // A call that hangs ends after 600 ms; on a busy machine some answers take as long, the fastest does not.
    for (const [kind, all] of Object.entries(times))
      expect(Math.min(...all), kind).toBeLessThan(600);
    // The hanging services were called.
    await until(() => asked.includes('support') && asked.includes('library'));
    await until(() =>
      helpdesks.requests.some(
        ({ path }) => path.startsWith('/zendesk') && path.includes('/tickets/'),
      ),
    );
    helpdesks.faults.none();
    for (const service of Object.keys(faults)) delete faults[service];
    for (const { ticketId } of created) await settled(ticketId);
    await replay({ all: true });
    for (const { desk, ticketId } of created) await noteOf(ticketId, desk);
    expect(created.map(({ desk, ticketId }) => desk.notes(ticketId).length)).toEqual(
      Array(10).fill(1),
    );
  });

  it('of a rate limit: all tickets of the helpdesk pause', async () => {
    helpdesks.faults.next(1, { kind: 'status', status: 429, retryAfter: 2 }, '/chatwoot');
    const one = await deliver('One.');
    await until(async () =>
      (await tickets('?state=open')).tickets.some((each) => each.last_error?.includes('429')),
    );
    const restsUntil = Date.now() + 1500;
    const other = await deliver('Other.');
    await until(() => helpdesks.requests.some(({ path }) => path.includes(`/${other.ticketId}`)));
    expect(Date.now()).toBeGreaterThanOrEqual(restsUntil);
    await Promise.all([noteOf(one.ticketId), noteOf(other.ticketId)]);
  });
});

it('articles are synced immediately after they were published or unpublished, even when the library fails', async () => {
  const { zendesk } = helpdesks.desks;
  const articleId = zendesk.articles.add({ title: 'Fans', body: '<p>They turn.</p>' });
  const synced = (full: boolean) =>
    until(async () => {
      const { state, last_report } = SyncStatus.parse(
        await (await running.product.fetch('/v1/sync')).json(),
      );
      return last_report?.full === full && state === 'idle';
    });
  const send = async (change: 'published' | 'unpublished') => {
    const delivery = zendesk.signArticle?.(articleId, change);
    if (delivery === undefined) throw new Error('Zendesk sends article events');
    return (
      await fetch(new URL('/webhooks/zendesk', running.webhooks), { method: 'POST', ...delivery })
    ).status;
  };
  // The first sync of a library is always a full one.
  expect(await send('published')).toBe(200);
  await synced(true);
  expect(await send('published')).toBe(200);
  await synced(false);
  faults.library = ['status', 'reset'];
  const calls = () => asked.filter((service) => service === 'library').length;
  const before = calls();
  expect(await Promise.all([send('published'), send('unpublished'), send('published')])).toEqual([
    200, 200, 200,
  ]);
  await synced(true);
  expect(calls() - before).toBeGreaterThanOrEqual(3);
});

describe('the list of tickets', () => {
  it.each<[status: number, route: string, body?: object | undefined, can?: string]>([
    [401, 'GET ', undefined, 'kb:read'],
    [401, 'POST /replay', { all: true }, 'kb:read'],
    [400, 'GET ?state=lost'],
    [400, 'GET ?cursor=x'],
    [400, 'POST /replay', {}],
  ])(
    'answers %d to %s without the right or with an invalid query',
    async (status, route, body, can) => {
      expect((await call(route, { body, ...(can === undefined ? {} : { can }) })).status).toBe(
        status,
      );
    },
  );

  it('names unusable connections, and counts deliveries with a wrong secret', async () => {
    const count = async () =>
      (await tickets()).helpdesks.find(({ helpdesk }) => helpdesk === 'chatwoot')?.refused ?? 0;
    const before = await count();
    await Promise.all(
      Array.from({ length: 5 }, () => deliver('Refused.', { sign: { secret: 'wrong' } })),
    );
    await until(async () => (await count()) === before + 5);
    const problem = expect.stringMatching(/^Cannot .* is not set$/);
    expect((await tickets('', 'tokenless')).helpdesks).toMatchObject([
      { helpdesk: 'zendesk', problem, refused: 0 },
    ]);
    const health = {
      status: 'degraded',
      helpdesks: { connections: 5, misconfigured: ['zammad', 'zendesk'] },
    };
    for (const url of [
      new URL('/healthz', running.webhooks),
      new URL('/healthz', running.product.url),
    ])
      expect(Healthz.parse(await (await fetch(url)).json())).toMatchObject(health);
    expect(
      lines.filter((line) => line.includes('"where":"HELPDESKS"')).length,
    ).toBeGreaterThanOrEqual(2);
  });

  it('replays nothing when nothing is dead', async () => {
    await replay({ all: true });
    await until(async () => (await tickets('?state=open')).total === 0);
    expect(await replay({ all: true })).toEqual({ replayed: 0, unknown: [], remaining: 0 });
  });
});

it('the log holds no text, name or address', async () => {
  await noteOf((await deliver('My Apollo is loud.')).ticketId);
  const log = lines.join('\n');
  expect(log).toContain('POST /webhooks/:helpdesk/:workspace?');
  for (const secret of [
    'Apollo',
    'Dana',
    'Ortiz',
    'example.net',
    chatwoot.connection.apiToken,
    OLD_SECRET,
  ])
    expect(log).not.toContain(secret);
});
