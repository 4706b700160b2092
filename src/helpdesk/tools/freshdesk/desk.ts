import * as z from 'zod';
import { callHelpdesk, type HelpdeskApi, pathOf } from '../../call-helpdesk.ts';
import type { Desk, HelpdeskConnection } from '../../helpdesk-tool.ts';
import type { DeskMessage } from '../../ticket.ts';
import { basicAuth } from '../basic-auth.ts';
import { neededToken } from '../needed.ts';
import { DeskId, fileNames, itemsOf, listOf, optionalId, optionalText, optionalTime } from '../reading.ts';
import { htmlText, inOrder, MAX_NOTE, plainText, ticketMetadata } from '../ticket-parts.ts';

const Ticket = z.object({
  subject: optionalText(1000),
  description: optionalText(MAX_NOTE),
  description_text: optionalText(MAX_NOTE),
  requester_id: optionalId,
  requester: z
    .object({ id: optionalId, name: optionalText(200) })
    .nullish()
    .catch(undefined),
  source: z.number().nullish().catch(undefined),
  tags: listOf(z.string(), 50),
  custom_fields: z.record(z.string(), z.unknown()).nullish().catch(undefined),
  created_at: optionalTime,
  attachments: fileNames('name'),
});

const Entry = z.object({
  id: DeskId,
  body: optionalText(MAX_NOTE),
  body_text: optionalText(MAX_NOTE),
  incoming: z.boolean().nullish().catch(false),
  private: z.boolean().nullish().catch(true),
  user_id: optionalId,
  created_at: optionalTime,
  attachments: fileNames('name'),
});
type Entry = z.infer<typeof Entry>;

const PAGE = 100;
/** Pages go from the oldest entry on, and only the last one holds the newest. */
const MAX_PAGES = 10;
/** A mail that an agent began. */
const OUTBOUND = 10;
const CHANNELS: Readonly<Record<number, string>> = { 1: 'email', 2: 'portal', 3: 'phone', 7: 'chat', 9: 'widget' };

/**
 * Freshdesk's API 2 with an API key. Options: `userId` of its agent, whose entries are never a customer's; `productField`, a
 * custom field.
 */
export const freshdeskDesk = (
  connection: HelpdeskConnection,
  { fetch, now }: { fetch: typeof globalThis.fetch; now: () => number },
): Desk => {
  const { userId, productField } = connection.options;
  const api: HelpdeskApi = {
    tool: 'Freshdesk',
    apiUrl: connection.apiUrl,
    headers: async () => ({ Authorization: basicAuth(neededToken(connection, 'Freshdesk'), 'X') }),
    fetch,
    now,
  };
  const readEntries = async (ticketId: string, signal: AbortSignal): Promise<Entry[]> => {
    const entries: Entry[] = [];
    for (let page = 1; page <= MAX_PAGES; page += 1) {
      const path = `${pathOf`/api/v2/tickets/${ticketId}/conversations`}?page=${page}&per_page=${PAGE}`;
      const reply = itemsOf(Entry, PAGE);
      const value = await callHelpdesk(api, { doing: 'read the entries of a ticket', path, reply, signal });
      entries.push(...value);
      if (value.length < PAGE) break;
    }
    return entries;
  };
  const isOfCustomer = ({ incoming, private: isPrivate, user_id: author }: Entry): boolean =>
    incoming === true && isPrivate === false && (author === undefined || author !== userId);
  const entryMessage = (entry: Entry): DeskMessage => ({
    id: entry.id,
    from: isOfCustomer(entry) ? 'customer' : 'agent',
    isPublic: entry.private === false,
    text: entry.body === undefined ? plainText(entry.body_text) : htmlText(entry.body),
    sentAtMs: entry.created_at,
  });

  return {
    readTicket: async (ticketId, { signal }) => {
      const path = `${pathOf`/api/v2/tickets/${ticketId}`}?include=requester`;
      const value = await callHelpdesk(api, { doing: 'read a ticket', path, reply: Ticket, signal });
      const entries = await readEntries(ticketId, signal);
      const { description, description_text: plain, created_at: sentAtMs } = value;
      // The first message is the ticket's own and has no id; those of entries are numbers.
      const first: DeskMessage = {
        id: `ticket-${ticketId}`,
        from: value.source === OUTBOUND ? 'agent' : 'customer',
        isPublic: true,
        text: description === undefined ? plainText(plain) : htmlText(description),
        sentAtMs,
      };
      return {
        id: ticketId,
        subject: value.subject,
        customer: { id: value.requester?.id ?? value.requester_id, name: value.requester?.name },
        messages: inOrder([first, ...entries.map(entryMessage)]),
        metadata: ticketMetadata({
          attachments: [...value.attachments, ...entries.filter(isOfCustomer).flatMap((one) => one.attachments)],
          channel: CHANNELS[value.source ?? 0],
          tags: value.tags,
          fields: value.custom_fields ?? undefined,
          productField,
        }),
      };
    },

    findNote: async (ticketId, marker, { signal }) => {
      const entries = await readEntries(ticketId, signal);
      return entries.find(
        ({ private: isPrivate, body, body_text: plain }) =>
          isPrivate === true && (body?.includes(marker) === true || plain?.includes(marker) === true),
      )?.id;
    },

    writeNote: async (ticketId, note, { signal }) => {
      const value = await callHelpdesk(api, {
        doing: 'write a note',
        method: 'POST',
        path: pathOf`/api/v2/tickets/${ticketId}/notes`,
        body: { body: note.html, private: true },
        reply: z.object({ id: DeskId }),
        signal,
      });
      return value.id;
    },
  };
};
