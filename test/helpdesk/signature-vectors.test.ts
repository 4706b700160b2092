import { describe, expect, it } from 'vitest';
import * as schemes from '../../src/helpdesk/signature-schemes.ts';
import { madeUp } from './payload.ts';
import { deliveryOf, LEGACY, SCHEMES, secretOf, timeOf, vectors } from './signature-vectors.ts';
import { verifyDelivery } from './verify-delivery.ts';

describe('a valid vector', () => {
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
    it('is refused with one byte more, and a legacy one when only v3 is accepted', async () => {
      const longer = { ...delivery, body: new Uint8Array([...delivery.body, 32]) };
      // A token does not sign the body.
      if (own[0]?.algorithm !== 'token') expect(await verify(longer)).toBe(false);
      if (legacy !== undefined) expect(await verify(delivery, [schemes.HUBSPOT_V3])).toBe(false);
    });
  });
});

describe('a negative vector', () => {
  for (const vector of vectors.negative) {
    const base = vectors.vectors.find(({ id }) => id === vector.based_on);
    const isAccepted = vector.expect === 'depends on policy';
    const name = isAccepted
      ? `${vector.id} is accepted: the documentation does not settle the unit of Front's time, so its size decides`
      : `${vector.id} is refused: ${vector.reason}`;
    it(name, async () => {
      const options = { secrets: [secretOf(vector, base)], now: timeOf(vector) };
      expect(await verifyDelivery(deliveryOf(vector, base), SCHEMES[vector.tool] ?? [], options)).toBe(isAccepted);
    });
  }
  it("refuses Zendesk's older published sample, which signs body and time in the other order", async () => {
    const [sample] = vectors.information;
    const delivery = madeUp(sample?.body ?? '', {
      'X-Zendesk-Webhook-Signature': sample?.signature ?? '',
      'X-Zendesk-Webhook-Signature-Timestamp': sample?.timestamp ?? '',
    });
    const options = { secrets: [sample?.secret ?? ''], now: Date.parse(sample?.timestamp ?? '') };
    expect(await verifyDelivery(delivery, [schemes.ZENDESK], options)).toBe(false);
  });
});
