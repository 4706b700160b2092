import { ASSISTANT, type DeskState, type TicketState } from '../desk/desk-state.ts';
import { newSecret } from '../desk/new-secret.ts';
import { membersOf, objectOf, textIn } from '../desk/read-request.ts';
import { type Routes, routed } from '../desk/route.ts';
import { hmac, uuidOf } from '../desk/sign-delivery.ts';
import { type DeskParts, DeskRefusal, type StandIn, type ToolApi } from '../desk/stand-in.ts';
import { articleRoutes } from './zendesk-articles.ts';
import { ACCOUNT_ID, articleEvent, ticketEvent } from './zendesk-events.ts';
import { commentPage } from './zendesk-pages.ts';
import { commentShape, fieldId, stampOf, ticketShape, userShape } from './zendesk-shapes.ts';

const EMAIL = ASSISTANT.email;
const TOKEN = newSecret('local-zendesk-token');
const SECRET = newSecret('local-zendesk-signing-secret');
/** A ticket holds no more. */
const MAX_COMMENTS = 5000;

/** Zendesk Support and its Help Center, with webhooks that are subscribed to events. */
export const zendesk: StandIn = {
  id: 'zendesk',
  first: { ticket: 35_436, post: 9_876_543_210, customer: 20_978_392_001 },
  articleId: (number) => String(360_011 + number),
  locale: 'en-us',
  access: {
    secrets: [SECRET],
    apiToken: TOKEN,
    options: { email: EMAIL, userId: ASSISTANT.id, productField: String(fieldId('product')) },
  },
  open: (parts): ToolApi => {
    const routes = { ...ticketRoutes(parts), ...articleRoutes(parts) };
    const signed = (
      event: object,
      { secret, now, deliveryId }: { secret: string; now: number; deliveryId: string },
    ) => {
      const body = JSON.stringify(event);
      const timestamp = new Date(Math.floor(now / 1000) * 1000).toISOString().replace('.000Z', 'Z');
      return {
        headers: {
          'Content-Type': 'application/json',
          'X-Zendesk-Account-Id': String(ACCOUNT_ID),
          'X-Zendesk-Webhook-Id': '01F1KRFQ6BG29CNWFR60NK5FNY',
          'X-Zendesk-Webhook-Invocation-Id': deliveryId,
          'X-Zendesk-Webhook-Signature-Timestamp': timestamp,
          'X-Zendesk-Webhook-Signature': hmac('sha256', secret, {
            content: timestamp + body,
            encoding: 'base64',
          }),
        },
        body,
      };
    };
    return {
      handle: (request) => {
        if (!isKnown(request.headers.authorization)) return refused(401);
        return (
          routed(routes, { ...request, path: request.path.replace(/\.json$/, '') }) ?? refused(404)
        );
      },
      refusal,
      refusalHeaders: (status, waitMs = 60_000) => {
        const wait = String(Math.ceil(waitMs / 1000));
        return status !== 429
          ? {}
          : {
              'retry-after': wait,
              'x-rate-limit': '700',
              'x-rate-limit-remaining': '0',
              'ratelimit-reset': wait,
            };
      },
      deliveryOf: (ticket, post, signing) =>
        signed(ticketEvent(ticket, post, { id: uuidOf(post.id) }), signing),
      articleDelivery: (articleId, change, signing) => {
        const article = parts.articles.all().find(({ id }) => id === articleId);
        const event = articleEvent(
          { articleId, change, article },
          { id: signing.deliveryId, now: signing.now },
        );
        return signed(event, signing);
      },
    };
  },
};

const isKnown = (authorization = ''): boolean =>
  authorization === `Bearer ${TOKEN}` ||
  authorization === `Basic ${Buffer.from(`${EMAIL}/token:${TOKEN}`).toString('base64')}`;

const refusal = (status: number, message?: string): unknown => {
  if (status === 401) return { error: message ?? "Couldn't authenticate you" };
  if (status === 429)
    return {
      error: 'APIRateLimitExceeded',
      description: message ?? 'Number of allowed API requests per minute exceeded',
    };
  const [error, description] = WORDS[status] ?? ['InternalError', 'Something went wrong'];
  return { error, description: message ?? description };
};

const WORDS: Record<number, readonly [string, string]> = {
  400: ['BadRequest', 'Invalid request'],
  404: ['RecordNotFound', 'Not found'],
  409: [
    'UpdateConflict',
    'Safe Update prevented the update due to outdated ticket data. Please fetch the latest ticket data and try again.',
  ],
  422: ['RecordInvalid', 'Record validation errors'],
};

