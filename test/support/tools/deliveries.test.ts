import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  type Delivery,
  DeliveryUnreadable,
  HELPDESK_IDS,
  type HelpdeskId,
} from '../../../src/support/tools/helpdesk-tool.ts';
import { helpdeskTools } from '../../../src/support/tools/helpdesk-tools.ts';
import { DELIVERIES, deliveryOf, madeUp, sampleDelivery } from './payload.ts';

/** What a tool reads: `7 #3` is the message 3 of the ticket 7. */
const readIn = (id: HelpdeskId, delivery: Delivery): string[] => {
  try {
    return helpdeskTools[id].read(delivery).map((event) => {
      if (event.kind === 'ignored') return `ignored: ${event.reason}`;
      if (event.kind === 'article') return `article ${event.articleId} ${event.change}`;
      const message = typeof event.message === 'string' ? event.message : `#${event.message.id}`;
      return `${event.ticketId} ${message}${event.ticket === undefined ? '' : ' with its ticket'}`;
    });
  } catch (error) {
    if (error instanceof DeliveryUnreadable) return ['unreadable'];
    throw error;
  }
};

describe.each(HELPDESK_IDS)('a delivery of %s', (id) => {
  it.each(DELIVERIES[id])('is read: $title', (row) =>
    expect(readIn(id, deliveryOf(row))).toEqual(row.events),
  );
});

it('a delivery of HubSpot has at most a hundred events', () => {
  expect(readIn('hubspot', madeUp(Array(100).fill({})))).toHaveLength(100);
  expect(readIn('hubspot', madeUp(Array(101).fill({})))).toEqual(['unreadable']);
});

describe('an example of docs/helpdesk-tools.md', () => {
  const page = readFileSync(new URL('../../../docs/helpdesk-tools.md', import.meta.url), 'utf8');
  const VALUES: Record<string, string> = {
    'ticket.id': '35436',
    'message.id': '77',
    'message.from_agent': 'False',
    'message.channel': 'email',
    'current_user.role': 'end-user',
  };
  /** The example that begins so, with its placeholders filled in. */
  const example = (start: string): Delivery => {
    const at = page.indexOf(start);
    if (at === -1) throw new Error(`Cannot find the example ${start}`);
    const end = start.startsWith('{\n')
      ? page.indexOf('\n}\n', at) + 2
      : at + page.slice(at).search(/`|\n/);
    return madeUp(
      page
        .slice(at, end)
        .replace(/\{\{([\w.]+)\}\}/g, (whole, name: string) => VALUES[name] ?? whole),
    );
  };
  it.each<[HelpdeskId, string, string]>([
    ['zendesk', '{ "event": "ticket.created", "ticket"', '35436 first'],
    ['freshdesk', '{ "event": "ticket_created", "ticket"', '35436 first'],
    ['gorgias', '{ "ticket": { "id"', '35436 #77'],
    ['standard', '{\n  "type": "message.created"', 'tkt_20417 #msg_2 with its ticket'],
  ])('is read, of %s', (id, start, event) => expect(readIn(id, example(start))).toEqual([event]));
  it('contains a ticket, of Standard Webhooks', () => {
    const [event] = helpdeskTools.standard.read(example('{\n  "type": "message.created"'));
    const ticket = event?.kind === 'message' ? event.ticket : undefined;
    expect(ticket?.metadata).toMatchObject({ product: 'Apollo II', channel: 'email' });
    expect(ticket?.messages.map(({ id, isPublic, text }) => [id, isPublic, text])).toEqual([
      ['msg_1', true, 'I was charged twice.'],
      ['note_1', false, 'A regular.'],
      ['msg_2', true, 'Any news?'],
    ]);
  });
});

describe('a Standard Webhook', () => {
  it('is a created ticket, complete', () => {
    const sentAtMs = Date.parse('2026-01-15T10:29:58.120Z');
    const text = expect.stringMatching(/^Hi, I was charged twice/);
    expect(
      helpdeskTools.standard.read(sampleDelivery('standard-webhooks-ticket-created.json')),
    ).toMatchObject([
      {
        ticket: {
          id: 'tkt_20417',
          subject: 'Charged twice for order LB-20417',
          customer: { name: 'Dana Ortiz' },
          messages: [{ id: 'tkt_20417', from: 'customer', isPublic: true, text, sentAtMs }],
          metadata: { channel: 'email', tags: ['billing'], fields: { order_number: 'LB-20417' } },
        },
      },
    ]);
  });
  it('is a message in HTML, with those before it', () => {
    const author = { type: 'customer', name: 'Dana' };
    const note = { id: 'm1', text: 'A note.', author: { type: 'agent' }, public: false };
    const message = { id: 'm2', html: '<p>And <b>now</b>?</p>', author };
    const data = { id: 't1', message, messages: [{ ...note, created_at: '2026-01-15T10:30:00Z' }] };
    const body = { type: 'message.created', timestamp: '2026-01-15T11:00:00Z', data };
    const messages = [
      { id: 'm1', from: 'agent', isPublic: false, text: 'A note.' },
      { id: 'm2', from: 'customer', isPublic: true, text: 'And **now**?' },
    ];
    expect(helpdeskTools.standard.read(madeUp(body))).toMatchObject([
      { ticketId: 't1', message: { id: 'm2' }, ticket: { customer: { name: 'Dana' }, messages } },
    ]);
  });
});
