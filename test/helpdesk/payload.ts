import { readFileSync } from 'node:fs';
import type { Delivery } from '../../src/helpdesk/helpdesk-tool.ts';

/** A body of a tool, byte for byte. */
export const payload = (file: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(readFileSync(new URL(`fixtures/payloads/${file}`, import.meta.url)));

/** A delivery with such a body; what is read of it does not depend on its signature. */
export const sampleDelivery = (file: string, headers: Record<string, string> = {}): Delivery => ({
  method: 'POST',
  url: 'https://hooks.example.com/webhooks/tool',
  headers: new Headers(headers),
  body: payload(file),
});
