import { decodeBase64 } from './decode-proof.ts';
import type { SignatureScheme } from './signature-scheme.ts';
import { isoTime, secondsOrMilliseconds, unixMilliseconds, unixSeconds } from './signed-time.ts';

/** Chatwoot 4.11.2 and later, `lib/webhooks/trigger.rb`. */
export const CHATWOOT: SignatureScheme = {
  proof: 'hmac-sha-256',
  header: 'x-chatwoot-signature',
  label: 'sha256=',
  encoding: 'hex',
  time: { header: 'x-chatwoot-timestamp', read: unixSeconds },
  signed: ({ delivery, time }) => [time, '.', delivery.body],
};

/** developer.zendesk.com, "Verifying webhook authenticity": time and body without anything between. */
export const ZENDESK: SignatureScheme = {
  proof: 'hmac-sha-256',
  header: 'x-zendesk-webhook-signature',
  encoding: 'base64',
  time: { header: 'x-zendesk-webhook-signature-timestamp', read: isoTime },
  signed: ({ delivery, time }) => [time, delivery.body],
};

/** Intercom (the app's client secret) and Zammad (the webhook's signature token), `app/jobs/trigger_webhook_job.rb`. */
export const HUB_SIGNATURE: SignatureScheme = {
  proof: 'hmac-sha-1',
  header: 'x-hub-signature',
  label: 'sha1=',
  encoding: 'hex',
  signed: ({ delivery }) => [delivery.body],
};

/** developer.helpscout.com/webhooks. */
export const HELP_SCOUT: SignatureScheme = {
  proof: 'hmac-sha-1',
  header: 'x-helpscout-signature',
  encoding: 'base64',
  signed: ({ delivery }) => [delivery.body],
};

/** dev.frontapp.com, "Security": webhooks of applications. */
export const FRONT_APPLICATION: SignatureScheme = {
  proof: 'hmac-sha-256',
  header: 'x-front-signature',
  encoding: 'base64',
  time: { header: 'x-front-request-timestamp', read: secondsOrMilliseconds },
  signed: ({ delivery, time }) => [time, ':', delivery.body],
};

/** dev.frontapp.com, "Rule webhooks". */
export const FRONT_RULE: SignatureScheme = {
  proof: 'hmac-sha-1',
  header: 'x-front-signature',
  encoding: 'base64',
  signed: ({ delivery }) => [delivery.body],
};

/** HubSpot/hubspot-api-nodejs, `src/utils/signature.ts`. The address is the public one, as configured. */
export const HUBSPOT_V3: SignatureScheme = {
  proof: 'hmac-sha-256',
  header: 'x-hubspot-signature-v3',
  encoding: 'base64',
  time: { header: 'x-hubspot-request-timestamp', read: unixMilliseconds },
  signed: ({ delivery, time }) => [delivery.method, decodedAddress(delivery.url), delivery.body, time],
};

/** Older than v3 and without a time: for those who switch it on. */
export const HUBSPOT_V1: SignatureScheme = {
  proof: 'sha-256',
  header: 'x-hubspot-signature',
  encoding: 'hex',
  signed: ({ delivery }) => [delivery.body],
};

/** As v1, and bound to the address. */
export const HUBSPOT_V2: SignatureScheme = {
  proof: 'sha-256',
  header: 'x-hubspot-signature',
  encoding: 'hex',
  signed: ({ delivery }) => [delivery.method, delivery.url, delivery.body],
};

const signedStandard: NonNullable<SignatureScheme['signed']> = ({ delivery, time, header }) => {
  const id = header('webhook-id');
  return id === undefined ? undefined : [id, '.', time, '.', delivery.body];
};

/** Standard Webhooks 1.0.0. The secret is base64, with or without `whsec_`; with another prefix it is none. */
export const STANDARD_WEBHOOKS: SignatureScheme = {
  proof: 'hmac-sha-256',
  header: 'webhook-signature',
  label: 'v1,',
  separator: ' ',
  encoding: 'base64',
  keyOf: (secret) => decodeBase64(secret.replace(/^whsec_/, '')),
  time: { header: 'webhook-timestamp', read: unixSeconds },
  signed: signedStandard,
};

/** The same with a key pair: we hold the public key, `whpk_` and 32 bytes in base64. */
export const STANDARD_WEBHOOKS_PUBLIC_KEY: SignatureScheme = {
  ...STANDARD_WEBHOOKS,
  proof: 'ed25519',
  label: 'v1a,',
  keyOf: (secret) => {
    const key = secret.startsWith('whpk_') ? decodeBase64(secret.slice('whpk_'.length)) : undefined;
    return key?.length === 32 ? key : undefined;
  },
};

/** Tools that sign nothing, Freshdesk and Gorgias: a header that the admin enters. */
export const STATIC_TOKEN: SignatureScheme = { proof: 'token', header: 'x-webhook-token', encoding: 'text' };

/** HubSpot's page names the codes that are decoded before signing; all others stay. */
const decodedAddress = (address: string): string =>
  address.replace(/%(?:3A|2F|3F|40|21|24|27|28|29|2A|2C|3B)/gi, (code) => decodeURIComponent(code));
