import type { AutomaticMail, MailSigns } from '../../language/automatic-mail.ts';

/** Tools that deliver tickets, by their name in the address `POST /webhooks/{helpdesk}`. */
export const HELPDESK_IDS = [
  'chatwoot',
  'zendesk',
  'intercom',
  'zammad',
  'help-scout',
  'standard',
  'freshdesk',
  'gorgias',
  'hubspot',
] as const;
export type HelpdeskId = (typeof HELPDESK_IDS)[number];

/** One helpdesk product: how its deliveries are verified and read, and how its tickets are read and written to. */
export interface HelpdeskTool {
  id: HelpdeskId;
  name: string;
  /** Options without which its API cannot be called, besides `apiUrl` and token; absent: it needs neither. */
  requires?: readonly string[];
  /** A delivery must match one of these. */
  signatures: readonly SignatureScheme[];
  /** Reads a verified delivery. Throws `DeliveryUnreadable`. */
  read(delivery: Delivery): HelpdeskEvent[];
  client(connection: HelpdeskConnection, options: ClientOptions): HelpdeskClient;
}

/** A webhook request of a helpdesk without its body. */
export interface DeliveryHead {
  method: string;
  /** The public address that the tool called: `https://support.example.com/webhooks/zendesk`. */
  url: string;
  headers: Headers;
}

/** A webhook request of a helpdesk, its body read once as bytes: signatures are over the bytes. */
export interface Delivery extends DeliveryHead {
  body: Uint8Array<ArrayBuffer>;
}

/** Stands for the body in what is signed: it is hashed as it arrives. */
export const BODY = Symbol('body');

/**
 * How deliveries are signed: the algorithm, the key, what is signed, and which header holds the signature.
 *
 * @example
 * const hubSignature: SignatureScheme = {
 *   algorithm: 'hmac-sha-256',
 *   header: 'x-hub-signature-256',
 *   prefix: 'sha256=',
 *   encoding: 'hex',
 *   signed: () => [BODY],
 * };
 */
export interface SignatureScheme {
  /** `token` is the secret itself, and signs nothing. */
  algorithm: 'hmac-sha-1' | 'hmac-sha-256' | 'ed25519' | 'token';
  /** Header of the signature, in lower case. */
  header: string;
  /** Literal prefix of the signature: `sha1=`. */
  prefix?: string;
  /** Set where the header holds several signatures, of which one has to match. */
  separator?: string;
  encoding: 'hex' | 'base64' | 'text';
  /** Secret -> key; the UTF-8 bytes of the secret by default. Undefined for secrets of another scheme. */
  keyOf?: (secret: string) => Uint8Array<ArrayBuffer> | undefined;
  /** Header of the signed timestamp. A delivery without it, or with one far from now, is refused. */
  timestamp?: { header: string; parse: (text: string) => number | undefined };
  /** What is signed, in order; undefined when a part is missing. */
  signed?: (parts: SignedParts) => readonly (string | typeof BODY)[] | undefined;
}

interface SignedParts {
  head: DeliveryHead;
  /** As in its header; empty where the scheme has none. */
  timestamp: string;
  /** Reads a header of at most 256 printable ASCII characters. */
  header: (name: string) => string | undefined;
}

/** What a verified delivery is about. */
export type HelpdeskEvent =
  | {
      kind: 'message';
      /** Id of the tool, as text. */
      ticketId: string;
      /** The message that needs a note; `first` and `latest` are resolved when the ticket is read. */
      message: { id: string } | 'first' | 'latest';
      /** The ticket as contained in the delivery, for tools whose tickets cannot be read over an API. */
      ticket?: Ticket | undefined;
      /** Set for automatic mail: the message is listed with this reason, and nothing is done. */
      automatic?: AutomaticMail | undefined;
    }
  | { kind: 'article'; change: 'published' | 'unpublished'; articleId: string | undefined }
  /** Nothing to do: a ping, our own note, a message of an agent. `reason` is a few words for the log. */
  | {
      kind: 'ignored';
      reason: string;
      /** What an agent has sent to the customer. */
      sent?: SentReply | undefined;
      /** A message of the customer's that is listed with the reason: automatic mail. */
      listed?: { ticketId: string; messageId: string; reason: AutomaticMail } | undefined;
    };

/** A public reply of an agent, as plain text or Markdown. */
export interface SentReply {
  ticketId: string;
  text: string;
}

/** How the tool of one workspace is reached. */
export interface HelpdeskConnection {
  /** Shared with the tool, newest first; at least one, two during a rotation. */
  secrets: readonly string[];
  /** Base URL of the tool's API, without a trailing slash; undefined where nothing can be written back. */
  apiUrl: string | undefined;
  /** Secret for the tool's API. */
  apiToken: string | undefined;
  /** Further settings of the tool by name: `accountId`, `adminId`, `email`. Not secret. */
  options: Readonly<Record<string, string>>;
}

