import { BODY, type SignatureScheme } from './helpdesk-tool.ts';
import { decodeBase64 } from './signatures.ts';

// Parsers of signed timestamps return milliseconds since 1970, and undefined for anything in another form.
const unixSeconds = (text: string): number | undefined =>
  /^\d{9,11}$/.test(text) ? Number(text) * 1000 : undefined;

const unixMilliseconds = (text: string): number | undefined =>
  /^\d{12,14}$/.test(text) ? Number(text) : undefined;

const isoTime = (text: string): number | undefined => {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/.test(text))
    return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
};

/** Chatwoot 4.11.2 and later, `lib/webhooks/trigger.rb`. */
export const CHATWOOT: SignatureScheme = {
  algorithm: 'hmac-sha-256',
  header: 'x-chatwoot-signature',
  prefix: 'sha256=',
  encoding: 'hex',
  timestamp: { header: 'x-chatwoot-timestamp', parse: unixSeconds },
  signed: ({ timestamp }) => [timestamp, '.', BODY],
};

/** developer.zendesk.com, "Verifying webhook authenticity": timestamp and body, without a separator. */
export const ZENDESK: SignatureScheme = {
  algorithm: 'hmac-sha-256',
  header: 'x-zendesk-webhook-signature',
  encoding: 'base64',
  timestamp: { header: 'x-zendesk-webhook-signature-timestamp', parse: isoTime },
  signed: ({ timestamp }) => [timestamp, BODY],
};

/** Intercom (the app's client secret) and Zammad (the webhook's signature token), `app/jobs/trigger_webhook_job.rb`. */
export const HUB_SIGNATURE: SignatureScheme = {
  algorithm: 'hmac-sha-1',
  header: 'x-hub-signature',
  prefix: 'sha1=',
  encoding: 'hex',
  signed: () => [BODY],
};

/** developer.helpscout.com/webhooks. */
export const HELP_SCOUT: SignatureScheme = {
  algorithm: 'hmac-sha-1',
  header: 'x-helpscout-signature',
  encoding: 'base64',
  signed: () => [BODY],
};

/** HubSpot/hubspot-api-nodejs, `src/utils/signature.ts`. The URL is the public one, as configured. */
export const HUBSPOT_V3: SignatureScheme = {
  algorithm: 'hmac-sha-256',
  header: 'x-hubspot-signature-v3',
  encoding: 'base64',
  timestamp: { header: 'x-hubspot-request-timestamp', parse: unixMilliseconds },
  signed: ({ head, timestamp }) => [head.method, decodedAddress(head.url), BODY, timestamp],
};

const signedStandard: NonNullable<SignatureScheme['signed']> = ({ timestamp, header }) => {
  const id = header('webhook-id');
  return id === undefined ? undefined : [id, '.', timestamp, '.', BODY];
};

/** Standard Webhooks 1.0.0. The secret is base64, with or without `whsec_`; any other prefix is not base64. */
export const STANDARD_WEBHOOKS: SignatureScheme = {
  algorithm: 'hmac-sha-256',
  header: 'webhook-signature',
  prefix: 'v1,',
  separator: ' ',
  encoding: 'base64',
  keyOf: (secret) => decodeBase64(secret.replace(/^whsec_/, '')),
  timestamp: { header: 'webhook-timestamp', parse: unixSeconds },
  signed: signedStandard,
};

/** The asymmetric variant; the secret is the public key, `whpk_` and 32 bytes in base64. */
export const STANDARD_WEBHOOKS_PUBLIC_KEY: SignatureScheme = {
  ...STANDARD_WEBHOOKS,
  algorithm: 'ed25519',
  prefix: 'v1a,',
  keyOf: (secret) => {
    const key = secret.startsWith('whpk_') ? decodeBase64(secret.slice('whpk_'.length)) : undefined;
    return key?.length === 32 ? key : undefined;
  },
};

/** Freshdesk and Gorgias sign nothing: the admin enters a header with a secret token. */
export const STATIC_TOKEN: SignatureScheme = {
  algorithm: 'token',
  header: 'x-webhook-token',
  encoding: 'text',
};

/** HubSpot documents which escapes are decoded before signing; all others stay. */
const decodedAddress = (address: string): string =>
  address.replace(/%(?:3A|2F|3F|40|21|24|27|28|29|2A|2C|3B)/gi, (code) => decodeURIComponent(code));
