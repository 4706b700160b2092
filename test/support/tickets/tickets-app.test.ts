import { expect, it } from 'vitest';
import type {
  DeadJob,
  TicketStub,
  WorkspaceStub,
} from '../../../src/support/tickets/ticket-objects.ts';
import { replayTickets } from '../../../src/support/tickets/tickets-app.ts';

const dead = (ticketId: string, job: number, message: string | null = null): DeadJob => ({
  id: `chatwoot/${ticketId}/${job}`,
  message,
  place: { helpdesk: 'chatwoot', ticketId, job },
});
const eventOf = (ticketId: string) => ({
  kind: 'event',
  workspace: 'default',
  helpdesk: 'chatwoot',
  event: { kind: 'message', ticketId, message: { id: 'm1' } },
});

/** `known` are the jobs that their tickets' objects still have, by ticket. */
const replay = async (
  listed: readonly DeadJob[],
  known: Record<string, number[]>,
  ids: string[] | undefined,
) => {
  const stored: unknown[] = [];
  const forgotten: string[] = [];
  const parts = {
    workspace: 'default',
    // Only what a replay calls.
    workspaceStub: () =>
      ({
        dead: async (_: string, wanted: readonly string[] | 'all') =>
          wanted === 'all' ? [...listed] : listed.filter(({ id }) => wanted.includes(id)),
        forget: async (_: string, gone: readonly string[]) => {
          forgotten.push(...gone);
          return { dead: listed.length - gone.length };
        },
      }) as unknown as WorkspaceStub,
    ticketStub: ({ ticketId }: { ticketId: string }) =>
      ({
        accept: async (_: unknown, event: unknown) => void stored.push(event),
        replay: async (_: unknown, jobs: readonly number[]) =>
          jobs.filter((job) => known[ticketId]?.includes(job)),
      }) as unknown as TicketStub,
  };
  return {
    ...(await replayTickets(ids === undefined ? { all: true } : { ids }, parts)),
    stored,
    forgotten,
  };
};

it.each<[string, Parameters<typeof replay>, object]>([
  [
    'reopens dead jobs',
    [[dead('1', 1), dead('1', 2), dead('2', 1)], { 1: [1, 2], 2: [1] }, undefined],
    { replayed: 3, unknown: [], forgotten: [] },
  ],
  [
    'reports the ids that are not those of dead jobs',
    [
      [dead('1', 1), dead('2', 1)],
      { 1: [1] },
      ['chatwoot/1/1', 'chatwoot/1/1', 'chatwoot/2/1', 'nothing'],
    ],
    { replayed: 1, unknown: ['chatwoot/2/1', 'nothing'] },
  ],
  [
    'removes jobs from the list that their tickets do not know any more',
    [[dead('1', 1)], {}, undefined],
    { replayed: 0, unknown: [], remaining: 0, stored: [], forgotten: ['chatwoot/1/1'] },
  ],
  [
    'stores a delivery that was never stored, and removes it from the list',
    [[dead('1', 0, JSON.stringify(eventOf('1')))], {}, undefined],
    { replayed: 1, stored: [eventOf('1').event], forgotten: ['chatwoot/1/0'] },
  ],
  [
    'removes deliveries that are damaged, and replays the others',
    [
      [
        dead('1', 0, '{'),
        dead('2', 0, '{"kind":"older"}'),
        dead('9', 0, JSON.stringify(eventOf('9'))),
      ],
      {},
      undefined,
    ],
    { stored: [eventOf('9').event], forgotten: ['chatwoot/1/0', 'chatwoot/2/0', 'chatwoot/9/0'] },
  ],
])('replayTickets() %s', async (_, given, expected) =>
  expect(await replay(...given)).toMatchObject(expected),
);
