import { afterEach, expect, it, vi } from 'vitest';
import { storeQueued } from '../../../src/support/tickets/deliveries.ts';
import type { EventMessage } from '../../../src/support/tickets/ticket-objects.ts';

const deliveryOf = (ticketId: string) => ({
  kind: 'event',
  workspace: 'acme',
  helpdesk: 'chatwoot',
  event: { kind: 'message', ticketId, message: { id: 'm1' } },
});

afterEach(() => {
  vi.useRealTimers();
});

it('stores queued deliveries, retries and logs those that cannot be stored, drops the names of tickets, and logs and drops other messages', async () => {
  vi.useFakeTimers();
  const stored: string[] = [];
  const store = async ({ event }: EventMessage) => {
    if (event.kind !== 'message') return;
    if (event.ticketId === 'down') throw new Error('the object is overloaded');
    if (event.ticketId === 'slow') await new Promise(() => undefined);
    stored.push(event.ticketId);
  };
  const ids = ['1', 'down', 'slow'].map(deliveryOf);
  const ticket = { kind: 'ticket', workspace: 'acme', helpdesk: 'chatwoot', ticketId: '3' };
  const bodies = [...ids, ticket, { kind: 'other', words: 'my secret' }, deliveryOf('2')];
  const messages = bodies.map((body) => ({ body, ack: vi.fn(), retry: vi.fn() }));
  const faults: string[] = [];
  const onFault = (_where: string, error: unknown) => faults.push(String(error));
  const run = storeQueued(messages, { store, onFault });
  await vi.advanceTimersByTimeAsync(10_000);
  await run;
  expect(stored).toEqual(['1', '2']);
  expect(messages.map(({ ack }) => ack.mock.calls.length)).toEqual([1, 0, 0, 1, 1, 1]);
  expect(messages.map(({ retry }) => retry.mock.calls.length)).toEqual([0, 1, 1, 0, 0, 0]);
  expect(faults).toMatchObject([
    expect.stringMatching('overloaded'),
    expect.stringMatching('in time'),
    'Error: a message is no delivery, and is dropped',
  ]);
});
