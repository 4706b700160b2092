import type { HelpdeskEvent, HelpdeskId } from '../helpdesk-tool.ts';
import type { DeskStub } from './desk-stub.ts';
import type { TicketPlace } from './ticket-message.ts';
import type { TicketStub } from './ticket-stub.ts';

/**
 * Keeps what a delivery is about where it outlives every crash: a message in its ticket's object, an article in the workspace's desk.
 *
 * @returns The ticket that there is work on; undefined for an article, whose sync the desk sees to itself.
 */
export const keepEvent = async (
  { workspace, helpdesk, event }: { workspace: string; helpdesk: HelpdeskId; event: HelpdeskEvent },
  { ticket, desk }: { ticket(place: TicketPlace): TicketStub; desk(workspace: string): DeskStub },
): Promise<string | undefined> => {
  if (event.kind === 'message') {
    const place = { workspace, helpdesk, ticketId: event.ticketId };
    await ticket(place).accept(place, event);
    return event.ticketId;
  }
  // Only a listing of all articles tells that one is gone.
  if (event.kind === 'article') await desk(workspace).requestSync(workspace, { full: event.change === 'unpublished' });
  return undefined;
};
