import type * as z from 'zod';
import {
  findWrittenNote,
  type HelpdeskApi,
  helpdeskApi,
  requiredOption,
  requiredToken,
} from './helpdesk-api.ts';
import type {
  ClientOptions,
  Delivery,
  DraftReply,
  HelpdeskConnection,
  HelpdeskEvent,
  HelpdeskMessage,
  HelpdeskTool,
  NewTicket,
  Note,
  Ticket,
} from './helpdesk-tool.ts';
import { readPayload } from './payload.ts';
import { inOrder, type TicketFacts, ticketMetadata } from './ticket-parts.ts';

/** The connection of a workspace, for one operation that ends when the signal of its caller aborts. */
export interface ToolConnection extends ClientOptions, HelpdeskConnection {
  signal: AbortSignal;
  /** Throws `HelpdeskFailed` when it is not set. */
  option(name: string): string;
  /** The API token. Throws `HelpdeskFailed` when it is not set. */
  token(): string;
}

export type ToolApi = ToolConnection & HelpdeskApi;

/** A message, with the names of the files that came with it. */
export interface ToolMessage extends HelpdeskMessage {
  attachments?: readonly string[] | undefined;
}

/** A ticket as a tool tells it: its messages in any order, and what is known besides them. */
interface ToolTicket
  extends Omit<TicketFacts, 'productField'>,
    Pick<Ticket, 'subject' | 'customer'> {
  messages: readonly ToolMessage[];
}

/** What can be done in a tool; each as in `HelpdeskClient`, with the signal of its caller in the API. */
export interface ToolOperations {
  readTicket(ticketId: string): Promise<ToolTicket>;
  findNote(ticketId: string, marker: string): Promise<string | undefined>;
  /** Undefined when the reply does not name the note, which is looked for then. */
  writeNote(ticketId: string, note: Note): Promise<string | undefined>;
  writeDraft?: (ticketId: string, draft: DraftReply) => Promise<boolean>;
  createTicket?: (ticket: NewTicket) => Promise<string>;
  findTicket?: (key: string) => Promise<string | undefined>;
}

interface ToolDefinition<Payload extends z.ZodType>
  extends Pick<HelpdeskTool, 'id' | 'name' | 'requires' | 'signatures'> {
  /** What is needed of the body of a delivery. */
  delivery: Payload;
  /** Why a delivery is ignored whatever its body says; undefined when it is read. */
  ignores?: (delivery: Delivery) => string | undefined;
  /** What a delivery is about. */
  read(payload: z.output<Payload>, delivery: Delivery): HelpdeskEvent | HelpdeskEvent[];
  /** Authentication of each call. */
  headers(
    connection: ToolConnection,
    options: { isRenewed: boolean },
  ): Record<string, string> | Promise<Record<string, string>>;
  /** Whether a 401 is retried once with renewed headers. */
  renewsOn401?: boolean;
  /** How long to wait after a 429 without `Retry-After`, in milliseconds. */
  rateLimitWaitMs?: number;
  operations(api: ToolApi): ToolOperations;
}

/**
 * A helpdesk tool by what it has of its own: its deliveries, its authentication, its calls and what its replies mean. Calls, limits,
 * failures, the order of messages and the look for a written note are the same for all of them.
 *
 * @example
 * import * as z from 'zod';
 * import { STATIC_TOKEN } from './signature-schemes.ts';
 * const Id = z.object({ id: z.string() });
 * export const desk = defineTool({
 *   id: 'standard',
 *   name: 'Desk',
 *   signatures: [STATIC_TOKEN],
 *   delivery: z.object({ ticket: Id }),
 *   read: ({ ticket }) => ({ kind: 'message', ticketId: ticket.id, message: 'latest' }),
 *   headers: ({ token }) => ({ Authorization: `Bearer ${token()}` }),
 *   operations: ({ call, create }) => ({
 *     readTicket: async (id) => {
 *       const { subject } = await call({
 *         action: 'read a ticket',
 *         path: `/tickets/${id}`,
 *         reply: z.object({ subject: z.string() }),
 *       });
 *       return { subject, customer: { id: undefined, name: undefined }, messages: [] };
 *     },
 *     findNote: async () => undefined,
 *     writeNote: (id, { text }) => create({ action: 'write a note', path: `/tickets/${id}/notes`, body: { text } }),
 *   }),
 * });
 */
export function defineTool<Payload extends z.ZodType>({
  delivery: schema,
  ignores,
  read,
  headers,
  renewsOn401,
  rateLimitWaitMs,
  operations,
  ...tool
}: ToolDefinition<Payload>): HelpdeskTool {
  return {
    ...tool,
    read: (delivery) => {
      const reason = ignores?.(delivery);
      if (reason !== undefined) return [{ kind: 'ignored', reason }];
      return [read(readPayload(delivery, schema, tool.name), delivery)].flat();
    },
    client: (connection, { fetch, now }) => {
      const within = (signal: AbortSignal) => {
        const open: ToolConnection = {
          ...connection,
          fetch,
          now,
          signal,
          option: (name) => requiredOption(connection, name, tool.name),
          token: () => requiredToken(connection, tool.name),
        };
        const api = helpdeskApi({
          ...open,
          tool: tool.name,
          headers: async (options) => headers(open, options),
          renewsOn401,
          rateLimitWaitMs,
        });
        return operations({ ...open, ...api });
      };
      // Called for nothing: it only tells which operations the tool has.
      const { writeDraft, createTicket, findTicket } = within(AbortSignal.abort());
      return {
        readTicket: async (ticketId, { signal }) => {
          const { subject, customer, messages, ...facts } =
            await within(signal).readTicket(ticketId);
          return ticketOf({ id: ticketId, subject, customer }, messages, {
            ...facts,
            productField: connection.options.productField,
          });
        },
        findNote: async (ticketId, marker, { signal }) => within(signal).findNote(ticketId, marker),
        writeNote: async (ticketId, note, { signal }) => {
          const { writeNote, findNote } = within(signal);
          const id = await writeNote(ticketId, note);
          return id ?? findWrittenNote(tool.name, () => findNote(ticketId, note.marker));
        },
        writeDraft:
          writeDraft &&
          (async (ticketId, draft, { signal }) =>
            (await within(signal).writeDraft?.(ticketId, draft)) === true),
        createTicket:
          createTicket &&
          (async (ticket, { signal }) => within(signal).createTicket?.(ticket) ?? ''),
        findTicket: findTicket && (async (key, { signal }) => within(signal).findTicket?.(key)),
      };
    },
  };
}

/** A ticket with its messages in order, and the files that the customer sent among its facts. */
export function ticketOf(
  about: Pick<Ticket, 'id' | 'subject' | 'customer'>,
  messages: readonly ToolMessage[],
  { attachments = [], ...facts }: TicketFacts,
): Ticket {
  const sent = messages.flatMap(({ from, attachments: files = [] }) =>
    from === 'customer' ? files : [],
  );
  return {
    ...about,
    messages: inOrder(messages.map(({ attachments: _, ...message }) => message)),
    metadata: ticketMetadata({ ...facts, attachments: [...attachments, ...sent] }),
  };
}
