import { readFileSync } from 'node:fs';
import type { Delivery, HelpdeskId } from '../../../src/support/tools/helpdesk-tool.ts';
import deliveries from './fixtures/deliveries.json' with { type: 'json' };

/** A recorded body, byte for byte. */
export function payload(file: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(readFileSync(new URL(`fixtures/payloads/${file}`, import.meta.url)));
}

export function payloadText(file: string): string {
  return new TextDecoder().decode(payload(file));
}

/** A delivery with an invented body, without a signature. */
export function madeUp(body: unknown, headers: Record<string, string> = {}): Delivery {
  return {
    method: 'POST',
    url: 'https://hooks.example.com/webhooks/tool',
    headers: new Headers(headers),
    body: new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body)),
  };
}

/** A delivery with a recorded body, without a signature. */
export function sampleDelivery(file: string): Delivery {
  return madeUp(payloadText(file));
}

/** A delivery with a recorded body, changed, or with a body of its own, and what a tool reads from it. */
interface DeliveryRow {
  title: string;
  sample?: string;
  replace?: string[][];
  body?: unknown;
  /** Help Scout names the event in a header. */
  event?: string;
  events: string[];
}
export const DELIVERIES: Record<HelpdeskId, DeliveryRow[]> = deliveries;

export function deliveryOf({ sample, replace = [], body, event }: DeliveryRow): Delivery {
  let text = sample === undefined ? JSON.stringify(body) : payloadText(sample);
  for (const [from = '', to = ''] of replace) {
    if (!text.includes(from)) throw new Error(`Cannot change ${sample}: it has no ${from}`);
    text = text.replaceAll(from, to);
  }
  return madeUp(text, event === undefined ? {} : { 'X-HelpScout-Event': event });
}
