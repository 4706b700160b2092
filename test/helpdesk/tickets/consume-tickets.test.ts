import { describe, expect, it } from 'vitest';
import { type ConsumerParts, ticketConsumer } from '../../../src/helpdesk/tickets/consume-tickets.ts';
import type { DeskStub } from '../../../src/helpdesk/tickets/desk-stub.ts';
import type { TicketStub } from '../../../src/helpdesk/tickets/ticket-stub.ts';

const place = { workspace: 'default', helpdesk: 'chatwoot', ticketId: '1207' };
const ticketMessage = { kind: 'ticket', ...place };
const eventMessage = (event: object) => ({ kind: 'event', workspace: 'default', helpdesk: 'chatwoot', event });
const about = { kind: 'message', ticketId: '1207', message: { id: '990001' } };
const down = async () => {
  throw new Error('the object is down');
};

const forTest = ({ ticket = {}, desk = {} }: { ticket?: Partial<TicketStub>; desk?: Partial<DeskStub> } = {}) => {
  const calls: unknown[] = [];
  const called =
    <A>(name: string, answer: A) =>
    async (...parameters: unknown[]): Promise<A> => {
      calls.push([name, ...parameters]);
      return answer;
    };
  const parts: ConsumerParts = {
    // Only what a consumer asks.
    ticket: () =>
      ({
        work: called('work', { open: 0 }),
        accept: called('accept', undefined),
        postpone: called('postpone', undefined),
        ...ticket,
      }) as TicketStub,
    desk: () =>
      ({
        ...{ pausedUntil: called('pausedUntil', {}), requestSync: called('requestSync', undefined) },
        ...{ addUndelivered: called('addUndelivered', undefined) },
        ...desk,
      }) as DeskStub,
    ...{ retryMs: 1000, now: () => 1000, random: () => 0.5, log: () => {} },
  };
  const { consume, bury } = ticketConsumer(parts);
  const outcomes: unknown[] = [];
  const message = (body: unknown, attempts = 1) => ({
    body,
    attempts,
    ack: () => outcomes.push('ack'),
    retry: ({ delaySeconds }: { delaySeconds: number }) => outcomes.push(delaySeconds),
  });
  return { consume, bury, message, outcomes, calls };
};

describe('the consumer of the queue', () => {
  it('has a ticket worked on', async () => {
    const { consume, message, outcomes, calls } = forTest();
    await consume([message(ticketMessage)]);
    expect([outcomes, calls]).toEqual([
      ['ack'],
      [
        ['pausedUntil', 'default'],
        ['work', place],
      ],
    ]);
  });

  it('keeps a delivery that came as a whole, and then has its ticket worked on', async () => {
    const { consume, message, calls } = forTest();
    await consume([message(eventMessage(about))]);
    expect(calls).toEqual([
      ['accept', place, about],
      ['pausedUntil', 'default'],
      ['work', place],
    ]);
  });

  it('has the articles synced, all of them where one is gone', async () => {
    const { consume, message, calls } = forTest();
    const change = (kind: string) => eventMessage({ kind: 'article', change: kind, articleId: '1' });
    await consume([message(change('published')), message(change('unpublished'))]);
    expect(calls).toEqual([
      ['requestSync', 'default', { full: false }],
      ['requestSync', 'default', { full: true }],
    ]);
  });

  it('leaves tickets alone whose tool asks for rest, and asks the desk once for a batch', async () => {
    let asked = 0;
    const pausedUntil = async () => {
      asked += 1;
      return { chatwoot: 5000 };
    };
    const { consume, message, outcomes, calls } = forTest({ desk: { pausedUntil } });
    await consume([message(ticketMessage), message({ ...ticketMessage, ticketId: '2' })]);
    expect([asked, outcomes]).toEqual([1, ['ack', 'ack']]);
    expect(calls).toEqual([
      ['postpone', place, 5000],
      ['postpone', { ...place, ticketId: '2' }, 5000],
    ]);
  });

  it('tries again what an object could not be asked, later each time, and nothing else of the batch', async () => {
    const { consume, message, outcomes } = forTest({ ticket: { work: down } });
    await consume([message(ticketMessage, 1), message(ticketMessage, 4), message(ticketMessage, 30)]);
    expect(outcomes).toEqual([1, 8, 600]);
  });

  it('does not wait for one ticket that takes long', async () => {
    const { consume, message, outcomes } = forTest({ ticket: { work: () => new Promise<never>(() => {}) } });
    await consume([message(ticketMessage)]);
    expect(outcomes).toEqual(['ack']);
  });

  it('works without the desk', async () => {
    const { consume, message, outcomes, calls } = forTest({ desk: { pausedUntil: down } });
    await consume([message(ticketMessage)]);
    expect([outcomes, calls]).toEqual([['ack'], [['work', place]]]);
  });

  it('drops what is no message of ours', async () => {
    const { consume, message, outcomes, calls } = forTest();
    await consume([message(null), message({ kind: 'ticket' }), message({ ...ticketMessage, helpdesk: 'front' })]);
    expect([outcomes, calls]).toEqual([['ack', 'ack', 'ack'], []]);
  });
});

describe('dead letters', () => {
  it('are kept after all where that is possible now', async () => {
    const { bury, message, outcomes, calls } = forTest();
    await bury([message(eventMessage(about))]);
    expect([outcomes, calls]).toEqual([['ack'], [['accept', place, about]]]);
  });

  it('are listed for people otherwise, with all that it takes to replay them', async () => {
    const { bury, message, outcomes, calls } = forTest({ ticket: { accept: down } });
    await bury([message(eventMessage(about))]);
    expect(outcomes).toEqual(['ack']);
    const delivery = {
      helpdesk: 'chatwoot',
      ticketId: '1207',
      about: '990001',
      message: JSON.stringify(eventMessage(about)),
    };
    expect(calls).toEqual([['addUndelivered', 'default', delivery]]);
  });

  it('stay where they are while even that fails', async () => {
    const { bury, message, outcomes } = forTest({ ticket: { accept: down }, desk: { addUndelivered: down } });
    await bury([message(eventMessage(about))]);
    expect(outcomes).toEqual([600]);
  });

  it('that only name a ticket are done with: its own record has it worked on', async () => {
    const { bury, message, outcomes, calls } = forTest();
    await bury([message(ticketMessage)]);
    expect([outcomes, calls]).toEqual([['ack'], []]);
  });
});
