import { readHtml } from '../../documents/read-html.ts';
import { automaticMail, type MailSigns } from '../../language/automatic-mail.ts';
import { readMail } from '../../language/mail.ts';
import type { HelpdeskEvent, HelpdeskMessage, Ticket } from './helpdesk-tool.ts';

/** Characters of a message (`HelpdeskMessage`). */
const MAX_TEXT = 32_000;
/** Characters of a message in HTML before the conversion to text, which takes about 50 ms for as much. */
const MAX_HTML = 128_000;
/** Characters that are read of a message or note: the marker is in the last line. Chatwoot accepts 150,000. */
export const MAX_NOTE = 256_000;
/** Messages of a ticket, the newest. */
export const MAX_MESSAGES = 200;

/** The text of a message in plain text or Markdown. */
export function plainText(text: string | undefined): string {
  return (text ?? '').trim().replaceAll('\r\n', '\n').slice(0, MAX_TEXT).toWellFormed();
}

/** The text of a message in HTML, which is cut after 128,000 characters. */
export function htmlText(html: string | undefined): string {
  return html === undefined
    ? ''
    : plainText(readHtml(html.slice(0, MAX_HTML), { isPage: false }).text);
}

/** The event of a message whose delivery already shows that it is automatic mail; undefined for others. */
export function ignoredMail(
  signs: MailSigns,
  { ticketId, messageId, text }: { ticketId: string; messageId: string; text: string },
): HelpdeskEvent | undefined {
  const reason = automaticMail(signs, text);
  return reason === undefined
    ? undefined
    : { kind: 'ignored', reason, listed: { ticketId, messageId, reason } };
}

/** Whether one of the texts contains a note's marker. */
export function contains(marker: string, ...texts: readonly (string | undefined)[]): boolean {
  return texts.some((text) => text?.includes(marker) === true);
}

/**
 * The newest 200 messages, oldest first. Messages of the same time keep their order; one without a time follows the one before it.
 * Quoted messages are removed, except from the first message: what it quotes is nowhere else in the ticket.
 */
export function inOrder(messages: readonly HelpdeskMessage[]): HelpdeskMessage[] {
  let time = 0;
  const timed = messages.map((message) => {
    time = message.sentAtMs ?? time;
    return { message, time };
  });
  return timed
    .toSorted((one, other) => one.time - other.time)
    .slice(-MAX_MESSAGES)
    .map(({ message }, at) =>
      at === 0 ? message : { ...message, text: readMail(message.text).own },
    );
}

export interface TicketFacts {
  channel?: string | undefined;
  tags?: readonly string[] | undefined;
  /** Custom fields by name or id. */
  fields?: Readonly<Record<string, unknown>> | undefined;
  /** Names of files that the customer sent, oldest first. */
  attachments?: readonly string[] | undefined;
  /** Name or id of the field with the product: option `productField` of a connection. */
  productField?: string | undefined;
}

/**
 * What a helpdesk knows about a ticket besides its messages: `channel`, at most 20 `attachments`, 50 `tags`, 40 `fields` with primitive
 * values, and `product`: the field named by `productField`, else one named product, device or model. At most 12,000 characters of JSON.
 */
export function ticketMetadata({
  channel,
  tags = [],
  fields = {},
  attachments = [],
  productField,
}: TicketFacts): Ticket['metadata'] {
  const plain = plainFields(fields);
  const isProduct = (name: string) =>
    productField === undefined ? /^(?:product|device|model)$/i.test(name) : name === productField;
  const product = Object.entries(plain).find(([name]) => isProduct(name))?.[1];
  return {
    ...(channel === undefined ? {} : { channel: channel.slice(0, 100) }),
    ...(typeof product === 'string' ? { product: product.slice(0, 200) } : {}),
    ...(attachments.length === 0
      ? {}
      : { attachments: shortNames(attachments.slice(-20), { each: 200, all: 3000 }) }),
    ...(tags.length === 0 ? {} : { tags: shortNames(tags.slice(0, 50), { each: 100, all: 3000 }) }),
    ...(Object.keys(plain).length === 0 ? {} : { fields: plain }),
  };
}

const shortNames = (
  names: readonly string[],
  { each, all }: { each: number; all: number },
): string[] =>
  within(
    names.map((name) => name.slice(0, each).toWellFormed()),
    all,
  );

const MAX_FIELDS_LENGTH = 4000;

const plainFields = (
  fields: Readonly<Record<string, unknown>>,
): Record<string, string | number | boolean> => {
  const plain = Object.entries(fields).flatMap(
    ([name, value]): [string, string | number | boolean][] => {
      if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean')
        return [];
      if (value === '' || name === '__proto__' || name.length > 100) return [];
      return [[name, typeof value === 'string' ? value.slice(0, 500).toWellFormed() : value]];
    },
  );
  return Object.fromEntries(within(plain.slice(0, 40), MAX_FIELDS_LENGTH));
};

/** The first items that fit into so many characters of JSON. */
const within = <T>(items: readonly T[], maxLength: number): T[] => {
  let length = 0;
  const over = items.findIndex((item) => {
    length += JSON.stringify(item).length;
    return length > maxLength;
  });
  return over === -1 ? [...items] : items.slice(0, over);
};
