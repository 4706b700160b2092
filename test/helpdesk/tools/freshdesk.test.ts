import { beforeEach, describe, expect, it } from 'vitest';
import { freshdesk } from '../../../src/helpdesk/tools/freshdesk.ts';
import { noteOf } from '../note-of.ts';
import { madeUp, payload, sampleDelivery } from '../payload.ts';
import { describeDeliveries } from './describe-deliveries.ts';
import { serverForTest } from './server-for-test.ts';

const MADE_UP = madeUp({ ticket: { id: 7, description_text: 'made up' }, requester: { name: 'Eve' } });
describeDeliveries(freshdesk, [
  ['a new ticket', sampleDelivery('freshdesk-ticket-created.json'), '10482 first'],
  [
    'anything else, by an id that is a number or a text',
    sampleDelivery('freshdesk-ticket-updated-simple.json'),
    '10482 latest',
  ],
  ['only the ids, as every holder of the token can invent the rest', MADE_UP, '7 latest'],
  ['an id with zeros before it', madeUp({ ticket: { id: '0010482' } }), '10482 latest'],
  ['an id with zeros in the older form', madeUp({ freshdesk_webhook: { ticket_id: '010482' } }), '10482 latest'],
  ['an id of zeros', madeUp({ ticket: { id: '00' } }), '0 latest'],
]);

describe('Freshdesk, against its API', () => {
  type Entry = Record<string, unknown> & { id: number; body: string; private: boolean };
  let entries: Entry[] = [];

  const routes: Record<string, (body: string, query: URLSearchParams) => unknown> = {
    'GET /api/v2/tickets/10482': () => JSON.parse(new TextDecoder().decode(payload('freshdesk-api-ticket.json'))),
    'GET /api/v2/tickets/10482/conversations': (_, query) => {
      const page = Number(query.get('page'));
      return entries.slice((page - 1) * 100, page * 100);
    },
    'POST /api/v2/tickets/10482/notes': (body) => {
      const entry = { ...JSON.parse(body), id: 9000 + entries.length, incoming: false, user_id: 77 };
      entries.push({ ...entry, body_text: 'as text', created_at: '2026-01-15T11:00:00Z' });
      return { id: entry.id };
    },
  };
  const authorization = `Basic ${Buffer.from('key:X').toString('base64')}`;
  const server = serverForTest(({ method, path, query, body, headers }) => {
    if (headers.authorization !== authorization) return { status: 401, body: {} };
    const route = routes[`${method} ${path}`];
    return route === undefined ? { status: 404, body: {} } : { status: 200, body: route(body, query) };
  });
  beforeEach(() => {
    entries = [];
  });

  const open = (options: Record<string, string> = {}) =>
    freshdesk.client(
      { secrets: ['t'], apiUrl: server().url, apiToken: 'key', options: { productField: 'cf_device', ...options } },
      { fetch, now: Date.now },
    );
  const entry = (id: number, given: Partial<Entry>): Entry => ({
    ...{ id, body: `<p>Entry ${id}</p>`, body_text: `Entry ${id}`, private: false, incoming: true },
    ...{ user_id: 4801, created_at: '2026-01-15T10:41:00Z' },
    ...given,
  });
  const signal = AbortSignal.timeout(20_000);
  it('reads the first message from the ticket, the others from its entries', async () => {
    entries = [
      entry(1, { attachments: [{ name: 'debug.log' }, { name: null }] }),
      entry(2, { incoming: false, user_id: 77 }),
      entry(3, { incoming: false, private: true }),
    ];
    const ticket = await open().readTicket('10482', { signal });
    expect(ticket.messages.map(({ id, from, isPublic, text }) => [id, from, isPublic, text])).toEqual([
      ['ticket-10482', 'customer', true, 'I was **charged** twice.'],
      ['1', 'customer', true, 'Entry 1'],
      ['2', 'agent', true, 'Entry 2'],
      ['3', 'agent', false, 'Entry 3'],
    ]);
    expect(ticket).toMatchObject({
      subject: 'Charged twice',
      customer: { id: '4801', name: 'Dana Ortiz' },
      metadata: { channel: 'email', tags: ['billing'], product: 'Apollo II', attachments: ['photo.png', 'debug.log'] },
    });
  });
  it('reads on to the newest entries of a long ticket', async () => {
    entries = Array.from({ length: 230 }, (_, at) => entry(at + 1, {}));
    const { messages } = await open().readTicket('10482', { signal });
    expect(messages).toHaveLength(200);
    expect(messages.at(-1)?.id).toBe('230');
  });
  it('reads an entry of its own API user as from an agent', async () => {
    entries = [entry(1, { user_id: 77 })];
    const { messages } = await open({ userId: '77' }).readTicket('10482', { signal });
    expect(messages.at(-1)?.from).toBe('agent');
  });
  it('writes a private note, and finds it again', async () => {
    const client = open();
    const { marker } = noteOf();
    expect(await client.findNote('10482', marker, { signal })).toBeUndefined();
    const id = await client.writeNote('10482', noteOf(), { signal });
    const sent = server().requests.findLast(({ method }) => method === 'POST')?.body ?? '';
    expect(JSON.parse(sent)).toMatchObject({ private: true });
    expect(await client.findNote('10482', marker, { signal })).toBe(id);
  });
  it('finds no marker in what a customer sees', async () => {
    const { marker } = noteOf();
    entries = [entry(1, { body: `<p>${marker}</p>` })];
    expect(await open().findNote('10482', marker, { signal })).toBeUndefined();
  });
});
