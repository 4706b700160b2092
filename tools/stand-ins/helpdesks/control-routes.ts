import * as z from 'zod';
import { readAs } from '../../../src/contract/core/error-info.ts';
import type { LocalReply } from '../server/local-server.ts';
import type { RecordedRequest } from '../server/request-log.ts';
import type { LocalDesk } from './desk/local-desk.ts';
import { membersOf } from './desk/read-request.ts';
import { type Routes, routed } from './desk/route.ts';

/** A message of a customer that is to be written in a tool. */
export const ControlledTicket = z.strictObject({
  message: z.string().min(1).max(20_000),
  subject: z.string().max(500).optional(),
  customer: z
    .strictObject({ name: z.string().min(1).max(200), email: z.string().min(3).max(200) })
    .optional(),
  fields: z.record(z.string().max(100), z.string().max(500)).optional(),
  /** Whether its delivery is signed with a wrong secret. */
  isForged: z.boolean().default(false),
});
export type ControlledTicket = z.input<typeof ControlledTicket>;

/** The created ticket, and the delivery that the tool sends for it. */
export const WrittenTicket = z.object({
  ticketId: z.string(),
  delivery: z.object({ headers: z.record(z.string(), z.string()), body: z.string() }),
});
export type WrittenTicket = z.infer<typeof WrittenTicket>;

/** The internal content of a ticket. */
export const TicketNotes = z.object({
  notes: z.array(z.object({ id: z.string(), body: z.string() })),
  drafts: z.array(z.object({ id: z.string(), body: z.string() })),
});
export type TicketNotes = z.infer<typeof TicketNotes>;

/**
 * The program's side of the stand-ins for another process on this machine: `POST /control/<tool>/tickets` and
 * `GET /control/<tool>/tickets/<id>`, with a token as bearer.
 */
export function controlRoutes(
  deskOf: (tool: string) => LocalDesk | undefined,
  token: string,
): (request: RecordedRequest) => LocalReply {
  const routes: Routes = {
    'POST /control/:tool/tickets': (request, [tool = '']) => {
      const desk = deskOf(tool);
      const read = readAs(ControlledTicket, membersOf(request));
      if (desk === undefined || !read.ok)
        return { status: 400, body: { error: 'Cannot write such a ticket' } };
      const { isForged, ...ticket } = read.value;
      const { ticketId, messageId } = desk.createTicket(ticket);
      const delivery = desk.sign(
        ticketId,
        messageId,
        isForged ? { secret: 'nobody shares this secret' } : {},
      );
      const body: WrittenTicket = { ticketId, delivery };
      return { status: 201, body };
    },
    'GET /control/:tool/tickets/:id': (_, [tool = '', id = '']) => {
      const desk = deskOf(tool);
      if (!desk?.ticketIds().includes(id))
        return { status: 404, body: { error: 'Cannot find this ticket' } };
      const body: TicketNotes = { notes: desk.notes(id), drafts: desk.drafts(id) };
      return { status: 200, body };
    },
  };
  return (request) =>
    request.headers.authorization === `Bearer ${token}`
      ? (routed(routes, request) ?? { status: 404, body: { error: 'Not found' } })
      : { status: 401, body: { error: 'Unauthorized' } };
}
