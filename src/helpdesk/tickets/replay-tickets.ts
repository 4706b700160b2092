import type { ReplayRequest, ReplayResponse } from '../../contract/tickets.ts';
import type { DeadJob, DeskStub } from './desk-stub.ts';
import { TicketMessage, type TicketPlace } from './ticket-message.ts';
import type { TicketStub } from './ticket-stub.ts';

interface ReplayParts {
  workspace: string;
  desk(workspace: string): DeskStub;
  ticket(place: TicketPlace): TicketStub;
  enqueue(message: TicketMessage): Promise<void>;
}

/** Of `all`, at once. */
const MAX_REPLAYED = 500;
/** Objects asked side by side. */
const MAX_AT_ONCE = 20;

/** Has dead jobs tried again. Those that their tickets' objects do not know any more are taken off the list. */
export const replayTickets = async (
  request: ReplayRequest,
  { workspace, ...parts }: ReplayParts,
): Promise<ReplayResponse> => {
  const desk = parts.desk(workspace);
  const ids = 'all' in request ? 'all' : [...new Set(request.ids)];
  const dead = await desk.dead(workspace, ids, MAX_REPLAYED);
  const groups = [...Map.groupBy(dead, ({ place }) => JSON.stringify([place.helpdesk, place.ticketId])).values()];
  const replayed: string[] = [];
  const gone: string[] = [];
  for (let at = 0; at < groups.length; at += MAX_AT_ONCE) {
    const outcomes = await Promise.all(
      groups.slice(at, at + MAX_AT_ONCE).map((jobs) => replayJobs(jobs, { workspace, ...parts })),
    );
    for (const outcome of outcomes) {
      replayed.push(...outcome.replayed);
      gone.push(...outcome.gone);
    }
  }
  const { dead: remaining } = await desk.forget(workspace, gone);
  const unknown = ids === 'all' ? [] : ids.filter((id) => !replayed.includes(id));
  return { replayed: replayed.length, unknown, remaining };
};

/** Dead jobs of one ticket. A delivery that was never kept goes to the queue again, and off the list. */
const replayJobs = async (
  jobs: readonly DeadJob[],
  { workspace, ticket, enqueue }: ReplayParts,
): Promise<{ replayed: string[]; gone: string[] }> => {
  const [first] = jobs;
  if (first === undefined) return { replayed: [], gone: [] };
  const undelivered = jobs.filter(({ message }) => message !== null);
  for (const { message } of undelivered) await enqueue(TicketMessage.parse(JSON.parse(message ?? '')));
  const kept = jobs.filter(({ message }) => message === null);
  const { ticketId } = first.place;
  // A row of the list came from an object of such a place.
  const place = { workspace, helpdesk: first.place.helpdesk as TicketPlace['helpdesk'], ticketId };
  const numbers =
    kept.length === 0
      ? []
      : await ticket(place).replay(
          place,
          kept.map(({ place: { job } }) => job),
        );
  if (numbers.length > 0) await enqueue({ kind: 'ticket', ...place });
  const isTried = ({ place: { job } }: DeadJob) => numbers.includes(job);
  return {
    replayed: [...undelivered, ...kept.filter(isTried)].map(({ id }) => id),
    gone: [...undelivered, ...kept.filter((job) => !isTried(job))].map(({ id }) => id),
  };
};
