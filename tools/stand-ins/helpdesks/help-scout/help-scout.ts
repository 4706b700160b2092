import type { RecordedRequest } from '../../server/request-log.ts';
import { ASSISTANT, type TicketState } from '../desk/desk-state.ts';
import { newSecret } from '../desk/new-secret.ts';
import { membersOf, numberIn, objectOf, textIn } from '../desk/read-request.ts';
import { type Routes, routed } from '../desk/route.ts';
import { hmac, uuidOf } from '../desk/sign-delivery.ts';
import { type DeskParts, DeskRefusal, type StandIn, type ToolApi } from '../desk/stand-in.ts';
import { docsRoutes } from './help-scout-docs.ts';
import {
  conversationShape,
  customerShape,
  eventOf,
  MAILBOX_ID,
  threadShape,
  userShape,
} from './help-scout-shapes.ts';

const APP_ID = 'local-help-scout-app';
const APP_SECRET = newSecret('local-help-scout-app-secret');
const SECRET = newSecret('local-help-scout-webhook-secret');
const DOCS_KEY = newSecret('local-help-scout-docs-key');
/** An access token is valid for two days. */
const TOKEN_MS = 172_800_000;
/** A conversation takes no more. */
const MAX_THREADS = 100;
const PAGE = 25;

/** Help Scout's Mailbox API 2 below `/v2`, and its Docs API below `/v1`, which has a key of its own. */
export const helpScout: StandIn = {
  id: 'help-scout',
  first: { ticket: 501_234_567, post: 3001, customer: 238_604 },
  articleId: (number) => `5214c83d45667acd25${(0x394b53 + number).toString(16).padStart(6, '0')}`,
  access: {
    secrets: [SECRET],
    apiToken: APP_SECRET,
    options: { clientId: APP_ID, mailboxId: String(MAILBOX_ID) },
  },
  articleToken: DOCS_KEY,
  open: (parts): ToolApi => {
    const tokens = new Map<string, number>();
    const routes = conversationRoutes(parts);
    const docs = docsRoutes(parts);
    const isKnown = ({ headers }: RecordedRequest): boolean => {
      const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
      return (tokens.get(token) ?? 0) > parts.now();
    };
    const issueToken = (request: RecordedRequest) => {
      const { id, secret } = clientIn(request);
      if (id !== APP_ID || secret !== APP_SECRET)
        return {
          status: 401,
          body: { error: 'invalid_client', error_description: 'Bad client credentials' },
        };
      const access_token = uuidOf(`token ${tokens.size} ${parts.now()}`).replaceAll('-', '');
      tokens.set(access_token, parts.now() + TOKEN_MS);
      return {
        status: 200,
        body: { token_type: 'bearer', access_token, expires_in: TOKEN_MS / 1000 },
      };
    };
    return {
      handle: (request) => {
        if (request.path.startsWith('/v1/')) {
          const isReader = userOf(request.headers.authorization) === DOCS_KEY;
          return isReader ? (routed(docs, request) ?? refused(404)) : refused(401);
        }
        if (request.method === 'POST' && request.path === '/v2/oauth2/token')
          return issueToken(request);
        return isKnown(request) ? (routed(routes, request) ?? refused(404)) : refused(401);
      },
      refusal,
      refusalHeaders: (status, waitMs = 60_000) =>
        status === 429 ? { 'x-ratelimit-retry-after': String(Math.ceil(waitMs / 1000)) } : {},
      deliveryOf: (ticket, post, { secret }) => {
        // As it was when the message came: later threads are not in it.
        const until = { ...ticket, posts: ticket.posts.slice(0, ticket.posts.indexOf(post) + 1) };
        const body = JSON.stringify(
          conversationShape(until, { apiUrl: parts.apiUrl(), hasThreads: true }),
        );
        return {
          headers: {
            'Content-Type': 'application/json',
            'X-HelpScout-Event': eventOf(ticket, post),
            'X-HelpScout-Signature': hmac('sha1', secret, { content: body, encoding: 'base64' }),
          },
          body,
        };
      },
    };
  },
};

/** The name in `Basic` credentials; Docs takes its key there, and any password. */
const userOf = (authorization = ''): string | undefined =>
  Buffer.from(/^Basic (.+)$/.exec(authorization)?.[1] ?? '', 'base64')
    .toString()
    .split(':')[0];

const clientIn = (request: RecordedRequest): { id: string; secret: string } => {
  const members = membersOf(request);
  const form = new URLSearchParams(request.body);
  const given = (name: string) => textIn(members[name]) || (form.get(name) ?? '');
  return given('grant_type') === 'client_credentials'
    ? { id: given('client_id'), secret: given('client_secret') }
    : { id: '', secret: '' };
};

