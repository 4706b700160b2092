import { describe, expect, it } from 'vitest';
import type { DeadJob, DeskStub } from '../../../src/helpdesk/tickets/desk-stub.ts';
import { replayTickets } from '../../../src/helpdesk/tickets/replay-tickets.ts';
import type { TicketMessage } from '../../../src/helpdesk/tickets/ticket-message.ts';
import type { TicketStub } from '../../../src/helpdesk/tickets/ticket-stub.ts';

const dead = (ticketId: string, job: number, message: string | null = null): DeadJob => ({
  ...{ id: `chatwoot/${ticketId}/${job}`, message },
  place: { helpdesk: 'chatwoot', ticketId, job },
});

/** @param known Jobs that their tickets' objects still have, by ticket. */
const forTest = (listed: readonly DeadJob[], known: Record<string, number[]> = {}) => {
  const queued: TicketMessage[] = [];
  const forgotten: string[] = [];
  const parts = {
    workspace: 'default',
    // Only what a replay asks.
    desk: () =>
      ({
        dead: async (_: string, ids: readonly string[] | 'all') =>
          ids === 'all' ? [...listed] : listed.filter(({ id }) => ids.includes(id)),
        forget: async (_: string, ids: readonly string[]) => {
          forgotten.push(...ids);
          return { dead: listed.length - ids.length };
        },
      }) as unknown as DeskStub,
    ticket: ({ ticketId }: { ticketId: string }) =>
      ({
        replay: async (_: unknown, jobs: readonly number[]) => jobs.filter((job) => known[ticketId]?.includes(job)),
      }) as unknown as TicketStub,
    enqueue: async (message: TicketMessage) => void queued.push(message),
  };
  return { parts, queued, forgotten };
};

describe('replayTickets()', () => {
  it('has dead jobs tried again, each ticket queued once', async () => {
    const { parts, queued } = forTest([dead('1', 1), dead('1', 2), dead('2', 1)], { 1: [1, 2], 2: [1] });
    expect(await replayTickets({ all: true }, parts)).toMatchObject({ replayed: 3, unknown: [] });
    expect(queued).toEqual([
      { kind: 'ticket', workspace: 'default', helpdesk: 'chatwoot', ticketId: '1' },
      { kind: 'ticket', workspace: 'default', helpdesk: 'chatwoot', ticketId: '2' },
    ]);
  });

  it('tells which ids are not those of dead ones', async () => {
    const { parts } = forTest([dead('1', 1), dead('2', 1)], { 1: [1] });
    const ids = ['chatwoot/1/1', 'chatwoot/1/1', 'chatwoot/2/1', 'nothing'];
    expect(await replayTickets({ ids }, parts)).toMatchObject({ replayed: 1, unknown: ['chatwoot/2/1', 'nothing'] });
  });

  it('takes off the list what its ticket does not know any more', async () => {
    const { parts, queued, forgotten } = forTest([dead('1', 1)]);
    expect(await replayTickets({ all: true }, parts)).toEqual({ replayed: 0, unknown: [], remaining: 0 });
    expect([queued, forgotten]).toEqual([[], ['chatwoot/1/1']]);
  });

  it('puts a delivery that was never kept on the queue again, and off the list', async () => {
    const event = { kind: 'message', ticketId: '1', message: { id: 'm1' } } as const;
    const message = { kind: 'event', workspace: 'default', helpdesk: 'chatwoot', event } as const;
    const { parts, queued, forgotten } = forTest([dead('1', 0, JSON.stringify(message))]);
    expect(await replayTickets({ all: true }, parts)).toMatchObject({ replayed: 1 });
    expect([queued, forgotten]).toEqual([[message], ['chatwoot/1/0']]);
  });

  it('replays many tickets', async () => {
    const tickets = Array.from({ length: 90 }, (_, at) => String(at));
    const known = Object.fromEntries(tickets.map((ticket) => [ticket, [1]]));
    const { parts, queued } = forTest(
      tickets.map((ticket) => dead(ticket, 1)),
      known,
    );
    expect(await replayTickets({ all: true }, parts)).toMatchObject({ replayed: 90 });
    expect(queued).toHaveLength(90);
  });
});
