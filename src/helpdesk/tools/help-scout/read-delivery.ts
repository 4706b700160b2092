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

/** The header names the event and is not signed: it may only lead to less, and the newest thread decides. */
export const readHelpScoutDelivery = (delivery: Delivery): HelpdeskEvent[] => {
  const event = delivery.headers.get('x-helpscout-event');
  if (event === 'helpscout.test') return [{ kind: 'ignored', reason: 'a test' }];
  if (event !== 'convo.created' && event !== 'convo.customer.reply.created') {
    return [{ kind: 'ignored', reason: 'not about a new message of the customer' }];
  }
  const { id: ticketId, _embedded: embedded } = readPayload(delivery, HelpScoutDelivery, 'Help Scout');
  const threads = embedded?.threads ?? [];
  const newest = newestFirst(threads).find((thread) => isTalk(thread) && thread.state !== 'draft');
  if (newest === undefined) return [{ kind: 'message', ticketId, message: 'latest' }];
  if (!isOfCustomer(newest)) return [{ kind: 'ignored', reason: 'not of the customer' }];
  return [{ kind: 'message', ticketId, message: { id: newest.id } }];
};

/** Chats and calls tell their author, other threads by their type. */
export const isOfCustomer = ({ type, createdBy }: HelpScoutThread): boolean =>
  type === 'customer' ? createdBy?.type !== 'user' : CHANNELS.has(type ?? '') && createdBy?.type === 'customer';

/** Line items are changes of state. */
export const isTalk = ({ type }: HelpScoutThread): boolean => type !== undefined && type !== 'lineitem';

const CHANNELS: ReadonlySet<string> = new Set(['chat', 'beaconchat', 'phone']);

/** By time; of one moment by number, as later ones have higher ones. */
const newestFirst = (threads: readonly HelpScoutThread[]): HelpScoutThread[] =>
  threads.toSorted((one, other) => (other.createdAt ?? 0) - (one.createdAt ?? 0) || Number(other.id) - Number(one.id));
