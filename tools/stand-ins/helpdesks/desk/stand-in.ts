import type { OutgoingHttpHeaders } from 'node:http';
import type { HelpdeskConnection } from '../../../../src/support/tools/helpdesk-tool.ts';
import type { LocalReply } from '../../server/local-server.ts';
import type { RecordedRequest } from '../../server/request-log.ts';
import type { DeskState, FirstIds, Post, TicketState } from './desk-state.ts';
import type { LocalArticles } from './local-articles.ts';
import type { LocalDeskId, SignedDelivery } from './local-desk.ts';

/** What a stand-in works on. */
export interface DeskParts {
  state: DeskState;
  articles: LocalArticles;
  /** Address of the API, once the server listens. */
  apiUrl: () => string;
  now: () => number;
}

/** When and with what a delivery is signed. */
interface Signing {
  secret: string;
  /** Milliseconds since 1970. */
  now: number;
  deliveryId: string;
}

/** The part of a stand-in that its tool decides. */
export interface ToolApi {
  /** @param request Its path is without the prefix of the tool. */
  handle(request: RecordedRequest): LocalReply;
  refusal(status: number, message?: string): unknown;
  /** What the tool sends with a refusal of its own accord; `waitMs` until a limit lets requests through again. */
  refusalHeaders(status: number, waitMs?: number): OutgoingHttpHeaders;
  deliveryOf(ticket: TicketState, post: Post, signing: Signing): SignedDelivery;
  articleDelivery?(
    articleId: string,
    change: 'published' | 'unpublished',
    signing: Signing,
  ): SignedDelivery;
}

export interface StandIn {
  id: LocalDeskId;
  first: FirstIds;
  /** The id of an article by its number from 1. */
  articleId: (number: number) => string;
  locale?: string;
  /** The connection without its address. */
  access: Omit<HelpdeskConnection, 'apiUrl' | 'apiToken'> & { apiToken: string };
  /** For its articles, where that is another token. */
  articleToken?: string;
  open(parts: DeskParts): ToolApi;
}

/** Thrown within a stand-in: the request is refused in the words of the tool. */
export class DeskRefusal extends Error {
  override name = 'DeskRefusal';
  readonly reply: LocalReply;

  constructor(reply: LocalReply) {
    super(`Refused with status ${reply.status}`);
    this.reply = reply;
  }
}
