import * as z from 'zod';
import type { Delivery, HelpdeskEvent } from '../../helpdesk-tool.ts';
import { readPayload } from '../read-payload.ts';
import { optionalText, TemplateId } from '../reading.ts';

/** The template may write a yes or no as a word. */
const flag = z
  .union([z.boolean(), z.string()])
  .nullish()
  .catch(undefined)
  .transform((value) => (typeof value === 'string' ? value.toLowerCase() === 'true' : value));

/** The admin writes the template. Nothing is signed, so ids alone are read, and who wrote. */
const GorgiasDelivery = z.object({
  ticket: z.object({ id: TemplateId }),
  message: z
    .object({ id: TemplateId.optional().catch(undefined), from_agent: flag, channel: optionalText(50) })
    .nullish()
    .catch(undefined),
});

export const readGorgiasDelivery = (delivery: Delivery): HelpdeskEvent[] => {
  const { ticket, message } = readPayload(delivery, GorgiasDelivery, 'Gorgias');
  if (message?.channel === 'internal-note') return [{ kind: 'ignored', reason: 'an internal note' }];
  if (message?.from_agent === true) return [{ kind: 'ignored', reason: 'of an agent' }];
  const id = message?.id;
  return [{ kind: 'message', ticketId: ticket.id, message: id === undefined ? 'latest' : { id } }];
};
