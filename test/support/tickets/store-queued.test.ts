import { expect, it, vi } from 'vitest';
import type { TicketKey } from '../../../src/support/tickets/ticket-objects.ts';
import { type Stubs, storeQueued } from '../../../src/support/tickets/ticket-objects.ts';

const deliveryOf = (ticketId: string) => ({
  kind: 'event',
  workspace: 'acme',
  helpdesk: 'chatwoot',
  event: { kind: 'message', ticketId, message: { id: 'm1' } },
});

it('stores queued deliveries, retries those that cannot be stored, and drops other messages', async () => {
  const stored: string[] = [];
  const accept = async ({ ticketId }: TicketKey) => {
    if (ticketId === 'down') throw new Error('the object is overloaded');
    stored.push(ticketId);
  };
  // Deliveries of messages need no other method.
  const stubs = { ticketStub: () => ({ accept }) } as unknown as Stubs;
  const bodies = [deliveryOf('1'), deliveryOf('down'), { kind: 'ticket' }, deliveryOf('2')];
  const messages = bodies.map((body) => ({ body, ack: vi.fn(), retry: vi.fn() }));
  await storeQueued(messages, stubs);
  expect(stored).toEqual(['1', '2']);
  expect(messages.map(({ ack }) => ack.mock.calls.length)).toEqual([1, 0, 1, 1]);
  expect(messages.map(({ retry }) => retry.mock.calls.length)).toEqual([0, 1, 0, 0]);
});
