import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { HandoverRequest, HandoversPage } from '../../../src/contract/tickets.ts';
import { LOCAL_DESK_IDS, type LocalDeskId } from '../../../src/dev/stand-ins/helpdesks/desk/local-desk.ts';
import { type LocalHelpdesks, startHelpdesks } from '../../../src/dev/stand-ins/helpdesks/start-helpdesks.ts';
import { nodeSql } from '../../../src/dev/stand-ins/node-sql.ts';
import { ConnectionUnusable } from '../../../src/helpdesk/connections.ts';
import { type HandoverParts, handoverTarget, openHandovers } from '../../../src/helpdesk/tickets/handovers.ts';
import { helpdeskTools } from '../../../src/helpdesk/tools/helpdesk-tools.ts';

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
    message: 'My fan is loud.\nCan somebody call me?',
    conversation: [{ question: 'Why is my fan loud?', answer: 'No article says so.' }],
    page: 'https://shop.example.com/help',
    consent: true,
    ...more,
  });

const CLOCK = { fetch, now: Date.now };

const open = (more: Partial<HandoverParts> = {}) => {
  const clock = { now: Date.UTC(2026, 0, 1) };
  const handovers = openHandovers({
    sql: nodeSql(),
    times: { retryMs: 1000, settleMs: 20_000, callMs: 5000, attempts: 3, keepMs: 86_400_000 },
    now: () => clock.now,
    random: () => 0.5,
    connect: (id) =>
      helpdeskTools[id].client(helpdesks.desks[id as 'zendesk'].connection, { fetch, now: () => clock.now }),
    onFault: () => {},
    ...more,
  });
  const only = () => HandoversPage.parse(handovers.list({ limit: 10 })).requests[0];
  return { clock, handovers, only };
};

const createdIn = (id: LocalDeskId) => helpdesks.desks[id].ticketIds();

describe('a request of a visitor', () => {
  it.each(LOCAL_DESK_IDS)(
    'becomes one ticket of %s with the conversation, and its text is deleted here',
    async (id) => {
      const { handovers, only } = open();
      const before = createdIn(id).length;
      expect(handovers.add(request(), { target: id })).toBe('waiting');
      await handovers.work();
      expect(handovers.add(request({ message: 'Again.' }), { target: id })).toBe('created');
      await handovers.work();
      const [ticket = '', ...others] = createdIn(id).slice(before);
      expect(others).toEqual([]);
      expect(only()).toMatchObject({ state: 'created', ticket_id: ticket, request: null, last_error: null });
      const desk = helpdesks.desks[id];
      const [first] = [...desk.seenByCustomer(ticket), ...desk.notes(ticket)];
      expect(first?.body).toMatch(
        /^My fan is loud\..*Question: Why is my fan loud\?\W.*Answer: No article says so\..*is not verified/s,
      );
    },
  );

  it('becomes one ticket even if the reply to its creation is lost', async () => {
    const { clock, handovers, only } = open();
    const before = createdIn('zendesk').length;
    handovers.add(request({ idempotency_key: 'lost-reply-000001' }), { target: 'zendesk' });
    helpdesks.faults.next(1, { kind: 'reset', executed: true }, '/zendesk');
    await handovers.work();
    expect(only()).toMatchObject({ state: 'waiting', last_error: expect.stringContaining('Zendesk') });
    await handovers.work();
    expect(only()?.state).toBe('waiting');
    clock.now += 30_000;
    await handovers.work();
    expect(only()).toMatchObject({ state: 'created', ticket_id: createdIn('zendesk').at(-1) });
    expect(createdIn('zendesk').length - before).toBe(1);
  });

  it('is listed for a person when the tool cannot search for the ticket', async () => {
    const { clock, handovers, only } = open();
    const before = createdIn('zammad').length;
    handovers.add(request({ idempotency_key: 'lost-reply-000002' }), { target: 'zammad' });
    helpdesks.faults.next(1, { kind: 'reset', executed: true }, '/zammad');
    await handovers.work();
    clock.now += 30_000;
    await handovers.work();
    expect(only()).toMatchObject({ state: 'listed', last_error: expect.stringContaining('Look there') });
    expect(createdIn('zammad').length - before).toBe(1);
  });

  it('is listed with its text after the last attempt, after a refusal, or without a helpdesk', async () => {
    const unset = open({
      connect: () => {
        throw new ConnectionUnusable('Cannot reach the helpdesk: the secret is not set');
      },
    });
    unset.handovers.add(request(), { target: 'zendesk' });
    for (let attempt = 0; attempt < 3; attempt += 1) {
      expect(unset.only()?.state).toBe('waiting');
      await unset.handovers.work();
      unset.clock.now += 60_000;
    }
    expect(unset.only()).toMatchObject({ state: 'listed', request: { email: 'Dana.Ortiz@example.net' } });
    const refusing = open({ connect: () => helpdeskTools.standard.client(helpdesks.desks.zendesk.connection, CLOCK) });
    refusing.handovers.add(request(), { target: 'standard' });
    await refusing.handovers.work();
    expect(refusing.only()).toMatchObject({ state: 'listed', last_error: expect.any(String) });
    const listing = open();
    expect(listing.handovers.add(request(), { target: 'list' })).toBe('listed');
    expect(listing.only()).toMatchObject({ helpdesk: null, request: { page: 'https://shop.example.com/help' } });
  });

  it('is refused beyond five of an address in an hour', () => {
    const { clock, handovers } = open();
    const add = (number: number, sender = 'one') =>
      handovers.add(request({ idempotency_key: `request-00000000${number}` }), { target: 'list', sender });
    for (let number = 0; number < 5; number += 1) expect(add(number)).toBe('listed');
    expect([add(5), add(6, 'another'), add(0)]).toEqual(['too many', 'listed', 'listed']);
    clock.now += 3_600_001;
    expect(add(5)).toBe('listed');
  });

  it('is erased by address in any case, and deleted after its retention time', () => {
    const { clock, handovers, only } = open();
    handovers.add(request(), { target: 'list' });
    expect(handovers.erase({ email: 'dana.ortiz@EXAMPLE.net' })).toBe(1);
    expect(only()).toBeUndefined();
    handovers.add(request(), { target: 'list' });
    clock.now += 86_400_001;
    expect(only()).toBeUndefined();
  });

  it('is listed by pages without gaps', () => {
    const { clock, handovers } = open();
    for (let number = 10; number < 17; number += 1) {
      clock.now += number % 2;
      handovers.add(request({ idempotency_key: `request-0000000${number}` }), { target: 'list' });
    }
    const seen: string[] = [];
    let cursor: string | null | undefined;
    do {
      const page = HandoversPage.parse(handovers.list({ limit: 3, cursor: cursor ?? undefined }));
      seen.push(...page.requests.map(({ id }) => id));
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(new Set(seen).size).toBe(7);
    expect(handovers.list({ limit: 3, cursor: 'x' })).toBe('unknown cursor');
  });
});

describe('HANDOVER', () => {
  it('is off unless it names the workspace', () => {
    const variables = { HANDOVER: '{"acme": "list", "globex": "zendesk"}' };
    expect(['acme', 'globex', 'other', 'toString'].map((name) => handoverTarget(name, variables))).toEqual([
      ...['list', 'zendesk', undefined, undefined],
    ]);
    expect([handoverTarget('acme', {}), handoverTarget('acme', { HANDOVER: '{"acme": "fax"}' })]).toEqual([
      ...[undefined, undefined],
    ]);
  });
});
