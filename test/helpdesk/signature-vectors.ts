import { readFileSync } from 'node:fs';
import * as z from 'zod';
import type { Delivery, SignatureScheme } from '../../src/helpdesk/helpdesk-tool.ts';
import * as schemes from '../../src/helpdesk/signature-schemes.ts';
import { payload } from './payload.ts';

const Vector = z.looseObject({
  id: z.string(),
  tool: z.string(),
  secret: z.string().nullish(),
  public_key: z.string().optional(),
  timestamp: z.string().nullish(),
  method: z.string().optional(),
  url: z.string().optional(),
  body: z.string().optional(),
  body_file: z.string().optional(),
  headers: z.record(z.string(), z.string()),
  based_on: z.string().optional(),
  reason: z.string().optional(),
  expect: z.string(),
  current_time_epoch_seconds: z.number().optional(),
});
type Vector = z.infer<typeof Vector>;

export const vectors = z
  .object({
    reference_time: z.object({ epoch_milliseconds: z.number() }),
    vectors: z.array(Vector),
    negative: z.array(Vector),
    information: z.array(
      z.looseObject({ secret: z.string(), body: z.string(), timestamp: z.string(), signature: z.string() }),
    ),
  })
  .parse(JSON.parse(readFileSync(new URL('fixtures/payloads/signatures.json', import.meta.url), 'utf8')));

/** The schemes of each tool; HubSpot's older ones are off by default. */
export const SCHEMES: Record<string, readonly SignatureScheme[]> = {
  chatwoot: [schemes.CHATWOOT],
  zendesk: [schemes.ZENDESK],
  intercom: [schemes.HUB_SIGNATURE],
  zammad: [schemes.HUB_SIGNATURE],
  helpscout: [schemes.HELP_SCOUT],
  front: [schemes.FRONT_APPLICATION, schemes.FRONT_RULE],
  hubspot: [schemes.HUBSPOT_V3],
  'standard-webhooks': [schemes.STANDARD_WEBHOOKS, schemes.STANDARD_WEBHOOKS_PUBLIC_KEY],
  freshdesk: [schemes.STATIC_TOKEN],
  gorgias: [schemes.STATIC_TOKEN],
};
export const LEGACY: Record<string, readonly SignatureScheme[]> = {
  'hubspot-v1-legacy': [schemes.HUBSPOT_V1],
  'hubspot-v2-legacy': [schemes.HUBSPOT_V2],
};

const bytesOf = (vector: Vector, base: Vector | undefined) =>
  vector.body !== undefined
    ? new TextEncoder().encode(vector.body)
    : (base?.body_file ?? vector.body_file) === undefined
      ? new TextEncoder().encode(base?.body ?? '')
      : payload(base?.body_file ?? vector.body_file ?? '');

export const deliveryOf = (vector: Vector, base?: Vector): Delivery => ({
  method: vector.method ?? base?.method ?? 'POST',
  url: vector.url ?? base?.url ?? 'https://hooks.example.com/webhooks/tool',
  headers: new Headers(vector.headers),
  body: bytesOf(vector, base),
});

export const secretOf = (vector: Vector, base?: Vector) =>
  vector.secret ?? vector.public_key ?? base?.secret ?? base?.public_key ?? '';

export const timeOf = (vector: Vector) => {
  if (vector.current_time_epoch_seconds !== undefined) return vector.current_time_epoch_seconds * 1000;
  return vector.id.endsWith('vendor-published') && vector.timestamp
    ? Number(vector.timestamp) * 1000
    : vectors.reference_time.epoch_milliseconds;
};
