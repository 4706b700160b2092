import { beforeEach, describe, expect, it } from 'vitest';
import { gorgias } from '../../../src/helpdesk/tools/gorgias.ts';
import { noteOf } from '../note-of.ts';
import { changed, madeUp, sampleDelivery } from '../payload.ts';
import { describeDeliveries } from './describe-deliveries.ts';
import { serverForTest } from './server-for-test.ts';

const created = sampleDelivery('gorgias-ticket-message-created.json');

const fromAgent = (word: string) => changed(created, '"from_agent": false', `"from_agent": "${word}"`);
const OWN = sampleDelivery('gorgias-ticket-message-created-own-note.json');
describeDeliveries(gorgias, [
  ['a message of the customer', created, '48392011 #120033445'],
  ['a word in place of false', fromAgent('False'), '48392011 #120033445'],
  ['our own note', OWN, 'ignored: an internal note'],
  ['a message of an agent', fromAgent('true'), 'ignored: from an agent'],
  ['a template that names the ticket alone', madeUp({ ticket: { id: 5 } }), '5 latest'],
  ['ids with zeros before them', madeUp({ ticket: { id: '05' }, message: { id: '007' } }), '5 #7'],
]);

describe('Gorgias, against its API', () => {
  let messages: Record<string, unknown>[] = [];
  const authorization = `Basic ${Buffer.from('bot@support.example.com:key').toString('base64')}`;
  const server = serverForTest(({ method, path, body, headers }) => {
    if (headers.authorization !== authorization) return { status: 401, body: {} };
    if (method === 'POST' && path === '/api/tickets/48392011/messages') {
      const added = { id: 500 + messages.length, created_datetime: '2026-01-15T10:30:20.000000' };
      const message = { ...JSON.parse(body), ...added };
      messages.push(message);
      return { status: 201, body: message };
    }
    if (path !== '/api/tickets/48392011') return { status: 404, body: {} };
    const ticket = { subject: 'Twice', channel: 'email', customer: { id: 778812, name: 'Dana Ortiz' } };
    return { status: 200, body: { ...ticket, tags: [{ name: 'billing' }], messages } };
  });
  beforeEach(() => {
    const text = { stripped_text: 'Help.', body_text: 'Help.\n> old', attachments: [{ name: 'debug.log' }] };
    const sent = { channel: 'email', from_agent: false, public: true, created_datetime: '2026-01-15T10:29:58.120000' };
    messages = [{ id: 1, ...sent, ...text }];
  });

  const open = () =>
    gorgias.client(
      { secrets: ['t'], apiUrl: server().url, apiToken: 'key', options: { email: 'bot@support.example.com' } },
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
    const note = { channel: 'internal-note', public: false, from_agent: true, external_id: marker };
    expect(messages.at(-1)).toMatchObject(note);
    expect(await client.findNote('48392011', marker, { signal })).toBe(id);
    const { messages: read } = await client.readTicket('48392011', { signal });
    expect(read.at(-1)).toMatchObject({ from: 'agent', isPublic: false });
  });
});