const MESSAGES: Record<number, string> = {
  400: 'Bad request',
  401: 'Unauthorized',
  404: 'Not found',
  412: 'Conversation has reached the maximum number of threads',
  429: 'Too many requests',
};

const refusal = (status: number, message?: string): unknown => ({
  logRef: 'local',
  message: message ?? MESSAGES[status] ?? 'Internal error',
  _embedded: { errors: [] },
});

const refused = (status: number, message?: string) => ({ status, body: refusal(status, message) });

const conversationRoutes = ({ state, apiUrl }: DeskParts): Routes => {
  const ticketOf = (id: string | undefined): TicketState => {
    const ticket = state.find(id ?? '');
    if (ticket === undefined) throw new DeskRefusal(refused(404));
    return ticket;
  };
  const written = (ticket: TicketState, post: Parameters<typeof state.add>[1]) => {
    if (ticket.posts.length >= MAX_THREADS) return refused(412);
    if (post.body === '') return refused(400, 'text is required');
    const { id } = state.add(ticket.id, {
      ...post,
      format: 'html',
      author: ASSISTANT,
      isOurs: true,
    });
    return {
      status: 201,
      body: '',
      headers: { 'resource-id': id, location: `${apiUrl()}/v2/conversations/${ticket.id}` },
    };
  };
  return {
    'GET /v2/users/me': () => ({ status: 200, body: userShape(ASSISTANT) }),
    'GET /v2/customers/:id': (_, [id]) => {
      const person = state.people().find((one) => one.id === id);
      return person === undefined ? refused(404) : { status: 200, body: customerShape(person) };
    },
    'POST /v2/conversations': (request) => {
      const { subject, type, mailboxId, status, customer, threads } = membersOf(request);
      const [first] = Array.isArray(threads) ? threads : [];
      const { type: kind, text } = objectOf(first);
      const email = textIn(objectOf(customer).email);
      const isWhole =
        textIn(subject) !== '' &&
        textIn(status) !== '' &&
        email.includes('@') &&
        textIn(text) !== '';
      if (!isWhole || type !== 'email' || kind !== 'customer' || mailboxId !== MAILBOX_ID)
        return refused(400);
      const ticket = {
        message: textIn(text),
        subject: textIn(subject),
        customer: { name: '', email },
      };
      const { id } = state.create(ticket, { format: 'html' }).ticket;
      const headers = { 'resource-id': id, location: `${apiUrl()}/v2/conversations/${id}` };
      return { status: 201, body: '', headers };
    },
    'GET /v2/conversations/:id': ({ query }, [id]) => ({
      status: 200,
      body: conversationShape(ticketOf(id), {
        apiUrl: apiUrl(),
        hasThreads: query.get('embed') === 'threads',
      }),
    }),
    'GET /v2/conversations/:id/threads': ({ query }, [id]) => {
      const ticket = ticketOf(id);
      const number = numberIn(query, 'page', { otherwise: 1, most: 1_000_000 });
      const newestFirst = ticket.posts.toReversed();
      const url = `${apiUrl()}/v2/conversations/${ticket.id}/threads`;
      const totalPages = Math.ceil(newestFirst.length / PAGE);
      const next = number < totalPages ? { next: { href: `${url}?page=${number + 1}` } } : {};
      const threads = newestFirst
        .slice((number - 1) * PAGE, number * PAGE)
        .map((post) => threadShape(ticket, post));
      return {
        status: 200,
        headers: { 'content-type': 'application/hal+json' },
        body: {
          _embedded: { threads },
          _links: { self: { href: url }, first: { href: `${url}?page=1` }, ...next },
          page: { size: PAGE, totalElements: newestFirst.length, totalPages, number },
        },
      };
    },
    'GET /v2/conversations/:id/threads/:thread/original-source': (_request, [id, thread]) => {
      const ticket = ticketOf(id);
      const post = ticket.posts.find((each) => each.id === thread && each.kind === 'customer');
      if (post === undefined) return refused(404);
      const original = `From: ${ticket.customer.email}\r\nSubject: ${ticket.subject}\r\n\r\n${post.body}`;
      return {
        status: 200,
        headers: { 'content-type': 'application/hal+json' },
        body: { original },
      };
    },
    'POST /v2/conversations/:id/notes': (request, [id]) =>
      written(ticketOf(id), { kind: 'note', body: textIn(membersOf(request).text) }),
    'POST /v2/conversations/:id/reply': (request, [id]) => {
      const ticket = ticketOf(id);
      const { text, draft, customer } = membersOf(request);
      if (String(objectOf(customer).id) !== ticket.customer.id)
        return refused(400, 'customer is required');
      return written(ticket, { kind: draft === true ? 'draft' : 'reply', body: textIn(text) });
    },
  };
};
