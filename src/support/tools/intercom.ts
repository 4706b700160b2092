import * as z from 'zod';
import { optionalSeconds, optionalText } from '../../platform/http/read-fields.ts';
import { defineTool, type ToolApi, type ToolMessage, type ToolOperations } from './define-tool.ts';
import { pathOf } from './helpdesk-api.ts';
import type { HelpdeskEvent } from './helpdesk-tool.ts';
import {
  fileNames,
  itemsOf,
  listOf,
  optionalFields,
  optionalId,
  optionalObject,
  RecordId,
} from './payload.ts';
import { HUB_SIGNATURE } from './signature-schemes.ts';
import { contains, htmlText, MAX_NOTE, plainText } from './ticket-parts.ts';

const Author = optionalObject({
  type: optionalText(50),
  id: optionalId,
  name: optionalText(200),
  email: optionalText(320),
});
type Author = z.infer<typeof Author>;

const IntercomDelivery = z.object({
  topic: z.string().max(200),
  data: z.object({
    item: z.object({
      id: optionalId,
      source: optionalObject({ id: optionalId, author: Author }),
      conversation_parts: optionalObject({
        conversation_parts: listOf(
          z.object({
            id: RecordId,
            part_type: optionalText(50),
            author: Author,
            body: optionalText(MAX_NOTE),
          }),
          500,
        ),
      }),
    }),
  }),
});

/** A conversation that a customer opened, or a reply of a customer. */
const readDelivery = ({ topic, data }: z.infer<typeof IntercomDelivery>): HelpdeskEvent => {
  const { id: ticketId, source, conversation_parts: parts } = data.item;
  if (topic === 'ping') return { kind: 'ignored', reason: 'a ping' };
  const isCreated = topic === 'conversation.user.created';
  if (!isCreated && topic !== 'conversation.user.replied') {
    const reply = parts?.conversation_parts.findLast(({ author }) => author?.type === 'admin');
    const isSent =
      topic === 'conversation.admin.replied' && ticketId !== undefined && reply?.body !== undefined;
    const sent = isSent ? { ticketId, text: htmlText(reply.body) } : undefined;
    return { kind: 'ignored', reason: 'not from the customer', sent };
  }
  if (ticketId === undefined) return { kind: 'ignored', reason: 'a conversation without its id' };
  if (isCreated && isCustomer(source?.author)) {
    const message = source?.id === undefined ? 'first' : { id: source.id };
    return { kind: 'message', ticketId, message };
  }
  // Newest last. The topic is signed: what an agent, a bot or we wrote since does not undo the customer's reply.
  const part = parts?.conversation_parts.findLast(
    ({ part_type: type, author }) =>
      type !== undefined && MESSAGE_TYPES.has(type) && isCustomer(author),
  );
  // A reply to a message that an agent sent to many opens a conversation that begins with the agent's words.
  if (part !== undefined) return { kind: 'message', ticketId, message: { id: part.id } };
  return isCreated
    ? { kind: 'ignored', reason: 'opened by an agent' }
    : { kind: 'message', ticketId, message: 'latest' };
};

const CUSTOMER_TYPES: ReadonlySet<string> = new Set(['user', 'lead', 'contact']);

const isCustomer = (author: Author, { except }: { except?: string | undefined } = {}): boolean =>
  CUSTOMER_TYPES.has(author?.type ?? '') && (except === undefined || author?.id !== except);

/** `open` and `close` may contain a text: a reply to a closed conversation opens it. */
const MESSAGE_TYPES: ReadonlySet<string> = new Set(['comment', 'open', 'quick_reply']);

const Part = z.object({
  id: RecordId,
  part_type: optionalText(50),
  body: optionalText(MAX_NOTE),
  created_at: optionalSeconds,
  author: Author,
  attachments: fileNames('name'),
});
type Part = z.infer<typeof Part>;

const Conversation = z.object({
  title: optionalText(1000),
  created_at: optionalSeconds,
  source: optionalObject({
    type: optionalText(50),
    id: optionalId,
    subject: optionalText(1000),
    body: optionalText(MAX_NOTE),
    author: Author,
    attachments: fileNames('name'),
  }),
  contacts: optionalObject({ contacts: listOf(z.object({ id: RecordId }), 50) }),
  tags: optionalObject({ tags: listOf(z.object({ name: z.string() }), 50) }),
  custom_attributes: optionalFields,
  /** The newest 500. */
  conversation_parts: z.object({ conversation_parts: itemsOf(Part, 500) }),
});
type Conversation = z.infer<typeof Conversation>;

