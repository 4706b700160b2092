import * as z from 'zod';
import type { Delivery, HelpdeskEvent } from '../../helpdesk-tool.ts';
import { readPayload } from '../read-payload.ts';
import { DeskId, listOf, optionalId, optionalText } from '../reading.ts';

const Author = z
  .object({ type: optionalText(50) })
  .nullish()
  .catch(undefined);

const IntercomDelivery = z.object({
  topic: z.string().max(200),
  data: z.object({
    item: z.object({
      id: optionalId,
      source: z.object({ id: optionalId, author: Author }).nullish().catch(undefined),
      conversation_parts: z
        .object({
          conversation_parts: listOf(z.object({ id: DeskId, part_type: optionalText(50), author: Author }), 500),
        })
        .nullish()
        .catch(undefined),
    }),
  }),
});

/** Authors that are customers. */
export const CUSTOMER_TYPES: ReadonlySet<string | undefined> = new Set(['user', 'lead', 'contact']);

/** A conversation that a customer opened, or a reply of a customer; pings, notes and what agents and bots say are not. */
export const readIntercomDelivery = (delivery: Delivery): HelpdeskEvent[] => {
  const { topic, data } = readPayload(delivery, IntercomDelivery, 'Intercom');
  const { id: ticketId, source, conversation_parts: parts } = data.item;
  if (topic === 'ping') return [{ kind: 'ignored', reason: 'a ping' }];
  const isCreated = topic === 'conversation.user.created';
  if (!isCreated && topic !== 'conversation.user.replied') return [{ kind: 'ignored', reason: 'not of the customer' }];
  if (ticketId === undefined) return [{ kind: 'ignored', reason: 'a conversation without its id' }];
  if (isCreated && isCustomer(source?.author)) {
    const message = source?.id === undefined ? 'first' : { id: source.id };
    return [{ kind: 'message', ticketId, message }];
  }
  // Newest last. The topic is signed: what an agent, a bot or we said since does not undo the customer's reply.
  const part = parts?.conversation_parts.findLast(
    ({ part_type: type, author }) => type !== undefined && TALK.has(type) && isCustomer(author),
  );
  // Who answers what an agent sent to many opens a conversation whose first words are the agent's.
  if (part !== undefined) return [{ kind: 'message', ticketId, message: { id: part.id } }];
  return isCreated
    ? [{ kind: 'ignored', reason: 'opened by an agent' }]
    : [{ kind: 'message', ticketId, message: 'latest' }];
};

const isCustomer = (author: z.infer<typeof Author>): boolean => CUSTOMER_TYPES.has(author?.type ?? '');

/** `open` and `close` may hold a text: who replies to a closed conversation opens it. */
const TALK: ReadonlySet<string> = new Set(['comment', 'open', 'quick_reply']);
