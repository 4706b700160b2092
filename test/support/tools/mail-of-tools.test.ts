import { expect, it } from 'vitest';
import { automaticMailOf } from '../../../src/support/tickets/ticket-draft.ts';
import type {
  HelpdeskConnection,
  HelpdeskId,
  Ticket,
} from '../../../src/support/tools/helpdesk-tool.ts';
import { helpdeskTools } from '../../../src/support/tools/helpdesk-tools.ts';

const CONNECTION: HelpdeskConnection = {
  secrets: ['s'],
  apiUrl: 'https://desk.example',
  apiToken: 't',
  options: { accountId: '1', adminId: '1', email: 'desk@example.com', clientId: 'a' },
};

/** The ticket as the tool's client reads it from these replies, by a part of the address. */
const readTicket = (
  id: HelpdeskId,
  replies: Readonly<Record<string, unknown>>,
): Promise<Ticket> => {
  const fetch = async (input: RequestInfo | URL): Promise<Response> => {
    const url = new URL(input instanceof Request ? input.url : input);
    const found = Object.entries(replies).find(([part]) =>
      `${url.pathname}${url.search}`.includes(part),
    );
    return Response.json(found?.[1] ?? { access_token: 'token', expires_in: 3600 });
  };
  const client = helpdeskTools[id].client(CONNECTION, { fetch, now: () => 0 });
  return client.readTicket('1', { signal: AbortSignal.timeout(5000) });
};

const DAEMON = 'MAILER-DAEMON@mx.example';
const BOUNCE = 'Delivery Status Notification (Failure)';
const USER = { id: 5, name: 'Mail Delivery Subsystem', role: 'end-user', email: DAEMON };
const ticketOf = (via: object) => ({
  ticket: { subject: 'Help', requester_id: 5, updated_at: 'x', tags: [], via },
  users: [USER],
});
const COMMENT = { id: 7, author_id: 5, public: true, plain_body: 'Failed', attachments: [] };

