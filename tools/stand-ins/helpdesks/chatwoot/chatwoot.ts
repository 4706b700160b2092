import type { RecordedRequest } from '../../server/request-log.ts';
import { ASSISTANT, type TicketState } from '../desk/desk-state.ts';
import { newSecret } from '../desk/new-secret.ts';
import { membersOf, objectOf, textIn } from '../desk/read-request.ts';
import { type Routes, routed } from '../desk/route.ts';
import { hmac, railsJson } from '../desk/sign-delivery.ts';
import { type DeskParts, DeskRefusal, type StandIn, type ToolApi } from '../desk/stand-in.ts';
import { articleRoutes } from './chatwoot-articles.ts';
import {
  ACCOUNT,
  contactShape,
  conversationShape,
  MAIL_INBOX_ID,
  messageShape,
  messagesShape,
  userShape,
  webhookShape,
} from './chatwoot-shapes.ts';

const TOKEN = newSecret('local-chatwoot-token');
const SECRET = newSecret('local-chatwoot-webhook-secret');

/** Chatwoot 4.14 with one account, whose customers write to a website inbox; there is one for mail, too. */
export const chatwoot: StandIn = {
  id: 'chatwoot',
  first: { ticket: 1201, post: 990_001, customer: 8842 },
  articleId: (number) => String(40 + number),
  access: {
    secrets: [SECRET],
    apiToken: TOKEN,
    options: { accountId: String(ACCOUNT.id), portal: 'help', inboxId: String(MAIL_INBOX_ID) },
  },
  open: (parts): ToolApi => {
    const routes = {
      ...conversationRoutes(parts),
      ...openingRoutes(parts),
      ...articleRoutes(parts),
    };
    return {
      handle: (request) => {
        const isPublic = request.path.startsWith('/hc/');
        if (!isPublic && request.headers.api_access_token !== TOKEN) return refused(401);
        return routed(routes, request) ?? refused(404);
      },
      refusal,
      // The rate limiting library omits Retry-After.
      refusalHeaders: (status) => (status === 429 ? { 'content-type': 'text/plain' } : {}),
      deliveryOf: (ticket, post, { secret, now, deliveryId }) => {
        const body = railsJson(webhookShape(ticket, post));
        const timestamp = String(Math.floor(now / 1000));
        const digest = hmac('sha256', secret, { content: `${timestamp}.${body}`, encoding: 'hex' });
        return {
          headers: {
            'Content-Type': 'application/json',
            Accept: 'application/json',
            'X-Chatwoot-Delivery': deliveryId,
            'X-Chatwoot-Timestamp': timestamp,
            'X-Chatwoot-Signature': `sha256=${digest}`,
          },
          body,
        };
      },
    };
  },
};

const MESSAGES: Record<number, string> = {
  401: 'Invalid Access Token',
  404: 'Resource could not be found',
  422: 'Content is too long (maximum is 150000 characters)',
};

const refusal = (status: number, message?: string): unknown =>
  status === 429
    ? 'Retry later\n'
    : { error: message ?? MESSAGES[status] ?? 'Internal server error' };

const refused = (status: number, message?: string) => ({ status, body: refusal(status, message) });

const MAX_CONTENT = 150_000;
/** Messages on a page of a conversation, of one that is read from a message on, and of one between two messages. */
const PAGE = 20;
const PAGE_AFTER = 100;
const PAGE_BETWEEN = 1000;

