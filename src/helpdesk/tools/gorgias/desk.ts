import * as z from 'zod';
import { callHelpdesk, type HelpdeskApi, pathOf } from '../../call-helpdesk.ts';
import type { Desk, HelpdeskConnection } from '../../helpdesk-tool.ts';
import type { DeskMessage } from '../../ticket.ts';
import { basicAuth } from '../basic-auth.ts';
import { neededOption, neededToken } from '../needed.ts';
import { DeskId, fileNames, itemsOf, listOf, optionalId, optionalText, optionalTime } from '../reading.ts';
import { htmlText, inOrder, MAX_NOTE, plainText, ticketMetadata } from '../ticket-parts.ts';

const Message = z.object({
  id: DeskId,
  channel: optionalText(50),
  from_agent: z.boolean().nullish().catch(true),
  public: z.boolean().nullish().catch(false),
  body_text: optionalText(MAX_NOTE),
  body_html: optionalText(MAX_NOTE),
  stripped_text: optionalText(MAX_NOTE),
  external_id: optionalText(200),
  sender: z
    .object({ email: optionalText(320) })
    .nullish()
    .catch(undefined),
  created_datetime: optionalTime,
  attachments: fileNames('name'),
});
type Message = z.infer<typeof Message>;

const Ticket = z.object({
  subject: optionalText(1000),
  channel: optionalText(50),
  customer: z
    .object({ id: optionalId, name: optionalText(200) })
    .nullish()
    .catch(undefined),
  tags: listOf(z.object({ name: z.string() }), 50),
  messages: itemsOf(Message, 1000),
});

/** Gorgias' API with an API key. Options: `email`, whose key it is and in whose name notes are written. */
export const gorgiasDesk = (
  connection: HelpdeskConnection,
  { fetch, now }: { fetch: typeof globalThis.fetch; now: () => number },
): Desk => {
  const email = () => neededOption(connection, 'email', 'Gorgias');
  const api: HelpdeskApi = {
    tool: 'Gorgias',
    apiUrl: connection.apiUrl,
    headers: async () => ({ Authorization: basicAuth(email(), neededToken(connection, 'Gorgias')) }),
    fetch,
    now,
  };
  const read = async (ticketId: string, signal: AbortSignal) => {
    const path = pathOf`/api/tickets/${ticketId}`;
    return callHelpdesk(api, { doing: 'read a ticket', path, reply: Ticket, signal });
  };

  return {
    readTicket: async (ticketId, { signal }) => {
      const { subject, customer, channel, tags, messages } = await read(ticketId, signal);
      return {
        id: ticketId,
        subject,
        customer: { id: customer?.id, name: customer?.name },
        messages: inOrder(messages.map(deskMessage(connection.options.email))),
        metadata: ticketMetadata({
          channel,
          attachments: messages
            .filter(isOfCustomer(connection.options.email))
            .flatMap(({ attachments }) => attachments),
          tags: tags.map(({ name }) => name),
        }),
      };
    },

    findNote: async (ticketId, marker, { signal }) => {
      const { messages } = await read(ticketId, signal);
      const isIt = (message: Message) =>
        isNote(message) && (message.external_id === marker || message.body_text?.includes(marker) === true);
      return messages.find(isIt)?.id;
    },

    writeNote: async (ticketId, note, { signal }) => {
      const value = await callHelpdesk(api, {
        doing: 'write a note',
        method: 'POST',
        path: pathOf`/api/tickets/${ticketId}/messages`,
        body: {
          channel: 'internal-note',
          via: 'api',
          from_agent: true,
          public: false,
          sender: { email: email() },
          body_text: note.text,
          body_html: note.html,
          external_id: note.marker,
        },
        reply: z.object({ id: DeskId }),
        signal,
      });
      return value.id;
    },
  };
};

const isNote = ({ channel, public: isPublic }: Message): boolean => channel === 'internal-note' || isPublic === false;

const isOfCustomer =
  (ours: string | undefined) =>
  ({ from_agent: isAgent, sender }: Message): boolean =>
    isAgent === false && (ours === undefined || sender?.email !== ours);

const deskMessage =
  (ours: string | undefined) =>
  (message: Message): DeskMessage => {
    const plain = message.stripped_text ?? message.body_text;
    return {
      id: message.id,
      from: isOfCustomer(ours)(message) ? 'customer' : 'agent',
      isPublic: !isNote(message),
      text: plain === undefined ? htmlText(message.body_html) : plainText(plain),
      sentAtMs: message.created_datetime,
    };
  };
