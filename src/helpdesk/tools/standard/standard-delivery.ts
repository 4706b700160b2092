import * as z from 'zod';
import { DeskId, listOf, optionalText, optionalTime } from '../reading.ts';
import { MAX_NOTE } from '../ticket-parts.ts';

const Author = z
  .object({ type: optionalText(50), id: DeskId.optional().catch(undefined), name: optionalText(200) })
  .nullish()
  .catch(undefined);

/** What somebody wrote: as text or Markdown, or as HTML. */
const written = {
  text: optionalText(MAX_NOTE),
  html: optionalText(MAX_NOTE),
  author: Author,
  /** Whether the customer sees it; true when absent. */
  public: z.boolean().nullish().catch(false),
  created_at: optionalTime,
};

const StandardMessage = z.object({ id: DeskId, ...written });

/** All that is not about a message of a ticket. */
const OtherDelivery = z.object({
  type: z
    .string()
    .max(200)
    .regex(/^(?!(?:ticket|message)\.created$)/),
});

/**
 * What a helpdesk without a tool of its own sends as a Standard Webhook. `data` is the ticket: with `ticket.created` it holds
 * the first message itself, with `message.created` the new one under `message`. `messages`, oldest first, are those before it.
 * All but the ids may be missing. Other types are ignored.
 */
const TicketDelivery = z.object({
  type: z.enum(['ticket.created', 'message.created']),
  timestamp: optionalTime,
  data: z.object({
    id: DeskId,
    subject: optionalText(1000),
    ...written,
    message: StandardMessage.optional(),
    messages: listOf(StandardMessage, 200),
    /** Who asks, where it is not who wrote. */
    customer: Author,
    channel: optionalText(100),
    tags: listOf(z.string(), 50),
    custom_fields: z.record(z.string(), z.unknown()).nullish().catch(undefined),
  }),
});
export type TicketDelivery = z.infer<typeof TicketDelivery>;

export const StandardDelivery = z.union([TicketDelivery, OtherDelivery]);
