import { describe, expect, it } from 'vitest';
import type {
  DeadJob,
  TicketMessage,
  TicketStub,
  WorkspaceStub,
} from '../../../src/helpdesk/tickets/ticket-objects.ts';
import { replayTickets } from '../../../src/helpdesk/tickets/tickets-app.ts';

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
    // Only what a replay calls.
    workspaceStub: () =>
      ({
        dead: async (_: string, ids: readonly string[] | 'all') =>
          ids === 'all' ? [...listed] : listed.filter(({ id }) => ids.includes(id)),
        forget: async (_: string, ids: readonly string[]) => {
          forgotten.push(...ids);
          return { dead: listed.length - ids.length };
        },
      }) as unknown as WorkspaceStub,
    ticketStub: ({ ticketId }: { ticketId: string }) =>
      ({
        replay: async (_: unknown, jobs: readonly number[]) => jobs.filter((job) => known[ticketId]?.includes(job)),
      }) as unknown as TicketStub,
    enqueue: async (message: TicketMessage) => void queued.push(message),
  };
  return { parts, queued, forgotten };
};

describe('replayTickets()', () => {
  it('removes a delivery that is damaged, and replays the others', async () => {
    const whole = JSON.stringify({ kind: 'ticket', workspace: 'default', helpdesk: 'chatwoot', ticketId: '9' });
    const { parts, queued, forgotten } = forTest([
      dead('1', 0, '{'),
      dead('2', 0, '{"kind":"older"}'),
      dead('9', 0, whole),
    ]);
    await replayTickets({ all: true }, parts);
    expect(queued).toEqual([JSON.parse(whole)]);
    expect(forgotten).toHaveLength(3);
  });

  it('reopens dead jobs, and queues each ticket once', async () => {
    const { parts, queued } = forTest([dead('1', 1), dead('1', 2), dead('2', 1)], { 1: [1, 2], 2: [1] });
    expect(await replayTickets({ all: true }, parts)).toMatchObject({ replayed: 3, unknown: [] });
    expect(queued).toEqual([
      { kind: 'ticket', workspace: 'default', helpdesk: 'chatwoot', ticketId: '1' },
      { kind: 'ticket', workspace: 'default', helpdesk: 'chatwoot', ticketId: '2' },
    ]);
  });
  it('reports the ids that are not those of dead jobs', async () => {
    const { parts } = forTest([dead('1', 1), dead('2', 1)], { 1: [1] });
    const ids = ['chatwoot/1/1', 'chatwoot/1/1', 'chatwoot/2/1', 'nothing'];
    expect(await replayTickets({ ids }, parts)).toMatchObject({ replayed: 1, unknown: ['chatwoot/2/1', 'nothing'] });
  });
  it('removes jobs from the list that their tickets do not know any more', async () => {
    const { parts, queued, forgotten } = forTest([dead('1', 1)]);
    expect(await replayTickets({ all: true }, parts)).toEqual({ replayed: 0, unknown: [], remaining: 0 });
    expect([queued, forgotten]).toEqual([[], ['chatwoot/1/1']]);
  });
  it('queues a delivery that was never stored, and removes it from the list', async () => {
    const event = { kind: 'message', ticketId: '1', message: { id: 'm1' } } as const;
    const message = { kind: 'event', workspace: 'default', helpdesk: 'chatwoot', event } as const;
    const { parts, queued, forgotten } = forTest([dead('1', 0, JSON.stringify(message))]);
    expect(await replayTickets({ all: true }, parts)).toMatchObject({ replayed: 1 });
    expect([queued, forgotten]).toEqual([[message], ['chatwoot/1/0']]);
  });
});
