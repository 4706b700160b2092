import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LocalServer, startLocalServer } from '../../../src/dev/stand-ins/server/local-server.ts';
import type { Delivery } from '../../../src/helpdesk/helpdesk-tool.ts';
import { verifyDelivery } from '../../../src/helpdesk/signatures.ts';
import { standard } from '../../../src/helpdesk/tools/standard.ts';
import { noteOf } from '../note-of.ts';
import { madeUp, payload, sampleDelivery } from '../payload.ts';

const SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';

describe('what comes as a Standard Webhook', () => {
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
              id: 'tkt_20417',
              from: 'customer',
              isPublic: true,
              text: expect.stringMatching(/^Hi, I was charged twice/),
              sentAtMs: Date.parse('2026-01-15T10:29:58.120Z'),
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

  it('is ignored when it is of an agent, of a machine, internal or of another type', () => {
    const message = (given: object) =>
      madeUp({ type: 'message.created', data: { id: 't', message: { id: 'm', ...given } } });
    for (const delivery of [
      message({ author: { type: 'agent' } }),
      message({ author: { type: 'bot' } }),
      message({ author: { type: 'customer' }, public: false }),
      madeUp({ type: 'message.created', data: { id: 't' } }),
      madeUp({ type: 'note.created', data: { id: 't', text: 'x' } }),
    ]) {
      expect(standard.read(delivery)[0]?.kind).toBe('ignored');
    }
  });
});

describe('Standard Webhooks, against a receiver', () => {
  let server: LocalServer;
  beforeAll(async () => {
    server = await startLocalServer({ handle: () => ({ status: 202, body: 'thanks' }), refusal: () => ({}) });
  });
  afterAll(() => server.stop());
  const signal = AbortSignal.timeout(20_000);
  const open = (secrets = [SECRET], apiToken: string | undefined = undefined) =>
    standard.client(
      { secrets, apiUrl: `${server.url}/notes`, apiToken, options: {} },
      { fetch, now: () => 1_768_473_000_000 },
    );
  const received = (): Delivery => {
    const { headers, body, path } = server.requests.at(-1) ?? { headers: {}, body: '', path: '' };
    expect(path).toBe('/notes');
    return madeUp(body, headers as Record<string, string>);
  };

  it('sends a note that its receiver can prove', async () => {
    expect(await open().writeNote('tkt_1', noteOf(), { signal })).toBe(noteOf().marker);
    const delivery = received();
    expect(await verifyDelivery(delivery, standard.signatures, { secrets: [SECRET], now: 1_768_473_000_000 })).toBe(
      true,
    );
    expect(JSON.parse(new TextDecoder().decode(delivery.body))).toMatchObject({
      type: 'note.created',
      data: { ticket_id: 'tkt_1', internal: true, marker: noteOf().marker, html: noteOf().html },
    });
  });

  it('sends the same note under the same id, so that it is known again', async () => {
    const ids = [];
    for (let attempt = 0; attempt < 2; attempt += 1) {
      await open().writeNote('tkt_1', noteOf(), { signal });
      ids.push(received().headers.get('webhook-id'));
    }
    expect(ids).toEqual([noteOf().marker, noteOf().marker]);
  });

  it('signs with a secret of its own where it has one', async () => {
    const own = 'whsec_//79/Pv6+fj39vX08/Lx8O/u7ezr6uno5+bl5OPi4eA=';
    await open(['whpk_6kpsY+KcUgq+9VB7Ey7F+ZVHdq6+vnuSQh7qaRRG0iw='], own).writeNote('t', noteOf(), { signal });
    expect(await verifyDelivery(received(), standard.signatures, { secrets: [own], now: 1_768_473_000_000 })).toBe(
      true,
    );
  });

  it('says what is missing where there is nothing to sign with', async () => {
    const failed = open(['whpk_6kpsY+KcUgq+9VB7Ey7F+ZVHdq6+vnuSQh7qaRRG0iw=']).writeNote('t', noteOf(), { signal });
    await expect(failed).rejects.toThrow('the connection has no secret to sign with');
    await expect(open(['no base64!']).writeNote('t', noteOf(), { signal })).rejects.toThrow('the secret is not base64');
  });

  it('neither reads a ticket nor finds a note', async () => {
    await expect(open().readTicket('t', { signal })).rejects.toThrow('it is in its delivery only');
    expect(await open().findNote('t', 'cn', { signal })).toBeUndefined();
  });

  it('stops where the receiver says that it is gone', async () => {
    server.faults.next(1, { kind: 'status', status: 410 });
    await expect(open().writeNote('t', noteOf(), { signal })).rejects.toMatchObject({ isTransient: false });
  });

  it('never takes a delivery that it sent for a ticket', async () => {
    await open().writeNote('tkt_1', noteOf(), { signal });
    expect(standard.read(received())[0]?.kind).toBe('ignored');
  });
});

describe('the sample', () => {
  it('is as it was signed', () => expect(payload('standard-webhooks-ticket-created.json').length).toBeGreaterThan(100));
});
