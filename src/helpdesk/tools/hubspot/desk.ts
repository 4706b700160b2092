import * as z from 'zod';
import { callHelpdesk, type HelpdeskApi, pathOf } from '../../call-helpdesk.ts';
import type { Desk, HelpdeskConnection } from '../../helpdesk-tool.ts';
import type { DeskMessage } from '../../ticket.ts';
import { neededToken } from '../needed.ts';
import { DeskId, fileNames, itemsOf, listOf, optionalText, optionalTime } from '../reading.ts';
import { htmlText, inOrder, MAX_NOTE, plainText, ticketMetadata } from '../ticket-parts.ts';

const Message = z.object({
  id: DeskId,
  type: optionalText(50),
  direction: optionalText(50),
  subject: optionalText(1000),
  text: optionalText(MAX_NOTE),
  richText: optionalText(MAX_NOTE),
  truncationStatus: optionalText(50),
  createdAt: optionalTime,
  senders: listOf(z.object({ actorId: optionalText(128), name: optionalText(200) }), 20),
  attachments: fileNames('name'),
});
type Message = z.infer<typeof Message>;

const Messages = z.object({
  results: itemsOf(Message, 100),
  paging: z
    .object({ next: z.object({ after: optionalText(1000) }).optional() })
    .nullish()
    .catch(undefined),
});

/** Of 100 messages each, in an order that is not promised. */
const MAX_PAGES = 10;
/** Texts that were cut and are asked for in full: the newest ones of the customer. */
const MAX_ORIGINALS = 3;

/**
 * HubSpot's conversations with the token of a private app. Options: `actorId`, as in `A-123`, of whom the token stands for,
 * whose messages are never a customer's. Tickets without a conversation are not read.
 */
export const hubspotDesk = (
  connection: HelpdeskConnection,
  { fetch, now }: { fetch: typeof globalThis.fetch; now: () => number },
): Desk => {
  const { actorId } = connection.options;
  const api: HelpdeskApi = {
    tool: 'HubSpot',
    apiUrl: connection.apiUrl,
    headers: async () => ({ Authorization: `Bearer ${neededToken(connection, 'HubSpot')}` }),
    fetch,
    now,
  };
  const thread = (ticketId: string) => pathOf`/conversations/v3/conversations/threads/${ticketId}/messages`;

  const readMessages = async (ticketId: string, signal: AbortSignal): Promise<Message[]> => {
    const messages: Message[] = [];
    const query = new URLSearchParams({ limit: '100' });
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const path = `${thread(ticketId)}?${query}`;
      const value = await callHelpdesk(api, { doing: 'read a conversation', path, reply: Messages, signal });
      messages.push(...value.results);
      const after = value.paging?.next?.after;
      if (after === undefined) break;
      query.set('after', after);
    }
    return messages;
  };
  const readOriginal = (ticketId: string, messageId: string, signal: AbortSignal) =>
    callHelpdesk(api, {
      doing: 'read a message',
      path: `${thread(ticketId)}${pathOf`/${messageId}/original-content`}`,
      reply: z.object({ text: optionalText(MAX_NOTE), richText: optionalText(MAX_NOTE) }),
      signal,
    });
  const isOfCustomer = ({ type, direction, senders }: Message): boolean =>
    type === 'MESSAGE' &&
    direction === 'INCOMING' &&
    (actorId === undefined || senders.every((sender) => sender.actorId !== actorId));
  /** What else there is tells of changes. */
  const deskMessage = (message: Message): DeskMessage[] => {
    if (message.type !== 'MESSAGE' && message.type !== 'COMMENT') return [];
    return [
      {
        id: message.id,
        from: isOfCustomer(message) ? 'customer' : 'agent',
        isPublic: message.type === 'MESSAGE',
        text: message.text === undefined ? htmlText(message.richText) : plainText(message.text),
        sentAtMs: message.createdAt,
      },
    ];
  };

  return {
    readTicket: async (ticketId, { signal }) => {
      const messages = (await readMessages(ticketId, signal)).toSorted(
        (one, other) => (one.createdAt ?? 0) - (other.createdAt ?? 0),
      );
      const ofCustomer = messages.filter(isOfCustomer);
      const cut = ofCustomer.filter(({ truncationStatus: status }) => status === 'TRUNCATED').slice(-MAX_ORIGINALS);
      const originals = new Map<string, Partial<Message>>();
      for (const { id } of cut) originals.set(id, await readOriginal(ticketId, id, signal));
      return {
        id: ticketId,
        subject: messages.find(({ subject }) => subject !== undefined)?.subject,
        customer: { id: ofCustomer[0]?.senders[0]?.actorId, name: ofCustomer[0]?.senders[0]?.name },
        messages: inOrder(messages.flatMap((message) => deskMessage({ ...message, ...originals.get(message.id) }))),
        metadata: ticketMetadata({ attachments: ofCustomer.flatMap(({ attachments }) => attachments) }),
      };
    },

    findNote: async (ticketId, marker, { signal }) => {
      const messages = await readMessages(ticketId, signal);
      const holds = (text: string | undefined) => text?.includes(marker) === true;
      return messages.find(({ type, text, richText }) => type === 'COMMENT' && (holds(text) || holds(richText)))?.id;
    },

    // A comment is for the team; a `MESSAGE` would be sent to the customer.
    writeNote: async (ticketId, note, { signal }) => {
      const value = await callHelpdesk(api, {
        doing: 'write a note',
        method: 'POST',
        path: thread(ticketId),
        body: { type: 'COMMENT', text: note.text, richText: note.html, attachments: [] },
        reply: z.object({ id: DeskId }),
        signal,
      });
      return value.id;
    },
  };
};
