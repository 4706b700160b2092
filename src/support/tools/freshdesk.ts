import * as z from 'zod';
import { textToHtml } from '../../documents/markdown/render-markdown.ts';
import { basicAuth } from '../../platform/http/fetch-json.ts';
import { optionalText, optionalTime } from '../../platform/http/read-fields.ts';
import { defineTool, type ToolApi, type ToolMessage, type ToolOperations } from './define-tool.ts';
import { pathOf, readPages } from './helpdesk-api.ts';
import type { HelpdeskEvent } from './helpdesk-tool.ts';
import {
  fileNames,
  itemsOf,
  listOf,
  optionalFields,
  optionalId,
  optionalObject,
  RecordId,
  TemplateId,
} from './payload.ts';
import { STATIC_TOKEN } from './signature-schemes.ts';
import { contains, htmlText, MAX_NOTE, plainText } from './ticket-parts.ts';

/** The body of a rule: in advanced mode the admin writes it. Nothing is signed, so only ids are used. */
const FreshdeskDelivery = z.union([
  z
    .object({
      ticket: z.object({ id: TemplateId }),
      event: optionalText(100),
      triggered_event: optionalText(200),
    })
    .transform(({ ticket, event, triggered_event }) => ({
      ticketId: ticket.id,
      event: event ?? triggered_event,
    })),
  z
    .object({
      freshdesk_webhook: z.object({ ticket_id: TemplateId, triggered_event: optionalText(200) }),
    })
    .transform(({ freshdesk_webhook: { ticket_id: ticketId, triggered_event: event } }) => ({
      ticketId,
      event,
    })),
]);

/** Who wrote is decided when the ticket is read. */
const readDelivery = ({ ticketId, event }: z.infer<typeof FreshdeskDelivery>): HelpdeskEvent => {
  const isCreated = event === 'ticket_created' || event === '{ticket_action:created}';
  return { kind: 'message', ticketId, message: isCreated ? 'first' : 'latest' };
};

const Ticket = z.object({
  subject: optionalText(1000),
  description: optionalText(MAX_NOTE),
  description_text: optionalText(MAX_NOTE),
  requester_id: optionalId,
  requester: optionalObject({ id: optionalId, name: optionalText(200), email: optionalText(320) }),
  source: z.number().nullish().catch(undefined),
  tags: listOf(z.string(), 50),
  custom_fields: optionalFields,
  created_at: optionalTime,
  attachments: fileNames('name'),
});

const Entry = z.object({
  id: RecordId,
  body: optionalText(MAX_NOTE),
  body_text: optionalText(MAX_NOTE),
  incoming: z.boolean().nullish().catch(false),
  private: z.boolean().nullish().catch(true),
  user_id: optionalId,
  from_email: optionalText(500),
  created_at: optionalTime,
  attachments: fileNames('name'),
});
type Entry = z.infer<typeof Entry>;

const PAGE_SIZE = 100;
/** Pages begin with the oldest entry: only the last page has the newest. */
const MAX_PAGES = 10;
/** Source of a ticket that an agent opened with an email. */
const OUTBOUND = 10;
/** Open, of low priority, from the feedback widget: status and priority are required. */
const NEW_TICKET = { status: 2, priority: 1, source: 9 };
const CHANNELS: Readonly<Record<number, string>> = {
  1: 'email',
  2: 'portal',
  3: 'phone',
  7: 'chat',
  9: 'widget',
};

const operations = ({ call, create, options }: ToolApi): ToolOperations => {
  const { userId } = options;

  const readEntries = async (ticketId: string): Promise<Entry[]> => {
    const pages = await readPages(MAX_PAGES, async (number: number = 1) => {
      const path = `${pathOf`/api/v2/tickets/${ticketId}/conversations`}?page=${number}&per_page=${PAGE_SIZE}`;
      const reply = itemsOf(Entry, PAGE_SIZE);
      const page = await call({ action: 'read the entries of a ticket', path, reply });
      return { page, next: page.length < PAGE_SIZE ? undefined : number + 1 };
    });
    return pages.flat();
  };
  const isFromCustomer = ({ incoming, private: isPrivate, user_id: author }: Entry): boolean =>
    incoming === true && isPrivate === false && (author === undefined || author !== userId);
  const toMessage = (entry: Entry): ToolMessage => ({
    id: entry.id,
    from: isFromCustomer(entry) ? 'customer' : 'agent',
    isPublic: entry.private === false,
    text: entry.body === undefined ? plainText(entry.body_text) : htmlText(entry.body),
    sentAtMs: entry.created_at,
    mail: { from: entry.from_email },
    attachments: entry.attachments,
  });

  return {
    readTicket: async (ticketId) => {
      const path = `${pathOf`/api/v2/tickets/${ticketId}`}?include=requester`;
      const ticket = await call({ action: 'read a ticket', path, reply: Ticket });
      const entries = await readEntries(ticketId);
      const { description, description_text: plain, created_at: sentAtMs } = ticket;
      // The first message is the ticket's own and has no id; ids of entries are numbers.
      const first: ToolMessage = {
        id: `ticket-${ticketId}`,
        from: ticket.source === OUTBOUND ? 'agent' : 'customer',
        isPublic: true,
        text: description === undefined ? plainText(plain) : htmlText(description),
        sentAtMs,
        mail: { from: ticket.requester?.email ?? ticket.requester?.name },
      };
      return {
        subject: ticket.subject,
        customer: { id: ticket.requester?.id ?? ticket.requester_id, name: ticket.requester?.name },
        messages: [first, ...entries.map(toMessage)],
        attachments: ticket.attachments,
        channel: CHANNELS[ticket.source ?? 0],
        tags: ticket.tags,
        fields: ticket.custom_fields,
      };
    },

    findNote: async (ticketId, marker) => {
      const entries = await readEntries(ticketId);
      return entries.find(
        ({ private: isPrivate, body, body_text: plain }) =>
          isPrivate === true && contains(marker, body, plain),
      )?.id;
    },

    writeNote: (ticketId, note) =>
      create({
        action: 'write a note',
        path: pathOf`/api/v2/tickets/${ticketId}/notes`,
        body: { body: note.html, private: true },
      }),

    // An address that it does not know becomes a contact.
    createTicket: ({ email, subject, text }) =>
      create({
        action: 'create a ticket',
        path: '/api/v2/tickets',
        body: { email, subject, description: textToHtml(text), ...NEW_TICKET },
      }),

    // Its search takes minutes to know a ticket, the list does not.
    findTicket: async (key) => {
      const path = `/api/v2/tickets?include=description&order_by=created_at&order_type=desc&per_page=${PAGE_SIZE}`;
      const reply = itemsOf(Listed, PAGE_SIZE);
      const newest = await call({ action: 'look for a ticket', path, reply });
      return newest.find(({ description_text: text }) => contains(key, text))?.id;
    },
  };
};

const Listed = z.object({ id: RecordId, description_text: optionalText(MAX_NOTE) });

/**
 * Freshdesk, API 2 with an API key. A rule calls us with our own token; nothing is signed. Options: `userId` of its agent, whose
 * entries never count as a customer's; `productField`, a custom field.
 */
export const freshdesk = defineTool({
  id: 'freshdesk',
  name: 'Freshdesk',
  requires: [],
  signatures: [STATIC_TOKEN],
  delivery: FreshdeskDelivery,
  read: readDelivery,
  headers: ({ token }) => ({ Authorization: basicAuth(token(), 'X') }),
  operations,
});
