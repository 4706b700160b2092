import * as z from 'zod';
import { basicAuth } from '../../platform/http/fetch-json.ts';
import { optionalText, optionalTime } from '../../platform/http/read-fields.ts';
import { defineTool, type ToolApi, type ToolOperations } from './define-tool.ts';
import { pathOf, readPages } from './helpdesk-api.ts';
import { DeliveryUnreadable, type HelpdeskEvent } from './helpdesk-tool.ts';
import {
  fileNames,
  itemsOf,
  listOf,
  optionalId,
  optionalObject,
  RecordId,
  TemplateId,
} from './payload.ts';
import { ZENDESK } from './signature-schemes.ts';
import { contains, htmlText, MAX_NOTE, plainText } from './ticket-parts.ts';

const ZendeskEvent = z.object({
  type: z.string().max(200),
  subject: optionalText(200),
  detail: z.object({ id: optionalId }),
  /** Not documented officially; in another form the ticket decides. */
  event: optionalObject({
    comment: optionalObject({
      id: RecordId,
      is_public: z.boolean(),
      body: optionalText(MAX_NOTE),
      author: z.object({ is_staff: z.boolean() }),
    }),
  }),
});
type ZendeskEvent = z.infer<typeof ZendeskEvent>;

/** Required members of a trigger's body, which the admin writes. Everything else is read over the API. */
const ZendeskTrigger = z.object({
  event: optionalText(100),
  ticket: z.object({ id: TemplateId }),
  current_user: optionalObject({ role: optionalText(100) }),
});
type ZendeskTrigger = z.infer<typeof ZendeskTrigger>;

const ZendeskDelivery = z.union([ZendeskEvent, ZendeskTrigger]);

/** A webhook subscribes to events in Zendesk's form, or is called by a trigger. */
const readDelivery = (payload: z.infer<typeof ZendeskDelivery>): HelpdeskEvent =>
  'type' in payload ? readEvent(payload) : readTrigger(payload);

const readEvent = ({ type, subject, detail, event }: ZendeskEvent): HelpdeskEvent => {
  const name = type.replace(/^zen:event-type:/, '');
  if (name === 'article.published' || name === 'article.unpublished') {
    const change = name === 'article.published' ? 'published' : 'unpublished';
    return { kind: 'article', change, articleId: detail.id };
  }
  if (name !== 'ticket.created' && name !== 'ticket.comment_added') {
    return { kind: 'ignored', reason: 'not about a new message' };
  }
  const ticketId = detail.id;
  if (ticketId === undefined || subject !== `zen:ticket:${ticketId}`) {
    throw new DeliveryUnreadable('Cannot read a delivery of Zendesk: it does not name one ticket');
  }
  if (name === 'ticket.created') return { kind: 'message', ticketId, message: 'first' };
  const comment = event?.comment;
  if (!comment) return { kind: 'message', ticketId, message: 'latest' };
  if (!comment.is_public) return { kind: 'ignored', reason: 'an internal note' };
  if (comment.author.is_staff) {
    const sent =
      comment.body === undefined ? undefined : { ticketId, text: plainText(comment.body) };
    return { kind: 'ignored', reason: 'from an agent', sent };
  }
  return { kind: 'message', ticketId, message: { id: comment.id } };
};

const readTrigger = ({ event, ticket, current_user: user }: ZendeskTrigger): HelpdeskEvent => {
  const role = user?.role?.toLowerCase();
  if (role === 'agent' || role === 'admin') return { kind: 'ignored', reason: 'from an agent' };
  return {
    kind: 'message',
    ticketId: ticket.id,
    message: event === 'ticket.created' ? 'first' : 'latest',
  };
};

const User = z.object({
  id: RecordId,
  name: optionalText(200),
  role: optionalText(50),
  email: optionalText(320),
});

/** How a ticket or a comment came in; `from` is the sender of a mail. */
const Via = optionalObject({
  channel: optionalText(100),
  source: optionalObject({
    from: optionalObject({ address: optionalText(320), name: optionalText(200) }),
  }),
});

const TicketReply = z.object({
  ticket: z.object({
    subject: optionalText(1000),
    requester_id: optionalId,
    updated_at: z.string().max(64),
    tags: listOf(z.string(), 50),
    via: Via,
    custom_fields: listOf(z.object({ id: RecordId, value: z.unknown() }), 100),
  }),
  users: listOf(User, 200),
});

const Comment = z.object({
  id: RecordId,
  author_id: optionalId,
  public: z.boolean(),
  html_body: optionalText(MAX_NOTE),
  plain_body: optionalText(MAX_NOTE),
  body: optionalText(MAX_NOTE),
  created_at: optionalTime,
  attachments: fileNames('file_name'),
  via: Via,
});
type Comment = z.infer<typeof Comment>;

const CommentsReply = z.object({
  comments: itemsOf(Comment, 100),
  users: listOf(User, 1000),
  meta: optionalObject({ has_more: z.boolean().catch(false), after_cursor: optionalText(1000) }),
});
type CommentsReply = z.infer<typeof CommentsReply>;

const CreateReply = z.object({ ticket: z.object({ id: RecordId }) });

const FoundReply = z.object({ tickets: itemsOf(z.object({ id: RecordId }), 100) });

const WriteReply = z.object({
  audit: z.object({ events: listOf(z.object({ id: RecordId, type: z.literal('Comment') }), 100) }),
});

