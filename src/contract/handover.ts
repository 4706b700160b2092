import * as z from 'zod';
import { Timestamp } from './names.ts';

/** A question of the answer box with what it answered. */
const HandoverTurn = z.strictObject({ question: z.string().min(1).max(4000), answer: z.string().max(8000) });

/** Body of `POST /v1/support/requests`: a visitor of a web page asks for a person. */
export const HandoverRequest = z.strictObject({
  /** Chosen by the caller and the same with every attempt: one request, one ticket. */
  idempotency_key: z.string().regex(/^[\w-]{16,64}$/, 'is not 16 to 64 letters, digits, hyphens and underscores'),
  /** As typed by the visitor, not verified. */
  email: z.email().max(254),
  message: z.string().trim().min(1).max(4000),
  /** What was asked and answered before, oldest first. */
  conversation: z.array(HandoverTurn).max(10).default([]),
  /** The web page, without what follows a `?`. */
  page: z
    .url({ protocol: /^https?$/ })
    .max(2000)
    .optional(),
  /** The visitor agrees that address and conversation are sent. */
  consent: z.literal(true),
});
export type HandoverRequest = z.infer<typeof HandoverRequest>;

/** `waiting`: a ticket is being created; `created`: there is a ticket; `listed`: a person has to answer by mail. */
export const HandoverState = z.enum(['waiting', 'created', 'listed']);
export type HandoverState = z.infer<typeof HandoverState>;

/** Reply of `POST /v1/support/requests`. */
export const HandoverAccepted = z.object({ id: z.string().min(1).max(64), state: HandoverState });
export type HandoverAccepted = z.infer<typeof HandoverAccepted>;

/** Query of `GET /v1/support/requests`. */
export const HandoversRequest = z.strictObject({
  state: HandoverState.optional(),
  /** 1 to 100. */
  limit: z.coerce.number().int().min(1).max(100).default(50),
  cursor: z.string().max(200).optional(),
});
export type HandoversRequest = z.infer<typeof HandoversRequest>;

/** A request of a visitor. Once there is a ticket, address and texts are in the helpdesk alone. */
export const Handover = z.object({
  id: z.string().min(1).max(64),
  state: HandoverState,
  /** The tool in which a ticket is created; null where requests are only listed. */
  helpdesk: z.string().min(1).max(40).nullable(),
  ticket_id: z.string().min(1).max(200).nullable(),
  accepted_at: Timestamp,
  /** Why there is no ticket yet, in one sentence. */
  last_error: z.string().min(1).max(300).nullable(),
  /** Null once there is a ticket. */
  request: z
    .object({
      email: z.string().min(1).max(254),
      message: z.string().min(1).max(4000),
      conversation: z.array(HandoverTurn).max(10),
      page: z.string().max(2000).nullable(),
    })
    .nullable(),
});
export type Handover = z.infer<typeof Handover>;

/** Reply of `GET /v1/support/requests`: newest first. */
export const HandoversPage = z.object({
  requests: z.array(Handover).max(100),
  next_cursor: z.string().max(200).nullable(),
});
export type HandoversPage = z.infer<typeof HandoversPage>;

/** Query of `DELETE /v1/support/requests`: one request, or all of an address. */
export const HandoverErasureQuery = z
  .strictObject({ id: z.string().min(1).max(64).optional(), email: z.string().min(3).max(254).optional() })
  .refine(({ id, email }) => (id === undefined) !== (email === undefined), 'names not exactly one of id and email');
export type HandoverErasureQuery = z.infer<typeof HandoverErasureQuery>;
