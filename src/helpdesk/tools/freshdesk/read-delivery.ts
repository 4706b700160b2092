import * as z from 'zod';
import type { Delivery, HelpdeskEvent } from '../../helpdesk-tool.ts';
import { readPayload } from '../read-payload.ts';
import { optionalText, TemplateId } from '../reading.ts';

/** Of a rule in advanced mode, whose body the admin writes, or in simple mode. Nothing is signed, so ids alone are read. */
const FreshdeskDelivery = z.union([
  z
    .object({ ticket: z.object({ id: TemplateId }), event: optionalText(100), triggered_event: optionalText(200) })
    .transform(({ ticket, event, triggered_event }) => ({ ticketId: ticket.id, event: event ?? triggered_event })),
  z
    .object({ freshdesk_webhook: z.object({ ticket_id: TemplateId, triggered_event: optionalText(200) }) })
    .transform(({ freshdesk_webhook: { ticket_id: ticketId, triggered_event: event } }) => ({ ticketId, event })),
]);

/** The rule is to fire for what requesters do; the ticket that is read back decides. */
export const readFreshdeskDelivery = (delivery: Delivery): HelpdeskEvent[] => {
  const { ticketId, event } = readPayload(delivery, FreshdeskDelivery, 'Freshdesk');
  const isCreated = event === 'ticket_created' || event === '{ticket_action:created}';
  return [{ kind: 'message', ticketId, message: isCreated ? 'first' : 'latest' }];
};
