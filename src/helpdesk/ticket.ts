/** A message of a ticket, as the helpdesk holds it. */
export interface DeskMessage {
  /** Of the tool, as a text: it may exceed 2^53. */
  id: string;
  from: 'customer' | 'agent' | 'system';
  /** Whether the customer sees it; an internal note is not public. */
  isPublic: boolean;
  /** Plain text or Markdown; HTML is made into text. At most 32,000 characters, the rest is left out. */
  text: string;
  /** Milliseconds since 1970; undefined when the tool tells none. */
  sentAtMs: number | undefined;
}

/** A ticket or conversation, read back from the helpdesk. */
export interface Ticket {
  id: string;
  subject: string | undefined;
  customer: { id: string | undefined; name: string | undefined };
  /** Oldest first, notes among them; the newest 200 where there are more. */
  messages: readonly DeskMessage[];
  /** Tags, channel and custom fields: bounded, for `metadata` of an analysis. */
  metadata: Readonly<Record<string, unknown>>;
}

/** What is written into a ticket, for agents alone. */
export interface Note {
  /** Stands in the note's last line, so that it is found again; 12 to 40 letters and digits. */
  marker: string;
  markdown: string;
  html: string;
  text: string;
}

/** A reply that an agent may send. Never sent by us. */
export interface DraftReply {
  markdown: string;
  html: string;
  text: string;
}