const refused = (status: number, message?: string) => ({ status, body: refusal(status, message) });

const ticketRoutes = ({ state, apiUrl }: DeskParts): Routes => {
  const ticketOf = (id: string | undefined): TicketState => {
    const ticket = state.find(id ?? '');
    if (ticket === undefined) throw new DeskRefusal(refused(404));
    return ticket;
  };
  const besides = (query: URLSearchParams) =>
    (query.get('include') ?? '').split(',').includes('users')
      ? { users: state.people().map(userShape) }
      : {};
  /** Tickets that were created over the API, by their external id. */
  const created = new Map<string, TicketState>();
  return {
    'POST /api/v2/tickets': (request) => {
      const { subject, external_id, requester, comment } = objectOf(membersOf(request).ticket);
      const { email, name } = objectOf(requester);
      const [key, message] = [textIn(external_id), textIn(objectOf(comment).body)];
      if (message === '' || !textIn(email).includes('@')) return refused(422);
      // The reply to the first call is given again, as its `Idempotency-Key` asks.
      const before = created.get(textIn(request.headers['idempotency-key']));
      const customer = { name: textIn(name), email: textIn(email) };
      const ticket = before ?? state.create({ message, subject: textIn(subject), customer }).ticket;
      created.set(key, ticket);
      return {
        status: 201,
        body: { ticket: { ...ticketShape(ticket, apiUrl()), external_id: key } },
      };
    },
    'GET /api/v2/tickets': ({ query }) => {
      const found = created.get(query.get('external_id') ?? '');
      return {
        status: 200,
        body: { tickets: found === undefined ? [] : [ticketShape(found, apiUrl())] },
      };
    },
    'GET /api/v2/users/me': () => ({ status: 200, body: { user: userShape(ASSISTANT) } }),
    'GET /api/v2/users/:id': (_, [id]) => {
      const person = state.people().find((one) => one.id === id);
      return person === undefined
        ? refused(404)
        : { status: 200, body: { user: userShape(person) } };
    },
    'GET /api/v2/ticket_fields': () => {
      const titles = new Set(state.all().flatMap(({ fields }) => Object.keys(fields)));
      const ticket_fields = [...titles].map((title) => ({
        id: fieldId(title),
        type: 'text',
        title,
        raw_title: title,
        active: true,
      }));
      return {
        status: 200,
        body: { ticket_fields, next_page: null, previous_page: null, count: ticket_fields.length },
      };
    },
    'GET /api/v2/tickets/:id': ({ query }, [id]) => ({
      status: 200,
      body: { ticket: ticketShape(ticketOf(id), apiUrl()), ...besides(query) },
    }),
    'GET /api/v2/tickets/:id/comments': ({ query }, [id]) => {
      const ticket = ticketOf(id);
      const page = commentPage(ticket.posts, {
        query,
        url: `${apiUrl()}/api/v2/tickets/${ticket.id}/comments.json`,
      });
      return { status: 200, body: { ...page, ...besides(query) } };
    },
    'PUT /api/v2/tickets/:id': (request, [id]) => {
      const ticket = ticketOf(id);
      const change = objectOf(membersOf(request).ticket);
      // Stamps are to the second.
      if (change.safe_update === true && change.updated_stamp !== stampOf(ticket.updatedAt))
        return refused(409);
      return addComment(ticket, objectOf(change.comment), { state, apiUrl });
    },
  };
};

const addComment = (
  ticket: TicketState,
  comment: Record<string, unknown>,
  { state, apiUrl }: { state: DeskState; apiUrl: () => string },
) => {
  if (ticket.posts.length >= MAX_COMMENTS)
    return refused(422, 'Ticket has reached the maximum number of comments');
  const html = textIn(comment.html_body);
  const body = html === '' ? textIn(comment.body) : html;
  if (body === '') return { status: 200, body: { ticket: ticketShape(ticket, apiUrl()) } };
  const post = state.add(ticket.id, {
    // A comment without `public` is visible to the customer.
    kind: comment.public === false ? 'note' : 'reply',
    body,
    format: html === '' ? 'text' : 'html',
    author: ASSISTANT,
    isOurs: true,
  });
  const events = [commentShape(post)];
  const audit = {
    id: Number(post.id) + 1,
    ticket_id: Number(ticket.id),
    created_at: stampOf(post.at),
    author_id: Number(ASSISTANT.id),
    events,
  };
  return { status: 200, body: { ticket: ticketShape(ticket, apiUrl()), audit } };
};
