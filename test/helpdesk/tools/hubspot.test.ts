import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type LocalServer, startLocalServer } from '../../../src/dev/stand-ins/server/local-server.ts';
import { DeliveryUnreadable } from '../../../src/helpdesk/helpdesk-tool.ts';
import { hubspot } from '../../../src/helpdesk/tools/hubspot.ts';
import { noteOf } from '../note-of.ts';
import { changed, madeUp, payload, sampleDelivery } from '../payload.ts';

const one = sampleDelivery('hubspot-conversation-new-message.json');
const batch = sampleDelivery('hubspot-conversation-new-message-batch.json');

describe('what HubSpot delivers', () => {
  it('is a new message of a conversation', () => {
    const message = { id: '9b38dc6d5b5744a788931a9cf3a7b225' };
    expect(hubspot.read(one)).toEqual([{ kind: 'message', ticketId: '6065362089', message }]);
  });

  it('is several at once, of which comments are ignored', () => {
    expect(hubspot.read(batch)).toEqual([
      { kind: 'message', ticketId: '6065362089', message: { id: '9b38dc6d5b5744a788931a9cf3a7b226' } },
      { kind: 'ignored', reason: 'a comment' },
    ]);
  });

  it('is read on past an event that cannot be', () => {
    const [event] = JSON.parse(new TextDecoder().decode(one.body));
    const kinds = hubspot.read(madeUp([7, null, { ...event, objectId: '../x' }, event])).map(({ kind }) => kind);
    expect(kinds).toEqual(['ignored', 'ignored', 'ignored', 'message']);
  });

  it('is at most a hundred events', () => {
    expect(() => hubspot.read(madeUp(Array(101).fill({})))).toThrow(DeliveryUnreadable);
  });

  it('keeps a thread beyond 2^53', () => {
    const [event] = hubspot.read(changed(one, '6065362089', '9007199254740993'));
    expect(event).toMatchObject({ ticketId: '9007199254740993' });
  });
});

describe('HubSpot, against its API', () => {
  const THREAD = '/conversations/v3/conversations/threads/6065362089/messages';
  const sample = JSON.parse(new TextDecoder().decode(payload('hubspot-thread-message.json'))) as Record<
    string,
    unknown
  >;
  let messages: Record<string, unknown>[] = [];
  let server: LocalServer;
  beforeAll(async () => {
    server = await startLocalServer({
      handle: ({ method, path, query, body, headers }) => {
        if (headers.authorization !== 'Bearer key') return { status: 401, body: {} };
        if (path === `${THREAD}/${sample.id}/original-content`) return { status: 200, body: { text: 'All of it.' } };
        if (path !== THREAD) return { status: 404, body: {} };
        if (method === 'POST') {
          const message = {
            ...JSON.parse(body),
            id: `note${messages.length}`,
            createdAt: '2026-01-15T11:00:00Z',
            senders: [],
          };
          messages.push(message);
          return { status: 201, body: message };
        }
        const from = Number(query.get('after') ?? 0);
        const next = from + 100 < messages.length ? { paging: { next: { after: String(from + 100) } } } : {};
        return { status: 200, body: { results: messages.slice(from, from + 100), ...next } };
      },
      refusal: () => ({}),
    });
  });
  afterAll(() => server.stop());
  beforeEach(() => {
    messages = [{ ...sample, attachments: [{ name: 'debug.log' }] }];
  });

  const open = (options: Record<string, string> = {}) =>
    hubspot.client({ secrets: ['s'], apiUrl: server.url, apiToken: 'key', options }, { fetch, now: Date.now });
  const signal = AbortSignal.timeout(20_000);

  it('reads messages and comments, whatever their order, and nothing of changes', async () => {
    const reply = { ...sample, id: 'r1', direction: 'OUTGOING', text: 'Done.', createdAt: '2026-01-15T12:00:00Z' };
    const comment = { id: 'c1', type: 'COMMENT', text: 'A regular.', createdAt: '2026-01-15T11:30:00Z' };
    messages = [reply, { id: 'a1', type: 'ASSIGNMENT' }, comment, ...messages];
    const ticket = await open().readTicket('6065362089', { signal });
    expect(ticket.messages.map(({ id, from, isPublic }) => [id, from, isPublic])).toEqual([
      ['9b38dc6d5b5744a788931a9cf3a7b225', 'customer', true],
      ['c1', 'agent', false],
      ['r1', 'agent', true],
    ]);
    expect(ticket).toMatchObject({
      subject: 'Charged twice for order LB-20417',
      customer: { id: 'V-8842', name: 'Dana Ortiz' },
      metadata: { attachments: ['debug.log'] },
    });
  });

  it('reads on to the newest of many', async () => {
    const at = (number: number) => new Date(Date.UTC(2026, 0, 15, 10, 30, number)).toISOString();
    messages = Array.from({ length: 230 }, (_, number) => ({ ...sample, id: `m${number}`, createdAt: at(number) }));
    const ticket = await open().readTicket('6065362089', { signal });
    expect(ticket.messages).toHaveLength(200);
    expect(ticket.messages.at(-1)?.id).toBe('m229');
  });

  it('asks for the whole of a text that was cut', async () => {
    messages = [{ ...sample, text: 'All', truncationStatus: 'TRUNCATED' }];
    expect((await open().readTicket('6065362089', { signal })).messages[0]?.text).toBe('All of it.');
  });

  it('takes no message of its own for a customer', async () => {
    const [message] = (await open({ actorId: 'V-8842' }).readTicket('6065362089', { signal })).messages;
    expect(message?.from).toBe('agent');
  });

  it('writes a comment, which the customer never sees, and finds it again', async () => {
    const client = open();
    const { marker } = noteOf();
    messages.push({ ...sample, id: 'm9', text: `I saw ${marker}` });
    expect(await client.findNote('6065362089', marker, { signal })).toBeUndefined();
    const id = await client.writeNote('6065362089', noteOf(), { signal });
    expect(messages.at(-1)).toMatchObject({ id, type: 'COMMENT' });
    expect(await client.findNote('6065362089', marker, { signal })).toBe(id);
  });
});