const Contact = z.object({ id: RecordId, role: z.enum(['user', 'lead']) });
type Contact = z.infer<typeof Contact>;

const operations = ({ call, option, options }: ToolApi): ToolOperations => {
  const { adminId } = options;
  const read = (ticketId: string) => {
    const path = `${pathOf`/conversations/${ticketId}`}?display_as=plaintext`;
    return call({ action: 'read a conversation', path, reply: Conversation });
  };
  const findContact = async (email: string): Promise<Contact | undefined> => {
    const { data } = await call({
      action: 'look for a contact',
      method: 'POST',
      path: '/contacts/search',
      body: { query: { field: 'email', operator: '=', value: email }, pagination: { per_page: 5 } },
      reply: z.object({ data: itemsOf(Contact, 5) }),
      isSafe: true,
    });
    return data[0];
  };
  /** If its reply is lost, the next attempt finds the lead or makes another: no ticket depends on it. */
  const createLead = (email: string) => {
    const body = { role: 'lead', email };
    return call({
      action: 'create a contact',
      method: 'POST',
      path: '/contacts',
      body,
      reply: Contact,
      isSafe: true,
    });
  };
  const isFromCustomer = (author: Author) => isCustomer(author, { except: adminId });
  /** Parts without a text are changes of state. */
  const toMessage = (part: Part): ToolMessage[] => {
    const { id, body, author, created_at: sentAtMs } = part;
    if (body === undefined) return [];
    const from = isFromCustomer(author) ? 'customer' : author?.type === 'bot' ? 'system' : 'agent';
    const mail = { from: author?.email };
    return [{ id, from, isPublic: !isNote(part), text: plainText(body), sentAtMs, mail }];
  };

  return {
    readTicket: async (ticketId) => {
      const conversation = await read(ticketId);
      const { source, contacts } = conversation;
      const parts = [
        ...openingOf(conversation),
        ...conversation.conversation_parts.conversation_parts,
      ];
      const fromCustomer = parts.filter(({ author }) => isFromCustomer(author));
      const customer = [source?.author, ...parts.map(({ author }) => author)].find(isFromCustomer);
      return {
        subject: source?.subject ?? conversation.title,
        customer: { id: customer?.id ?? contacts?.contacts[0]?.id, name: customer?.name },
        messages: parts.flatMap(toMessage),
        channel: source?.type,
        attachments: fromCustomer.flatMap(({ attachments }) => attachments),
        tags: conversation.tags?.tags.map(({ name }) => name),
        fields: conversation.custom_attributes,
      };
    },

    findNote: async (ticketId, marker) => noteIn(await read(ticketId), marker),

    writeNote: async (ticketId, note) => {
      const conversation = await call({
        action: 'write a note',
        method: 'POST',
        path: pathOf`/conversations/${ticketId}/reply`,
        body: { message_type: 'note', type: 'admin', admin_id: option('adminId'), body: note.html },
        reply: Conversation,
      });
      return noteIn(conversation, note.marker);
    },

    // A conversation begins with a message of a contact, and the text of such a message is plain.
    createTicket: async ({ email, text }) => {
      const { id, role } = (await findContact(email)) ?? (await createLead(email));
      const { conversation_id: ticketId } = await call({
        action: 'create a conversation',
        method: 'POST',
        path: '/conversations',
        body: { from: { type: role, id }, body: text },
        reply: z.object({ conversation_id: RecordId }),
      });
      return ticketId;
    },
  };
};

/** The message that opened the conversation, as a part. */
const openingOf = ({ source, created_at }: Conversation): Part[] => {
  if (source?.id === undefined) return [];
  const { id, body, author, attachments } = source;
  return [{ id, body, author, attachments, part_type: 'comment', created_at }];
};

const noteIn = ({ conversation_parts: parts }: Conversation, marker: string): string | undefined =>
  parts.conversation_parts.find((part) => isNote(part) && contains(marker, part.body))?.id;

/** A note that reopens or wakes the conversation is a `note_and_reopen` or a `note_and_unsnooze`. */
const isNote = ({ part_type: type }: Part): boolean =>
  type === 'note' || type?.startsWith('note_') === true;

/**
 * Intercom conversations with an access token; the secret is the app's client secret. Options: `adminId`, the author of notes;
 * `productField`, a custom attribute.
 */
export const intercom = defineTool({
  id: 'intercom',
  name: 'Intercom',
  requires: ['adminId'],
  signatures: [HUB_SIGNATURE],
  delivery: IntercomDelivery,
  read: readDelivery,
  headers: ({ token }) => ({ Authorization: `Bearer ${token()}`, 'Intercom-Version': '2.16' }),
  operations,
});
