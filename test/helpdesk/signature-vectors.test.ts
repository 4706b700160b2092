import { describe, expect, it } from 'vitest';
import type { Delivery } from '../../src/helpdesk/helpdesk-tool.ts';
import * as schemes from '../../src/helpdesk/signature-schemes.ts';
import { verifyDelivery } from '../../src/helpdesk/signatures.ts';
import { payload } from './payload.ts';
import { deliveryOf, LEGACY, SCHEMES, secretOf, timeOf, vectors } from './signature-vectors.ts';

describe('verifyDelivery() on the vectors that are valid', () => {
  it('has all 38', () => expect(vectors.vectors).toHaveLength(38));

  for (const vector of vectors.vectors) {
    const legacy = LEGACY[vector.id];
    it(`accepts ${vector.id}`, async () => {
      const options = { secrets: [secretOf(vector)], now: timeOf(vector) };
      expect(await verifyDelivery(deliveryOf(vector), legacy ?? SCHEMES[vector.tool] ?? [], options)).toBe(true);
    });
    it(`accepts ${vector.id} while its secret is rotated`, async () => {
      const options = { secrets: ['whsec_bmV3ZXN0LXNlY3JldC0wMTIzNDU2Nzg5', secretOf(vector)], now: timeOf(vector) };
      expect(await verifyDelivery(deliveryOf(vector), legacy ?? SCHEMES[vector.tool] ?? [], options)).toBe(true);
    });
    it(`refuses ${vector.id} with one byte more`, async () => {
      if (SCHEMES[vector.tool]?.[0]?.algorithm === 'token') return; // A token is over nothing.
      const delivery = deliveryOf(vector);
      const options = { secrets: [secretOf(vector)], now: timeOf(vector) };
      const longer = { ...delivery, body: new Uint8Array([...delivery.body, 32]) };
      expect(await verifyDelivery(longer, legacy ?? SCHEMES[vector.tool] ?? [], options)).toBe(false);
    });
    if (legacy !== undefined) {
      it(`refuses ${vector.id} where only v3 is taken`, async () => {
        const options = { secrets: [secretOf(vector)], now: timeOf(vector) };
        expect(await verifyDelivery(deliveryOf(vector), [schemes.HUBSPOT_V3], options)).toBe(false);
      });
    }
  }
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
    const delivery: Delivery = {
      method: 'POST',
      url: 'https://hooks.example.com/webhooks/zendesk',
      headers: new Headers({
        'X-Zendesk-Webhook-Signature': sample?.signature ?? '',
        'X-Zendesk-Webhook-Signature-Timestamp': sample?.timestamp ?? '',
      }),
      body: new TextEncoder().encode(sample?.body),
    };
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
