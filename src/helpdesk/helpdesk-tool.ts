import type { DraftReply, Note, Ticket } from './ticket.ts';

/** Tools that deliver tickets, by the name in the address `POST /webhooks/{helpdesk}`. */
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

/** A request of a helpdesk, its body read once as bytes: signatures are over the bytes. */
export interface Delivery {
  method: string;
  /** As the tool called it, from configuration: `https://support.example.com/webhooks/zendesk`. */
  url: string;
  headers: Headers;
  body: Uint8Array<ArrayBuffer>;
}

/** What a verified delivery is about. */
export type HelpdeskEvent =
  | {
      kind: 'message';
      /** Of the tool, as a text. */
      ticketId: string;
      /** The message that calls for a note; `first` and `latest` are found when the ticket is read. */
      message: { id: string } | 'first' | 'latest';
      /** The ticket as the delivery itself tells it, for tools that cannot be read back. */
      ticket?: Ticket | undefined;
    }
  | { kind: 'article'; change: 'published' | 'unpublished'; articleId: string | undefined }
  /** A ping, a note of ours, a message of an agent: nothing is to be done. `reason` in a few words, for the log. */
  | { kind: 'ignored'; reason: string };

/** How a tool of one workspace is reached; secrets are those of its connection. */
export interface HelpdeskConnection {
  /** Shared with the tool, newest first: two while one is rotated. At least one. */
  secrets: readonly string[];
  /** Address of the tool's API, without a slash at its end; undefined where nothing can be written back. */
  apiUrl: string | undefined;
  /** Secret for the tool's API. */
  apiToken: string | undefined;
  /** What else the tool needs, by name: `accountId`, `adminId`, `email`, `from`. Not secret. */
  options: Readonly<Record<string, string>>;
}

/** A ticket system as we call it. Every method throws `HelpdeskFailed`, and gives up when `signal` aborts. */
export interface Desk {
  /** Reads the ticket back. */
  readTicket(ticketId: string, options: { signal: AbortSignal }): Promise<Ticket>;
  /** The id of the note that carries a marker; undefined when the ticket has none. */
  findNote(ticketId: string, marker: string, options: { signal: AbortSignal }): Promise<string | undefined>;
  /** Writes an internal note and returns its id. Never visible to the customer. */
  writeNote(ticketId: string, note: Note, options: { signal: AbortSignal }): Promise<string>;
  /** Leaves an unsent draft beside the note, where the tool has such a thing. False when another stands there, which stays. */
  writeDraft?:
    | ((ticketId: string, draft: DraftReply, options: { signal: AbortSignal }) => Promise<boolean>)
    | undefined;
}

/** One helpdesk product: how its deliveries are proved and read, and how its tickets are written to. */
export interface HelpdeskTool {
  id: HelpdeskId;
  name: string;
  /** Whether the delivery comes from the holder of one of the secrets, and is fresh where the tool signs a time. Never throws. */
  verify(delivery: Delivery, options: { secrets: readonly string[]; now: number }): Promise<boolean>;
  /** Reads a verified delivery. Throws `DeliveryUnreadable`. */
  read(delivery: Delivery): HelpdeskEvent[];
  /** Identifies a delivery that is sent again; undefined where the tool tells nothing. */
  deliveryIdOf(delivery: Delivery): string | undefined;
  desk(connection: HelpdeskConnection, options: { fetch: typeof fetch; now: () => number }): Desk;
}

/** The delivery is verified, and is nothing that this tool sends. */
export class DeliveryUnreadable extends Error {
  override name = 'DeliveryUnreadable';
}

/** The tool's API did not do what it was asked to. The message tells the status, never a text of the reply. */
export class HelpdeskFailed extends Error {
  override name = 'HelpdeskFailed';
  /** Whether the same call may succeed later. */
  readonly isPassing: boolean;
  /** How long the tool asks to be left alone, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** Whether the call may have been carried out all the same: its reply was lost or cannot be read. */
  readonly isUnclear: boolean;
  /** Whether there is no such thing. A tool may tell of a ticket before its API shows it. */
  readonly isMissing: boolean;

  constructor(
    message: string,
    {
      isPassing = false,
      isUnclear = false,
      isMissing = false,
      retryAfterMs,
      cause,
    }: {
      isPassing?: boolean;
      isUnclear?: boolean;
      isMissing?: boolean;
      retryAfterMs?: number | undefined;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause });
    this.isPassing = isPassing;
    this.isUnclear = isUnclear;
    this.isMissing = isMissing;
    this.retryAfterMs = retryAfterMs;
  }
}
