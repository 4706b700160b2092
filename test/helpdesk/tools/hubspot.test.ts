import { beforeEach, describe, expect, it } from 'vitest';
import { DeliveryUnreadable } from '../../../src/helpdesk/helpdesk-tool.ts';
import { hubspot } from '../../../src/helpdesk/tools/hubspot.ts';
import { noteOf } from '../note-of.ts';
import { changed, madeUp, payload, sampleDelivery } from '../payload.ts';
import { describeDeliveries } from './describe-deliveries.ts';
import { serverForTest } from './server-for-test.ts';

const one = sampleDelivery('hubspot-conversation-new-message.json');
const batch = sampleDelivery('hubspot-conversation-new-message-batch.json');

const [event] = JSON.parse(new TextDecoder().decode(one.body));
const BROKEN = madeUp([7, null, { ...event, objectId: '../x' }, event]);
const ODD = 'ignored: an event that is not as documented';
const NO_IDS = 'ignored: a message without its ids';
describeDeliveries(hubspot, [
  ['a new message of a conversation', one, '6065362089 #9b38dc6d5b5744a788931a9cf3a7b225'],
  ['several at once', batch, '6065362089 #9b38dc6d5b5744a788931a9cf3a7b226', 'ignored: a comment'],
  ['the events after a malformed one', BROKEN, ODD, ODD, NO_IDS, '6065362089 #9b38dc6d5b5744a788931a9cf3a7b225'],
  [
    'a thread beyond 2^53',
    changed(one, '6065362089', '9007199254740993'),
    '9007199254740993 #9b38dc6d5b5744a788931a9cf3a7b225',
  ],
]);

it('reads at most a hundred events', () => {
  expect(() => hubspot.read(madeUp(Array(101).fill({})))).toThrow(DeliveryUnreadable);
});

describe('HubSpot, against its API', () => {
  const THREAD = '/conversations/v3/conversations/threads/6065362089/messages';
  const sample: Record<string, unknown> = JSON.parse(new TextDecoder().decode(payload('hubspot-thread-message.json')));
  let messages: Record<string, unknown>[] = [];
  const server = serverForTest(({ method, path, query, body, headers }) => {
    if (headers.authorization !== 'Bearer key') return { status: 401, body: {} };
    if (path === `${THREAD}/${sample.id}/original-content`) return { status: 200, body: { text: 'All of it.' } };
    if (path !== THREAD) return { status: 404, body: {} };
    if (method === 'POST') {
      const added = { id: `note${messages.length}`, createdAt: '2026-01-15T11:00:00Z', senders: [] };
      const message = { ...JSON.parse(body), ...added };
      messages.push(message);
      return { status: 201, body: message };
    }
    const from = Number(query.get('after') ?? 0);
    const next = from + 100 < messages.length ? { paging: { next: { after: String(from + 100) } } } : {};
    return { status: 200, body: { results: messages.slice(from, from + 100), ...next } };
  });
  beforeEach(() => {
    messages = [{ ...sample, attachments: [{ name: 'debug.log' }] }];
  });

  const open = (options: Record<string, string> = {}) =>
    hubspot.client({ secrets: ['s'], apiUrl: server().url, apiToken: 'key', options }, { fetch, now: Date.now });
  const signal = AbortSignal.timeout(20_000);
  it('reads messages and comments in order, and omits assignments', async () => {
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
  it('fetches the whole text of a truncated message', async () => {
    messages = [{ ...sample, text: 'All', truncationStatus: 'TRUNCATED' }];
    expect((await open().readTicket('6065362089', { signal })).messages[0]?.text).toBe('All of it.');
  });
  it('reads its own message as from an agent', async () => {
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
