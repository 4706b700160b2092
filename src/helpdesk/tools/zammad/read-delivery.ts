import * as z from 'zod';
import type { Delivery, HelpdeskEvent } from '../../helpdesk-tool.ts';
import { readPayload } from '../read-payload.ts';
import { DeskId, optionalId, optionalText } from '../reading.ts';

const ZammadDelivery = z.object({
  ticket: z.object({ id: DeskId }),
  /** Empty when no article took part. */
  article: z
    .object({ id: optionalId, sender: optionalText(50), internal: z.boolean().nullish().catch(true) })
    .nullish()
    .catch(undefined),
});

/** A public article whose sender is the customer. */
export const readZammadDelivery = (delivery: Delivery): HelpdeskEvent[] => {
  const { ticket, article } = readPayload(delivery, ZammadDelivery, 'Zammad');
  if (article?.id === undefined) return [{ kind: 'ignored', reason: 'no article took part' }];
  if (article.internal !== false) return [{ kind: 'ignored', reason: 'an internal note' }];
  if (article.sender !== 'Customer') return [{ kind: 'ignored', reason: 'not of the customer' }];
  return [{ kind: 'message', ticketId: ticket.id, message: { id: article.id } }];
};
