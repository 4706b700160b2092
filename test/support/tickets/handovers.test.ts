import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { HandoverRequest, HandoversPage } from '../../../src/contract/wire/tickets.ts';
import { readHandoverTargets } from '../../../src/support/tickets/handover-target.ts';
import { openHandovers } from '../../../src/support/tickets/handovers.ts';
import { ConnectionUnusable } from '../../../src/support/tools/connections.ts';
import { type HelpdeskClient, HelpdeskFailed } from '../../../src/support/tools/helpdesk-tool.ts';
import { helpdeskTools } from '../../../src/support/tools/helpdesk-tools.ts';
import {
  LOCAL_DESK_IDS,
  type LocalDeskId,
} from '../../../tools/stand-ins/helpdesks/desk/local-desk.ts';
import {
  type LocalHelpdesks,
  startHelpdesks,
} from '../../../tools/stand-ins/helpdesks/start-helpdesks.ts';
import { nodeSql } from '../../../tools/stand-ins/node-sql.ts';

type HandoverParts = Parameters<typeof openHandovers>[0];

let helpdesks: LocalHelpdesks;
beforeAll(async () => {
  helpdesks = await startHelpdesks();
});
afterEach(() => helpdesks.faults.none());
afterAll(() => helpdesks.stop());

const request = (more: Partial<HandoverRequest> = {}): HandoverRequest =>
  HandoverRequest.parse({
    idempotency_key: '0123456789abcdef',
    email: 'Dana.Ortiz@example.net',
    consent: true,
    message: 'My fan is loud.\nCan somebody call me?',
    conversation: [{ question: 'Why is my fan loud?', answer: 'No article says so.' }],
    page: 'https://shop.example.com/help',
    ...more,
  });
const numbered = (number: number) => request({ idempotency_key: `request-0000000${number}` });

const open = (more: Partial<HandoverParts> = {}) => {
  const clock = { now: Date.UTC(2026, 0, 1) };
  const handovers = openHandovers({
    sql: nodeSql(),
    times: { retryMs: 1000, settleMs: 20_000, callMs: 5000, attempts: 3, keepMs: 86_400_000 },
    now: () => clock.now,
    random: () => 0.5,
    onFault: () => {},
    connect: (id) =>
      helpdeskTools[id].client(helpdesks.desks[id as 'zendesk'].connection, {
        fetch,
        now: () => clock.now,
      }),
    ...more,
  });
  const only = () => HandoversPage.parse(handovers.list({ limit: 10 })).requests[0];
  const workAfter = async (ms: number) => {
    clock.now += ms;
    await handovers.work();
    return only();
  };
  return { clock, handovers, only, workAfter };
};
const createdIn = (id: LocalDeskId) => helpdesks.desks[id].ticketIds();