export interface ClientOptions {
  fetch: typeof fetch;
  /** Milliseconds since 1970. */
  now: () => number;
}

/**
 * Client of a ticket system. Every method throws `HelpdeskFailed`, and stops when `signal` aborts.
 *
 * @example
 * const addNote = async (client: HelpdeskClient, ticketId: string, note: Note) => {
 *   const signal = AbortSignal.timeout(10_000);
 *   const existing = await client.findNote(ticketId, note.marker, { signal });
 *   return existing ?? client.writeNote(ticketId, note, { signal });
 * };
 */
export interface HelpdeskClient {
  readTicket(ticketId: string, options: { signal: AbortSignal }): Promise<Ticket>;
  /** Id of the note that contains the marker; undefined when the ticket has none. */
  findNote(
    ticketId: string,
    marker: string,
    options: { signal: AbortSignal },
  ): Promise<string | undefined>;
  /** Writes an internal note, which the customer never sees, and returns its id. */
  writeNote(ticketId: string, note: Note, options: { signal: AbortSignal }): Promise<string>;
  /** Saves an unsent draft beside the note, where the tool has drafts. False when the ticket has another draft, which stays. */
  writeDraft?:
    | ((ticketId: string, draft: DraftReply, options: { signal: AbortSignal }) => Promise<boolean>)
    | undefined;
  /** Creates a ticket for a visitor of a web page, and returns its id; for tools whose API we use for that. */
  createTicket?:
    | ((ticket: NewTicket, options: { signal: AbortSignal }) => Promise<string>)
    | undefined;
  /** Id of the ticket that was created under a key; absent where the tool cannot be asked for it. */
  findTicket?:
    | ((key: string, options: { signal: AbortSignal }) => Promise<string | undefined>)
    | undefined;
}

/** A ticket that a visitor of a web page asks for. */
export interface NewTicket {
  /** The same with every attempt; up to 64 letters, digits, hyphens and underscores. */
  key: string;
  /** As the visitor typed it: not verified. */
  email: string;
  subject: string;
  /** Plain text. */
  text: string;
}

/** A ticket or conversation, as read from the helpdesk. */
export interface Ticket {
  id: string;
  subject: string | undefined;
  customer: { id: string | undefined; name: string | undefined };
  /** Oldest first, internal notes included; the newest 200 where there are more. */
  messages: readonly HelpdeskMessage[];
  /** Tags, channel and custom fields: bounded, for `metadata` of an analysis. */
  metadata: Readonly<Record<string, unknown>>;
}

export interface HelpdeskMessage {
  /** Id of the tool, as text: it may exceed 2^53. */
  id: string;
  from: 'customer' | 'agent' | 'system';
  /** Whether the customer sees it; false for an internal note. */
  isPublic: boolean;
  /** Plain text or Markdown, converted from HTML where needed; cut after 32,000 characters. */
  text: string;
  /** Milliseconds since 1970; undefined when the tool gives no time. */
  sentAtMs: number | undefined;
  /** What the tool tells of the mail that the message came in: whether it is automatic is decided in one place for all tools. */
  mail?: MailSigns | undefined;
}

/** An internal note, for agents only. */
export interface Note {
  /** Appears in the last line, so that the note can be found again; 12 to 40 letters and digits. */
  marker: string;
  markdown: string;
  html: string;
  text: string;
}

/** A reply that an agent may send. Never sent automatically. */
export type DraftReply = Omit<Note, 'marker'>;

/** A verified delivery with a body that the tool does not document. */
export class DeliveryUnreadable extends Error {
  override name = 'DeliveryUnreadable';
}

interface FailureDetails {
  /** Whether the same call may succeed later. */
  isTransient?: boolean;
  /** Whether the call may have taken effect all the same: its reply was lost or cannot be read. */
  isOutcomeUnknown?: boolean;
  /** Whether the ticket does not exist. A webhook may name a ticket before the API shows it. */
  isNotFound?: boolean;
  /** How long the tool asks to wait, in milliseconds. */
  retryAfterMs?: number | undefined;
}

/** A call of the tool's API failed. The message contains the status, never text of the reply. */
export class HelpdeskFailed extends Error implements FailureDetails {
  override name = 'HelpdeskFailed';
  readonly isTransient: boolean;
  readonly isOutcomeUnknown: boolean;
  readonly isNotFound: boolean;
  readonly retryAfterMs: number | undefined;

  constructor(message: string, { cause, ...details }: FailureDetails & { cause?: unknown } = {}) {
    super(message, { cause });
    this.isTransient = details.isTransient ?? false;
    this.isOutcomeUnknown = details.isOutcomeUnknown ?? false;
    this.isNotFound = details.isNotFound ?? false;
    this.retryAfterMs = details.retryAfterMs;
  }
}
