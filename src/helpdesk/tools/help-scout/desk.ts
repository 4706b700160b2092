import * as z from 'zod';
import { callHelpdesk, type HelpdeskApi, pathOf, tellHelpdesk } from '../../call-helpdesk.ts';
import { type Desk, type HelpdeskConnection, HelpdeskFailed } from '../../helpdesk-tool.ts';
import type { DeskMessage } from '../../ticket.ts';
import { lookAfterWrite } from '../look-after-write.ts';
import { fileNames, itemsOf, listOf, numberOf, optionalId, optionalText } from '../reading.ts';
import { htmlText, inOrder, MAX_NOTE, ticketMetadata } from '../ticket-parts.ts';
import type { accessTokens } from './access-tokens.ts';
import { HelpScoutThread, isOfCustomer, isPublished, isTalk } from './read-delivery.ts';

const Conversation = z.object({
  subject: optionalText(1000),
  primaryCustomer: z
    .object({ id: optionalId, first: optionalText(100), last: optionalText(100) })
    .nullish()
    .catch(undefined),
  tags: listOf(z.object({ tag: z.string() }), 50),
  customFields: listOf(z.object({ name: z.string(), value: z.unknown(), text: optionalText(500) }), 50),
  source: z
    .object({ type: optionalText(50) })
    .nullish()
    .catch(undefined),
});

const Thread = HelpScoutThread.extend({
  body: optionalText(MAX_NOTE),
  _embedded: z
    .object({ attachments: fileNames('filename') })
    .nullish()
    .catch(undefined),
});
type Thread = z.infer<typeof Thread>;

const Threads = z.object({
  _embedded: z.object({ threads: itemsOf(Thread, 100) }),
  page: z
    .object({ totalPages: z.number().catch(1) })
    .nullish()
    .catch(undefined),
});

/** A conversation takes 100 threads, a page holds 25 or more. */
const MAX_PAGES = 8;

/**
 * Help Scout's Mailbox API 2. The API token is the secret of an OAuth application; options: its `clientId`; `userId` of who
 * it acts for, whose threads are never a customer's; `productField`, the name of a custom field.
 */
export const helpScoutDesk =
  (tokenFor: ReturnType<typeof accessTokens>) =>
  (connection: HelpdeskConnection, { fetch, now }: { fetch: typeof globalThis.fetch; now: () => number }): Desk => {
    const { userId, productField } = connection.options;
    const api: HelpdeskApi = {
      tool: 'Help Scout',
      apiUrl: connection.apiUrl,
      headers: async (options) => ({
        Authorization: `Bearer ${await tokenFor(connection, { fetch, now, ...options })}`,
      }),
      renews: true,
      fetch,
      now,
    };
    const readOne = async (ticketId: string, signal: AbortSignal) => {
      const path = pathOf`/v2/conversations/${ticketId}`;
      return callHelpdesk(api, { doing: 'read a conversation', path, reply: Conversation, signal });
    };
    /** Newest first, as the tool gives them. */
    const readThreads = async (ticketId: string, signal: AbortSignal): Promise<Thread[]> => {
      const threads: Thread[] = [];
      for (let page = 1; page <= MAX_PAGES; page += 1) {
        const path = `${pathOf`/v2/conversations/${ticketId}/threads`}?page=${page}`;
        const value = await callHelpdesk(api, { doing: 'read a conversation', path, reply: Threads, signal });
        threads.push(...value._embedded.threads);
        if (page >= (value.page?.totalPages ?? 1)) break;
      }
      return threads;
    };
    const noteWith = (marker: string, threads: readonly Thread[]) =>
      threads.find(({ type, body }) => type === 'note' && body?.includes(marker) === true)?.id;
    const findNote: Desk['findNote'] = async (ticketId, marker, { signal }) =>
      noteWith(marker, await readThreads(ticketId, signal));

    return {
      readTicket: async (ticketId, { signal }) => {
        const conversation = await readOne(ticketId, signal);
        const threads = await readThreads(ticketId, signal);
        const ofCustomer = threads.filter(isOfCustomer).toReversed();
        const { id, first, last } = conversation.primaryCustomer ?? {};
        const name = [first, last].filter((part) => part !== undefined).join(' ');
        return {
          id: ticketId,
          subject: conversation.subject,
          customer: { id, name: name === '' ? undefined : name },
          messages: inOrder(threads.toReversed().flatMap(deskMessage(userId))),
          metadata: ticketMetadata({
            channel: conversation.source?.type,
            attachments: ofCustomer.flatMap((thread) => thread._embedded?.attachments ?? []),
            tags: conversation.tags.map(({ tag }) => tag),
            fields: Object.fromEntries(
              conversation.customFields.map((field) => [field.name, field.text ?? field.value]),
            ),
            productField,
          }),
        };
      },

      findNote,

      writeNote: async (ticketId, note, { signal }) => {
        const headers = await tellHelpdesk(api, {
          doing: 'write a note',
          method: 'POST',
          path: pathOf`/v2/conversations/${ticketId}/notes`,
          body: { text: note.html },
          signal,
        });
        const id = optionalId.parse(headers.get('resource-id'));
        return id ?? lookAfterWrite('Help Scout', () => findNote(ticketId, note.marker, { signal }));
      },

      // Any draft that stands there stays alone: it is a person's, or ours from a call whose reply was lost.
      writeDraft: async (ticketId, draft, { signal }) => {
        const threads = await readThreads(ticketId, signal);
        if (threads.some(({ state }) => state === 'draft')) return false;
        const { primaryCustomer: customer } = await readOne(ticketId, signal);
        if (customer?.id === undefined) {
          throw new HelpdeskFailed('Cannot write a draft in Help Scout: the conversation has no customer');
        }
        await tellHelpdesk(api, {
          doing: 'write a draft',
          method: 'POST',
          path: pathOf`/v2/conversations/${ticketId}/reply`,
          body: { customer: { id: numberOf(customer.id) }, text: draft.html, draft: true },
          signal,
        });
        return true;
      },
    };
  };

const deskMessage =
  (userId: string | undefined) =>
  (thread: Thread): DeskMessage[] => {
    if (!isTalk(thread) || !isPublished(thread)) return [];
    const isCustomer = isOfCustomer(thread) && (userId === undefined || thread.createdBy?.id !== userId);
    return [
      {
        id: thread.id,
        from: isCustomer ? 'customer' : 'agent',
        isPublic: !INTERNAL.has(thread.type),
        text: htmlText(thread.body),
        sentAtMs: thread.createdAt,
      },
    ];
  };

/** What is forwarded goes to somebody else. */
const INTERNAL: ReadonlySet<string | undefined> = new Set(['note', 'forwardparent', 'forwardchild']);
