import { describe, expect, it } from 'vitest';
import type { Delivery, HelpdeskEvent, HelpdeskTool } from '../../../src/helpdesk/helpdesk-tool.ts';

const inWords = (event: HelpdeskEvent): string => {
  if (event.kind === 'ignored') return `ignored: ${event.reason}`;
  if (event.kind === 'article') return `article ${event.articleId} ${event.change}`;
  const message = typeof event.message === 'string' ? event.message : `#${event.message.id}`;
  return `${event.ticketId} ${message}${event.ticket === undefined ? '' : ' with its ticket'}`;
};

/** What a tool reads from deliveries: `7 #3` is the message 3 of the ticket 7. */
export const describeDeliveries = (
  tool: HelpdeskTool,
  rows: readonly (readonly [title: string, delivery: Delivery, ...events: string[]])[],
): void => {
  describe(`a delivery of ${tool.name}`, () => {
    for (const [title, delivery, ...events] of rows)
      it(`is read: ${title}`, () => expect(tool.read(delivery).map(inWords)).toEqual(events));
  });
};
