import { readFileSync } from 'node:fs';
import * as z from 'zod';
import type { Delivery } from '../../../src/support/tools/helpdesk-tool.ts';
import { madeUp, payload } from './payload.ts';
import type { SchemeName } from './verify-delivery.ts';

const Vector = z.looseObject({
  id: z.string(),
  tool: z.string(),
  expect: z.string(),
  headers: z.record(z.string(), z.string()),
  secret: z.string().nullish(),
  public_key: z.string().optional(),
  timestamp: z.string().nullish(),
  method: z.string().optional(),
  url: z.string().optional(),
  body: z.string().optional(),
  body_file: z.string().optional(),
  based_on: z.string().optional(),
  reason: z.string().optional(),
  current_time_epoch_seconds: z.number().optional(),
});

const Published = z.looseObject({
  secret: z.string(),
  body: z.string(),
  timestamp: z.string(),
  signature: z.string(),
});
const { reference_time, vectors, negative, information } = z
  .object({
    reference_time: z.object({ epoch_milliseconds: z.number() }),
    vectors: z.array(Vector),
    negative: z.array(Vector),
    information: z.tuple([Published]),
  })
  .parse(
    JSON.parse(readFileSync(new URL('fixtures/payloads/signatures.json', import.meta.url), 'utf8')),
  );

/** The schemes of each tool. */
const SCHEMES: Record<string, SchemeName[]> = {
  chatwoot: ['CHATWOOT'],
  zendesk: ['ZENDESK'],
  intercom: ['HUB_SIGNATURE'],
  zammad: ['HUB_SIGNATURE'],
  helpscout: ['HELP_SCOUT'],
  hubspot: ['HUBSPOT_V3'],
  'standard-webhooks': ['STANDARD_WEBHOOKS', 'STANDARD_WEBHOOKS_PUBLIC_KEY'],
  freshdesk: ['STATIC_TOKEN'],
  gorgias: ['STATIC_TOKEN'],
};

interface SignatureCase {
  title: string;
  delivery: Delivery;
  schemes: SchemeName[];
  secret: string;
  now: number;
  isAccepted: boolean;
}

const caseOf = (vector: z.infer<typeof Vector>): SignatureCase => {
  const base = vectors.find(({ id }) => id === vector.based_on);
  const given = { ...base, ...vector };
  const isPublished = vector.id.endsWith('vendor-published') && vector.timestamp;
  const seconds =
    vector.current_time_epoch_seconds ?? (isPublished ? Number(vector.timestamp) : undefined);
  const file = vector.body === undefined ? (base?.body_file ?? vector.body_file) : undefined;
  return {
    title: `${vector.id}: ${vector.reason ?? 'valid'}`,
    isAccepted: vector.expect !== 'rejected',
    delivery: {
      method: given.method ?? 'POST',
      url: given.url ?? 'https://hooks.example.com/webhooks/tool',
      headers: new Headers(vector.headers),
      body: file === undefined ? new TextEncoder().encode(given.body) : payload(file),
    },
    schemes: SCHEMES[vector.tool] ?? [],
    secret: vector.secret ?? vector.public_key ?? base?.secret ?? base?.public_key ?? '',
    now: seconds === undefined ? reference_time.epoch_milliseconds : seconds * 1000,
  };
};

const valid = vectors.map(caseOf);
const [published] = information;

/** Every vector; the valid ones also with one byte more. */
export const SIGNATURES: SignatureCase[] = [
  ...[...valid, ...negative.map(caseOf)],
  // A token does not sign the body.
  ...valid.flatMap(({ title, delivery, ...one }) => {
    const longer = { ...delivery, body: new Uint8Array([...delivery.body, 32]) };
    const isSigned = !one.schemes.includes('STATIC_TOKEN');
    return isSigned
      ? [{ ...one, title: `${title}, one byte more`, delivery: longer, isAccepted: false }]
      : [];
  }),
  {
    title: "Zendesk's older published sample, which signs body and time in the other order",
    delivery: madeUp(published.body, {
      'X-Zendesk-Webhook-Signature': published.signature,
      'X-Zendesk-Webhook-Signature-Timestamp': published.timestamp,
    }),
    schemes: ['ZENDESK'],
    secret: published.secret,
    now: Date.parse(published.timestamp),
    isAccepted: false,
  },
];
