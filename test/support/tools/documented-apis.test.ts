import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { helpdeskTools } from '../../../src/support/tools/helpdesk-tools.ts';
import { DOCUMENTED_TICKETS, type DocumentedId, startDocumentedApis } from './documented-apis.ts';
import { noteOf } from './note-of.ts';
import { payloadText } from './payload.ts';

let apis: Awaited<ReturnType<typeof startDocumentedApis>>;
beforeAll(async () => {
  apis = await startDocumentedApis();
});
beforeEach(() => apis.forget());
afterAll(() => apis.stop());

const MESSAGE: object = JSON.parse(payloadText('hubspot-thread-message.json'));
interface Entry {
  id: string;
  by?: 'customer' | 'agent';
  isPublic?: boolean;
  text?: string;
  file?: string;
}

/** What differs between the tools: how an entry looks at a second, what a ticket is about, and which option names us. */
const TOOLS: Record<
  DocumentedId,
  {
    entry: (entry: Required<Entry>, second: number) => object;
    ticket: object;
    own: { entry: object; options: Record<string, string> };
    note: object;
  }
> = {
  freshdesk: {
    entry: ({ id, by, isPublic, text, file }, second) => ({
      id,
      body: `<p>${text}</p>`,
      body_text: text,
      user_id: 4801,
      private: !isPublic,
      incoming: by === 'customer',
      created_at: timeOf(second),
      attachments: [{ name: file }, { name: null }],
    }),
    ticket: {
      subject: 'Charged twice',
      customer: { id: '4801', name: 'Dana Ortiz' },
      metadata: {
        channel: 'email',
        tags: ['billing'],
        product: 'Apollo II',
        attachments: ['photo.png', '1.log'],
      },
    },
    own: { entry: {}, options: { userId: '4801' } },
    note: { private: true },
  },
  gorgias: {
    entry: ({ id, by, isPublic, text, file }, second) => ({
      id: Number(id),
      channel: isPublic ? 'email' : 'internal-note',
      from_agent: by === 'agent',
      public: isPublic,
      stripped_text: text,
      body_text: `${text}\n> old`,
      sender: { email: 'dana@example.net' },
      // Times without an offset are UTC.
      created_datetime: timeOf(second).slice(0, -1),
      attachments: [{ name: file }],
    }),
    ticket: {
      subject: 'Charged twice',
      customer: { id: '778812', name: 'Dana Ortiz' },
      metadata: { channel: 'email', tags: ['billing'], attachments: ['1.log'] },
    },
    own: { entry: { sender: { email: 'bot@example.com' } }, options: {} },
    note: {
      channel: 'internal-note',
      public: false,
      from_agent: true,
      external_id: noteOf().marker,
    },
  },
  hubspot: {
    entry: ({ id, by, isPublic, text, file }, second) => ({
      ...MESSAGE,
      id,
      type: isPublic ? 'MESSAGE' : 'COMMENT',
      text,
      createdAt: timeOf(second),
      direction: by === 'customer' ? 'INCOMING' : 'OUTGOING',
      attachments: [{ name: file }],
    }),
    ticket: {
      subject: 'Charged twice for order LB-20417',
      customer: { id: 'V-8842', name: 'Dana Ortiz' },
      metadata: { attachments: ['1.log'] },
    },
    own: { entry: {}, options: { actorId: 'V-8842' } },
    note: { type: 'COMMENT' },
  },
};
const START = Date.UTC(2026, 0, 15, 10, 30);
const timeOf = (second: number) => new Date(START + second * 1000).toISOString();

