import * as z from 'zod';
import { callHelpdesk, type HelpdeskApi, pathOf, tellHelpdesk } from '../../call-helpdesk.ts';
import type { Desk, HelpdeskConnection } from '../../helpdesk-tool.ts';
import type { DeskMessage } from '../../ticket.ts';
import { neededToken } from '../needed.ts';
import { DeskId, fileNames, itemsOf, listOf, numberOf, optionalId, optionalText, optionalTime } from '../reading.ts';
import { htmlText, inOrder, MAX_NOTE, plainText, ticketMetadata } from '../ticket-parts.ts';

/** Own objects of a workspace stand among its members. */
const Ticket = z.looseObject({ title: optionalText(1000), customer_id: optionalId });

const Article = z.object({
  id: DeskId,
  body: optionalText(MAX_NOTE),
  content_type: optionalText(100),
  sender: optionalText(50),
  type: optionalText(50),
  internal: z.boolean().nullish().catch(true),
  from: optionalText(500),
  reply_to: optionalText(500),
  created_by: optionalText(200),
  created_by_id: optionalId,
  created_at: optionalTime,
  attachments: fileNames('filename'),
});
type Article = z.infer<typeof Article>;

const SharedDraft = z
  .object({
    shared_draft_id: optionalId,
    assets: z
      .object({
        TicketSharedDraftZoom: z
          .record(z.string(), z.object({ created_by_id: optionalId, updated_by_id: optionalId }))
          .nullish()
          .catch(undefined),
      })
      .nullish()
      .catch(undefined),
  })
  .nullish();

/**
 * Zammad's REST API with an access token. Options: `login` and `userId` of the API user, whose articles are never a
 * customer's and whose shared draft may be written over; `productField`, an attribute of tickets.
 */
export const zammadDesk = (
  connection: HelpdeskConnection,
  { fetch, now }: { fetch: typeof globalThis.fetch; now: () => number },
): Desk => {
  const { productField } = connection.options;
  const api: HelpdeskApi = {
    tool: 'Zammad',
    apiUrl: connection.apiUrl,
    headers: async () => ({ Authorization: `Token token=${neededToken(connection, 'Zammad')}` }),
    fetch,
    now,
  };
  const isOurs = ({ created_by: login, created_by_id: id }: Article): boolean =>
    (login !== undefined && login === connection.options.login) ||
    (id !== undefined && id === connection.options.userId);

  /** All of them: the tool knows no pages here. */
  const readArticles = async (ticketId: string, signal: AbortSignal): Promise<Article[]> => {
    const path = pathOf`/api/v1/ticket_articles/by_ticket/${ticketId}`;
    const reply = itemsOf(Article, 5000);
    return callHelpdesk(api, { doing: 'read the articles of a ticket', path, reply, signal });
  };
  const readOne = async (ticketId: string, signal: AbortSignal) => {
    const path = pathOf`/api/v1/tickets/${ticketId}`;
    return callHelpdesk(api, { doing: 'read a ticket', path, reply: Ticket, signal });
  };
  const readTags = async (ticketId: string, signal: AbortSignal): Promise<string[]> => {
    const path = `/api/v1/tags?${new URLSearchParams({ object: 'Ticket', o_id: ticketId })}`;
    const reply = z.object({ tags: listOf(z.string(), 50) });
    return (await callHelpdesk(api, { doing: 'read the tags of a ticket', path, reply, signal })).tags;
  };
  const isOfCustomer = (article: Article): boolean => article.sender === 'Customer' && !isOurs(article);
  const deskMessage = (article: Article): DeskMessage => ({
    id: article.id,
    from: isOfCustomer(article) ? 'customer' : article.sender === 'System' ? 'system' : 'agent',
    isPublic: article.internal === false,
    text: article.content_type?.startsWith('text/html') === true ? htmlText(article.body) : plainText(article.body),
    sentAtMs: article.created_at,
  });

  return {
    readTicket: async (ticketId, { signal }) => {
      const ticket = await readOne(ticketId, signal);
      const articles = await readArticles(ticketId, signal);
      const tags = await readTags(ticketId, signal);
      const ofCustomer = articles.filter(isOfCustomer);
      return {
        id: ticketId,
        subject: ticket.title,
        customer: { id: ticket.customer_id, name: nameIn(ofCustomer[0]?.from) },
        messages: inOrder(articles.map(deskMessage)),
        metadata: ticketMetadata({
          channel: articles[0]?.type,
          attachments: ofCustomer.flatMap(({ attachments }) => attachments),
          tags,
          fields: ownFields(ticket),
          productField,
        }),
      };
    },

    findNote: async (ticketId, marker, { signal }) => {
      const articles = await readArticles(ticketId, signal);
      return articles.find(({ internal, body }) => internal === true && body?.includes(marker) === true)?.id;
    },

    writeNote: async (ticketId, note, { signal }) => {
      const value = await callHelpdesk(api, {
        doing: 'write a note',
        method: 'POST',
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
        reply: z.object({ id: DeskId }),
        signal,
      });
      return value.id;
    },

    // A ticket has one shared draft, which a person may have begun.
    writeDraft: async (ticketId, draft, { signal }) => {
      const path = pathOf`/api/v1/tickets/${ticketId}/shared_draft`;
      const value = await callHelpdesk(api, { doing: 'read the draft', path, reply: SharedDraft, signal });
      if (isOfAnother(value, connection.options.userId)) return false;
      const ticket = await readOne(ticketId, signal);
      const articles = await readArticles(ticketId, signal);
      const latest = articles.findLast(({ sender, internal }) => sender === 'Customer' && internal === false);
      await tellHelpdesk(api, {
        doing: 'write a draft',
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
        signal,
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

/** `Dana Ortiz <dana@example.net>` -> `Dana Ortiz`; an address alone is no name. */
const nameIn = (from: string | undefined): string | undefined => {
  const name = (from ?? '').split('<', 1)[0]?.replaceAll('"', '').trim() ?? '';
  return name === '' || name.includes('@') ? undefined : name.slice(0, 200);
};

/** What the workspace added to tickets; the tool's own members are left out. */
const ownFields = (ticket: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(ticket).filter(([name]) => !OWN.has(name) && !/_(?:id|ids|at|by|in_min)$/.test(name)),
  );

const OWN: ReadonlySet<string> = new Set(
  'id number title group priority state organization owner customer note article_count type preferences time_unit escalation_at pending_time checklist create_article_type create_article_sender articles ticket_time_accounting'.split(
    ' ',
  ),
);
