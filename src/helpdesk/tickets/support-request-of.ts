import { isWithin } from '../../contract/json-object.ts';
import type { SupportRequest, TicketMessage } from '../../contract/support-response.ts';
import { utf8 } from '../../runtime/digest.ts';
import type { HelpdeskMessage, Ticket } from '../helpdesk-tool.ts';

const MAX_TEXT = 32_000;
const MAX_SUBJECT = 1000;
const MAX_NAME = 200;
const MAX_HISTORY = 100;
/** UTF-8 bytes: with the message and the metadata the body stays below the 256 KiB that a guarded route reads. */
const MAX_HISTORY_BYTES = 80_000;
/** As the contract has it, and a little below: the values are counted in another order there. */
const METADATA = { maxDepth: 6, maxLength: 15_000 };
const MAX_MEMBERS = 100;

/**
 * What is asked about a message: its text, what was said in public before it, and what the helpdesk knows, each within the bounds of
 * the contract. The newest messages and the first members of the metadata are kept.
 *
 * @returns Undefined when the message says nothing.
 */
export const supportRequestOf = (ticket: Ticket, message: HelpdeskMessage): SupportRequest | undefined => {
  const isFirst = ticket.messages.find(({ from }) => from === 'customer')?.id === message.id;
  // A first message may say all it has to say in its subject.
  const text = cut(message.text.trim() !== '' || !isFirst ? message.text : (ticket.subject ?? ''), MAX_TEXT);
  if (text.trim() === '') return undefined;
  const metadata = boundedMetadata(ticket.metadata);
  const history = historyBefore(ticket, message);
  return {
    message: text,
    ...(ticket.subject?.trim() ? { subject: cut(ticket.subject.trim(), MAX_SUBJECT) } : {}),
    ...(ticket.customer.name?.trim() ? { customer_name: cut(ticket.customer.name.trim(), MAX_NAME) } : {}),
    ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
    ...(history.length > 0 ? { history } : {}),
  };
};

/** Public messages of customer and agents, oldest first. Notes, ours among them, are for agents alone. */
const historyBefore = ({ messages }: Ticket, message: HelpdeskMessage): TicketMessage[] => {
  const at = messages.findIndex(({ id }) => id === message.id);
  const history: TicketMessage[] = [];
  let bytes = 0;
  for (const { from, isPublic, text, sentAtMs } of messages.slice(0, Math.max(at, 0)).reverse()) {
    if (from === 'system' || !isPublic || text.trim() === '') continue;
    const entry = { from, text: cut(text, MAX_TEXT) };
    bytes += utf8(JSON.stringify(entry)).length + 40;
    if (bytes > MAX_HISTORY_BYTES || history.length === MAX_HISTORY) break;
    history.unshift({ ...entry, ...(isTime(sentAtMs) ? { sent_at: new Date(sentAtMs).toISOString() } : {}) });
  }
  return history;
};

const boundedMetadata = (metadata: Ticket['metadata']): Record<string, unknown> => {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(metadata).slice(0, MAX_MEMBERS)) {
    if (value === undefined || name === '__proto__') continue;
    if (isWithin({ ...kept, [name]: value }, METADATA)) kept[name] = value;
  }
  return kept;
};

/** Within four digits of a year, as the contract's timestamps are. */
const isTime = (ms: number | undefined): ms is number => ms !== undefined && ms >= 0 && ms < 253_402_300_800_000;

/** No half of a surrogate pair stays behind. */
const cut = (text: string, maxLength: number): string =>
  text.length <= maxLength ? text : text.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, '');
