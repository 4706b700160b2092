import { describe, expect, it } from 'vitest';
import type { Delivery } from '../../../src/helpdesk/helpdesk-tool.ts';
import { standard } from '../../../src/helpdesk/tools/standard.ts';
import { noteOf } from '../note-of.ts';
import { madeUp, sampleDelivery } from '../payload.ts';
import { verifyDelivery } from '../verify-delivery.ts';
import { serverForTest } from './server-for-test.ts';

const SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';

describe('a Standard Webhook', () => {
  it('is a created ticket, complete', () => {
    const sample = sampleDelivery('standard-webhooks-ticket-created.json');
    expect(standard.read(sample)).toEqual([
      {
        kind: 'message',
        ticketId: 'tkt_20417',
        message: { id: 'tkt_20417' },
        ticket: {
          id: 'tkt_20417',
          subject: 'Charged twice for order LB-20417',
          customer: { id: undefined, name: 'Dana Ortiz' },
          messages: [
            {
              ...{ id: 'tkt_20417', from: 'customer', isPublic: true },
              ...{
                text: expect.stringMatching(/^Hi, I was charged twice/),
                sentAtMs: Date.parse('2026-01-15T10:29:58.120Z'),
              },
            },
          ],
          metadata: { channel: 'email', tags: ['billing'], fields: { order_number: 'LB-20417' } },
        },
      },
    ]);
  });
  it('is a message, with those before it', () => {
    const author = { type: 'customer', name: 'Dana' };
    const [event] = standard.read(
      madeUp({
        type: 'message.created',
        timestamp: '2026-01-15T11:00:00Z',
        data: {
          id: 't1',
          subject: 'Twice',
          message: { id: 'm3', html: '<p>And <b>now</b>?</p>', author },
          messages: [
            { id: 'm1', text: 'Help.', author, created_at: '2026-01-15T10:00:00Z' },
            { id: 'm2', text: 'A note.', author: { type: 'agent' }, public: false, created_at: '2026-01-15T10:30:00Z' },
          ],
        },
      }),
    );
    expect(event).toMatchObject({ ticketId: 't1', message: { id: 'm3' }, ticket: { customer: { name: 'Dana' } } });
    const messages = event?.kind === 'message' ? event.ticket?.messages : [];
    expect(messages?.map(({ id, from, isPublic, text }) => [id, from, isPublic, text])).toEqual([
      ['m1', 'customer', true, 'Help.'],
      ['m2', 'agent', false, 'A note.'],
      ['m3', 'customer', true, 'And **now**?'],
    ]);
  });
  it.each([
    ['of an agent', { message: { id: 'm', author: { type: 'agent' } } }],
    ['of a machine', { message: { id: 'm', author: { type: 'bot' } } }],
    ['internal', { message: { id: 'm', author: { type: 'customer' }, public: false } }],
    ['without a message', {}],
    ['of another type', { text: 'x' }, 'note.created'],
  ])('is ignored when it is %s', (_, more, type = 'message.created') => {
    expect(standard.read(madeUp({ type, data: { id: 't', ...more } }))[0]?.kind).toBe('ignored');
  });
});

describe('Standard Webhooks, against a receiver', () => {
  const server = serverForTest(() => ({ status: 202, body: 'thanks' }));
  const signal = AbortSignal.timeout(20_000);
  const open = (secrets = [SECRET], apiToken: string | undefined = undefined) =>
    standard.client(
      { secrets, apiUrl: `${server().url}/notes`, apiToken, options: {} },
      { fetch, now: () => 1_768_473_000_000 },
    );
  const isVerified = (delivery: Delivery, secret: string) =>
    verifyDelivery(delivery, standard.signatures, { secrets: [secret], now: 1_768_473_000_000 });
  const received = (): Delivery => {
    const { headers, body, path } = server().requests.at(-1) ?? { headers: {}, body: '', path: '' };
    expect(path).toBe('/notes');
    return madeUp(body, headers as Record<string, string>);
  };
  it('sends a note whose signature the receiver can verify', async () => {
    expect(await open().writeNote('tkt_1', noteOf(), { signal })).toBe(noteOf().marker);
    const delivery = received();
    expect(await isVerified(delivery, SECRET)).toBe(true);
    expect(JSON.parse(new TextDecoder().decode(delivery.body))).toMatchObject({
      type: 'note.created',
      data: { ticket_id: 'tkt_1', internal: true, marker: noteOf().marker, html: noteOf().html },
    });
  });
  it('sends the same note under the same id, so that the receiver can deduplicate', async () => {
    for (let attempt = 0; attempt < 2; attempt += 1) {
      await open().writeNote('tkt_1', noteOf(), { signal });
      expect(received().headers.get('webhook-id')).toBe(noteOf().marker);
    }
  });
  it('signs with its own secret when it has one', async () => {
    const own = 'whsec_//79/Pv6+fj39vX08/Lx8O/u7ezr6uno5+bl5OPi4eA=';
    await open(['whpk_6kpsY+KcUgq+9VB7Ey7F+ZVHdq6+vnuSQh7qaRRG0iw='], own).writeNote('t', noteOf(), { signal });
    expect(await isVerified(received(), own)).toBe(true);
  });
  it('names the problem when there is no usable secret to sign with', async () => {
    const failed = open(['whpk_6kpsY+KcUgq+9VB7Ey7F+ZVHdq6+vnuSQh7qaRRG0iw=']).writeNote('t', noteOf(), { signal });
    await expect(failed).rejects.toThrow('the connection has no secret to sign with');
    await expect(open(['no base64!']).writeNote('t', noteOf(), { signal })).rejects.toThrow('the secret is not base64');
  });
  it('neither reads a ticket nor finds a note', async () => {
    await expect(open().readTicket('t', { signal })).rejects.toThrow('it is in its delivery only');
    expect(await open().findNote('t', 'cn', { signal })).toBeUndefined();
  });
  it('reports a receiver that is gone as permanent', async () => {
    server().faults.next(1, { kind: 'status', status: 410 });
    await expect(open().writeNote('t', noteOf(), { signal })).rejects.toMatchObject({ isTransient: false });
  });
  it('ignores its own deliveries', async () => {
    await open().writeNote('tkt_1', noteOf(), { signal });
    expect(standard.read(received())[0]?.kind).toBe('ignored');
  });
});