describe('a request of a visitor', () => {
  it.each(LOCAL_DESK_IDS)(
    'becomes one ticket of %s with the conversation, and its text is deleted',
    async (id) => {
      const { handovers, workAfter } = open();
      const before = createdIn(id).length;
      expect(handovers.add(request(), { target: id })).toBe('waiting');
      await workAfter(0);
      expect(handovers.add(request({ message: 'Again.' }), { target: id })).toBe('created');
      const kept = await workAfter(0);
      const [ticket = '', ...others] = createdIn(id).slice(before);
      expect(others).toEqual([]);
      expect(kept).toMatchObject({
        state: 'created',
        ticket_id: ticket,
        request: null,
        last_error: null,
      });
      const desk = helpdesks.desks[id];
      const [first] = [...desk.seenByCustomer(ticket), ...desk.notes(ticket)];
      const text =
        /^My fan is loud\..*Question: Why is my fan loud\?\W.*Answer: No article says so\..*is not verified/s;
      expect(first?.body).toMatch(text);
    },
  );
  it('becomes one ticket even if the reply to its creation is lost', async () => {
    const { handovers, workAfter } = open();
    const before = createdIn('zendesk').length;
    handovers.add(request({ idempotency_key: 'lost-reply-000001' }), { target: 'zendesk' });
    helpdesks.faults.next(1, { kind: 'reset', executed: true }, '/zendesk');
    const last_error = expect.stringContaining('Zendesk');
    expect(await workAfter(0)).toMatchObject({ state: 'waiting', last_error });
    expect(await workAfter(0)).toMatchObject({ state: 'waiting' });
    expect(await workAfter(30_000)).toMatchObject({
      state: 'created',
      ticket_id: createdIn('zendesk').at(-1),
    });
    expect(createdIn('zendesk').length - before).toBe(1);
  });
  it('becomes one ticket even if the search for it fails as well', async () => {
    const created: string[] = [];
    const refusals = [new HelpdeskFailed('Cannot search: too many calls', { isTransient: true })];
    const client: Partial<HelpdeskClient> = {
      createTicket: async ({ key }) => {
        created.push(key);
        throw new HelpdeskFailed('Cannot create a ticket: no answer', {
          isTransient: true,
          isOutcomeUnknown: true,
        });
      },
      findTicket: async () => {
        const refusal = refusals.pop();
        if (refusal !== undefined) throw refusal;
        return '17';
      },
    };
    // Tickets of visitors need no other call.
    const { handovers, workAfter } = open({ connect: () => client as HelpdeskClient });
    handovers.add(request(), { target: 'zendesk' });
    for (const state of ['waiting', 'waiting', 'created'])
      expect(await workAfter(60_000)).toMatchObject({ state });
    expect(created).toHaveLength(1);
  });
  it('is found by an index when it is due', () => {
    const sql = nodeSql();
    open({ sql });
    const plan = sql.all<{ detail: string }>(
      `EXPLAIN QUERY PLAN SELECT * FROM handovers
        WHERE state = 'waiting' AND due_at <= 1 ORDER BY due_at, id LIMIT 1`,
    );
    expect(plan.map(({ detail }) => detail)).toEqual([expect.stringContaining('handovers_due')]);
  });
  it('is listed for a person when the tool cannot search for the ticket', async () => {
    const { handovers, workAfter } = open();
    const before = createdIn('zammad').length;
    handovers.add(request({ idempotency_key: 'lost-reply-000002' }), { target: 'zammad' });
    helpdesks.faults.next(1, { kind: 'reset', executed: true }, '/zammad');
    await workAfter(0);
    const last_error = expect.stringContaining('Look there');
    expect(await workAfter(30_000)).toMatchObject({ state: 'listed', last_error });
    expect(createdIn('zammad').length - before).toBe(1);
  });
  it('is listed with its text after the last attempt', async () => {
    const { handovers, workAfter } = open({
      connect: () => {
        throw new ConnectionUnusable('Cannot reach the helpdesk: the secret is not set');
      },
    });
    handovers.add(request(), { target: 'zendesk' });
    for (const state of ['waiting', 'waiting', 'listed'])
      expect(await workAfter(60_000)).toMatchObject({ state });
    expect(await workAfter(0)).toMatchObject({ request: { email: 'Dana.Ortiz@example.net' } });
  });
  it('is listed with its text after a refusal, or without a helpdesk', async () => {
    const { connection } = helpdesks.desks.zendesk;
    const refusing = open({
      connect: () => helpdeskTools.standard.client(connection, { fetch, now: Date.now }),
    });
    refusing.handovers.add(request(), { target: 'standard' });
    expect(await refusing.workAfter(0)).toMatchObject({
      state: 'listed',
      last_error: expect.any(String),
    });
    const { handovers, only } = open();
    expect(handovers.add(request(), { target: 'list' })).toBe('listed');
    expect(only()).toMatchObject({
      helpdesk: null,
      request: { page: 'https://shop.example.com/help' },
    });
  });
  it('is refused beyond five of an address in an hour', () => {
    const { clock, handovers } = open();
    const add = (number: number, sender = 'one') =>
      handovers.add(numbered(number), { target: 'list', sender });
    const numbers = [10, 11, 12, 13, 14];
    expect(numbers.map((number) => add(number))).toEqual(numbers.map(() => 'listed'));
    expect([add(15), add(16, 'another'), add(10)]).toEqual(['too many', 'listed', 'listed']);
    clock.now += 3_600_001;
    expect(add(15)).toBe('listed');
  });
  it('is erased by address in any case, and deleted after its retention time', () => {
    const { clock, handovers, only } = open();
    handovers.add(request(), { target: 'list' });
    expect([handovers.erase({ email: 'dana.ortiz@EXAMPLE.net' }), only()]).toEqual([1, undefined]);
    handovers.add(request(), { target: 'list' });
    clock.now += 86_400_001;
    expect(only()).toBeUndefined();
  });
  it('is listed by pages without gaps', () => {
    const { clock, handovers } = open();
    for (let number = 10; number < 17; number += 1) {
      clock.now += number % 2;
      handovers.add(numbered(number), { target: 'list' });
    }
    const seen: string[] = [];
    let cursor: string | null | undefined;
    do {
      const page = HandoversPage.parse(handovers.list({ limit: 3, cursor: cursor ?? undefined }));
      seen.push(...page.requests.map(({ id }) => id));
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect([seen.length, new Set(seen).size]).toEqual([7, 7]);
    expect(handovers.list({ limit: 3, cursor: 'x' })).toBe('unknown cursor');
  });
});

it.each([
  ['acme', '{"acme": "list", "globex": "zendesk"}', 'list'],
  ['globex', '{"acme": "list", "globex": "zendesk"}', 'zendesk'],
  ['other', '{"acme": "list"}', undefined],
  ['toString', '{"acme": "list"}', undefined],
  ['acme', undefined, undefined],
  ['acme', '{"acme": "fax"}', undefined],
])('the handover of %s with HANDOVER=%s is %s', (workspace, HANDOVER, target) => {
  expect(readHandoverTargets(HANDOVER === undefined ? {} : { HANDOVER })(workspace)).toBe(target);
});
