import * as z from 'zod';
import { callHelpdesk, type HelpdeskApi, pathOf } from '../../call-helpdesk.ts';
import type { Desk, HelpdeskConnection } from '../../helpdesk-tool.ts';
import type { DeskMessage } from '../../ticket.ts';
import { neededOption, neededToken } from '../needed.ts';
import { DeskId, fileNames, itemsOf, listOf, optionalId, optionalSeconds, optionalText } from '../reading.ts';
import { htmlText, inOrder, MAX_MESSAGES, MAX_NOTE, plainText, ticketMetadata } from '../ticket-parts.ts';

const Contact = z
  .object({ id: optionalId, name: optionalText(200) })
  .nullish()
  .catch(undefined);

const Conversation = z.object({
  meta: z
    .object({ sender: Contact, channel: optionalText(100) })
    .nullish()
    .catch(undefined),
  labels: listOf(z.string(), 50),
  additional_attributes: z
    .object({ mail_subject: optionalText(1000) })
    .nullish()
    .catch(undefined),
  custom_attributes: z.record(z.string(), z.unknown()).nullish().catch(undefined),
});

const Message = z.object({
  id: DeskId,
  content: optionalText(MAX_NOTE),
  /** 0 incoming, 1 outgoing, 2 activity, 3 template. */
  message_type: z.number(),
  private: z.boolean().nullish().catch(undefined),
  created_at: optionalSeconds,
  attachments: fileNames('data_url'),
  sender: z
    .object({ type: optionalText(100) })
    .nullish()
    .catch(undefined),
  content_attributes: z
    .object({
      constellation_marker: optionalText(100),
      email: z
        .object({
          html_content: z
            .object({ full: optionalText(256_000) })
            .nullish()
            .catch(undefined),
        })
        .nullish()
        .catch(undefined),
    })
    .nullish()
    .catch(undefined),
});
type Message = z.infer<typeof Message>;

/** The tool's own. */
const PAGE = 20;

/** Chatwoot's API with the token of a user, as an agent bot's may not read. Options: `accountId`; `productField`. */
export const chatwootDesk = (
  connection: HelpdeskConnection,
  { fetch, now }: { fetch: typeof globalThis.fetch; now: () => number },
): Desk => {
  const api: HelpdeskApi = {
    tool: 'Chatwoot',
    apiUrl: connection.apiUrl,
    headers: async () => ({ api_access_token: neededToken(connection, 'Chatwoot') }),
    // The limit counts by the minute, and its answer does not say so.
    quietMs: 60_000,
    fetch,
    now,
  };
  const conversation = (ticketId: string) =>
    pathOf`/api/v1/accounts/${neededOption(connection, 'accountId', 'Chatwoot')}/conversations/${ticketId}`;

  /** Newest page first, until one is not full. */
  const readMessages = async (ticketId: string, signal: AbortSignal): Promise<Message[]> => {
    let messages: Message[] = [];
    for (let page = 0; page < MAX_MESSAGES / PAGE; page += 1) {
      const [oldest] = messages;
      const value = await callHelpdesk(api, {
        doing: 'read the messages of a ticket',
        path: `${conversation(ticketId)}/messages${oldest === undefined ? '' : `?before=${oldest.id}`}`,
        reply: z.object({ payload: itemsOf(Message, 100) }),
        signal,
      });
      const known = new Set(messages.map(({ id }) => id));
      const older = value.payload.filter(({ id }) => !known.has(id));
      messages = [...older, ...messages];
      if (older.length < PAGE) break;
    }
    return messages;
  };

  return {
    readTicket: async (ticketId, { signal }) => {
      const value = await callHelpdesk(api, {
        doing: 'read a ticket',
        path: conversation(ticketId),
        reply: Conversation,
        signal,
      });
      const messages = await readMessages(ticketId, signal);
      return {
        id: ticketId,
        subject: value.additional_attributes?.mail_subject,
        customer: { id: value.meta?.sender?.id, name: value.meta?.sender?.name },
        messages: inOrder(messages.flatMap(deskMessage)),
        metadata: ticketMetadata({
          channel: value.meta?.channel,
          attachments: messages.filter(isOfCustomer).flatMap(({ attachments }) => attachments.map(lastSegment)),
          tags: value.labels,
          fields: value.custom_attributes ?? undefined,
          productField: connection.options.productField,
        }),
      };
    },

    findNote: async (ticketId, marker, { signal }) => {
      const messages = await readMessages(ticketId, signal);
      const isIt = ({ private: isPrivate, content, content_attributes: attributes }: Message) =>
        isPrivate === true && (attributes?.constellation_marker === marker || content?.includes(marker) === true);
      return messages.find(isIt)?.id;
    },

    writeNote: async (ticketId, note, { signal }) => {
      const value = await callHelpdesk(api, {
        doing: 'write a note',
        method: 'POST',
        path: `${conversation(ticketId)}/messages`,
        body: {
          content: note.markdown,
          message_type: 'outgoing',
          private: true,
          content_attributes: { constellation_marker: note.marker },
        },
        reply: z.object({ id: DeskId }),
        signal,
      });
      return value.id;
    },
  };
};

const isOfCustomer = ({ message_type: type }: Message): boolean => type === 0;

/** Files are told by their address alone, which ends with their name. */
const lastSegment = (address: string): string => {
  const name = address.split(/[?#]/, 1)[0]?.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
};

/** Activities, such as a change of status, say nothing. */
const deskMessage = (message: Message): DeskMessage[] => {
  const { id, content, message_type: type, content_attributes: attributes, created_at: sentAtMs } = message;
  if (type === 2) return [];
  const from = isOfCustomer(message)
    ? 'customer'
    : type === 3 || message.sender?.type === 'agent_bot'
      ? 'system'
      : 'agent';
  const text = content === undefined ? htmlText(attributes?.email?.html_content?.full) : plainText(content);
  return [{ id, from, isPublic: message.private !== true, text, sentAtMs }];
};