describe.each(Object.keys(TOOLS) as DocumentedId[])('the client of %s', (id) => {
  const tool = TOOLS[id];
  const ticketId = DOCUMENTED_TICKETS[id];
  const signal = AbortSignal.timeout(20_000);
  const open = (options: Record<string, string> = { productField: 'cf_device' }, token = 'key') => {
    const connection = { ...apis.connectionOf(id, options), apiToken: token };
    return helpdeskTools[id].client(connection, { fetch, now: Date.now });
  };
  const add = (...entries: Entry[]) => {
    const whole = entries.map(
      (one) => ({ by: 'customer', isPublic: true, text: `Text ${one.id}`, ...one }) as const,
    );
    for (const [at, one] of whole.entries())
      apis.entries[id].push(tool.entry({ file: `${one.id}.log`, ...one }, at));
  };
  /** Freshdesk keeps the first message in the ticket itself. */
  const entriesIn = async (client = open()) =>
    (await client.readTicket(ticketId, { signal })).messages.filter(
      (message) => !message.id.startsWith('ticket-'),
    );
  it('reads who wrote each message, what the customer sees, and what the ticket is about', async () => {
    add({ id: '1' }, { id: '2', by: 'agent' }, { id: '3', by: 'agent', isPublic: false });
    const entries = (await entriesIn()).map(({ mail: _, ...entry }) => entry);
    expect(entries).toEqual([
      { id: '1', from: 'customer', isPublic: true, text: 'Text 1', sentAtMs: START },
      { id: '2', from: 'agent', isPublic: true, text: 'Text 2', sentAtMs: START + 1000 },
      { id: '3', from: 'agent', isPublic: false, text: 'Text 3', sentAtMs: START + 2000 },
    ]);
    expect(await open().readTicket(ticketId, { signal })).toMatchObject({
      id: ticketId,
      ...tool.ticket,
    });
  });
  it('reads the newest 200 of more messages', async () => {
    add(...Array.from({ length: 230 }, (_, at) => ({ id: String(at + 1) })));
    const { messages } = await open().readTicket(ticketId, { signal });
    expect([messages.length, messages.at(-1)?.id]).toEqual([200, '230']);
  });
  it('reads a message of its own API user as from an agent', async () => {
    add({ id: '1' });
    apis.entries[id].push({ ...apis.entries[id].pop(), ...tool.own.entry });
    expect((await entriesIn(open(tool.own.options)))[0]?.from).toBe('agent');
  });
  it('writes a note that the customer never sees, and finds it by its marker alone', async () => {
    const { marker } = noteOf();
    add({ id: '1', text: `I saw ${marker}` });
    expect(await open().findNote(ticketId, marker, { signal })).toBeUndefined();
    const noteId = await open().writeNote(ticketId, noteOf(), { signal });
    expect(apis.entries[id].at(-1)).toMatchObject(tool.note);
    expect(await open().findNote(ticketId, marker, { signal })).toBe(noteId);
    const note = (await entriesIn()).find((message) => message.id === noteId);
    expect(note).toMatchObject({ from: 'agent', isPublic: false });
  });
  it('is refused with another token', async () => {
    await expect(open({}, 'other').readTicket(ticketId, { signal })).rejects.toMatchObject({
      isTransient: false,
    });
  });
});

describe('HubSpot', () => {
  const read = () => {
    const client = helpdeskTools.hubspot.client(apis.connectionOf('hubspot'), {
      fetch,
      now: Date.now,
    });
    return client.readTicket(DOCUMENTED_TICKETS.hubspot, { signal: AbortSignal.timeout(20_000) });
  };
  it('has messages in any order, and assignments, which are omitted', async () => {
    const later = { ...MESSAGE, id: 'later', createdAt: '2026-01-15T12:00:00Z' };
    apis.entries.hubspot.push(later, { id: 'a1', type: 'ASSIGNMENT' }, { ...MESSAGE, id: 'first' });
    expect((await read()).messages.map(({ id }) => id)).toEqual(['first', 'later']);
  });
  it('has truncated messages, whose whole text is fetched', async () => {
    apis.entries.hubspot.push({
      ...MESSAGE,
      id: 'long',
      text: 'All',
      truncationStatus: 'TRUNCATED',
    });
    expect((await read()).messages[0]?.text).toBe('All of it.');
  });
});

it('Freshdesk has the first message in the ticket, in HTML', async () => {
  const client = helpdeskTools.freshdesk.client(apis.connectionOf('freshdesk'), {
    fetch,
    now: Date.now,
  });
  const { messages } = await client.readTicket('10482', { signal: AbortSignal.timeout(20_000) });
  expect(messages).toMatchObject([
    { id: 'ticket-10482', from: 'customer', text: 'I was **charged** twice.' },
  ]);
});