/** What each tool gives beside the text, by its documentation, and the reason that follows. */
it.each<[string, HelpdeskId, Record<string, unknown>, string]>([
  [
    'the address of the author',
    'zendesk',
    {
      '/comments.json': { comments: [COMMENT], users: [USER] },
      '/tickets/1.json': ticketOf({ channel: 'email' }),
    },
    'a delivery report',
  ],
  [
    'the sender of the mail',
    'zendesk',
    {
      '/comments.json': {
        comments: [
          {
            ...COMMENT,
            via: { channel: 'email', source: { from: { address: 'no-reply@shop.example' } } },
          },
        ],
        users: [{ ...USER, email: undefined, name: 'Shop' }],
      },
      '/tickets/1.json': ticketOf({ channel: 'email' }),
    },
    'mail from an address that takes no replies',
  ],
  [
    'the address of the requester',
    'freshdesk',
    {
      '/conversations': [],
      '/tickets/1': { subject: 'Help', description_text: 'x', requester: { id: 5, email: DAEMON } },
    },
    'a delivery report',
  ],
  [
    'the sender of an entry',
    'freshdesk',
    {
      '/conversations': [
        { id: 8, body_text: 'x', incoming: true, private: false, from_email: `Mail <${DAEMON}>` },
      ],
      '/tickets/1': { subject: 'Help', source: 10, description_text: 'x' },
    },
    'a delivery report',
  ],
  [
    'the subject of the ticket',
    'freshdesk',
    {
      '/conversations': [],
      '/tickets/1': {
        subject: BOUNCE,
        description_text: 'x',
        requester: { id: 5, email: 'a@b.example' },
      },
    },
    'automatic mail',
  ],
  [
    'the header of the mail',
    'gorgias',
    {
      '/tickets/1': {
        subject: 'Help',
        messages: [
          {
            id: 7,
            from_agent: false,
            public: true,
            body_text: 'x',
            headers: { 'Auto-Submitted': 'auto-replied', 'X-Other': 7 },
          },
        ],
      },
    },
    'an automatic reply',
  ],
  [
    'the sender',
    'gorgias',
    {
      '/tickets/1': {
        messages: [
          { id: 7, from_agent: false, public: true, body_text: 'x', sender: { email: DAEMON } },
        ],
      },
    },
    'a delivery report',
  ],
  [
    'the address and the subject of a message',
    'hubspot',
    {
      '/messages': {
        results: [
          {
            id: 'm',
            type: 'MESSAGE',
            direction: 'INCOMING',
            text: 'x',
            subject: 'Re: Help',
            createdAt: '2026-01-01T00:00:00Z',
            senders: [
              { actorId: 'V-1', deliveryIdentifier: { type: 'HS_EMAIL_ADDRESS', value: DAEMON } },
            ],
          },
        ],
      },
    },
    'a delivery report',
  ],
  [
    'the header of the mail behind a thread',
    'help-scout',
    {
      '/original-source': {
        original:
          'Return-Path: <a@b.example>\r\nAuto-Submitted:\r\n auto-replied\r\n\r\nPrecedence: none',
      },
      '/threads': {
        _embedded: {
          threads: [
            {
              id: 3,
              type: 'customer',
              state: 'published',
              body: '<p>x</p>',
              source: { type: 'email' },
              createdBy: { type: 'customer', id: 5, email: 'ann@shop.example' },
            },
          ],
        },
      },
      '/conversations/1': { subject: 'Help', tags: [], customFields: [] },
    },
    'an automatic reply',
  ],
  [
    'the address of who wrote a thread',
    'help-scout',
    {
      '/threads': {
        _embedded: {
          threads: [
            {
              id: 3,
              type: 'customer',
              state: 'published',
              body: '<p>x</p>',
              createdBy: { type: 'customer', id: 5, email: DAEMON },
            },
          ],
        },
      },
      '/conversations/1': { subject: 'Help', tags: [], customFields: [] },
    },
    'a delivery report',
  ],
  [
    'the address of the author',
    'intercom',
    {
      '/conversations/1': {
        source: {
          type: 'email',
          id: '3',
          subject: 'Help',
          body: 'x',
          author: { type: 'user', id: '5', email: DAEMON },
        },
        conversation_parts: { conversation_parts: [] },
      },
    },
    'a delivery report',
  ],
  [
    'the type of the mail',
    'chatwoot',
    {
      '/messages': {
        payload: [
          {
            id: 7,
            content: 'x',
            message_type: 0,
            private: false,
            created_at: 1,
            content_attributes: {
              email: {
                content_type: 'multipart/report; report-type=delivery-status',
                from: ['a@b.example'],
              },
            },
          },
        ],
      },
      '/conversations/1': { meta: {}, labels: [] },
    },
    'a delivery report',
  ],
  [
    'its own mark',
    'zammad',
    {
      '/ticket_articles': [
        {
          id: 4,
          body: 'x',
          sender: 'Customer',
          type: 'email',
          internal: false,
          preferences: { 'is-auto-response': true },
        },
      ],
      '/tags': { tags: [] },
      '/tickets/1': { title: 'Help' },
    },
    'an automatic reply',
  ],
])('automatic mail is recognised by %s: %s', async (_, id, replies, reason) => {
  const ticket = await readTicket(id, replies);
  const message = ticket.messages.find(({ from }) => from === 'customer');
  expect(message && automaticMailOf(ticket, message)).toBe(reason);
});
it('automatic mail is recognised by the header fields that a Standard Webhook has', () => {
  const data = {
    id: 't',
    text: 'x',
    headers: { Precedence: 'auto_reply' },
    author: { type: 'customer' },
  };
  const body = new TextEncoder().encode(JSON.stringify({ type: 'ticket.created', data }));
  const [event] = helpdeskTools.standard.read({
    method: 'POST',
    url: 'https://x.example',
    headers: new Headers(),
    body,
  });
  const ticket = event?.kind === 'message' ? event.ticket : undefined;
  const [message] = ticket?.messages ?? [];
  expect(ticket && message && automaticMailOf(ticket, message)).toBe('an automatic reply');
});
