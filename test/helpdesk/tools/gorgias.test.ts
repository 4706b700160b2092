import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type LocalServer, startLocalServer } from '../../../src/dev/stand-ins/server/local-server.ts';
import { gorgias } from '../../../src/helpdesk/tools/gorgias.ts';
import { noteOf } from '../note-of.ts';
import { changed, madeUp, sampleDelivery } from '../payload.ts';

const created = sampleDelivery('gorgias-ticket-message-created.json');

describe('what Gorgias delivers', () => {
  it('is a message of the customer', () => {
    expect(gorgias.read(created)).toEqual([{ kind: 'message', ticketId: '48392011', message: { id: '120033445' } }]);
    const word = changed(created, '"from_agent": false', '"from_agent": "False"');
    expect(gorgias.read(word)[0]?.kind).toBe('message');
  });

  it('is ignored when it is an internal note or of an agent', () => {
    const own = gorgias.read(sampleDelivery('gorgias-ticket-message-created-own-note.json'));
    expect(own).toEqual([{ kind: 'ignored', reason: 'an internal note' }]);
    const agent = gorgias.read(changed(created, '"from_agent": false', '"from_agent": "true"'));
    expect(agent).toEqual([{ kind: 'ignored', reason: 'from an agent' }]);
  });

  it('is the latest message when the template names the ticket alone', () => {
    expect(gorgias.read(madeUp({ ticket: { id: 5 } }))).toEqual([
      { kind: 'message', ticketId: '5', message: 'latest' },
    ]);
  });

  it('is of the same ticket and message when the template writes zeros before their ids', () => {
    const zeros = madeUp({ ticket: { id: '05' }, message: { id: '007' } });
    expect(gorgias.read(zeros)).toEqual([{ kind: 'message', ticketId: '5', message: { id: '7' } }]);
  });
});

describe('Gorgias, against its API', () => {
  let messages: Record<string, unknown>[] = [];
  let server: LocalServer;
  beforeAll(async () => {
    server = await startLocalServer({
      handle: ({ method, path, body, headers }) => {
        const key = Buffer.from('bot@support.example.com:key').toString('base64');
        if (headers.authorization !== `Basic ${key}`) return { status: 401, body: {} };
        if (method === 'POST' && path === '/api/tickets/48392011/messages') {
          const message = {
            ...JSON.parse(body),
            id: 500 + messages.length,
            created_datetime: '2026-01-15T10:30:20.000000',
          };
          messages.push(message);
          return { status: 201, body: message };
        }
        if (path !== '/api/tickets/48392011') return { status: 404, body: {} };
        const customer = { id: 778812, name: 'Dana Ortiz' };
        return {
          status: 200,
          body: { subject: 'Twice', channel: 'email', customer, tags: [{ name: 'billing' }], messages },
        };
      },
      refusal: () => ({}),
    });
  });
  afterAll(() => server.stop());
  beforeEach(() => {
    const first = {
      id: 1,
      channel: 'email',
      from_agent: false,
      public: true,
      stripped_text: 'Help.',
      attachments: [{ name: 'debug.log' }],
    };
    messages = [{ ...first, body_text: 'Help.\n> old', created_datetime: '2026-01-15T10:29:58.120000' }];
  });

  const open = () =>
    gorgias.client(
      { secrets: ['t'], apiUrl: server.url, apiToken: 'key', options: { email: 'bot@support.example.com' } },
      { fetch, now: Date.now },
    );
  const signal = AbortSignal.timeout(20_000);

  it('reads the messages, and times without an offset as UTC', async () => {
    const ticket = await open().readTicket('48392011', { signal });
    expect(ticket).toMatchObject({
      subject: 'Twice',
      customer: { id: '778812', name: 'Dana Ortiz' },
      metadata: { channel: 'email', tags: ['billing'], attachments: ['debug.log'] },
      messages: [
        { id: '1', from: 'customer', isPublic: true, text: 'Help.', sentAtMs: Date.parse('2026-01-15T10:29:58.120Z') },
      ],
    });
  });

  it('writes an internal note whose own id is the marker, and finds it by that', async () => {
    const client = open();
    const { marker } = noteOf();
    expect(await client.findNote('48392011', marker, { signal })).toBeUndefined();
    const id = await client.writeNote('48392011', noteOf(), { signal });
    expect(messages.at(-1)).toMatchObject({
      channel: 'internal-note',
      public: false,
      from_agent: true,
      external_id: marker,
    });
    expect(await client.findNote('48392011', marker, { signal })).toBe(id);
    expect((await client.readTicket('48392011', { signal })).messages.at(-1)).toMatchObject({
      from: 'agent',
      isPublic: false,
    });
  });
});
