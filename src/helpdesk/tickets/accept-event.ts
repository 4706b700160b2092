import type { HelpdeskEvent } from '../helpdesk-tool.ts';
import { isUnnamed, type Job, type TicketStore } from './ticket-store.ts';

export type MessageEvent = Extract<HelpdeskEvent, { kind: 'message' }>;

/**
 * Makes a job of what a delivery is about, unless there is one, or the message has its note, or is one.
 *
 * @param options.nudgeAt When the alarm sees to it, if nobody has worked on it by then.
 */
export const acceptEvent = (
  { message, ticket }: MessageEvent,
  { store, now, nudgeAt }: { store: TicketStore; now: number; nudgeAt: number },
): void => {
  if (typeof message === 'object' && (store.markOf(message.id) || store.isOwnNote(message.id))) return;
  const about = typeof message === 'object' ? `m:${message.id}` : message;
  const known = store.jobAbout(about);
  const told = ticket === undefined ? null : JSON.stringify(ticket);
  if (known === undefined) {
    store.add(about, { ticket: told, now, nudgeAt });
  } else if (isToBeOpened(known)) {
    const fresh = { step: 'accepted', state: 'open', result: null, error: null } as const;
    const counts = { attempts: 0, refusals: 0, nudges: 0 };
    store.change(known, { ...fresh, ...counts, ticket: told, begun_at: now, due_at: now, nudge_at: nudgeAt }, now);
  } else if (known.state === 'open' && isUnnamed(known)) {
    store.change(known, { deliveries: known.deliveries + 1, ticket: told ?? known.ticket }, now);
  }
};

/**
 * What was not there, or not the customer's, may be by now. A dead job stays dead until somebody replays it, but for one that names no
 * message: its next delivery is about another.
 */
const isToBeOpened = (job: Job): boolean =>
  (job.state === 'done' && job.result === 'none') || (job.state === 'dead' && isUnnamed(job));
