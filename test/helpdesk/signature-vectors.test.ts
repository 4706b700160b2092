import { describe, expect, it } from 'vitest';
import * as schemes from '../../src/helpdesk/signature-schemes.ts';
import { madeUp, payload } from './payload.ts';
import { deliveryOf, LEGACY, SCHEMES, secretOf, timeOf, vectors } from './signature-vectors.ts';
import { verifyDelivery } from './verify-delivery.ts';

describe('verifyDelivery() on the vectors that are valid', () => {
  it('has all 38', () => expect(vectors.vectors).toHaveLength(38));

  describe.each(vectors.vectors)('$id', (vector) => {
    const legacy = LEGACY[vector.id];
    const own = legacy ?? SCHEMES[vector.tool] ?? [];
    const delivery = deliveryOf(vector);
    const verify = (given = delivery, taken = own, older: readonly string[] = []) =>
      verifyDelivery(given, taken, { secrets: [...older, secretOf(vector)], now: timeOf(vector) });
    it('is accepted, also while its secret is rotated', async () => {
      expect(await verify()).toBe(true);
      expect(await verify(delivery, own, ['whsec_bmV3ZXN0LXNlY3JldC0wMTIzNDU2Nzg5'])).toBe(true);
    });
    it('is refused with one byte more, and a legacy one where only v3 is taken', async () => {
      const longer = { ...delivery, body: new Uint8Array([...delivery.body, 32]) };
      // A token is over nothing.
      if (own[0]?.algorithm !== 'token') expect(await verify(longer)).toBe(false);
      if (legacy !== undefined) expect(await verify(delivery, [schemes.HUBSPOT_V3])).toBe(false);
    });
  });
});

describe('verifyDelivery() on the vectors that are to be refused', () => {
  it('has all 53', () => expect(vectors.negative).toHaveLength(53));

  for (const vector of vectors.negative) {
    const base = vectors.vectors.find(({ id }) => id === vector.based_on);
    const isWeighed = vector.expect === 'depends on policy';
    const name = isWeighed
      ? `accepts ${vector.id}: the unit of Front's time is disputed, so its size decides, and it is signed and fresh`
      : `refuses ${vector.id}: ${vector.reason}`;
    it(name, async () => {
      const options = { secrets: [secretOf(vector, base)], now: timeOf(vector) };
      expect(await verifyDelivery(deliveryOf(vector, base), SCHEMES[vector.tool] ?? [], options)).toBe(isWeighed);
    });
  }
  it("refuses Zendesk's older published sample, even at its time: the current page signs time and body in that order", async () => {
    const [sample] = vectors.information;
    const delivery = madeUp(sample?.body ?? '', {
      'X-Zendesk-Webhook-Signature': sample?.signature ?? '',
      'X-Zendesk-Webhook-Signature-Timestamp': sample?.timestamp ?? '',
    });
    const options = { secrets: [sample?.secret ?? ''], now: Date.parse(sample?.timestamp ?? '') };
    expect(await verifyDelivery(delivery, [schemes.ZENDESK], options)).toBe(false);
  });
});

describe('the payloads', () => {
  it('are those that were signed, byte for byte', async () => {
    for (const { body_file: file, body_sha256: digest } of vectors.vectors) {
      if (file === undefined) continue;
      const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', payload(file)));
      expect(Buffer.from(hash).toString('hex')).toBe(digest);
    }
  });
});
