import type { HelpdeskConnection } from '../../../../src/support/tools/helpdesk-tool.ts';
import type { LocalArticles } from './local-articles.ts';

/** Tools that have a stand-in, by the name in the address of their webhook. */
export const LOCAL_DESK_IDS = ['chatwoot', 'zendesk', 'intercom', 'zammad', 'help-scout'] as const;
export type LocalDeskId = (typeof LOCAL_DESK_IDS)[number];

/** The program's side of a stand-in: what people do in the tool, and what they see there. */
export interface LocalDesk {
  id: LocalDeskId;
  /** Address of the API: `http://127.0.0.1:<port>/zendesk`, without a trailing slash. */
  apiUrl: string;
  /** All that a connection to it needs. */
  connection: HelpdeskConnection & { apiUrl: string; apiToken: string };
  /** All that it takes to read its articles. */
  articleSource: { apiUrl: string; token: string; options: Readonly<Record<string, string>> };
  /** Its customer writes for the first time. */
  createTicket(ticket: NewTicket): { ticketId: string; messageId: string };
  addCustomerMessage(ticketId: string, text: string): string;
  /** A reply of an agent that the customer sees. */
  addAgentReply(ticketId: string, text: string): string;
  /** An internal note that a person writes, not we. */
  addPersonsNote(ticketId: string, text: string): string;
  /** A draft that a person has begun; for tools that keep drafts. */
  addPersonsDraft(ticketId: string, text: string): void;
  /** Internal notes that came over the API, oldest first. */
  notes(ticketId: string): LocalNote[];
  /** Replies that came over the API and are not sent, oldest first. */
  drafts(ticketId: string): LocalNote[];
  /** Everything in the ticket that its customer can see, oldest first. */
  seenByCustomer(ticketId: string): LocalNote[];
  /** Oldest first. */
  ticketIds(): string[];
  /** What a ticket is about, and who asks. */
  about(ticketId: string): { subject: string; customer: { name: string; email: string } };
  /** The delivery that the tool sends for a message, note or reply; the same again for the same message. */
  sign(ticketId: string, messageId: string, options?: SignOptions): SignedDelivery;
  /** The delivery for an article, of tools that tell such a thing. */
  signArticle?:
    | ((
        articleId: string,
        change: 'published' | 'unpublished',
        options?: SignOptions,
      ) => SignedDelivery)
    | undefined;
  articles: LocalArticles;
  /** Lets so many requests through in each window, and refuses the others in the words of the tool; without, all. */
  limitRate(limit: { requests: number; windowMs: number } | undefined): void;
  /** From now on every message is posted there as the tool would: `notes` those alone that come over the API. */
  deliverTo(url: string | undefined, options?: { only?: 'notes' }): void;
  /** What was posted, oldest first: the status of the answer, 0 without one. */
  deliveries: readonly { messageId: string; status: number }[];
}

export interface NewTicket {
  message: string;
  subject?: string | undefined;
  /** Dana Ortiz when absent. */
  customer?: { name: string; email: string } | undefined;
  tags?: readonly string[] | undefined;
  fields?: Readonly<Record<string, string>> | undefined;
}

export interface LocalNote {
  id: string;
  /** As it was sent: Markdown or HTML, after the tool. */
  body: string;
  /** Milliseconds since 1970. */
  at: number;
}

export interface SignOptions {
  /** Another than that of the connection makes a wrong signature. */
  secret?: string | undefined;
  /** Milliseconds since 1970; the clock's time when absent. */
  now?: number | undefined;
  /** Id of the delivery, where the tool has such a thing; derived from the message when absent, as for one that is sent again. */
  deliveryId?: string | undefined;
}

/** A request as the tool sends it to a webhook. */
export interface SignedDelivery {
  headers: Record<string, string>;
  body: string;
}
