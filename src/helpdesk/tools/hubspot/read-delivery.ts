import * as z from 'zod';
import { readAs } from '../../../contract/issue.ts';
import type { Delivery, HelpdeskEvent } from '../../helpdesk-tool.ts';
import { readPayload } from '../read-payload.ts';
import { DeskId, optionalId, optionalText } from '../reading.ts';

const HubspotEvent = z.object({
  subscriptionType: z.string().max(100),
  /** Of a conversation's event: the thread. */
  objectId: optionalId,
  messageId: optionalId,
  messageType: optionalText(50),
});

/** Up to 100 events come at once. */
const HubspotDelivery = z.array(z.unknown()).max(100);

/** New messages of conversations; whether one is of the customer is only seen when it is read back. */
export const readHubspotDelivery = (delivery: Delivery): HelpdeskEvent[] =>
  readPayload(delivery, HubspotDelivery, 'HubSpot').map(readEvent);

/** Each by itself, so that one that cannot be read does not hold up the others. */
const readEvent = (event: unknown): HelpdeskEvent => {
  const read = readAs(HubspotEvent, event);
  if (!read.ok) return { kind: 'ignored', reason: 'an event that is not as documented' };
  const { subscriptionType: type, objectId: ticketId, messageId: id, messageType } = read.value;
  if (type !== 'conversation.newMessage') return { kind: 'ignored', reason: 'not about a new message' };
  if (messageType !== 'MESSAGE') return { kind: 'ignored', reason: 'a comment' };
  if (ticketId === undefined || id === undefined) return { kind: 'ignored', reason: 'a message without its ids' };
  return { kind: 'message', ticketId, message: { id } };
};

const EventKey = z.object({ eventId: DeskId, subscriptionId: DeskId, objectId: DeskId, messageId: optionalId });

/** Of a delivery: that of its first event, whose own id is not promised to be unique, and how many there are. */
export const DeliveryKey = z
  .array(z.unknown())
  .min(1)
  .max(100)
  .transform((events): string | undefined => {
    const read = readAs(EventKey, events[0]);
    if (!read.ok) return undefined;
    const data = read.value;
    return [data.eventId, data.subscriptionId, data.objectId, data.messageId ?? '', events.length].join('.');
  });
