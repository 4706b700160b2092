import * as z from 'zod';
import { type Delivery, DeliveryUnreadable, type HelpdeskEvent } from '../../helpdesk-tool.ts';
import { readPayload } from '../read-payload.ts';
import { DeskId, optionalId, optionalText, TemplateId } from '../reading.ts';

const ZendeskEvent = z.object({
  type: z.string().max(200),
  subject: optionalText(200),
  detail: z.object({ id: optionalId }),
  /** In another form than third parties tell of, it is the ticket that decides. */
  event: z
    .object({
      comment: z
        .object({
          id: DeskId,
          is_public: z.boolean(),
          author: z.object({ is_staff: z.boolean() }),
        })
        .optional()
        .catch(undefined),
    })
    .nullish()
    .catch(undefined),
});
type ZendeskEvent = z.infer<typeof ZendeskEvent>;

/** What the body of a trigger has to hold: the admin writes it. The rest is read back. */
const ZendeskTrigger = z.object({
  event: optionalText(100),
  ticket: z.object({ id: TemplateId }),
  current_user: z
    .object({ role: optionalText(100) })
    .nullish()
    .catch(undefined),
});
type ZendeskTrigger = z.infer<typeof ZendeskTrigger>;

const ZendeskDelivery = z.union([ZendeskEvent, ZendeskTrigger]);

/** Webhooks are subscribed to events, whose form is Zendesk's, or called by a trigger. */
export const readZendeskDelivery = (delivery: Delivery): HelpdeskEvent[] => {
  const payload = readPayload(delivery, ZendeskDelivery, 'Zendesk');
  return ['type' in payload ? readEvent(payload) : readTrigger(payload)];
};

const PREFIX = 'zen:event-type:';

const readEvent = ({ type, subject, detail, event }: ZendeskEvent): HelpdeskEvent => {
  const name = type.startsWith(PREFIX) ? type.slice(PREFIX.length) : type;
  if (name === 'article.published' || name === 'article.unpublished') {
    return {
      kind: 'article',
      change: name === 'article.published' ? 'published' : 'unpublished',
      articleId: detail.id,
    };
  }
  if (name !== 'ticket.created' && name !== 'ticket.comment_added') {
    return { kind: 'ignored', reason: 'not about a new message' };
  }
  const ticketId = detail.id;
  if (ticketId === undefined || subject !== `zen:ticket:${ticketId}`) {
    throw new DeliveryUnreadable('Cannot read a delivery of Zendesk: it does not name one ticket');
  }
  if (name === 'ticket.created') return { kind: 'message', ticketId, message: 'first' };
  const comment = event?.comment;
  if (comment === undefined) return { kind: 'message', ticketId, message: 'latest' };
  if (!comment.is_public) return { kind: 'ignored', reason: 'an internal note' };
  if (comment.author.is_staff) return { kind: 'ignored', reason: 'of an agent' };
  return { kind: 'message', ticketId, message: { id: comment.id } };
};

const readTrigger = ({ event, ticket, current_user: user }: ZendeskTrigger): HelpdeskEvent => {
  const role = user?.role?.toLowerCase();
  if (role === 'agent' || role === 'admin') return { kind: 'ignored', reason: 'of an agent' };
  return { kind: 'message', ticketId: ticket.id, message: event === 'ticket.created' ? 'first' : 'latest' };
};
