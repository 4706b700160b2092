import { fileURLToPath } from 'node:url';
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundle } from '../../../src/dev/build/bundle-function.ts';
import { LOCAL_DESK_IDS } from '../../../src/dev/stand-ins/helpdesks/desk/local-desk.ts';
import { type LocalHelpdesks, startHelpdesks } from '../../../src/dev/stand-ins/helpdesks/start-helpdesks.ts';
import * as schemes from '../../../src/helpdesk/signature-schemes.ts';
import { deliveryOf, LEGACY, SCHEMES, secretOf, timeOf, vectors } from '../signature-vectors.ts';
import type { SentVector } from './tools-in-workerd.ts';

let miniflare: Miniflare;
let helpdesks: LocalHelpdesks;

beforeAll(async () => {
  const contents = await bundle(fileURLToPath(new URL('tools-in-workerd.ts', import.meta.url)));
  const modules = [{ type: 'ESModule' as const, path: 'index.mjs', contents }];
  const workers = [{ name: 'tools', compatibilityDate: '2026-11-01', modules }];
  miniflare = new Miniflare(convertV4MiniflareOptions({ telemetry: { enabled: false }, workers }));
  helpdesks = await startHelpdesks();
});
afterAll(async () => {
  await miniflare?.dispose();
  await helpdesks?.stop();
});

const ask = async (path: string, body: unknown): Promise<unknown> => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await miniflare.dispatchFetch(`http://localhost${path}`, { method: 'POST', body: text });
  return response.json();
};

const namesOf = (wanted: readonly unknown[]): string[] =>
  Object.entries(schemes).flatMap(([name, scheme]) => (wanted.includes(scheme) ? [name] : []));

describe('in workerd', () => {
  it('every vector has the same result as in Node', async () => {
    const sent: SentVector[] = [];
    const expected: boolean[] = [];
    for (const vector of [...vectors.vectors, ...vectors.negative]) {
      const base = vectors.vectors.find(({ id }) => id === vector.based_on);
      const { method, url, headers, body } = deliveryOf(vector, base);
      sent.push({
        ...{ method, url, headers: Object.fromEntries(headers), body: [...body] },
        schemes: namesOf(LEGACY[vector.id] ?? SCHEMES[vector.tool] ?? []),
        secret: secretOf(vector, base),
        now: timeOf(vector),
      });
      expected.push(vector.expect !== 'rejected');
    }
    expect(sent).toHaveLength(38 + 53);
    expect(await ask('/verify', sent)).toEqual(expected);
  });
  it('an invalid key and a signature of another length are refused without an exception', async () => {
    const keys = [0, 1, 2, 0x7f, 0xff].map((byte) => `whpk_${Buffer.alloc(32, byte).toString('base64')}`);
    const sent = keys.flatMap((secret) =>
      [3, 63, 64, 65].map((length): SentVector => {
        const signature = `v1a,${Buffer.alloc(length, 1).toString('base64')}`;
        const headers = { 'webhook-id': 'm', 'webhook-timestamp': '1768473000', 'webhook-signature': signature };
        const schemes = ['STANDARD_WEBHOOKS', 'STANDARD_WEBHOOKS_PUBLIC_KEY'];
        return { method: 'POST', url: 'https://a.example', headers, body: [], schemes, secret, now: 1_768_473_000_000 };
      }),
    );
    expect(await ask('/verify', sent)).toEqual(sent.map(() => false));
  });
  it('ids beyond 2^53 stay as they are', async () => {
    const rest = '"small":7,"text":"12345678901234567890"';
    const read = await ask('/parse', `{"id":9007199254740993,${rest},"share":0.1234567890123456789}`);
    const [text, share] = ['12345678901234567890', 0.12345678901234568];
    expect(read).toEqual({ id: '9007199254740993', small: 7, text, share });
  });

  for (const id of LOCAL_DESK_IDS) {
    it(`a note is written into a ticket of ${id}`, async () => {
      const local = helpdesks.desks[id];
      const { ticketId } = local.createTicket({ message: 'My order came twice.' });
      const reply = await ask('/note', { id, connection: local.connection, ticketId });
      const [note] = local.notes(ticketId);
      expect(reply).toEqual({ texts: ['My order came twice.'], written: note?.id, found: note?.id });
    });
  }
});
