import * as z from 'zod';
import { Timestamp } from './names.ts';

/**
 * How far the work on a customer's message is: `open` is worked on, or will be again; `done` needs nothing more; `dead` was given
 * up and waits for a person, who may have it tried again.
 */
export const TicketState = z.enum(['open', 'done', 'dead']);
export type TicketState = z.infer<typeof TicketState>;

/** What came of a message: a note, a draft where the connection asks for that alone, or nothing, as none was called for. */
export const TicketResult = z.enum(['note', 'draft', 'none']);
export type TicketResult = z.infer<typeof TicketResult>;

/** The work on one message of a customer. Holds no text, name or address. */
export const TicketJob = z.object({
  id: z.string().min(1).max(4000),
  helpdesk: z.string().min(1).max(40),
  /** Of the helpdesk. */
  ticket_id: z.string().min(1).max(200),
  state: TicketState,
  result: TicketResult.nullable(),
  /** How often it was tried since it came in, or since it was last replayed. */
  attempts: z.int().min(0),
  /** Why the last attempt failed, in a sentence; null when it did not. */
  last_error: z.string().min(1).max(300).nullable(),
  accepted_at: Timestamp,
  changed_at: Timestamp,
  /** When it is tried next; null unless it is open. */
  next_attempt_at: Timestamp.nullable(),
});
export type TicketJob = z.infer<typeof TicketJob>;

/** Query of `GET /v1/support/tickets`. */
export const TicketsRequest = z.strictObject({
  state: TicketState.default('dead'),
  /** 1 to 200. */
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().max(4100).optional(),
});
export type TicketsRequest = z.infer<typeof TicketsRequest>;

/** Reply of `GET /v1/support/tickets`: what changed last comes first. */
export const TicketsResponse = z.object({
  tickets: z.array(TicketJob).max(200),
  /** All of that state. */
  total: z.int().min(0),
  next_cursor: z.string().max(4100).nullable(),
});
export type TicketsResponse = z.infer<typeof TicketsResponse>;

/** `POST /v1/support/tickets/replay`: dead ones by their ids, or all of them. */
export const ReplayRequest = z.union([
  z.strictObject({ ids: z.array(z.string().min(1).max(4000)).min(1).max(100) }),
  z.strictObject({ all: z.literal(true) }),
]);
export type ReplayRequest = z.infer<typeof ReplayRequest>;

/** Reply of `POST /v1/support/tickets/replay`. */
export const ReplayResponse = z.object({
  /** How many are tried again. */
  replayed: z.int().min(0),
  /** Ids that are not those of dead ones. */
  unknown: z.array(z.string().max(4000)).max(100),
  /** Dead ones that are left: of `all`, at most 500 are replayed at once. */
  remaining: z.int().min(0),
});
export type ReplayResponse = z.infer<typeof ReplayResponse>;
