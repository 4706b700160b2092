import type { OutgoingHttpHeaders } from 'node:http';
import type { LocalReply } from '../server/local-server.ts';
import type { RecordedRequest } from '../server/request-log.ts';
import { createDeskState, type Post, type TicketState } from './desk/desk-state.ts';
import { localArticles } from './desk/local-articles.ts';
import type { LocalDesk, LocalNote, SignedDelivery, SignOptions } from './desk/local-desk.ts';
import { uuidOf } from './desk/sign-delivery.ts';
import type { StandIn } from './desk/stand-in.ts';
import { rateLimit } from './rate-limit.ts';

/** A stand-in with both its sides: the API, and the program's. */
export interface OpenDesk {
  desk: LocalDesk;
  handle(request: RecordedRequest): LocalReply;
  refusal(status: number, message?: string): unknown;
  refusalHeaders(status: number): OutgoingHttpHeaders;
}

const POST_MS = 5000;

export function openDesk(
  standIn: StandIn,
  { now, idOffset, apiUrl }: { now: () => number; idOffset: number; apiUrl: () => string },
): OpenDesk {
  const { id, access, articleId, locale, first } = standIn;
  const limit = rateLimit(now);
  const target: { url?: string | undefined; only?: 'notes' | undefined } = {};
  const deliveries: { messageId: string; status: number }[] = [];
  const state = createDeskState({
    now,
    first: { ...first, ticket: first.ticket + idOffset, post: first.post + idOffset },
    onPost: (ticket, post) => {
      if (target.url !== undefined && (target.only === undefined || post.isOurs))
        void deliver(target.url, ticket, post);
    },
  });
  const articles = localArticles({
    now,
    idOf: articleId,
    ...(locale === undefined ? {} : { locale }),
  });
  const api = standIn.open({ state, articles, apiUrl, now });

  const signingOf = (about: string, options: SignOptions = {}) => ({
    secret: options.secret ?? access.secrets[0] ?? '',
    now: options.now ?? now(),
    deliveryId: options.deliveryId ?? uuidOf(`${id} ${about}`),
  });
  const sign = (ticket: TicketState, post: Post, options?: SignOptions): SignedDelivery =>
    api.deliveryOf(ticket, post, signingOf(`message ${post.id}`, options));
  const deliver = async (url: string, ticket: TicketState, post: Post): Promise<void> => {
    const { headers, body } = sign(ticket, post);
    const init = { method: 'POST', headers, body, signal: AbortSignal.timeout(POST_MS) };
    const status = await fetch(url, init).then(
      async (response) => {
        await response.body?.cancel();
        return response.status;
      },
      () => 0,
    );
    deliveries.push({ messageId: post.id, status });
  };
  const shown = (ticketId: string, holds: (post: Post) => boolean): LocalNote[] =>
    state
      .get(ticketId)
      .posts.filter(holds)
      .map(({ id: postId, body, at }) => ({ id: postId, body, at }));

  const desk: LocalDesk = {
    id,
    get apiUrl() {
      return apiUrl();
    },
    get connection() {
      return { ...access, apiUrl: apiUrl() };
    },
    get articleSource() {
      return {
        apiUrl: apiUrl(),
        token: standIn.articleToken ?? access.apiToken,
        options: access.options,
      };
    },
    createTicket: (given) => {
      const { ticket, post } = state.create(given);
      return { ticketId: ticket.id, messageId: post.id };
    },
    addCustomerMessage: (ticketId, body) => state.add(ticketId, { kind: 'customer', body }).id,
    addAgentReply: (ticketId, body) => state.add(ticketId, { kind: 'reply', body }).id,
    addPersonsNote: (ticketId, body) => state.add(ticketId, { kind: 'note', body }).id,
    addPersonsDraft: (ticketId, body) => void state.add(ticketId, { kind: 'draft', body }),
    notes: (ticketId) => shown(ticketId, ({ kind, isOurs }) => kind === 'note' && isOurs),
    drafts: (ticketId) => shown(ticketId, ({ kind, isOurs }) => kind === 'draft' && isOurs),
    seenByCustomer: (ticketId) =>
      shown(ticketId, ({ kind }) => kind === 'customer' || kind === 'reply'),
    ticketIds: () => state.all().map((ticket) => ticket.id),
    about: (ticketId) => state.get(ticketId),
    sign: (ticketId, messageId, options) => {
      const ticket = state.get(ticketId);
      const post = ticket.posts.find((one) => one.id === messageId);
      if (post === undefined)
        throw new Error(`Cannot sign: ticket ${ticketId} has no message ${messageId}`);
      return sign(ticket, post, options);
    },
    signArticle:
      api.articleDelivery &&
      ((article, change, options) =>
        api.articleDelivery?.(
          article,
          change,
          signingOf(`${change} ${article} ${now()}`, options),
        ) ?? NOTHING),
    articles,
    limitRate: limit.set,
    deliverTo: (url, options = {}) => {
      Object.assign(target, { url, only: options.only });
    },
    deliveries,
  };

  return {
    desk,
    refusal: api.refusal,
    refusalHeaders: (status) => api.refusalHeaders(status),
    handle: (request) => {
      const waitMs = limit.take();
      if (waitMs === undefined) return api.handle(request);
      return { status: 429, body: api.refusal(429), headers: api.refusalHeaders(429, waitMs) };
    },
  };
}

const NOTHING: SignedDelivery = { headers: {}, body: '' };
