import * as z from 'zod';
import { callHelpdesk, type HelpdeskApi, pathOf } from '../../call-helpdesk.ts';
import type { Desk, HelpdeskConnection } from '../../helpdesk-tool.ts';
import type { DeskMessage } from '../../ticket.ts';
import { basicAuth } from '../basic-auth.ts';
import { lookAfterWrite } from '../look-after-write.ts';
import { neededToken } from '../needed.ts';
import { DeskId, fileNames, itemsOf, listOf, optionalId, optionalText, optionalTime } from '../reading.ts';
import { htmlText, inOrder, MAX_NOTE, plainText, ticketMetadata } from '../ticket-parts.ts';

const User = z.object({ id: DeskId, name: optionalText(200), role: optionalText(50) });
type User = z.infer<typeof User>;

const TicketReply = z.object({
  ticket: z.object({
    subject: optionalText(1000),
    requester_id: optionalId,
    updated_at: z.string().max(64),
    tags: listOf(z.string(), 50),
    via: z
      .object({ channel: optionalText(100) })
      .nullish()
      .catch(undefined),
    custom_fields: listOf(z.object({ id: DeskId, value: z.unknown() }), 100),
  }),
  users: listOf(User, 200),
});

const Comment = z.object({
  id: DeskId,
  author_id: optionalId,
  public: z.boolean(),
  html_body: optionalText(MAX_NOTE),
  plain_body: optionalText(MAX_NOTE),
  body: optionalText(MAX_NOTE),
  created_at: optionalTime,
  attachments: fileNames('file_name'),
});
type Comment = z.infer<typeof Comment>;

const CommentsReply = z.object({
  comments: itemsOf(Comment, 100),
  users: listOf(User, 1000),
  meta: z
    .object({ has_more: z.boolean().catch(false), after_cursor: optionalText(1000) })
    .nullish()
    .catch(undefined),
});

const WriteReply = z.object({
  audit: z.object({ events: listOf(z.object({ id: DeskId, type: z.literal('Comment') }), 100) }),
});

/** Of 100 comments each. A note that is looked for was written a short while ago. */
const MAX_PAGES = { ofTicket: 2, ofNotes: 5 };

/**
 * Zendesk's ticketing API. Options: `email` of the API user, without which the token is one of OAuth; `userId` of the same,
 * whose comments are never a customer's; `productField`, the id of a ticket field.
 */
export const zendeskDesk = (
  connection: HelpdeskConnection,
  { fetch, now }: { fetch: typeof globalThis.fetch; now: () => number },
): Desk => {
  const { email, userId, productField } = connection.options;
  const api: HelpdeskApi = {
    tool: 'Zendesk',
    apiUrl: connection.apiUrl,
    headers: async () => {
      const token = neededToken(connection, 'Zendesk');
      return { Authorization: email === undefined ? `Bearer ${token}` : basicAuth(`${email}/token`, token) };
    },
    fetch,
    now,
  };

  const readOne = (ticketId: string, signal: AbortSignal) => {
    const path = `${pathOf`/api/v2/tickets/${ticketId}`}.json?include=users`;
    return callHelpdesk(api, { doing: 'read a ticket', path, reply: TicketReply, signal });
  };

  /** Newest first, page by page until there is no more or `isEnough`. */
  const readComments = async (
    ticketId: string,
    {
      signal,
      pages,
      isEnough = () => false,
    }: { signal: AbortSignal; pages: number; isEnough?: (page: readonly Comment[]) => boolean },
  ): Promise<{ comments: Comment[]; users: User[] }> => {
    const comments: Comment[] = [];
    const users: User[] = [];
    const query = new URLSearchParams({ 'page[size]': '100', sort: '-created_at', include: 'users' });
    for (let page = 0; page < pages; page += 1) {
      const path = `${pathOf`/api/v2/tickets/${ticketId}/comments`}.json?${query}`;
      const value = await callHelpdesk(api, {
        doing: 'read the comments of a ticket',
        path,
        reply: CommentsReply,
        signal,
      });
      comments.push(...value.comments);
      users.push(...value.users);
      if (isEnough(value.comments) || value.meta?.has_more !== true || value.meta.after_cursor === undefined) break;
      query.set('page[after]', value.meta.after_cursor);
    }
    return { comments, users };
  };

  const findNote: Desk['findNote'] = async (ticketId, marker, { signal }) => {
    const isIt = (comment: Comment) => !comment.public && carries(comment, marker);
    const { comments } = await readComments(ticketId, {
      signal,
      pages: MAX_PAGES.ofNotes,
      isEnough: (page) => page.some(isIt),
    });
    return comments.find(isIt)?.id;
  };

  return {
    readTicket: async (ticketId, { signal }) => {
      const { ticket, users } = await readOne(ticketId, signal);
      const { comments, users: authors } = await readComments(ticketId, { signal, pages: MAX_PAGES.ofTicket });
      const roles = new Map([...users, ...authors].map(({ id, role }) => [id, role]));
      const isCustomer = (author: string | undefined) => {
        if (author === undefined || author === userId) return false;
        const role = roles.get(author);
        return role === undefined ? author === ticket.requester_id : role === 'end-user';
      };
      const ofCustomer = comments.filter(({ author_id: author }) => isCustomer(author)).toReversed();
      // Newest first, and the order within a second stays.
      const messages = comments.toReversed().map((comment): DeskMessage => {
        const from = isCustomer(comment.author_id) ? 'customer' : 'agent';
        return { id: comment.id, from, isPublic: comment.public, text: textOf(comment), sentAtMs: comment.created_at };
      });
      const requester = [...users, ...authors].find(({ id }) => id === ticket.requester_id);
      return {
        id: ticketId,
        subject: ticket.subject,
        customer: { id: ticket.requester_id, name: requester?.name },
        messages: inOrder(messages),
        metadata: ticketMetadata({
          channel: ticket.via?.channel,
          attachments: ofCustomer.flatMap(({ attachments }) => attachments),
          tags: ticket.tags,
          fields: Object.fromEntries(ticket.custom_fields.map(({ id, value }) => [id, value])),
          productField,
        }),
      };
    },

    findNote,

    // The ticket's stamp is read before the look for the note: of two that write at once, one is refused as a conflict.
    writeNote: async (ticketId, note, { signal }) => {
      const { ticket } = await readOne(ticketId, signal);
      const known = await findNote(ticketId, note.marker, { signal });
      if (known !== undefined) return known;
      const value = await callHelpdesk(api, {
        doing: 'write a note',
        method: 'PUT',
        path: `${pathOf`/api/v2/tickets/${ticketId}`}.json`,
        // Without `public` the comment may be sent to the customer.
        body: {
          ticket: {
            comment: { html_body: note.html, public: false },
            safe_update: true,
            updated_stamp: ticket.updated_at,
          },
        },
        reply: WriteReply,
        signal,
      });
      const written = value.audit.events[0]?.id;
      return written ?? lookAfterWrite('Zendesk', () => findNote(ticketId, note.marker, { signal }));
    },
  };
};

const carries = ({ plain_body: plain, body, html_body: html }: Comment, marker: string): boolean =>
  [plain, body, html].some((text) => text?.includes(marker) === true);

const textOf = ({ plain_body: plain, body, html_body: html }: Comment): string =>
  html === undefined ? plainText(plain ?? body) : htmlText(html);
