import * as z from 'zod';
import { utf8 } from '../../platform/encoding.ts';
import { optionalText, optionalTime } from '../../platform/http/read-fields.ts';
import { defineTool, type ToolApi, type ToolOperations, ticketOf } from './define-tool.ts';
import {
  type HelpdeskEvent,
  HelpdeskFailed,
  type HelpdeskMessage,
  type Ticket,
} from './helpdesk-tool.ts';
import {
  listOf,
  mailHeaders,
  optionalFields,
  optionalId,
  optionalObject,
  RecordId,
} from './payload.ts';
import { STANDARD_WEBHOOKS, STANDARD_WEBHOOKS_PUBLIC_KEY } from './signature-schemes.ts';
import { decodeBase64 } from './signatures.ts';
import { htmlText, MAX_NOTE, plainText } from './ticket-parts.ts';

const Author = optionalObject({
  type: optionalText(50),
  id: optionalId,
  name: optionalText(200),
  email: optionalText(320),
});

/** The content of a message: text or Markdown, or HTML. */
const content = {
  text: optionalText(MAX_NOTE),
  html: optionalText(MAX_NOTE),
  author: Author,
  /** Whether the customer sees it; true when absent. */
  public: z.boolean().nullish().catch(false),
  created_at: optionalTime,
  /** Header fields of the mail that it came in, by name: an automatic mail is recognised by them. */
  headers: mailHeaders,
};

const StandardMessage = z.object({ id: RecordId, ...content });

/**
 * What a helpdesk without an adapter of its own sends as a Standard Webhook. `data` is the ticket: `ticket.created` has the first
 * message in it, `message.created` the new one under `message`. `messages`, oldest first, are those before it. Only ids are required.
 */
const TicketDelivery = z.object({
  type: z.enum(['ticket.created', 'message.created']),
  timestamp: optionalTime,
  data: z.object({
    id: RecordId,
    subject: optionalText(1000),
    ...content,
    message: StandardMessage.optional(),
    messages: listOf(StandardMessage, 200),
    /** The customer, where it is not the author. */
    customer: Author,
    channel: optionalText(100),
    tags: listOf(z.string(), 50),
    custom_fields: optionalFields,
  }),
});
type TicketData = z.infer<typeof TicketDelivery>['data'];

const OtherDelivery = z.object({
  type: z
    .string()
    .max(200)
    .regex(/^(?!(?:ticket|message)\.created$)/),
});

const StandardDelivery = z.union([TicketDelivery, OtherDelivery]);

type Content = Omit<z.infer<typeof StandardMessage>, 'id'> & { id?: string | undefined };

/** The event contains its ticket, since there is no API to read it. */
const readDelivery = (payload: z.infer<typeof StandardDelivery>): HelpdeskEvent => {
  if (!('data' in payload)) return { kind: 'ignored', reason: 'not about a new message' };
  const { type, timestamp, data } = payload;
  const written: Content | undefined =
    type === 'ticket.created' ? { ...data, id: data.message?.id } : data.message;
  if (written === undefined) return { kind: 'ignored', reason: 'without its message' };
  if (written.public === false) return { kind: 'ignored', reason: 'an internal note' };
  // Without an author the message is the customer's: the event is about them.
  if (senderOf(written) !== 'customer') return { kind: 'ignored', reason: 'not from the customer' };
  // The first message of a ticket may have no id of its own.
  const id = written.id ?? data.id;
  const message = toMessage({ ...written, id, created_at: written.created_at ?? timestamp });
  const earlier = data.messages.filter((one) => one.id !== id).map(toMessage);
  return {
    kind: 'message',
    ticketId: data.id,
    message: { id },
    ticket: toTicket(data, [...earlier, message]),
  };
};

const toTicket = (data: TicketData, messages: readonly HelpdeskMessage[]): Ticket => {
  const { id, subject, channel, tags, custom_fields: fields } = data;
  const customer = data.customer ?? data.message?.author ?? data.author;
  const about = { id, subject, customer: { id: customer?.id, name: customer?.name } };
  return ticketOf(about, messages, { channel, tags, fields });
};

const senderOf = ({ author }: Content): HelpdeskMessage['from'] => {
  const type = author?.type ?? 'customer';
  if (type === 'customer') return 'customer';
  return type === 'system' || type === 'bot' ? 'system' : 'agent';
};

const toMessage = (message: z.infer<typeof StandardMessage>): HelpdeskMessage => ({
  id: message.id,
  from: senderOf(message),
  isPublic: message.public !== false,
  text: message.text === undefined ? htmlText(message.html) : plainText(message.text),
  sentAtMs: message.created_at,
  mail: { from: message.author?.email ?? message.author?.name, headers: message.headers },
});

const operations = ({ send, now, ...connection }: ToolApi): ToolOperations => ({
  readTicket: async () => {
    throw new HelpdeskFailed(
      'Cannot read a ticket by Standard Webhooks: it is in its delivery only',
    );
  },
  findNote: async () => undefined,
  writeNote: async (ticketId, { marker, markdown, html, text }) => {
    const body = JSON.stringify({
      type: 'note.created',
      timestamp: new Date(now()).toISOString(),
      data: { ticket_id: ticketId, marker, internal: true, markdown, html, text },
    });
    const headers = await signedHeaders(body, {
      secret: signingSecret(connection),
      id: marker,
      now: now(),
    });
    await send({ action: 'write a note', method: 'POST', path: '', body, headers });
    return marker;
  },
});

/**
 * Headers of a Standard Webhook (1.0.0) that we send.
 *
 * @param secret `whsec_` and base64, or base64 alone.
 * @param id The same for every attempt, so that the receiver can recognise a repeated delivery.
 * @param now Milliseconds since 1970.
 */
const signedHeaders = async (
  body: string,
  { secret, id, now }: { secret: string; id: string; now: number },
): Promise<Record<string, string>> => {
  const key = decodeBase64(secret.replace(/^whsec_/, ''));
  if (key === undefined || key.length === 0) {
    throw new HelpdeskFailed(
      'Cannot write a note by Standard Webhooks: the secret is not base64 after whsec_',
    );
  }
  const timestamp = String(Math.floor(now / 1000));
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const imported = await crypto.subtle.importKey('raw', key, algorithm, false, ['sign']);
  const digest = new Uint8Array(
    await crypto.subtle.sign('HMAC', imported, utf8(`${id}.${timestamp}.${body}`)),
  );
  const signature = btoa(String.fromCharCode(...digest));
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
};

/** The secret of the API, else the newest shared one; a public key cannot sign. */
const signingSecret = ({ apiToken, secrets }: Pick<ToolApi, 'apiToken' | 'secrets'>): string => {
  const secret = apiToken ?? secrets.find((one) => !one.startsWith('whpk_'));
  if (secret !== undefined) return secret;
  throw new HelpdeskFailed(
    'Cannot write a note by Standard Webhooks: the connection has no secret to sign with',
  );
};

/**
 * Any other helpdesk, by Standard Webhooks in both directions. Notes go to the connection's `apiUrl` as `note.created`. The id of that
 * delivery is the note's marker, so that the receiver can drop repeated ones: `findNote` cannot know, and finds none.
 */
export const standard = defineTool({
  id: 'standard',
  name: 'Standard Webhooks',
  signatures: [STANDARD_WEBHOOKS, STANDARD_WEBHOOKS_PUBLIC_KEY],
  delivery: StandardDelivery,
  read: readDelivery,
  headers: () => ({}),
  operations,
});
