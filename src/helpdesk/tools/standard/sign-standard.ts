import { utf8 } from '../../../runtime/digest.ts';
import { type HelpdeskConnection, HelpdeskFailed } from '../../helpdesk-tool.ts';
import { decodeBase64 } from '../../signatures/decode-proof.ts';

/**
 * Headers of a Standard Webhook (1.0.0) that we send.
 *
 * @param secret `whsec_` and base64, or base64 alone.
 * @param id The same for every attempt: the receiver knows a delivery again by it.
 * @param now Milliseconds since 1970.
 */
export const signStandard = async (
  body: string,
  { secret, id, now }: { secret: string; id: string; now: number },
): Promise<Record<string, string>> => {
  const key = decodeBase64(secret.replace(/^whsec_/, ''));
  if (key === undefined || key.length === 0) {
    throw new HelpdeskFailed('Cannot write a note by Standard Webhooks: the secret is no base64 after whsec_');
  }
  const timestamp = String(Math.floor(now / 1000));
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const imported = await crypto.subtle.importKey('raw', key, algorithm, false, ['sign']);
  const digest = new Uint8Array(await crypto.subtle.sign('HMAC', imported, utf8(`${id}.${timestamp}.${body}`)));
  const signature = btoa(String.fromCharCode(...digest));
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
};

/** Of the API's secret, else of the newest one that is shared. A public key signs nothing. */
export const signingSecret = ({ apiToken, secrets }: HelpdeskConnection): string => {
  const secret = apiToken ?? secrets.find((one) => !one.startsWith('whpk_'));
  if (secret !== undefined) return secret;
  throw new HelpdeskFailed('Cannot write a note by Standard Webhooks: the connection has no secret to sign with');
};
