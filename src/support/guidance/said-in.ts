import type { TicketReading } from '../read-ticket.ts';

/** What a customer says now: subject and message, and what the message is understood by. */
export const saidIn = ({
  subject = '',
  message,
  question,
}: Pick<TicketReading, 'subject' | 'message' | 'question'>): string =>
  [subject, message, ...(question === message ? [] : [question])].join('\n');
