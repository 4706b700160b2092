import * as z from 'zod';
import type { Delivery, HelpdeskEvent } from '../../helpdesk-tool.ts';
import { readPayload } from '../read-payload.ts';
import { DeskId, listOf, optionalText, optionalTime } from '../reading.ts';

export const HelpScoutThread = z.object({
  id: DeskId,
  type: optionalText(50),
  state: optionalText(50),
  createdAt: optionalTime,
  createdBy: z
    .object({ type: optionalText(50), id: DeskId.optional().catch(undefined) })
    .nullish()
    .catch(undefined),
});
export type HelpScoutThread = z.infer<typeof HelpScoutThread>;

const HelpScoutDelivery = z.object({
  id: DeskId,
  _embedded: z
    .object({ threads: listOf(HelpScoutThread, 100) })
    .nullish()
    .catch(undefined),
});

/** Of two that were written so close together, both deliveries may hold both. */
const TOGETHER_MS = 120_000;

/**
 * The newest thread of the customer, and those that came shortly before it: a delivery may be made when another message, a note of
 * ours or a reply is there already. The header names the event and is not signed: it may only lead to less, and a message that has
 * its note gets no other.
 */
export const readHelpScoutDelivery = (delivery: Delivery): HelpdeskEvent[] => {
  const event = delivery.headers.get('x-helpscout-event');
  if (event === 'helpscout.test') return [{ kind: 'ignored', reason: 'a test' }];
  if (event !== 'convo.created' && event !== 'convo.customer.reply.created') {
    return [{ kind: 'ignored', reason: 'not about a new message of the customer' }];
  }
  const { id: ticketId, _embedded: embedded } = readPayload(delivery, HelpScoutDelivery, 'Help Scout');
  const said = newestFirst(embedded?.threads ?? []).filter((thread) => isTalk(thread) && isPublished(thread));
  const ofCustomer = said.filter(isOfCustomer);
  const [newest] = ofCustomer;
  if (newest === undefined) {
    if (event === 'convo.created' && said.length > 0) return [{ kind: 'ignored', reason: 'opened by an agent' }];
    return [{ kind: 'message', ticketId, message: 'latest' }];
  }
  const isNew = ({ id, createdAt }: HelpScoutThread) =>
    id === newest.id || (createdAt ?? Number.NEGATIVE_INFINITY) >= (newest.createdAt ?? Number.NaN) - TOGETHER_MS;
  return ofCustomer.filter(isNew).map(({ id }) => ({ kind: 'message', ticketId, message: { id } }));
};

/** Chats and calls tell their author, other threads by their type. */
export const isOfCustomer = ({ type, createdBy }: HelpScoutThread): boolean =>
  type === 'customer' ? createdBy?.type !== 'user' : CHANNELS.has(type ?? '') && createdBy?.type === 'customer';

/** Line items are changes of state. */
export const isTalk = ({ type }: HelpScoutThread): boolean => type !== undefined && type !== 'lineitem';

/** Drafts, replies that wait to be confirmed and what somebody has hidden are not: the customer does not see them. */
export const isPublished = ({ state }: HelpScoutThread): boolean => state === undefined || state === 'published';

const CHANNELS: ReadonlySet<string> = new Set(['chat', 'beaconchat', 'phone']);

/** By time; of one moment by number, as later ones have higher ones. */
const newestFirst = (threads: readonly HelpScoutThread[]): HelpScoutThread[] =>
  threads.toSorted((one, other) => (other.createdAt ?? 0) - (one.createdAt ?? 0) || Number(other.id) - Number(one.id));
