import * as z from 'zod';
import { callHelpdesk, type HelpdeskApi, pathOf } from '../../call-helpdesk.ts';
import type { Desk, HelpdeskConnection } from '../../helpdesk-tool.ts';
import type { DeskMessage } from '../../ticket.ts';
import { lookAfterWrite } from '../look-after-write.ts';
import { neededOption, neededToken } from '../needed.ts';
import { DeskId, fileNames, itemsOf, listOf, optionalId, optionalSeconds, optionalText } from '../reading.ts';
import { inOrder, MAX_NOTE, plainText, ticketMetadata } from '../ticket-parts.ts';
import { CUSTOMER_TYPES } from './read-delivery.ts';

const Author = z
  .object({ type: optionalText(50), id: optionalId, name: optionalText(200) })
  .nullish()
  .catch(undefined);
type Author = z.infer<typeof Author>;

const Part = z.object({
  id: DeskId,
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
  source: z
    .object({
      type: optionalText(50),
      id: optionalId,
      subject: optionalText(1000),
      body: optionalText(MAX_NOTE),
      author: Author,
      attachments: fileNames('name'),
    })
    .nullish()
    .catch(undefined),
  contacts: z
    .object({ contacts: listOf(z.object({ id: DeskId }), 50) })
    .nullish()
    .catch(undefined),
  tags: z
    .object({ tags: listOf(z.object({ name: z.string() }), 50) })
    .nullish()
    .catch(undefined),
  custom_attributes: z.record(z.string(), z.unknown()).nullish().catch(undefined),
  /** The newest 500. */
  conversation_parts: z.object({ conversation_parts: itemsOf(Part, 500) }),
});

/** Of the API, so that a later one changes nothing here. */
const VERSION = '2.16';

/**
 * Intercom's API with an access token. Options: `adminId`, in whose name notes are written; `productField`, a custom
 * attribute.
 */
export const intercomDesk = (
  connection: HelpdeskConnection,
  { fetch, now }: { fetch: typeof globalThis.fetch; now: () => number },
): Desk => {
  const { adminId, productField } = connection.options;
  const api: HelpdeskApi = {
    tool: 'Intercom',
    apiUrl: connection.apiUrl,
    headers: async () => ({
      Authorization: `Bearer ${neededToken(connection, 'Intercom')}`,
      'Intercom-Version': VERSION,
    }),
    fetch,
    now,
  };
  const read = async (ticketId: string, signal: AbortSignal) => {
    const path = `${pathOf`/conversations/${ticketId}`}?display_as=plaintext`;
    const value = await callHelpdesk(api, { doing: 'read a conversation', path, reply: Conversation, signal });
    return value;
  };

  return {
    readTicket: async (ticketId, { signal }) => {
      const { source, title, contacts, tags, custom_attributes: fields, ...value } = await read(ticketId, signal);
      const parts = value.conversation_parts.conversation_parts;
      const { id, body, author, attachments = [] } = source ?? {};
      const opening =
        id === undefined ? [] : [{ id, body, author, attachments, part_type: 'comment', created_at: value.created_at }];
      const said = [...opening, ...parts];
      const ofCustomer = said.filter((part) => isCustomer(adminId)(part.author));
      const customer = [author, ...parts.map((part) => part.author)].find(isCustomer(adminId));
      return {
        id: ticketId,
        subject: source?.subject ?? title,
        customer: { id: customer?.id ?? contacts?.contacts[0]?.id, name: customer?.name },
        messages: inOrder(said.flatMap(deskMessage(adminId))),
        metadata: ticketMetadata({
          channel: source?.type,
          attachments: ofCustomer.flatMap((part) => part.attachments),
          tags: tags?.tags.map(({ name }) => name),
          fields: fields ?? undefined,
          productField,
        }),
      };
    },

    findNote: async (ticketId, marker, { signal }) => noteWith(marker, await read(ticketId, signal)),

    writeNote: async (ticketId, note, { signal }) => {
      const value = await callHelpdesk(api, {
        doing: 'write a note',
        method: 'POST',
        path: pathOf`/conversations/${ticketId}/reply`,
        body: {
          message_type: 'note',
          type: 'admin',
          admin_id: neededOption(connection, 'adminId', 'Intercom'),
          body: note.html,
        },
        reply: Conversation,
        signal,
      });
      const written = noteWith(note.marker, value);
      return written ?? lookAfterWrite('Intercom', async () => noteWith(note.marker, await read(ticketId, signal)));
    },
  };
};

const noteWith = (marker: string, { conversation_parts: parts }: z.infer<typeof Conversation>): string | undefined =>
  parts.conversation_parts.find((part) => isNote(part) && part.body?.includes(marker) === true)?.id;

/** One that opens the conversation again, or wakes it, is a `note_and_reopen` or a `note_and_unsnooze`. */
const isNote = ({ part_type: type }: Pick<Part, 'part_type'>): boolean =>
  type === 'note' || type?.startsWith('note_') === true;

const isCustomer = (adminId: string | undefined) => (author: Author) =>
  CUSTOMER_TYPES.has(author?.type ?? '') && author?.id !== adminId;

/** Parts without a text are changes of state. */
const deskMessage =
  (adminId: string | undefined) =>
  (part: Part): DeskMessage[] => {
    const { id, body, author, created_at: sentAtMs } = part;
    if (body === undefined) return [];
    const from = isCustomer(adminId)(author) ? 'customer' : author?.type === 'bot' ? 'system' : 'agent';
    return [{ id, from, isPublic: !isNote(part), text: plainText(body), sentAtMs }];
  };
