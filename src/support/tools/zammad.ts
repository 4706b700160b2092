import * as z from 'zod';
import type { MailSigns } from '../../language/automatic-mail.ts';
import { optionalText, optionalTime } from '../../platform/http/read-fields.ts';
import { defineTool, type ToolApi, type ToolMessage, type ToolOperations } from './define-tool.ts';
import { pathOf } from './helpdesk-api.ts';
import type { HelpdeskEvent } from './helpdesk-tool.ts';
import {
  fileNames,
  itemsOf,
  listOf,
  numberOf,
  optionalId,
  optionalObject,
  RecordId,
} from './payload.ts';
import { HUB_SIGNATURE } from './signature-schemes.ts';
import { contains, htmlText, ignoredMail, MAX_NOTE, plainText } from './ticket-parts.ts';

/** What an article tells of its mail. `is-auto-response` follows the header fields that are usual for automatic mail. */
const Mail = {
  from: optionalText(500),
  reply_to: optionalText(500),
  subject: optionalText(1000),
  preferences: optionalObject({ 'is-auto-response': z.boolean().nullish().catch(undefined) }),
};

const mailOf = ({
  from,
  reply_to,
  subject,
  preferences,
}: z.infer<z.ZodObject<typeof Mail>>): MailSigns => ({
  from,
  subject,
  headers: reply_to === undefined ? undefined : { 'reply-to': reply_to },
  isAutomatic: preferences?.['is-auto-response'] === true,
});

const ZammadDelivery = z.object({
  ticket: z.object({ id: RecordId }),
  /** Empty when the trigger fired without an article. */
  article: optionalObject({
    id: optionalId,
    sender: optionalText(50),
    internal: z.boolean().nullish().catch(true),
    body: optionalText(MAX_NOTE),
    content_type: optionalText(100),
    ...Mail,
  }),
});

/** A public article whose sender is the customer. */
const readDelivery = ({ ticket, article }: z.infer<typeof ZammadDelivery>): HelpdeskEvent => {
  if (article?.id === undefined) return { kind: 'ignored', reason: 'no article took part' };
  if (article.internal !== false) return { kind: 'ignored', reason: 'an internal note' };
  if (article.sender !== 'Customer') {
    const { sender, body, content_type: type } = article;
    const text = type === 'text/html' ? htmlText(body) : plainText(body);
    const sent = sender === 'Agent' && text !== '' ? { ticketId: ticket.id, text } : undefined;
    return { kind: 'ignored', reason: 'not from the customer', sent };
  }
  const text =
    article.content_type === 'text/html' ? htmlText(article.body) : plainText(article.body);
  const ignored = ignoredMail(mailOf(article), {
    ticketId: ticket.id,
    messageId: article.id,
    text,
  });
  return ignored ?? { kind: 'message', ticketId: ticket.id, message: { id: article.id } };
};

/** Custom attributes of a workspace are members of the ticket. */
const Ticket = z.looseObject({ title: optionalText(1000), customer_id: optionalId });

const Article = z.object({
  id: RecordId,
  body: optionalText(MAX_NOTE),
  content_type: optionalText(100),
  sender: optionalText(50),
  type: optionalText(50),
  internal: z.boolean().nullish().catch(true),
  ...Mail,
  created_by: optionalText(200),
  created_by_id: optionalId,
  created_at: optionalTime,
  attachments: fileNames('filename'),
});
type Article = z.infer<typeof Article>;

const SharedDraft = z
  .object({
    shared_draft_id: optionalId,
    assets: optionalObject({
      TicketSharedDraftZoom: z
        .record(z.string(), z.object({ created_by_id: optionalId, updated_by_id: optionalId }))
        .nullish()
        .catch(undefined),
    }),
  })
  .nullish();

