import * as z from 'zod';
import { escapeLines } from '../../documents/markdown/escape-markdown.ts';
import type { MailSigns } from '../../language/automatic-mail.ts';
import { decodeUri } from '../../language/decode-uri.ts';
import { optionalSeconds, optionalText } from '../../platform/http/read-fields.ts';
import { defineTool, type ToolApi, type ToolMessage, type ToolOperations } from './define-tool.ts';
import { pathOf, readPages } from './helpdesk-api.ts';
import type { HelpdeskEvent, SentReply } from './helpdesk-tool.ts';
import {
  fileNames,
  itemsOf,
  listOf,
  numberOf,
  optionalFields,
  optionalId,
  optionalObject,
  RecordId,
} from './payload.ts';
import { CHATWOOT } from './signature-schemes.ts';
import {
  contains,
  htmlText,
  ignoredMail,
  MAX_MESSAGES,
  MAX_NOTE,
  plainText,
} from './ticket-parts.ts';

/** The mail that a message came in. */
const Email = optionalObject({
  html_content: optionalObject({ full: optionalText(256_000) }),
  auto_reply: z.boolean().nullish().catch(undefined),
  subject: optionalText(1000),
  from: listOf(z.string(), 5),
  content_type: optionalText(500),
});

const mailOf = (
  email: z.infer<typeof Email>,
  sender: { email?: string | undefined } | null | undefined,
): MailSigns => ({
  from: email?.from[0] ?? sender?.email,
  subject: email?.subject,
  headers: email?.content_type === undefined ? undefined : { 'content-type': email.content_type },
  isAutomatic: email?.auto_reply === true,
});

const ChatwootDelivery = z.object({
  event: z.string().max(100),
  id: optionalId,
  content: optionalText(MAX_NOTE),
  message_type: optionalText(100),
  private: z.boolean().nullish().catch(true),
  conversation: optionalObject({ id: RecordId }),
  sender: optionalObject({ type: optionalText(100), email: optionalText(320) }),
  content_attributes: optionalObject({ constellation_marker: optionalText(100), email: Email }),
});

/** Every message is delivered, private notes included; an incoming one is from the customer. */
const readDelivery = (payload: z.infer<typeof ChatwootDelivery>): HelpdeskEvent => {
  const reason = reasonToIgnore(payload);
  if (reason !== undefined) return { kind: 'ignored', reason, sent: sentBy(payload, reason) };
  const { conversation, id, content, sender, content_attributes: attributes } = payload;
  if (!conversation || id === undefined)
    return { kind: 'ignored', reason: 'a message without its ids' };
  const place = { ticketId: conversation.id, messageId: id, text: plainText(content) };
  const ignored = ignoredMail(mailOf(attributes?.email, sender), place);
  return ignored ?? { kind: 'message', ticketId: conversation.id, message: { id } };
};

/** Public replies of people alone: bots and templates say nothing about a draft. */
const sentBy = (
  payload: z.infer<typeof ChatwootDelivery>,
  reason: string,
): SentReply | undefined => {
  const { conversation, message_type: type, sender, content } = payload;
  const isReply = reason === NOT_FROM_CUSTOMER && type === 'outgoing' && sender?.type === 'user';
  return isReply && conversation && content
    ? { ticketId: conversation.id, text: plainText(content) }
    : undefined;
};

const NOT_FROM_CUSTOMER = 'not from the customer';

const reasonToIgnore = ({
  event,
  message_type: type,
  private: isPrivate,
  sender,
  content_attributes: attributes,
}: z.infer<typeof ChatwootDelivery>): string | undefined => {
  if (event !== 'message_created') return 'not about a new message';
  if (attributes?.constellation_marker !== undefined) return 'our own note';
  if (isPrivate !== false) return 'a private note';
  if (type !== 'incoming') return NOT_FROM_CUSTOMER;
  return sender?.type === 'user' || sender?.type === 'agent_bot' ? 'from an agent' : undefined;
};

const Conversation = z.object({
  meta: optionalObject({
    sender: optionalObject({ id: optionalId, name: optionalText(200) }),
    channel: optionalText(100),
  }),
  labels: listOf(z.string(), 50),
  additional_attributes: optionalObject({ mail_subject: optionalText(1000) }),
  custom_attributes: optionalFields,
});

const Message = z.object({
  id: RecordId,
  content: optionalText(MAX_NOTE),
  /** 0 incoming, 1 outgoing, 2 activity, 3 template. */
  message_type: z.number(),
  private: z.boolean().nullish().catch(undefined),
  created_at: optionalSeconds,
  attachments: fileNames('data_url'),
  sender: optionalObject({ type: optionalText(100), email: optionalText(320) }),
  content_attributes: optionalObject({
    constellation_marker: optionalText(100),
    email: Email,
  }),
});
type Message = z.infer<typeof Message>;

/** Fixed by the tool. */
const PAGE_SIZE = 20;