const conversationRoutes = ({ state }: DeskParts): Routes => {
  const ticketOf = (account: string | undefined, id: string | undefined): TicketState => {
    // A token does not reveal other accounts.
    if (account !== String(ACCOUNT.id)) throw new DeskRefusal(refused(401));
    const ticket = state.find(id ?? '');
    if (ticket === undefined) throw new DeskRefusal(refused(404));
    return ticket;
  };
  const conversations = '/api/v1/accounts/:account/conversations';
  return {
    'GET /api/v1/profile': () => ({
      status: 200,
      body: { ...userShape(ASSISTANT), role: 'agent', accounts: [ACCOUNT] },
    }),
    [`GET ${conversations}/:id`]: (_, [account, id]) => ({
      status: 200,
      body: conversationShape(ticketOf(account, id)),
    }),
    [`GET ${conversations}/:id/labels`]: (_, [account, id]) => ({
      status: 200,
      body: { payload: ticketOf(account, id).tags },
    }),
    [`GET ${conversations}/:id/messages`]: (request, [account, id]) => {
      const ticket = ticketOf(account, id);
      return { status: 200, body: messagesShape(ticket, pageOf(ticket, request)) };
    },
    [`POST ${conversations}/:id/messages`]: (request, [account, id]) => {
      const ticket = ticketOf(account, id);
      const { content, private: isPrivate, content_attributes } = membersOf(request);
      if (textIn(content).length > MAX_CONTENT) return refused(422);
      const post = state.add(ticket.id, {
        kind: isPrivate === true || isPrivate === 'true' ? 'note' : 'reply',
        body: textIn(content),
        author: ASSISTANT,
        isOurs: true,
        attributes: objectOf(content_attributes),
      });
      return { status: 200, body: messageShape(ticket, post) };
    },
  };
};

/** What opens a conversation for somebody who has written elsewhere. */
const openingRoutes = ({ state }: DeskParts): Routes => {
  const account = `/api/v1/accounts/${ACCOUNT.id}`;
  return {
    [`POST ${account}/contacts/filter`]: (request) => {
      const { payload } = membersOf(request);
      const {
        attribute_key: key,
        filter_operator: operator,
        values,
      } = objectOf(Array.isArray(payload) && payload[0]);
      if (key !== 'email' || operator !== 'equal_to' || !Array.isArray(values)) return refused(422);
      const found = state.people().filter(({ email }) => email === textIn(values[0]).toLowerCase());
      return {
        status: 200,
        body: { meta: { count: found.length }, payload: found.map(contactShape) },
      };
    },
    [`POST ${account}/contacts`]: (request) => {
      const { name, email: given } = membersOf(request);
      const email = textIn(given).toLowerCase();
      if (state.people().some((one) => one.email === email))
        return {
          status: 422,
          body: { message: 'Email has already been taken', attributes: ['email'] },
        };
      const contact = contactShape(state.customer({ name: textIn(name), email }));
      return {
        status: 200,
        body: { payload: { contact, contact_inbox: { inbox: null, source_id: null } } },
      };
    },
    [`POST ${account}/conversations`]: (request) => {
      const {
        inbox_id,
        contact_id,
        additional_attributes: attributes,
        message,
      } = membersOf(request);
      const customer = state.people().find(({ id }) => Number(id) === contact_id);
      if (inbox_id !== MAIL_INBOX_ID || customer === undefined) return refused(404);
      const { content, private: isPrivate, message_type: type } = objectOf(message);
      if (type === 'incoming')
        return refused(500, 'Incoming messages are only allowed in Api inboxes');
      const subject = textIn(objectOf(attributes).mail_subject);
      const kind = isPrivate === true ? 'note' : 'reply';
      const opening = { kind, author: ASSISTANT, isOurs: true } as const;
      const { ticket } = state.create({ message: textIn(content), subject, customer }, opening);
      return { status: 200, body: conversationShape(ticket) };
    },
  };
};

/** The newest without a parameter; those before one, the newest of them; those after one, the oldest of them; those between two. */
const pageOf = ({ posts }: TicketState, { query }: RecordedRequest) => {
  const before = Number(query.get('before') ?? Number.POSITIVE_INFINITY);
  const after = Number(query.get('after') ?? Number.NEGATIVE_INFINITY);
  if (query.has('after') && query.has('before'))
    return posts
      .filter(({ id }) => Number(id) >= after && Number(id) < before)
      .slice(0, PAGE_BETWEEN);
  if (query.has('after')) return posts.filter(({ id }) => Number(id) > after).slice(0, PAGE_AFTER);
  return posts.filter(({ id }) => Number(id) < before).slice(-PAGE);
};
