import { expect, it } from 'vitest';
import { ticketConsumer } from '../../../src/support/tickets/queue-consumer.ts';
import type { TicketStub, WorkspaceStub } from '../../../src/support/tickets/ticket-objects.ts';

const place = { workspace: 'default', helpdesk: 'chatwoot', ticketId: '1207' };
const TICKET = { kind: 'ticket', ...place };
const ABOUT = { kind: 'message', ticketId: '1207', message: { id: '990001' } };
const eventMessage = (event: object) => ({ kind: 'event', workspace: 'default', helpdesk: 'chatwoot', event });
const down = () => Promise.reject(new Error('the object is down'));

/** The methods that a consumer calls, each of which may be replaced. */
const forTest = (stubs: Record<string, () => Promise<unknown>> = {}) => {
  const calls: unknown[] = [];
  const called =
    (name: string, answer: unknown) =>
    (...parameters: unknown[]) => {
      calls.push([name, ...parameters]);
      return stubs[name]?.() ?? Promise.resolve(answer);
    };
  const ticket = {
    work: called('work', { open: 0 }),
    accept: called('accept', undefined),
    postpone: called('postpone', undefined),
  };
  const workspace = {
    pausedUntil: called('pausedUntil', {}),
    requestSync: called('requestSync', undefined),
    addUndelivered: called('addUndelivered', undefined),
  };
  const consumer = ticketConsumer({
    // Only what a consumer calls.
    ticketStub: () => ticket as unknown as TicketStub,
    workspaceStub: () => workspace as unknown as WorkspaceStub,
    ...{ retryMs: 1000, now: () => 1000, random: () => 0.5, log: () => {} },
  });
  const outcomes: unknown[] = [];
  const message = (body: unknown, attempts = 1) => ({
    ...{ body, attempts, ack: () => outcomes.push('ack') },
    retry: ({ delaySeconds }: { delaySeconds: number }) => outcomes.push(delaySeconds),
  });
  return { ...consumer, message, outcomes, calls };
};

const PAUSES = ['pausedUntil', 'default'];
const WORK = [PAUSES, ['work', place]];

it.each<[string, unknown[], unknown[], Parameters<typeof forTest>[0]?]>([
  ['starts the work on a ticket', [TICKET], WORK],
  ['stores a delivery, and then starts its work', [eventMessage(ABOUT)], [['accept', place, ABOUT], ...WORK]],
  [
    'requests a sync, a full one for an unpublished article',
    ['published', 'unpublished'].map((change) => eventMessage({ kind: 'article', change, articleId: '1' })),
    [false, true].map((full) => ['requestSync', 'default', { full }]),
  ],
  ['drops other forms', [null, { kind: 'ticket' }, { ...TICKET, helpdesk: 'front' }], []],
  ['does not wait for a ticket that takes long', [TICKET], WORK, { work: () => new Promise(() => {}) }],
  ["works without the workspace's object", [TICKET], WORK, { pausedUntil: down }],
  [
    'postpones tickets whose tool is rate-limited, and reads the pauses once per batch',
    [TICKET, { ...TICKET, ticketId: '2' }],
    [PAUSES, ['postpone', place, 5000], ['postpone', { ...place, ticketId: '2' }, 5000]],
    { pausedUntil: async () => ({ chatwoot: 5000 }) },
  ],
])('the consumer of the queue %s', async (_, bodies, expected, stubs) => {
  const { consume, message, outcomes, calls } = forTest(stubs);
  await consume(bodies.map((body) => message(body)));
  expect([outcomes, calls]).toEqual([bodies.map(() => 'ack'), expected]);
});

it('the consumer of the queue retries only messages whose object could not be called, with growing delay', async () => {
  const { consume, message, outcomes } = forTest({ work: down });
  await consume([1, 4, 30].map((attempts) => message(TICKET, attempts)));
  expect(outcomes).toEqual([1, 8, 600]);
});

const DEAD = eventMessage(ABOUT);
const accept = ['accept', place, ABOUT];
const delivery = { helpdesk: 'chatwoot', ticketId: '1207', about: '990001', message: JSON.stringify(DEAD) };
const listed = ['addUndelivered', 'default', delivery];
it.each<[string, unknown, Parameters<typeof forTest>[0], unknown[]]>([
  ['are stored when that is possible now', DEAD, {}, ['ack', accept]],
  ['are listed for people otherwise, with all needed to replay them', DEAD, { accept: down }, ['ack', accept, listed]],
  ['are retried while even that fails', DEAD, { accept: down, addUndelivered: down }, [600, accept, listed]],
  ['that only name a ticket are dropped: its object continues by its alarm', TICKET, {}, ['ack']],
])('dead letters %s', async (_, body, stubs, expected) => {
  const { consumeDeadLetters, message, outcomes, calls } = forTest(stubs);
  await consumeDeadLetters([message(body)]);
  expect([...outcomes, ...calls]).toEqual(expected);
});
