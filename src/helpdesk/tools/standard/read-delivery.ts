import type { Delivery, HelpdeskEvent } from '../../helpdesk-tool.ts';
import type { DeskMessage, Ticket } from '../../ticket.ts';
import { readPayload } from '../read-payload.ts';
import { htmlText, inOrder, plainText, ticketMetadata } from '../ticket-parts.ts';
import { StandardDelivery, type TicketDelivery } from './standard-delivery.ts';

type Written = Omit<NonNullable<TicketDelivery['data']['message']>, 'id'> & { id?: string | undefined };

/** The ticket comes with the delivery, as it cannot be read back. */
export const readStandardDelivery = (delivery: Delivery): HelpdeskEvent[] => {
  const payload = readPayload(delivery, StandardDelivery, 'Standard Webhooks');
  if (!('data' in payload)) return [{ kind: 'ignored', reason: 'not about a new message' }];
  const { type, timestamp, data } = payload;
  const written: Written | undefined = type === 'ticket.created' ? { ...data, id: data.message?.id } : data.message;
  if (written === undefined) return [{ kind: 'ignored', reason: 'without its message' }];
  if (written.public === false) return [{ kind: 'ignored', reason: 'an internal note' }];
  // Whoever leaves the author out speaks of the customer: the event is theirs.
  if (authorOf(written) !== 'customer') return [{ kind: 'ignored', reason: 'not of the customer' }];
  // The first message of a ticket may have no id of its own.
  const id = written.id ?? data.id;
  const message = deskMessage({ ...written, id, created_at: written.created_at ?? timestamp });
  const earlier = data.messages.filter((one) => one.id !== id).map((one) => deskMessage(one));
  return [{ kind: 'message', ticketId: data.id, message: { id }, ticket: ticketOf(data, [...earlier, message]) }];
};

const ticketOf = (data: TicketDelivery['data'], messages: readonly DeskMessage[]): Ticket => {
  const customer = data.customer ?? data.message?.author ?? data.author;
  return {
    id: data.id,
    subject: data.subject,
    customer: { id: customer?.id, name: customer?.name },
    messages: inOrder(messages),
    metadata: ticketMetadata({ channel: data.channel, tags: data.tags, fields: data.custom_fields ?? undefined }),
  };
};

const authorOf = ({ author }: Written): DeskMessage['from'] => {
  const type = author?.type ?? 'customer';
  if (type === 'customer') return 'customer';
  return type === 'system' || type === 'bot' ? 'system' : 'agent';
};

const deskMessage = (written: Written & { id: string }): DeskMessage => ({
  id: written.id,
  from: authorOf(written),
  isPublic: written.public !== false,
  text: written.text === undefined ? htmlText(written.html) : plainText(written.text),
  sentAtMs: written.created_at,
});
