import * as z from 'zod';
import type { Delivery, HelpdeskEvent } from '../../helpdesk-tool.ts';
import { readPayload } from '../read-payload.ts';
import { DeskId, optionalText } from '../reading.ts';

const ChatwootDelivery = z.object({
  event: z.string().max(100),
  id: DeskId.optional().catch(undefined),
  message_type: optionalText(100),
  private: z.boolean().nullish().catch(true),
  conversation: z.object({ id: DeskId }).optional().catch(undefined),
  sender: z
    .object({ type: optionalText(100) })
    .nullish()
    .catch(undefined),
  content_attributes: z
    .object({
      constellation_marker: optionalText(100),
      email: z
        .object({ auto_reply: z.boolean().nullish().catch(undefined) })
        .nullish()
        .catch(undefined),
    })
    .nullish()
    .catch(undefined),
});

/** Every message is delivered, private notes among them; an incoming one is of the customer. */
export const readChatwootDelivery = (delivery: Delivery): HelpdeskEvent[] => {
  const payload = readPayload(delivery, ChatwootDelivery, 'Chatwoot');
  const reason = reasonToIgnore(payload);
  if (reason !== undefined) return [{ kind: 'ignored', reason }];
  const { conversation, id } = payload;
  if (conversation === undefined || id === undefined) return [{ kind: 'ignored', reason: 'a message without its ids' }];
  return [{ kind: 'message', ticketId: conversation.id, message: { id } }];
};

const reasonToIgnore = ({
  event,
  message_type: type,
  private: isPrivate,
  sender,
  content_attributes: attributes,
}: z.infer<typeof ChatwootDelivery>): string | undefined => {
  if (event !== 'message_created') return 'not about a new message';
  if (attributes?.constellation_marker !== undefined) return 'a note of ours';
  if (isPrivate !== false) return 'a private note';
  if (type !== 'incoming') return 'not of the customer';
  if (sender?.type === 'user' || sender?.type === 'agent_bot') return 'of an agent';
  return attributes?.email?.auto_reply === true ? 'an automatic reply' : undefined;
};
