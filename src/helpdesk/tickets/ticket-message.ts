import * as z from 'zod';
import { HELPDESK_IDS, type HelpdeskEvent } from '../helpdesk-tool.ts';

const Place = { workspace: z.string().min(1).max(128), helpdesk: z.enum(HELPDESK_IDS) };

/** A message of the queue. It names the ticket alone; what is to be done is in the ticket's object. */
export const TicketMessage = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('ticket'), ...Place, ticketId: z.string().min(1).max(200) }),
  /** A delivery that could not be kept in time: the whole of what it is about, as `read` gave it. */
  z.strictObject({
    kind: z.literal('event'),
    ...Place,
    event: z.custom<HelpdeskEvent>((value) => typeof value === 'object'),
  }),
]);
export type TicketMessage = z.infer<typeof TicketMessage>;

/** Which ticket, of which workspace's tool. */
export interface TicketPlace {
  workspace: string;
  helpdesk: (typeof HELPDESK_IDS)[number];
  /** Of the helpdesk, at most 200 characters. */
  ticketId: string;
}

/** The name of a ticket's object: two places never share one. */
export const nameOfPlace = ({ workspace, helpdesk, ticketId }: TicketPlace): string =>
  JSON.stringify([workspace, helpdesk, ticketId]);
