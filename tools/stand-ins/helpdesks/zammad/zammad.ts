import { ASSISTANT, type TicketState } from '../desk/desk-state.ts';
import { newSecret } from '../desk/new-secret.ts';
import { membersOf, objectOf, textIn } from '../desk/read-request.ts';
import { type Routes, routed } from '../desk/route.ts';
import { hmac, railsJson } from '../desk/sign-delivery.ts';
import { type DeskParts, DeskRefusal, type StandIn, type ToolApi } from '../desk/stand-in.ts';
import { knowledgeRoutes } from './zammad-knowledge.ts';
import {
  articleShape,
  deliveredArticle,
  deliveredTicket,
  ticketShape,
  userShape,
} from './zammad-shapes.ts';

const TOKEN = newSecret('local-zammad-token');
const SECRET = newSecret('local-zammad-signature-token');
const GROUP = 'Users';

/** Zammad 7 with one group, in which shared drafts are on. */
export const zammad: StandIn = {
  id: 'zammad',
  first: { ticket: 81, post: 104, customer: 208 },
  articleId: String,
  locale: 'en-us',
  access: {
    secrets: [SECRET],
    apiToken: TOKEN,
    options: { userId: ASSISTANT.id, login: ASSISTANT.email, group: GROUP },
  },
  open: (parts): ToolApi => {
    const routes = { ...ticketRoutes(parts), ...draftRoutes(parts), ...knowledgeRoutes(parts) };
    return {
      handle: (request) => {
        if (request.headers.authorization !== `Token token=${TOKEN}`) return refused(401);
        return routed(routes, request) ?? refused(404);
      },
      refusal,
      refusalHeaders: () => ({}),
      deliveryOf: (ticket, post, { secret, deliveryId }) => {
        const body = railsJson({
          ticket: deliveredTicket(ticket),
          article: deliveredArticle(ticket, post),
        });
        return {
          headers: {
            'Content-Type': 'application/json; charset=utf-8',
            'User-Agent': 'Zammad User Agent',
            'X-Zammad-Trigger': 'Draft assistant',
            'X-Zammad-Delivery': deliveryId,
            'X-Hub-Signature': `sha1=${hmac('sha1', secret, { content: body, encoding: 'hex' })}`,
          },
          body,
        };
      },
    };
  },
};

const MESSAGES: Record<number, string> = {
  401: 'Authentication required',
  404: "Couldn't find Ticket",
  422: 'The required parameter is missing.',
};

const refusal = (status: number, message?: string): unknown => ({
  error: message ?? MESSAGES[status] ?? 'Internal error',
});

const refused = (status: number, message?: string) => ({ status, body: refusal(status, message) });

const ticketIn =
  ({ state }: DeskParts) =>
  (id: string | undefined): TicketState => {
    const ticket = state.find(id ?? '');
    if (ticket === undefined)
      throw new DeskRefusal(refused(404, `Couldn't find Ticket with 'id'=${id}`));
    return ticket;
  };

const ticketRoutes = (parts: DeskParts): Routes => {
  const { state } = parts;
  const ticketOf = ticketIn(parts);
  return {
    'GET /api/v1/users/me': () => ({ status: 200, body: userShape(ASSISTANT) }),
    'GET /api/v1/users/:id': (_, [id]) => {
      const person = state.people().find((one) => one.id === id);
      return person === undefined
        ? refused(404, "Couldn't find User")
        : { status: 200, body: userShape(person) };
    },
    'GET /api/v1/tags': ({ query }) => {
      const ticket =
        query.get('object') === 'Ticket' ? state.find(query.get('o_id') ?? '') : undefined;
      return { status: 200, body: { tags: ticket?.tags ?? [] } };
    },
    'POST /api/v1/tickets': (request) => {
      const { title, group, customer_id, article } = membersOf(request);
      const message = textIn(objectOf(article).body);
      const email = /^guess:(.+@.+)$/.exec(textIn(customer_id))?.[1];
      if (group !== GROUP || email === undefined || message === '' || textIn(title) === '')
        return refused(422);
      const { ticket } = state.create({
        message,
        subject: textIn(title),
        customer: { name: email, email },
      });
      return { status: 201, body: ticketShape(ticket, { isExpanded: false }) };
    },
    'GET /api/v1/tickets/:id': ({ query }, [id]) => ({
      status: 200,
      body: ticketShape(ticketOf(id), { isExpanded: query.get('expand') === 'true' }),
    }),
    'GET /api/v1/ticket_articles/by_ticket/:id': (_, [id]) => {
      const ticket = ticketOf(id);
      return {
        status: 200,
        body: ticket.posts
          .filter(({ kind }) => kind !== 'draft')
          .map((post) => articleShape(ticket, post)),
      };
    },
    'POST /api/v1/ticket_articles': (request) => {
      const { ticket_id, body, content_type, type, internal } = membersOf(request);
      const ticket = ticketOf(String(ticket_id));
      if (textIn(body) === '') return refused(422);
      // An internal article of type email is mailed all the same.
      const isSeen = internal !== true || type === 'email';
      const post = state.add(ticket.id, {
        kind: isSeen ? 'reply' : 'note',
        body: textIn(body),
        format: content_type === 'text/html' ? 'html' : 'text',
        author: ASSISTANT,
        isOurs: true,
      });
      return { status: 201, body: articleShape(ticket, post) };
    },
  };
};

/** One draft a ticket, which a second replaces. */
const draftRoutes = (parts: DeskParts): Routes => {
  const { state } = parts;
  const ticketOf = ticketIn(parts);
  const answer = (ticket: TicketState) => {
    const draft = ticket.posts.findLast(({ kind }) => kind === 'draft');
    if (draft === undefined) return { status: 200, body: { shared_draft_id: null, assets: null } };
    const { body, author } = draft;
    const new_article = {
      body,
      content_type: 'text/html',
      type: 'email',
      internal: false,
      ticket_id: Number(ticket.id),
    };
    const updated_at = new Date(draft.at).toISOString();
    const made = {
      ticket_attributes: {},
      created_by_id: Number(author.id),
      updated_by_id: Number(author.id),
      updated_at,
    };
    const shape = { id: Number(draft.id), ticket_id: Number(ticket.id), new_article, ...made };
    return {
      status: 200,
      body: { shared_draft_id: shape.id, assets: { TicketSharedDraftZoom: { [shape.id]: shape } } },
    };
  };
  return {
    'GET /api/v1/tickets/:id/shared_draft': (_, [id]) => answer(ticketOf(id)),
    'PUT /api/v1/tickets/:id/shared_draft': (request, [id]) => {
      const ticket = ticketOf(id);
      const body = textIn(objectOf(membersOf(request).new_article).body);
      ticket.posts = ticket.posts.filter(({ kind }) => kind !== 'draft');
      state.add(ticket.id, {
        kind: 'draft',
        body,
        format: 'html',
        author: ASSISTANT,
        isOurs: true,
      });
      return answer(ticket);
    },
  };
};
