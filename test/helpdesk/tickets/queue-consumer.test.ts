import { describe, expect, it } from 'vitest';
import { type ConsumerParts, ticketConsumer } from '../../../src/helpdesk/tickets/queue-consumer.ts';
import type { TicketStub, WorkspaceStub } from '../../../src/helpdesk/tickets/ticket-objects.ts';

const place = { workspace: 'default', helpdesk: 'chatwoot', ticketId: '1207' };
const ticketMessage = { kind: 'ticket', ...place };
const eventMessage = (event: object) => ({ kind: 'event', workspace: 'default', helpdesk: 'chatwoot', event });
const about = { kind: 'message', ticketId: '1207', message: { id: '990001' } };
const down = async () => {
  throw new Error('the object is down');
};

interface Stubs {
  ticket?: Partial<TicketStub>;
  workspace?: Partial<WorkspaceStub>;
}
const forTest = ({ ticket = {}, workspace = {} }: Stubs = {}) => {
  const calls: unknown[] = [];
  const called =
    <A>(name: string, answer: A) =>
    async (...parameters: unknown[]): Promise<A> => {
      calls.push([name, ...parameters]);
      return answer;
    };
  const parts: ConsumerParts = {
    // Only what a consumer calls.
    ticketStub: () =>
      ({
        work: called('work', { open: 0 }),
        accept: called('accept', undefined),
        postpone: called('postpone', undefined),
        ...ticket,
      }) as TicketStub,
    workspaceStub: () =>
      ({
        ...{ pausedUntil: called('pausedUntil', {}), requestSync: called('requestSync', undefined) },
        ...{ addUndelivered: called('addUndelivered', undefined) },
        ...workspace,
      }) as WorkspaceStub,
    ...{ retryMs: 1000, now: () => 1000, random: () => 0.5, log: () => {} },
  };
  const { consume, consumeDeadLetters } = ticketConsumer(parts);
  const outcomes: unknown[] = [];
  const message = (body: unknown, attempts = 1) => ({
    body,
    attempts,
    ack: () => outcomes.push('ack'),
    retry: ({ delaySeconds }: { delaySeconds: number }) => outcomes.push(delaySeconds),
  });
  return { consume, consumeDeadLetters, message, outcomes, calls };
};

describe('the consumer of the queue', () => {
  const work = [
    ['pausedUntil', 'default'],
    ['work', place],
  ];
  const change = (kind: string) => eventMessage({ kind: 'article', change: kind, articleId: '1' });
  const syncs = [false, true].map((full) => ['requestSync', 'default', { full }]);
  it.each<[string, unknown[], unknown[]]>([
    ['starts the work on a ticket', [ticketMessage], work],
    ['stores a delivery, and then starts its work', [eventMessage(about)], [['accept', place, about], ...work]],
    ['requests a sync, a full one for an unpublished article', [change('published'), change('unpublished')], syncs],
    ['drops other forms', [null, { kind: 'ticket' }, { ...ticketMessage, helpdesk: 'front' }], []],
  ])('%s', async (_, bodies, expected) => {
    const { consume, message, outcomes, calls } = forTest();
    await consume(bodies.map((body) => message(body)));
    expect([outcomes, calls]).toEqual([bodies.map(() => 'ack'), expected]);
  });
  it('postpones tickets whose tool is rate-limited, and reads the pauses once per batch', async () => {
    let asked = 0;
    const pausedUntil = async () => {
      asked += 1;
      return { chatwoot: 5000 };
    };
    const { consume, message, outcomes, calls } = forTest({ workspace: { pausedUntil } });
    await consume([message(ticketMessage), message({ ...ticketMessage, ticketId: '2' })]);
    expect([asked, outcomes]).toEqual([1, ['ack', 'ack']]);
    expect(calls).toEqual([
      ['postpone', place, 5000],
      ['postpone', { ...place, ticketId: '2' }, 5000],
    ]);
  });
  it('retries only messages whose object could not be called, with growing delay', async () => {
    const { consume, message, outcomes } = forTest({ ticket: { work: down } });
    await consume([1, 4, 30].map((attempts) => message(ticketMessage, attempts)));
    expect(outcomes).toEqual([1, 8, 600]);
  });
  it('does not wait for a ticket that takes long', async () => {
    const { consume, message, outcomes } = forTest({ ticket: { work: () => new Promise<never>(() => {}) } });
    await consume([message(ticketMessage)]);
    expect(outcomes).toEqual(['ack']);
  });
  it("works without the workspace's object", async () => {
    const { consume, message, outcomes, calls } = forTest({ workspace: { pausedUntil: down } });
    await consume([message(ticketMessage)]);
    expect([outcomes, calls]).toEqual([['ack'], [['work', place]]]);
  });
});

describe('dead letters', () => {
  const delivery = {
    helpdesk: 'chatwoot',
    ticketId: '1207',
    about: '990001',
    message: JSON.stringify(eventMessage(about)),
  };
  it.each<[string, unknown, Parameters<typeof forTest>[0], unknown[]]>([
    ['are stored when that is possible now', eventMessage(about), {}, ['ack', ['accept', place, about]]],
    [
      'are listed for people otherwise, with everything needed to replay them',
      eventMessage(about),
      { ticket: { accept: down } },
      ['ack', ['addUndelivered', 'default', delivery]],
    ],
    [
      'are retried while even that fails',
      eventMessage(about),
      { ticket: { accept: down }, workspace: { addUndelivered: down } },
      [600],
    ],
    ['that only name a ticket are dropped: its object continues by its alarm', ticketMessage, {}, ['ack']],
  ])('%s', async (_, body, stubs, expected) => {
    const { consumeDeadLetters, message, outcomes, calls } = forTest(stubs);
    await consumeDeadLetters([message(body)]);
    expect([...outcomes, ...calls]).toEqual(expected);
  });
});
