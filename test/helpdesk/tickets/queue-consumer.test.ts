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

const forTest = ({
  ticket = {},
  workspace = {},
}: {
  ticket?: Partial<TicketStub>;
  workspace?: Partial<WorkspaceStub>;
} = {}) => {
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
  it('starts the work on a ticket', async () => {
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

  it('stores a delivery, and then starts the work on its ticket', async () => {
    const { consume, message, calls } = forTest();
    await consume([message(eventMessage(about))]);
    expect(calls).toEqual([
      ['accept', place, about],
      ['pausedUntil', 'default'],
      ['work', place],
    ]);
  });

  it('requests a sync for an article event, a full one when the article was unpublished', async () => {
    const { consume, message, calls } = forTest();
    const change = (kind: string) => eventMessage({ kind: 'article', change: kind, articleId: '1' });
    await consume([message(change('published')), message(change('unpublished'))]);
    expect(calls).toEqual([
      ['requestSync', 'default', { full: false }],
      ['requestSync', 'default', { full: true }],
    ]);
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
    await consume([message(ticketMessage, 1), message(ticketMessage, 4), message(ticketMessage, 30)]);
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

  it('drops messages in another form', async () => {
    const { consume, message, outcomes, calls } = forTest();
    await consume([message(null), message({ kind: 'ticket' }), message({ ...ticketMessage, helpdesk: 'front' })]);
    expect([outcomes, calls]).toEqual([['ack', 'ack', 'ack'], []]);
  });
});

describe('dead letters', () => {
  it('are stored when that is possible now', async () => {
    const { consumeDeadLetters, message, outcomes, calls } = forTest();
    await consumeDeadLetters([message(eventMessage(about))]);
    expect([outcomes, calls]).toEqual([['ack'], [['accept', place, about]]]);
  });

  it('are listed for people otherwise, with everything needed to replay them', async () => {
    const { consumeDeadLetters, message, outcomes, calls } = forTest({ ticket: { accept: down } });
    await consumeDeadLetters([message(eventMessage(about))]);
    expect(outcomes).toEqual(['ack']);
    const delivery = {
      helpdesk: 'chatwoot',
      ticketId: '1207',
      about: '990001',
      message: JSON.stringify(eventMessage(about)),
    };
    expect(calls).toEqual([['addUndelivered', 'default', delivery]]);
  });

  it('are retried while even that fails', async () => {
    const { consumeDeadLetters, message, outcomes } = forTest({
      ticket: { accept: down },
      workspace: { addUndelivered: down },
    });
    await consumeDeadLetters([message(eventMessage(about))]);
    expect(outcomes).toEqual([600]);
  });

  it('that only name a ticket are dropped: its object continues by its alarm', async () => {
    const { consumeDeadLetters, message, outcomes, calls } = forTest();
    await consumeDeadLetters([message(ticketMessage)]);
    expect([outcomes, calls]).toEqual([['ack'], []]);
  });
});
