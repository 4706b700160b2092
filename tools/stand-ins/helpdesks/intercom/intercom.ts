import { ASSISTANT, type TicketState } from '../desk/desk-state.ts';
import { newSecret } from '../desk/new-secret.ts';
import { membersOf, objectOf, textIn } from '../desk/read-request.ts';
import { type Routes, routed } from '../desk/route.ts';
import { hmac, uuidOf } from '../desk/sign-delivery.ts';
import { type DeskParts, DeskRefusal, type StandIn, type ToolApi } from '../desk/stand-in.ts';
import { articleRoutes } from './intercom-articles.ts';
import {
  adminShape,
  contactShape,
  conversationShape,
  notificationShape,
} from './intercom-shapes.ts';

const TOKEN = newSecret('local-intercom-token');
const SECRET = newSecret('local-intercom-client-secret');
/** Windows of ten seconds, of 10,000 requests a minute. */
const WINDOW_LIMIT = 1666;

/** Intercom's API 2.16: conversations, notes, articles. */
export const intercom: StandIn = {
  id: 'intercom',
  first: { ticket: 215_469_012_345, post: 19_920_001, customer: 67_620_001 },
  articleId: (number) => String(9000 + number),
  access: { secrets: [SECRET], apiToken: TOKEN, options: { adminId: ASSISTANT.id } },
  open: (parts): ToolApi => {
    const routes = { ...conversationRoutes(parts), ...articleRoutes(parts) };
    return {
      handle: (request) => {
        if (request.headers.authorization !== `Bearer ${TOKEN}`) return refused(401);
        return routed(routes, request) ?? refused(404);
      },
      refusal,
      refusalHeaders: (status, waitMs = 10_000) =>
        status === 429
          ? {
              'x-ratelimit-limit': String(WINDOW_LIMIT),
              'x-ratelimit-remaining': '0',
              'x-ratelimit-reset': String(Math.ceil((parts.now() + waitMs) / 1000)),
            }
          : {},
      deliveryOf: (ticket, post, { secret }) => {
        const body = JSON.stringify(
          notificationShape(ticket, post, { id: `notif_${uuidOf(post.id)}` }),
        );
        const digest = hmac('sha1', secret, { content: body, encoding: 'hex' });
        return {
          headers: { 'Content-Type': 'application/json', 'X-Hub-Signature': `sha1=${digest}` },
          body,
        };
      },
    };
  },
};

const ERRORS: Record<number, readonly [string, string]> = {
  400: ['parameter_invalid', 'A parameter is invalid'],
  401: ['unauthorized', 'Access Token Invalid'],
  404: ['not_found', 'Resource Not Found'],
  429: ['rate_limit_exceeded', 'Exceeded rate limit'],
};

const refusal = (status: number, message?: string): unknown => {
  const [code, usual] = ERRORS[status] ?? ['server_error', 'Server error'];
  return { type: 'error.list', request_id: 'local', errors: [{ code, message: message ?? usual }] };
};

const refused = (status: number, message?: string) => ({ status, body: refusal(status, message) });

const conversationRoutes = ({ state }: DeskParts): Routes => {
  const ticketOf = (id: string | undefined): TicketState => {
    const ticket = state.find(id ?? '');
    if (ticket === undefined) throw new DeskRefusal(refused(404));
    return ticket;
  };
  return {
    'GET /me': () => ({
      status: 200,
      body: { ...adminShape(ASSISTANT), app: { type: 'app', id_code: 'ws_local' } },
    }),
    'GET /admins': () => ({
      status: 200,
      body: { type: 'admin.list', admins: [adminShape(ASSISTANT)] },
    }),
    'GET /contacts/:id': (_, [id]) => {
      const person = state.people().find((one) => one.id === id);
      return person === undefined ? refused(404) : { status: 200, body: contactShape(person) };
    },
    'POST /contacts/search': (request) => {
      const { field, operator, value } = objectOf(membersOf(request).query);
      if (field !== 'email' || operator !== '=') return refused(400);
      const data = state.people().filter(({ email }) => email === value);
      return {
        status: 200,
        body: { type: 'list', data: data.map(contactShape), total_count: data.length },
      };
    },
    'POST /contacts': (request) => {
      const { role, email } = membersOf(request);
      if (role !== 'lead' || !textIn(email).includes('@')) return refused(400);
      const contact = contactShape(state.customer({ name: '', email: textIn(email) }));
      return { status: 200, body: { ...contact, role: 'lead' } };
    },
    'POST /conversations': (request) => {
      const { from, body } = membersOf(request);
      const { type, id } = objectOf(from);
      const customer = state.people().find((one) => one.id === id);
      if (type !== 'lead' && type !== 'user') return refused(400);
      if (customer === undefined) return refused(404, 'User Not Found');
      if (textIn(body) === '') return refused(400, 'body is required');
      const { ticket, post } = state.create({ message: textIn(body), subject: '', customer });
      const created_at = Math.floor(post.at / 1000);
      const message = {
        type: 'user_message',
        id: post.id,
        created_at,
        body,
        message_type: 'inapp',
      };
      return { status: 200, body: { ...message, conversation_id: ticket.id } };
    },
    'GET /conversations/:id': ({ query }, [id]) => {
      const isPlain = query.get('display_as') === 'plaintext';
      return { status: 200, body: conversationShape(ticketOf(id), { isPlain }) };
    },
    'POST /conversations/:id/reply': (request, [id]) => {
      const ticket = ticketOf(id);
      const { message_type: kind, type, admin_id, body } = membersOf(request);
      if (type !== 'admin' || (kind !== 'note' && kind !== 'comment')) return refused(400);
      if (String(admin_id) !== ASSISTANT.id) return refused(404, 'Admin not found');
      if (textIn(body) === '') return refused(400, 'body is required');
      state.add(ticket.id, {
        kind: kind === 'note' ? 'note' : 'reply',
        body: textIn(body),
        format: 'html',
        author: ASSISTANT,
        isOurs: true,
      });
      return { status: 200, body: conversationShape(ticket, { isPlain: false }) };
    },
  };
};