const operations = ({ call, create, option }: ToolApi): ToolOperations => {
  const accountPath = () => pathOf`/api/v1/accounts/${option('accountId')}`;
  const conversationPath = (ticketId: string) =>
    `${accountPath()}${pathOf`/conversations/${ticketId}`}`;

  /** An address belongs to one contact at most. A repetition finds what a lost reply has created. */
  const contactOf = async (email: string): Promise<string> => {
    const found = await call({
      action: 'look for a contact',
      method: 'POST',
      path: `${accountPath()}/contacts/filter`,
      body: {
        payload: [
          {
            attribute_key: 'email',
            filter_operator: 'equal_to',
            values: [email],
            query_operator: null,
          },
        ],
      },
      reply: z.object({ payload: itemsOf(z.object({ id: RecordId }), 15) }),
      isSafe: true,
    });
    if (found.payload[0] !== undefined) return found.payload[0].id;
    const { payload } = await call({
      action: 'create a contact',
      method: 'POST',
      path: `${accountPath()}/contacts`,
      body: { name: email, email },
      reply: z.object({ payload: z.object({ contact: z.object({ id: RecordId }) }) }),
      isSafe: true,
    });
    return payload.contact.id;
  };

  /** Pages go from the newest messages back; the last one is not full. */
  const readMessages = async (ticketId: string): Promise<Message[]> => {
    const known = new Set<string>();
    const pages = await readPages(MAX_MESSAGES / PAGE_SIZE, async (before: string | undefined) => {
      const { payload } = await call({
        action: 'read the messages of a ticket',
        path: `${conversationPath(ticketId)}/messages${before === undefined ? '' : `?before=${before}`}`,
        reply: z.object({ payload: itemsOf(Message, 100) }),
      });
      const page = payload.filter(({ id }) => !known.has(id));
      for (const { id } of page) known.add(id);
      return { page, next: page.length < PAGE_SIZE ? undefined : page[0]?.id };
    });
    return pages.toReversed().flat();
  };

  return {
    readTicket: async (ticketId) => {
      const path = conversationPath(ticketId);
      const conversation = await call({ action: 'read a ticket', path, reply: Conversation });
      const messages = await readMessages(ticketId);
      const {
        meta,
        labels,
        additional_attributes: attributes,
        custom_attributes: fields,
      } = conversation;
      return {
        subject: attributes?.mail_subject,
        customer: { id: meta?.sender?.id, name: meta?.sender?.name },
        messages: messages.flatMap(toMessage),
        channel: meta?.channel,
        tags: labels,
        fields,
      };
    },

    findNote: async (ticketId, marker) => {
      const messages = await readMessages(ticketId);
      return messages.find(
        ({ private: isPrivate, content, content_attributes: attributes }) =>
          isPrivate === true &&
          (attributes?.constellation_marker === marker || contains(marker, content)),
      )?.id;
    },

    writeNote: (ticketId, note) =>
      create({
        action: 'write a note',
        path: `${conversationPath(ticketId)}/messages`,
        body: {
          content: note.markdown,
          message_type: 'outgoing',
          private: true,
          content_attributes: { constellation_marker: note.marker },
        },
      }),

    // Only in an inbox for mail do replies reach the visitor, and there a customer's message cannot be added: it is a private note.
    createTicket: async ({ email, subject, text }) => {
      const inbox = option('inboxId');
      const contact = await contactOf(email);
      return create({
        action: 'create a conversation',
        path: `${accountPath()}/conversations`,
        body: {
          inbox_id: numberOf(inbox),
          contact_id: numberOf(contact),
          additional_attributes: { mail_subject: subject },
          message: { content: escapeLines(text), private: true },
        },
      });
    },
  };
};

/** A file is given by its URL only, which ends with its name. */
const fileNameOf = (url: string): string =>
  decodeUri(url.split(/[?#]/, 1)[0]?.split('/').at(-1) ?? '');

/** Activities, such as a change of status, are no messages. */
const toMessage = (message: Message): ToolMessage[] => {
  const {
    id,
    content,
    message_type: type,
    content_attributes: attributes,
    created_at: sentAtMs,
  } = message;
  if (type === 2) return [];
  const agent = type === 3 || message.sender?.type === 'agent_bot' ? 'system' : 'agent';
  const { email } = attributes ?? {};
  const text = content === undefined ? htmlText(email?.html_content?.full) : plainText(content);
  const mail = mailOf(email, message.sender);
  const from = type === 0 ? 'customer' : agent;
  const attachments = message.attachments.map(fileNameOf);
  return [{ id, from, isPublic: message.private !== true, text, sentAtMs, mail, attachments }];
};

/**
 * Chatwoot 4.11.2 and later, whose webhooks are signed. The API token is a user's, since an agent bot's may not read. Options:
 * `accountId`; `productField`, a custom attribute; `inboxId` of an inbox for mail, in which conversations of visitors are opened.
 */
export const chatwoot = defineTool({
  id: 'chatwoot',
  name: 'Chatwoot',
  requires: ['accountId'],
  signatures: [CHATWOOT],
  delivery: ChatwootDelivery,
  read: readDelivery,
  headers: ({ token }) => ({ api_access_token: token() }),
  // The limit is per minute, and the reply does not say so.
  rateLimitWaitMs: 60_000,
  operations,
});
