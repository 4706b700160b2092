import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Delivery } from '../../../src/support/tools/helpdesk-tool.ts';
import { standard } from '../../../src/support/tools/standard.ts';
import {
  type LocalServer,
  startLocalServer,
} from '../../../tools/stand-ins/server/local-server.ts';
import { noteOf } from './note-of.ts';
import { madeUp } from './payload.ts';
import { verifyDelivery } from './verify-delivery.ts';

const SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
const PUBLIC_KEY = 'whpk_6kpsY+KcUgq+9VB7Ey7F+ZVHdq6+vnuSQh7qaRRG0iw=';
const OWN = 'whsec_//79/Pv6+fj39vX08/Lx8O/u7ezr6uno5+bl5OPi4eA=';
const now = 1_768_473_000_000;

describe('Standard Webhooks, against a receiver', () => {
  let server: LocalServer;
  beforeAll(async () => {
    server = await startLocalServer({
      handle: () => ({ status: 202, body: 'thanks' }),
      refusal: () => ({}),
    });
  });
  afterAll(() => server.stop());
  const signal = AbortSignal.timeout(20_000);
  const open = (secrets = [SECRET], apiToken?: string) =>
    standard.client(
      { secrets, apiUrl: `${server.url}/notes`, apiToken, options: {} },
      { fetch, now: () => now },
    );
  const write = (client = open()) => client.writeNote('tkt_1', noteOf(), { signal });
  const received = (): Delivery => {
    const { headers, body, path } = server.requests.at(-1) ?? { headers: {}, body: '', path: '' };
    expect(path).toBe('/notes');
    return madeUp(body, headers as Record<string, string>);
  };
  it.each([
    ['the secret of the connection', SECRET, [SECRET], undefined],
    ['its own secret when it has one', OWN, [PUBLIC_KEY], OWN],
  ])('sends a note, whose signature is made with %s', async (_, secret, secrets, token) => {
    expect(await write(open(secrets, token))).toBe(noteOf().marker);
    const delivery = received();
    expect(await verifyDelivery(delivery, standard.signatures, { secrets: [secret], now })).toBe(
      true,
    );
    const data = {
      ticket_id: 'tkt_1',
      internal: true,
      marker: noteOf().marker,
      html: noteOf().html,
    };
    expect(JSON.parse(new TextDecoder().decode(delivery.body))).toMatchObject({
      type: 'note.created',
      data,
    });
    expect(standard.read(delivery)[0]?.kind).toBe('ignored');
  });
  it('sends the same note under the same id, so that the receiver can deduplicate', async () => {
    for (let attempt = 0; attempt < 2; attempt += 1) {
      await write();
      expect(received().headers.get('webhook-id')).toBe(noteOf().marker);
    }
  });
  it.each([
    [PUBLIC_KEY, 'the connection has no secret to sign with'],
    ['no base64!', 'the secret is not base64'],
  ])('names the problem of the secret %s', (secret, problem) =>
    expect(write(open([secret]))).rejects.toThrow(problem),
  );
  it('neither reads a ticket nor finds a note', async () => {
    await expect(open().readTicket('t', { signal })).rejects.toThrow('it is in its delivery only');
    expect(await open().findNote('t', 'cn', { signal })).toBeUndefined();
  });
  it('reports a receiver that is gone as permanent', async () => {
    server.faults.next(1, { kind: 'status', status: 410 });
    await expect(write()).rejects.toMatchObject({ isTransient: false });
  });
});
