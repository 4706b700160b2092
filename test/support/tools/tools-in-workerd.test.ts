import { fileURLToPath } from 'node:url';
import type { Miniflare } from 'miniflare';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundle } from '../../../tools/build/bundle-function.ts';
import { oneWorker } from '../../platform/storage/worker-for-test.ts';
import { SIGNATURES } from './signature-vectors.ts';
import type { SentVector } from './tools-in-workerd.ts';

let miniflare: Miniflare;
beforeAll(async () => {
  const contents = await bundle(fileURLToPath(new URL('tools-in-workerd.ts', import.meta.url)));
  miniflare = oneWorker(contents);
});
afterAll(() => miniflare?.dispose());

const ask = async (path: string, body: string): Promise<unknown> =>
  (await miniflare.dispatchFetch(`http://localhost${path}`, { method: 'POST', body })).json();
const verify = (sent: SentVector[]) => ask('/verify', JSON.stringify(sent));

describe('in workerd', () => {
  it('every signature has the same result as in Node', async () => {
    const sent = SIGNATURES.map(
      ({ delivery: { headers, body, ...head }, schemes, secret, now }) => ({
        ...head,
        headers: Object.fromEntries(headers),
        body: [...body],
        schemes,
        secret,
        now,
      }),
    );
    const results = (await verify(sent)) as boolean[];
    const other = SIGNATURES.filter(({ isAccepted }, at) => results[at] !== isAccepted);
    expect([results.length, other.map(({ title }) => title)]).toEqual([SIGNATURES.length, []]);
  });
  it('an invalid key and a signature of another length are refused without an exception', async () => {
    const sent = [0, 1, 2, 0x7f, 0xff].flatMap((byte) =>
      [3, 63, 64, 65].map((length): SentVector => {
        const signature = `v1a,${Buffer.alloc(length, 1).toString('base64')}`;
        return {
          method: 'POST',
          url: 'https://a.example',
          body: [],
          now: 1_768_473_000_000,
          headers: {
            'webhook-id': 'm',
            'webhook-timestamp': '1768473000',
            'webhook-signature': signature,
          },
          schemes: ['STANDARD_WEBHOOKS', 'STANDARD_WEBHOOKS_PUBLIC_KEY'],
          secret: `whpk_${Buffer.alloc(32, byte).toString('base64')}`,
        };
      }),
    );
    expect(await verify(sent)).toEqual(sent.map(() => false));
  });
  it('ids beyond 2^53 stay as they are', async () => {
    const rest = '"small":7,"text":"12345678901234567890"';
    const read = await ask(
      '/parse',
      `{"id":9007199254740993,${rest},"share":0.1234567890123456789}`,
    );
    const [text, share] = ['12345678901234567890', 0.12345678901234568];
    expect(read).toEqual({ id: '9007199254740993', small: 7, text, share });
  });
});
