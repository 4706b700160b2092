import type { HelpdeskMessage, Ticket } from '../helpdesk-tool.ts';

/** What the ticket's record knows: which messages are dealt with, which are notes of ours. */
export interface KnownMessages {
  hasNote(messageId: string): boolean;
  isOwnNote(messageId: string): boolean;
}

/** A tool's clock may be behind ours by so much, or a message may have waited for its delivery. */
const BEFORE_DELIVERY_MS = 120_000;

/**
 * Messages of the customer that call for a note, oldest first. What a message says does not make it a note of ours: an agent may have
 * sent a customer a piece of one, who quotes it.
 */
export const customerMessages = (ticket: Ticket, known: KnownMessages): HelpdeskMessage[] =>
  ticket.messages.filter(({ id, from, isPublic }) => from === 'customer' && isPublic && !known.isOwnNote(id));

/**
 * The messages that a delivery is about, by their ids. `first` is the first of the customer. `latest` is the newest, and with it
 * those that came since the newest one that has a note; where none has one, those of the last two minutes before the delivery:
 * two messages in quick succession may come as deliveries that tell no ids, and each calls for a note.
 */
export const chooseMessages = (
  about: 'first' | 'latest',
  messages: readonly HelpdeskMessage[],
  { known, acceptedAt }: { known: KnownMessages; acceptedAt: number },
): string[] => {
  if (about === 'first') return messages.slice(0, 1).map(({ id }) => id);
  const lastNoted = messages.findLastIndex(({ id }) => known.hasNote(id));
  const later = messages.slice(lastNoted + 1);
  const isRecent = ({ sentAtMs }: HelpdeskMessage) =>
    sentAtMs !== undefined && sentAtMs >= acceptedAt - BEFORE_DELIVERY_MS;
  const chosen = lastNoted >= 0 ? later : later.filter((message, at) => at === later.length - 1 || isRecent(message));
  return chosen.map(({ id }) => id);
};
