import * as z from 'zod';
import { readAs } from '../../contract/core/error-info.ts';
import { optionalText, optionalTime } from '../../platform/http/read-fields.ts';
import { defineTool, type ToolApi, type ToolMessage, type ToolOperations } from './define-tool.ts';
import { pathOf, readPages } from './helpdesk-api.ts';
import type { HelpdeskEvent } from './helpdesk-tool.ts';
import { fileNames, itemsOf, listOf, optionalId, optionalObject, RecordId } from './payload.ts';
import { HUBSPOT_V3 } from './signature-schemes.ts';
import { contains, htmlText, MAX_NOTE, plainText } from './ticket-parts.ts';

const HubspotEvent = z.object({
  subscriptionType: z.string().max(100),
  /** The thread, in an event of a conversation. */
  objectId: optionalId,
  messageId: optionalId,
  messageType: optionalText(50),
});

/** Up to 100 events in one delivery. */
const HubspotDelivery = z.array(z.unknown()).max(100);

/** New messages of conversations; whether one is from the customer is decided when the conversation is read. */
const readDelivery = (events: z.infer<typeof HubspotDelivery>): HelpdeskEvent[] =>
  events.map(readEvent);

/** Each on its own, so that one that cannot be read does not stop the others. */
const readEvent = (event: unknown): HelpdeskEvent => {
  const read = readAs(HubspotEvent, event);
  if (!read.ok) return { kind: 'ignored', reason: 'an event that is not as documented' };
  const { subscriptionType: type, objectId: ticketId, messageId: id, messageType } = read.value;
  if (type !== 'conversation.newMessage')
    return { kind: 'ignored', reason: 'not about a new message' };
  if (messageType !== 'MESSAGE') return { kind: 'ignored', reason: 'a comment' };
  if (ticketId === undefined || id === undefined)
    return { kind: 'ignored', reason: 'a message without its ids' };
  return { kind: 'message', ticketId, message: { id } };
};

const Message = z.object({
  id: RecordId,
  type: optionalText(50),
  direction: optionalText(50),
  subject: optionalText(1000),
  text: optionalText(MAX_NOTE),
  richText: optionalText(MAX_NOTE),
  truncationStatus: optionalText(50),
  createdAt: optionalTime,
  senders: listOf(
    z.object({
      actorId: optionalText(128),
      name: optionalText(200),
      deliveryIdentifier: optionalObject({ type: optionalText(50), value: optionalText(320) }),
    }),
    20,
  ),
  attachments: fileNames('name'),
});
type Message = z.infer<typeof Message>;

const addressOf = (sender: Message['senders'][number] | undefined): string | undefined =>
  sender?.deliveryIdentifier?.type === 'HS_EMAIL_ADDRESS'
    ? sender.deliveryIdentifier.value
    : sender?.name;

const Messages = z.object({
  results: itemsOf(Message, 100),
  paging: optionalObject({ next: z.object({ after: optionalText(1000) }).optional() }),
});

const OriginalContent = z.object({
  text: optionalText(MAX_NOTE),
  richText: optionalText(MAX_NOTE),
});

/** By HubSpot's own numbering. */
const TICKET_TO_CONTACT = { associationCategory: 'HUBSPOT_DEFINED', associationTypeId: 16 };
/** Pages have 100 messages, in no documented order. */
const MAX_PAGES = 10;
/** Truncated messages that are read in full: the newest of the customer. */
const MAX_ORIGINALS = 3;

