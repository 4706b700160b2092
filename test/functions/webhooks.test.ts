import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { Healthz } from '../../src/contract/librarian.ts';
import { SyncStatus } from '../../src/contract/sync.ts';
import { ReplayResponse, TicketsResponse } from '../../src/contract/tickets.ts';
import { type FaultPlan, type ServiceFault, startFaultPlan } from '../../src/dev/bench/chaos/fault-plan.ts';
import { type ProductWithDesks, startWithDesks } from '../../src/dev/bench/chaos/product-with-desks.ts';
import { signCall } from '../../src/dev/bench/chaos/sign-call.ts';
import { ROOT } from '../../src/dev/functions.ts';
import type { LocalDesk, SignOptions } from '../../src/dev/stand-ins/helpdesks/desk/local-desk.ts';
import { type LocalHelpdesks, startHelpdesks } from '../../src/dev/stand-ins/helpdesks/start-helpdesks.ts';

const OLD_SECRET = 'the-secret-before-this-one';
const support = { name: 'support-for-test', main: join(ROOT, 'test/helpdesk/tickets/support-for-test.ts') };

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
  const rotated = { ...chatwoot, connection: { ...chatwoot.connection } };
  rotated.connection.secrets = [...chatwoot.connection.secrets, OLD_SECRET];
  const acme = {
    ...others.desks.chatwoot,
    connection: { ...others.desks.chatwoot.connection, secrets: ['the-secret-of-the-team-acme'] },
  };
  const noSecret = { ...others.desks.zammad, connection: { ...others.desks.zammad.connection, secrets: [''] } };
  const { zendesk } = others.desks;
  const noToken = { ...zendesk, connection: { ...zendesk.connection, apiToken: '' } };
  running = await startWithDesks({
    plan,
    support,
    desks: { default: [rotated, helpdesks.desks.zendesk], acme: [acme], bare: [noSecret], tokenless: [noToken] },
    main: join(ROOT, 'src/dev/bench/chaos/crashing-webhooks.mjs'),
    variables: {
      ...{ TICKET_RETRY_MS: '100', TICKET_SETTLE_MS: '400', TICKET_CALL_MS: '600', TICKET_ANALYSE_MS: '1000' },
      ...{ TICKET_ATTEMPTS: '4', CRASHES: '0' },
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
  tool?: string;
  sign?: SignOptions;
  desk?: LocalDesk;
}

const post = async (ticketId: string, messageId: string, options: Posted = {}): Promise<Response> => {
  const { workspace, tool = 'chatwoot', sign, desk = chatwoot } = options;
  const { headers, body } = desk.sign(ticketId, messageId, sign);
  const path = `/webhooks/${tool}${workspace === undefined ? '' : `/${workspace}`}`;
  return fetch(new URL(path, running.webhooks), { method: 'POST', headers, body });
};

/** Polls until the result is truthy. */
const until = <T>(ask: () => T | Promise<T>) =>
  vi.waitUntil(ask, { timeout: 15_000, interval: 100 }) as Promise<NonNullable<T>>;

const noteOf = (ticketId: string, desk = chatwoot) => until(() => desk.notes(ticketId)[0]);
/** Until the ticket is no longer open, when a second note would exist too. */
const settled = async (ticketId: string, workspace = 'default') =>
  until(async () => {
    const listed = (state: string) => ticketIn(ticketId, state, workspace);
    return (await listed('open')) === undefined ? ((await listed('done')) ?? (await listed('dead'))) : undefined;
  });

const call = (
  route: string,
  { workspace = 'default', body, can = 'helpdesk:write' }: { workspace?: string; body?: unknown; can?: string } = {},
) => {
  const [method = '', path = ''] = route.split(' ');
  const called = { method, path: `/v1/support/tickets${path}`, body };
  return signCall({ to: 'webhooks', url: running.webhooks, ...called, workspace, capabilities: [can] });
};
const tickets = async (query = '', workspace = 'default') =>
  TicketsResponse.parse((await call(`GET ${query}`, { workspace })).json);
const ticketIn = async (ticketId: string, state: string, workspace?: string) =>
  (await tickets(`?state=${state}&limit=200`, workspace)).tickets.find(({ ticket_id }) => ticket_id === ticketId);
const replay = async (body: object) => ReplayResponse.parse((await call('POST /replay', { body })).json);

describe('a delivery', () => {
  it('leads to one note with the analysis of support, signed by this function', async () => {
    const { ticketId, messageId } = chatwoot.createTicket({ message: 'My Apollo shows 0 H/s.' });
    const answer = await post(ticketId, messageId);
    expect([answer.status, await answer.json()]).toEqual([200, { accepted: 1 }]);
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
    await settled(ticketId);
    expect(chatwoot.notes(ticketId)).toHaveLength(1);
  });

  it('is accepted with the previous secret during rotation', async () => {
    const { ticketId, messageId } = chatwoot.createTicket({ message: 'Rotated.' });
    expect((await post(ticketId, messageId, { sign: { secret: OLD_SECRET } })).status).toBe(200);
    await noteOf(ticketId);
  });

  it('for a workspace whose token is not set is stored, and listed with the reason', async () => {
    const { zendesk } = others.desks;
    const { ticketId, messageId } = zendesk.createTicket({ message: 'No token.' });
    const answer = await post(ticketId, messageId, { tool: 'zendesk', desk: zendesk, workspace: 'tokenless' });
    expect([answer.status, await answer.json()]).toEqual([200, { accepted: 1 }]);
    const dead = await until(async () => (await tickets('?state=dead', 'tokenless')).tickets[0]);
    expect(dead).toMatchObject({ ticket_id: ticketId, attempts: 4 });
    expect(dead.last_error).toBe(
      'Cannot reach the helpdesk: its connection cannot be used; helpdesks of this list says why',
    );
  });

  it('stays within its workspace', async () => {
    const { ticketId, messageId } = others.desks.chatwoot.createTicket({ message: 'Ours alone.' });
    const sign = { secret: 'the-secret-of-the-team-acme' };
    const desk = others.desks.chatwoot;
    expect((await post(ticketId, messageId, { desk, workspace: 'acme', sign })).status).toBe(200);
    expect((await noteOf(ticketId, desk)).body).toContain('In acme for svc:webhooks');
    await settled(ticketId, 'acme');
    const listed = (await tickets('?state=done', 'acme')).tickets;
    expect(listed.map(({ ticket_id }) => ticket_id)).toEqual([ticketId]);
  });

  it('of a note of the product changes nothing', async () => {
    const { ticketId, messageId } = chatwoot.createTicket({ message: 'Echo.' });
    await post(ticketId, messageId);
    const { id } = await noteOf(ticketId);
    const answer = await post(ticketId, id);
    expect(await answer.json()).toEqual({ accepted: 0 });
    await settled(ticketId);
    expect(chatwoot.notes(ticketId)).toHaveLength(1);
  });
});

const ids = ({ ticketId, messageId }: { ticketId: string; messageId: string }) => [ticketId, messageId] as const;

describe('faults', () => {
  const isAnsweredOnce = async (message: string, fail: (ticketId: string) => void) => {
    const { ticketId, messageId } = chatwoot.createTicket({ message });
    fail(ticketId);
    await post(ticketId, messageId);
    await settled(ticketId);
    await helpdesks.finishLate();
    expect(chatwoot.notes(ticketId)).toHaveLength(1);
  };

  it.each(['status', 'reset', 'lost', 'hang'] as const)('of support, twice (%s): still one note', async (fault) => {
    await isAnsweredOnce(`Support fails: ${fault}.`, () => {
      faults.support = [fault, fault];
    });
  });

  it('of support, permanent: no note, the message is listed as dead, and replayed once support is back', async () => {
    faults.support = Array(20).fill('status');
    const { ticketId, messageId } = chatwoot.createTicket({ message: 'Support is gone.' });
    await post(ticketId, messageId);
    const dead = await until(() => ticketIn(ticketId, 'dead'));
    expect(dead).toMatchObject({ helpdesk: 'chatwoot', state: 'dead', attempts: 4, next_attempt_at: null });
    expect(dead.last_error).toBe('Cannot analyse the message: there is no answer of support (DELEGATION_FAILED)');
    expect(chatwoot.notes(ticketId)).toEqual([]);
    delete faults.support;
    expect(await replay({ ids: [dead.id, 'none'] })).toEqual({ replayed: 1, unknown: ['none'], remaining: 0 });
    await noteOf(ticketId);
    expect(await settled(ticketId)).toMatchObject({ state: 'done', result: 'note', last_error: null });
    expect((await tickets()).total).toBe(0);
  });

  it.each([
    ['the reply of the write, carried out', { kind: 'reset', executed: true }],
    ['the reply of the write, carried out later', { kind: 'reset', executedAfterMs: 250 }],
    ['the reply of the write, never carried out', { kind: 'reset' }],
    ['the rest of the reply', { kind: 'reset-in-body' }],
    ['the reply that never ends', { kind: 'hang-in-body' }],
    ['a failing proxy', { kind: 'html-502' }],
    ['an answer that never comes, carried out', { kind: 'hang-before-headers', executed: true }],
  ] as const)('of the helpdesk (%s): one note', async (name, fault) => {
    await isAnsweredOnce(name, (ticketId) =>
      helpdesks.faults.next(1, fault, ({ method, path }) => method === 'POST' && path.includes(`/${ticketId}/`)),
    );
  });

  it('of support, the library and a helpdesk together (hang): each delivery is answered within a second', async () => {
    faults.support = Array(40).fill('hang');
    faults.library = Array(40).fill('hang');
    helpdesks.faults.always({ kind: 'hang-before-headers' }, '/zendesk');
    asked.length = 0;
    const created = [chatwoot, helpdesks.desks.zendesk].flatMap((desk) =>
      Array.from({ length: 5 }, (_, at) => ({ desk, ...desk.createTicket({ message: `Nothing answers ${at}.` }) })),
    );
    const article = others.desks.zendesk.signArticle?.('17', 'published');
    const deliveries = [
      ...created.map((made) => () => post(...ids(made), { tool: made.desk.id, desk: made.desk })),
      () => fetch(new URL('/webhooks/zendesk/tokenless', running.webhooks), { method: 'POST', ...article }),
    ];
    const timed = async (send: () => Promise<Response>) => {
      const startedAt = performance.now();
      const { status } = await send();
      return { status, ms: performance.now() - startedAt };
    };
    const answers = [];
    // One after the other, while the work on those before hangs; then all at once.
    for (const send of deliveries) answers.push(await timed(send));
    answers.push(...(await Promise.all(deliveries.map(timed))));
    expect(answers.map(({ status }) => status)).toEqual(Array(22).fill(200));
    expect(Math.max(...answers.map(({ ms }) => ms))).toBeLessThan(1000);
    // The hanging services were called.
    await until(() => asked.includes('support') && asked.includes('library'));
    await until(() => helpdesks.requests.some(({ path }) => path.startsWith('/zendesk') && path.includes('/tickets/')));
    helpdesks.faults.none();
    for (const service of Object.keys(faults)) delete faults[service];
    for (const { ticketId } of created) await settled(ticketId);
    await replay({ all: true });
    for (const { desk, ticketId } of created) await noteOf(ticketId, desk);
    expect(created.map(({ desk, ticketId }) => desk.notes(ticketId).length)).toEqual(Array(10).fill(1));
  });

  it('of a rate limit: all tickets of the helpdesk pause', async () => {
    const [one, other] = [chatwoot.createTicket({ message: 'One.' }), chatwoot.createTicket({ message: 'Other.' })];
    helpdesks.faults.next(1, { kind: 'status', status: 429, retryAfter: 2 }, '/chatwoot');
    await post(...ids(one));
    await until(async () =>
      (await tickets('?state=open')).tickets.some(({ last_error }) => last_error?.includes('429')),
    );
    const restsUntil = Date.now() + 1500;
    await post(...ids(other));
    await until(() => helpdesks.requests.some(({ path }) => path.includes(`/${other.ticketId}`)));
    expect(Date.now()).toBeGreaterThanOrEqual(restsUntil);
    await Promise.all([noteOf(one.ticketId), noteOf(other.ticketId)]);
  });
});

describe('articles', () => {
  it('are synced immediately after they were published or unpublished, even when the library fails', async () => {
    const { zendesk } = helpdesks.desks;
    const articleId = zendesk.articles.add({ title: 'Fans', body: '<p>They turn.</p>' });
    const syncs = async () => SyncStatus.parse(await (await running.product.fetch('/v1/sync')).json());
    const synced = async (full: boolean) =>
      until(async () => ((await syncs()).last_report?.full === full && (await syncs()).state === 'idle') || undefined);
    const send = async (change: 'published' | 'unpublished') => {
      const delivery = zendesk.signArticle?.(articleId, change);
      if (delivery === undefined) throw new Error('Zendesk sends article events');
      return fetch(new URL('/webhooks/zendesk', running.webhooks), { method: 'POST', ...delivery });
    };
    // The first sync of a library is always a full one.
    expect((await send('published')).status).toBe(200);
    await synced(true);
    expect((await send('published')).status).toBe(200);
    await synced(false);
    faults.library = ['status', 'reset'];
    const before = asked.filter((service) => service === 'library').length;
    const answers = await Promise.all([send('published'), send('unpublished'), send('published')]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    await synced(true);
    expect(asked.filter((service) => service === 'library').length - before).toBeGreaterThanOrEqual(3);
  });
});

describe('the list of tickets', () => {
  it.each<[status: number, route: string, body?: object | undefined, can?: string]>([
    [401, 'GET ', undefined, 'kb:read'],
    [401, 'POST /replay', { all: true }, 'kb:read'],
    [400, 'GET ?state=lost'],
    [400, 'GET ?cursor=x'],
    [400, 'POST /replay', {}],
  ])('answers %d to %s without the right or with an invalid query', async (status, route, body, can) => {
    expect((await call(route, { body, ...(can === undefined ? {} : { can }) })).status).toBe(status);
  });

  it('names unusable connections, and counts deliveries with a wrong secret', async () => {
    const { ticketId, messageId } = chatwoot.createTicket({ message: 'Refused.' });
    const count = async () =>
      (await tickets()).helpdesks.find(({ helpdesk }) => helpdesk === 'chatwoot')?.refused ?? Number.NaN;
    const before = await count();
    const sign = { secret: 'wrong' };
    await Promise.all(Array.from({ length: 5 }, () => post(ticketId, messageId, { sign })));
    await until(async () => (await count()) === before + 5);
    const problem = expect.stringMatching(/^Cannot .* is not set$/);
    expect((await tickets('', 'tokenless')).helpdesks).toMatchObject([{ helpdesk: 'zendesk', problem, refused: 0 }]);
    const health = { status: 'degraded', helpdesks: { connections: 5, misconfigured: ['zammad', 'zendesk'] } };
    for (const url of [new URL('/healthz', running.webhooks), new URL('/healthz', running.product.url)])
      expect(Healthz.parse(await (await fetch(url)).json())).toMatchObject(health);
    expect(lines.filter((line) => line.includes('"where":"HELPDESKS"')).length).toBeGreaterThanOrEqual(2);
  });

  it('replays nothing when nothing is dead', async () => {
    expect(await replay({ all: true })).toEqual({ replayed: 0, unknown: [], remaining: 0 });
  });
});

describe('the log', () => {
  it('holds no text, name or address', () => {
    const log = lines.join('\n');
    expect(log).toContain('POST /webhooks/:helpdesk/:workspace?');
    for (const secret of ['Apollo', 'Dana', 'Ortiz', 'example.net', chatwoot.connection.apiToken, OLD_SECRET])
      expect(log).not.toContain(secret);
  });
});
