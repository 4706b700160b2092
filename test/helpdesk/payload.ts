import { readFileSync } from 'node:fs';
import type { Delivery } from '../../src/helpdesk/helpdesk-tool.ts';

/** A recorded body, byte for byte. */
export const payload = (file: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(readFileSync(new URL(`fixtures/payloads/${file}`, import.meta.url)));

/** A delivery with a recorded body and without a signature. */
export const sampleDelivery = (file: string, headers: Record<string, string> = {}): Delivery => ({
  ...madeUp('', headers),
  body: payload(file),
});

/** The same delivery with another text in its body. */
export const changed = (delivery: Delivery, from: string, to: string): Delivery => {
  const text = new TextDecoder().decode(delivery.body);
  if (!text.includes(from)) throw new Error(`Cannot change the body: it has no ${from}`);
  return { ...delivery, body: new TextEncoder().encode(text.replaceAll(from, to)) };
};

/** A delivery with an invented body. */
export const madeUp = (body: unknown, headers: Record<string, string> = {}): Delivery => ({
  method: 'POST',
  url: 'https://hooks.example.com/webhooks/tool',
  headers: new Headers(headers),
  body: new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body)),
});
