import * as z from 'zod';
import { basicAuth } from '../../platform/http/fetch-json.ts';
import { optionalText, optionalTime } from '../../platform/http/read-fields.ts';
import { defineTool, type ToolApi, type ToolMessage, type ToolOperations } from './define-tool.ts';
import { pathOf } from './helpdesk-api.ts';
import type { HelpdeskEvent } from './helpdesk-tool.ts';
import {
  fileNames,
  itemsOf,
  listOf,
  mailHeaders,
  optionalId,
  optionalObject,
  RecordId,
  TemplateId,
} from './payload.ts';
import { STATIC_TOKEN } from './signature-schemes.ts';
import { contains, htmlText, MAX_NOTE, plainText } from './ticket-parts.ts';

/** The template may contain a boolean as a word. */
const flag = z
  .union([z.boolean(), z.string()])
  .nullish()
  .catch(undefined)
  .transform((value) => (typeof value === 'string' ? value.toLowerCase() === 'true' : value));

/** The admin writes the template. Nothing is signed, so only ids are used, and who wrote. */
const GorgiasDelivery = z.object({
  ticket: z.object({ id: TemplateId }),
  message: optionalObject({
    id: TemplateId.optional().catch(undefined),
    from_agent: flag,
    channel: optionalText(50),
  }),
});

const readDelivery = ({ ticket, message }: z.infer<typeof GorgiasDelivery>): HelpdeskEvent => {
  if (message?.channel === 'internal-note') return { kind: 'ignored', reason: 'an internal note' };
  if (message?.from_agent === true) return { kind: 'ignored', reason: 'from an agent' };
  const id = message?.id;
  return { kind: 'message', ticketId: ticket.id, message: id === undefined ? 'latest' : { id } };
};

const Message = z.object({
  id: RecordId,
  channel: optionalText(50),
  from_agent: z.boolean().nullish().catch(true),
  public: z.boolean().nullish().catch(false),
  body_text: optionalText(MAX_NOTE),
  body_html: optionalText(MAX_NOTE),
  stripped_text: optionalText(MAX_NOTE),
  external_id: optionalText(200),
  sender: optionalObject({ email: optionalText(320), name: optionalText(200) }),
  subject: optionalText(1000),
  /** Those of the mail, by name. */
  headers: mailHeaders,
  created_datetime: optionalTime,
  attachments: fileNames('name'),
});
type Message = z.infer<typeof Message>;

const Ticket = z.object({
  subject: optionalText(1000),
  channel: optionalText(50),
  customer: optionalObject({ id: optionalId, name: optionalText(200) }),
  tags: listOf(z.object({ name: z.string() }), 50),
  messages: itemsOf(Message, 1000),
});

const Found = z.object({
  data: itemsOf(z.object({ id: RecordId, external_id: optionalText(255) }), 100),
});

const operations = ({ call, create, option, options }: ToolApi): ToolOperations => {
  const ownEmail = options.email;
  const read = (ticketId: string) =>
    call({ action: 'read a ticket', path: pathOf`/api/tickets/${ticketId}`, reply: Ticket });
  const isFromCustomer = ({ from_agent: isAgent, sender }: Message): boolean =>
    isAgent === false && (ownEmail === undefined || sender?.email !== ownEmail);
  const toMessage = (message: Message): ToolMessage => {
    const plain = message.stripped_text ?? message.body_text;
    return {
      id: message.id,
      from: isFromCustomer(message) ? 'customer' : 'agent',
      isPublic: !isNote(message),
      text: plain === undefined ? htmlText(message.body_html) : plainText(plain),
      sentAtMs: message.created_datetime,
      mail: {
        from: message.sender?.email ?? message.sender?.name,
        subject: message.subject,
        headers: message.headers,
      },
      attachments: message.attachments,
    };
  };

  return {
    readTicket: async (ticketId) => {
      const { subject, customer, channel, tags, messages } = await read(ticketId);
      return {
        subject,
        customer: { id: customer?.id, name: customer?.name },
        messages: messages.map(toMessage),
        channel,
        tags: tags.map(({ name }) => name),
      };
    },

    findNote: async (ticketId, marker) => {
      const { messages } = await read(ticketId);
      return messages.find(
        (message) =>
          isNote(message) &&
          (message.external_id === marker || contains(marker, message.body_text)),
      )?.id;
    },

    writeNote: (ticketId, note) =>
      create({
        action: 'write a note',
        path: pathOf`/api/tickets/${ticketId}/messages`,
        body: {
          channel: 'internal-note',
          via: 'api',
          from_agent: true,
          public: false,
          sender: { email: option('email') },
          body_text: note.text,
          body_html: note.html,
          external_id: note.marker,
        },
      }),

    // With `source` the replies of agents are mail from the address that customers write to.
    createTicket: async ({ key, email: address, subject, text }) => {
      const inbox = option('inboxEmail');
      const origin = { channel: 'email', via: 'api', from_agent: false };
      const source = { type: 'email', from: { address }, to: [{ address: inbox }] };
      return create({
        action: 'create a ticket',
        path: '/api/tickets',
        body: {
          ...origin,
          external_id: key,
          subject,
          customer: { email: address },
          messages: [{ ...origin, sender: { email: address }, source, subject, body_text: text }],
        },
      });
    },

    findTicket: async (key) => {
      const path = `/api/tickets?${new URLSearchParams({ external_id: key })}`;
      const { data } = await call({ action: 'look for a ticket', path, reply: Found });
      return data.find(({ external_id: id }) => id === key)?.id;
    },
  };
};

const isNote = ({ channel, public: isPublic }: Message): boolean =>
  channel === 'internal-note' || isPublic === false;

/**
 * Gorgias with an API key. An integration calls us with our own token; nothing is signed. Options: `email` of the owner of the key,
 * who is the author of notes; `inboxEmail`, the address that customers write to, for tickets of visitors.
 */
export const gorgias = defineTool({
  id: 'gorgias',
  name: 'Gorgias',
  requires: ['email'],
  signatures: [STATIC_TOKEN],
  delivery: GorgiasDelivery,
  read: readDelivery,
  headers: ({ option, token }) => ({ Authorization: basicAuth(option('email'), token()) }),
  operations,
});