const operations = ({ call, create, options }: ToolApi): ToolOperations => {
  const { actorId } = options;
  const messagesPath = (ticketId: string) =>
    pathOf`/conversations/v3/conversations/threads/${ticketId}/messages`;

  const readMessages = async (ticketId: string): Promise<Message[]> => {
    const pages = await readPages(MAX_PAGES, async (after: string | undefined) => {
      const query = new URLSearchParams({
        limit: '100',
        ...(after === undefined ? {} : { after }),
      });
      const path = `${messagesPath(ticketId)}?${query}`;
      const { results, paging } = await call({
        action: 'read a conversation',
        path,
        reply: Messages,
      });
      return { page: results, next: paging?.next?.after };
    });
    return pages.flat();
  };
  const readOriginal = (ticketId: string, messageId: string) => {
    const path = `${messagesPath(ticketId)}${pathOf`/${messageId}/original-content`}`;
    return call({ action: 'read a message', path, reply: OriginalContent });
  };
  /** The contact of that address, which is made if there is none; a repetition changes nothing. */
  const contactOf = async (email: string): Promise<string> => {
    const { results } = await call({
      action: 'find a contact',
      method: 'POST',
      path: '/crm/v3/objects/contacts/batch/upsert',
      body: { inputs: [{ id: email, idProperty: 'email', properties: { email } }] },
      reply: z.object({ results: z.tuple([z.object({ id: RecordId })]) }),
      isSafe: true,
    });
    return results[0].id;
  };
  const isFromCustomer = ({ type, direction, senders }: Message): boolean =>
    type === 'MESSAGE' &&
    direction === 'INCOMING' &&
    (actorId === undefined || senders.every((sender) => sender.actorId !== actorId));
  /** Entries of other types are changes of state. */
  const toMessage = (message: Message): ToolMessage[] => {
    if (message.type !== 'MESSAGE' && message.type !== 'COMMENT') return [];
    return [
      {
        id: message.id,
        from: isFromCustomer(message) ? 'customer' : 'agent',
        isPublic: message.type === 'MESSAGE',
        text: message.text === undefined ? htmlText(message.richText) : plainText(message.text),
        sentAtMs: message.createdAt,
        mail: { from: addressOf(message.senders[0]), subject: message.subject },
        attachments: message.attachments,
      },
    ];
  };

  return {
    readTicket: async (ticketId) => {
      const messages = (await readMessages(ticketId)).toSorted(
        (one, other) => (one.createdAt ?? 0) - (other.createdAt ?? 0),
      );
      const fromCustomer = messages.filter(isFromCustomer);
      const truncated = fromCustomer.filter(
        ({ truncationStatus: status }) => status === 'TRUNCATED',
      );
      const originals = new Map<string, z.infer<typeof OriginalContent>>();
      for (const { id } of truncated.slice(-MAX_ORIGINALS))
        originals.set(id, await readOriginal(ticketId, id));
      const customer = fromCustomer[0]?.senders[0];
      return {
        subject: messages.find(({ subject }) => subject !== undefined)?.subject,
        customer: { id: customer?.actorId, name: customer?.name },
        messages: messages.flatMap((message) =>
          toMessage({ ...message, ...originals.get(message.id) }),
        ),
      };
    },

    findNote: async (ticketId, marker) => {
      const messages = await readMessages(ticketId);
      return messages.find(
        ({ type, text, richText }) => type === 'COMMENT' && contains(marker, text, richText),
      )?.id;
    },

    // A comment is for the team; a `MESSAGE` would be sent to the customer.
    writeNote: (ticketId, note) =>
      create({
        action: 'write a note',
        path: messagesPath(ticketId),
        body: { type: 'COMMENT', text: note.text, richText: note.html, attachments: [] },
      }),

    // A conversation cannot be opened over the API, but a ticket of a contact can.
    createTicket: async ({ email, subject, text: content }) => {
      const contact = await contactOf(email);
      const { pipeline = '0', pipelineStage = '1' } = options;
      return create({
        action: 'create a ticket',
        path: '/crm/v3/objects/tickets',
        body: {
          properties: { subject, content, hs_pipeline: pipeline, hs_pipeline_stage: pipelineStage },
          associations: [{ to: { id: contact }, types: [TICKET_TO_CONTACT] }],
        },
      });
    },
  };
};

/**
 * HubSpot conversations with the token of a private app. The signature covers the URL that HubSpot called: a proxy must not rewrite
 * it. Option: `actorId` of the token's user, as in `A-123`, whose messages never count as a customer's. Tickets without a conversation
 * are not read. Tickets of visitors are made in `pipeline` and `pipelineStage`, by default the first ones.
 */
export const hubspot = defineTool({
  id: 'hubspot',
  name: 'HubSpot',
  requires: [],
  signatures: [HUBSPOT_V3],
  delivery: HubspotDelivery,
  read: readDelivery,
  headers: ({ token }) => ({ Authorization: `Bearer ${token()}` }),
  operations,
});