const operations = ({ call, create, send, option, options }: ToolApi): ToolOperations => {
  const { login, userId } = options;
  const readTicket = (ticketId: string) =>
    call({ action: 'read a ticket', path: pathOf`/api/v1/tickets/${ticketId}`, reply: Ticket });
  /** All of them: this list has no pages. */
  const readArticles = (ticketId: string): Promise<Article[]> =>
    call({
      action: 'read the articles of a ticket',
      path: pathOf`/api/v1/ticket_articles/by_ticket/${ticketId}`,
      reply: itemsOf(Article, 5000),
    });
  const readTags = async (ticketId: string): Promise<string[]> => {
    const path = `/api/v1/tags?${new URLSearchParams({ object: 'Ticket', o_id: ticketId })}`;
    const reply = z.object({ tags: listOf(z.string(), 50) });
    return (await call({ action: 'read the tags of a ticket', path, reply })).tags;
  };
  const isOurs = ({ created_by: author, created_by_id: id }: Article): boolean =>
    (author !== undefined && author === login) || (id !== undefined && id === userId);
  const isFromCustomer = (article: Article): boolean =>
    article.sender === 'Customer' && !isOurs(article);
  const toMessage = (article: Article): ToolMessage => ({
    id: article.id,
    from: isFromCustomer(article) ? 'customer' : article.sender === 'System' ? 'system' : 'agent',
    isPublic: article.internal === false,
    text:
      article.content_type?.startsWith('text/html') === true
        ? htmlText(article.body)
        : plainText(article.body),
    sentAtMs: article.created_at,
    mail: mailOf(article),
    attachments: article.attachments,
  });

  return {
    readTicket: async (ticketId) => {
      const ticket = await readTicket(ticketId);
      const articles = await readArticles(ticketId);
      const tags = await readTags(ticketId);
      return {
        subject: ticket.title,
        customer: { id: ticket.customer_id, name: nameIn(articles.find(isFromCustomer)?.from) },
        messages: articles.map(toMessage),
        channel: articles[0]?.type,
        tags,
        fields: customFields(ticket),
      };
    },

    findNote: async (ticketId, marker) => {
      const articles = await readArticles(ticketId);
      return articles.find(({ internal, body }) => internal === true && contains(marker, body))?.id;
    },

    writeNote: (ticketId, note) =>
      create({
        action: 'write a note',
        path: '/api/v1/ticket_articles',
        // An internal article of another type, such as email, would still be sent.
        body: {
          ticket_id: numberOf(ticketId),
          body: note.html,
          content_type: 'text/html',
          type: 'note',
          internal: true,
          sender: 'Agent',
        },
      }),

    createTicket: async ({ email, subject, text }) => {
      const article = {
        subject,
        body: text,
        content_type: 'text/plain',
        type: 'web',
        sender: 'Customer',
      };
      return create({
        action: 'create a ticket',
        path: '/api/v1/tickets',
        body: {
          title: subject,
          group: option('group'),
          // The user of that address, who is made if there is none.
          customer_id: `guess:${email}`,
          article: { ...article, internal: false },
        },
      });
    },

    // A ticket has one shared draft, which a person may have begun.
    writeDraft: async (ticketId, draft) => {
      const path = pathOf`/api/v1/tickets/${ticketId}/shared_draft`;
      const current = await call({ action: 'read the draft', path, reply: SharedDraft });
      if (isOfAnother(current, userId)) return false;
      const ticket = await readTicket(ticketId);
      const articles = await readArticles(ticketId);
      const latest = articles.findLast(
        ({ sender, internal }) => sender === 'Customer' && internal === false,
      );
      await send({
        action: 'write a draft',
        method: 'PUT',
        path,
        body: {
          new_article: {
            body: draft.html,
            content_type: 'text/html',
            type: 'email',
            internal: false,
            to: latest?.reply_to ?? latest?.from ?? '',
            subject: ticket.title ?? '',
            ticket_id: numberOf(ticketId),
          },
          ticket_attributes: {},
        },
      });
      return true;
    },
  };
};

const isOfAnother = (draft: z.infer<typeof SharedDraft>, userId: string | undefined): boolean => {
  const id = draft?.shared_draft_id;
  if (id === undefined) return false;
  const known = draft?.assets?.TicketSharedDraftZoom?.[id];
  const writers = [known?.created_by_id, known?.updated_by_id];
  return userId === undefined || writers.some((writer) => writer !== userId);
};

/** `Dana Ortiz <dana@example.net>` -> `Dana Ortiz`; undefined for an address without a name. */
const nameIn = (from: string | undefined): string | undefined => {
  const name = (from ?? '').split('<', 1)[0]?.replaceAll('"', '').trim() ?? '';
  return name === '' || name.includes('@') ? undefined : name.slice(0, 200);
};

/** Attributes that the workspace added to tickets, without the tool's own. */
const customFields = (ticket: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(ticket).filter(
      ([name]) => !STANDARD_FIELDS.has(name) && !/_(?:id|ids|at|by|in_min)$/.test(name),
    ),
  );

const STANDARD_FIELDS: ReadonlySet<string> = new Set(
  'id number title group priority state organization owner customer note article_count type preferences time_unit escalation_at pending_time checklist create_article_type create_article_sender articles ticket_time_accounting'.split(
    ' ',
  ),
);

/**
 * Zammad with an access token; its trigger calls us for new articles. Options: `login` and `userId` of the API user, whose articles
 * never count as a customer's and whose shared draft may be replaced; `productField`, an attribute of tickets; `group`, in which tickets of
 * visitors are created.
 */
export const zammad = defineTool({
  id: 'zammad',
  name: 'Zammad',
  requires: [],
  signatures: [HUB_SIGNATURE],
  delivery: ZammadDelivery,
  read: readDelivery,
  headers: ({ token }) => ({ Authorization: `Token token=${token()}` }),
  operations,
});