/** Pages have 100 comments. A note that is looked for was written recently. */
const MAX_PAGES = { ticket: 2, note: 5 };

const operations = ({ call, options }: ToolApi): ToolOperations => {
  const { userId } = options;

  const readTicket = (ticketId: string) => {
    const path = `${pathOf`/api/v2/tickets/${ticketId}`}.json?include=users`;
    return call({ action: 'read a ticket', path, reply: TicketReply });
  };

  interface ReadComments {
    maxPages: number;
    isEnough?: (page: readonly Comment[]) => boolean;
  }
  /** Newest first, until there are no more or `isEnough`. */
  const readComments = (ticketId: string, { maxPages, isEnough = () => false }: ReadComments) =>
    readPages(
      maxPages,
      async (
        after: string | undefined,
      ): Promise<{ page: CommentsReply; next: string | undefined }> => {
        const query = new URLSearchParams({
          'page[size]': '100',
          sort: '-created_at',
          include: 'users',
        });
        if (after !== undefined) query.set('page[after]', after);
        const path = `${pathOf`/api/v2/tickets/${ticketId}/comments`}.json?${query}`;
        const page = await call({
          action: 'read the comments of a ticket',
          path,
          reply: CommentsReply,
        });
        const isLast = page.meta?.has_more !== true || isEnough(page.comments);
        return { page, next: isLast ? undefined : page.meta?.after_cursor };
      },
    );

  const findNote = async (ticketId: string, marker: string): Promise<string | undefined> => {
    const isIt = ({ public: isPublic, plain_body: plain, body, html_body: html }: Comment) =>
      !isPublic && contains(marker, plain, body, html);
    const isEnough = (comments: readonly Comment[]) => comments.some(isIt);
    const pages = await readComments(ticketId, { maxPages: MAX_PAGES.note, isEnough });
    return pages.flatMap(({ comments }) => comments).find(isIt)?.id;
  };

  return {
    readTicket: async (ticketId) => {
      const { ticket, users } = await readTicket(ticketId);
      const pages = await readComments(ticketId, { maxPages: MAX_PAGES.ticket });
      // Oldest first; the order within a second stays.
      const comments = pages.flatMap((page) => page.comments).toReversed();
      const known = new Map(
        [...users, ...pages.flatMap((page) => page.users)].map((user) => [user.id, user]),
      );
      const isFromCustomer = ({ author_id: author }: Comment) => {
        if (author === undefined || author === userId) return false;
        const role = known.get(author)?.role;
        return role === undefined ? author === ticket.requester_id : role === 'end-user';
      };
      return {
        subject: ticket.subject,
        customer: { id: ticket.requester_id, name: known.get(ticket.requester_id ?? '')?.name },
        messages: comments.map((comment) => ({
          id: comment.id,
          from: isFromCustomer(comment) ? 'customer' : 'agent',
          isPublic: comment.public,
          text: textOf(comment),
          sentAtMs: comment.created_at,
          mail: {
            from:
              comment.via?.source?.from?.address ??
              known.get(comment.author_id ?? '')?.email ??
              known.get(comment.author_id ?? '')?.name,
          },
          attachments: comment.attachments,
        })),
        channel: ticket.via?.channel,
        tags: ticket.tags,
        fields: Object.fromEntries(ticket.custom_fields.map(({ id, value }) => [id, value])),
      };
    },

    findNote,

    createTicket: async ({ key, email, subject, text }) => {
      const { ticket } = await call({
        action: 'create a ticket',
        method: 'POST',
        path: '/api/v2/tickets.json',
        // A repeated call within two hours gets the reply to the first.
        headers: { 'Idempotency-Key': key },
        body: {
          ticket: {
            subject,
            external_id: key,
            requester: { email, name: email },
            comment: { body: text },
          },
        },
        reply: CreateReply,
      });
      return ticket.id;
    },

    findTicket: async (key) => {
      const path = `/api/v2/tickets.json?${new URLSearchParams({ external_id: key })}`;
      const { tickets } = await call({ action: 'look for a ticket', path, reply: FoundReply });
      return tickets[0]?.id;
    },

    // The ticket's stamp is read before the note is looked for: of two concurrent writes one is refused as a conflict.
    writeNote: async (ticketId, note) => {
      const { ticket } = await readTicket(ticketId);
      const existing = await findNote(ticketId, note.marker);
      if (existing !== undefined) return existing;
      const { audit } = await call({
        action: 'write a note',
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
      });
      return audit.events[0]?.id;
    },
  };
};

const textOf = ({ plain_body: plain, body, html_body: html }: Comment): string =>
  html === undefined ? plainText(plain ?? body) : htmlText(html);

/**
 * Zendesk Support, by events or triggers. Options: `email` of the API user, without which the token is an OAuth token; `userId` of the
 * same, whose comments never count as a customer's; `productField`, the id of a ticket field.
 */
export const zendesk = defineTool({
  id: 'zendesk',
  name: 'Zendesk',
  requires: [],
  signatures: [ZENDESK],
  delivery: ZendeskDelivery,
  read: readDelivery,
  headers: ({ token, options: { email } }) => ({
    Authorization: email === undefined ? `Bearer ${token()}` : basicAuth(`${email}/token`, token()),
  }),
  operations,
});
