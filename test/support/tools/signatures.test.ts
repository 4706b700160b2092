import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import * as schemes from '../../../src/support/tools/signature-schemes.ts';
import { madeUp } from './payload.ts';
import { SIGNATURES } from './signature-vectors.ts';
import { schemesNamed, verifyDelivery } from './verify-delivery.ts';

const NOW = 1_768_473_000_000;
const SECRET = 'a secret of the tool';
const hmac = (key: string | Buffer, text: string, algorithm = 'sha256') =>
  createHmac(algorithm, key).update(text);
const chatwoot = (
  seconds = NOW / 1000,
  { secret = SECRET, change = (digest: string) => `sha256=${digest}` } = {},
) =>
  madeUp('{}', {
    'X-Chatwoot-Timestamp': String(seconds),
    'X-Chatwoot-Signature': change(hmac(secret, `${seconds}.{}`).digest('hex')),
  });
const verify = (
  delivery: ReturnType<typeof madeUp>,
  secrets = [SECRET],
  taken = [schemes.CHATWOOT],
) => verifyDelivery(delivery, taken, { secrets, now: NOW });
const standard = (signature: string) =>
  madeUp('{}', {
    'webhook-id': 'm',
    'webhook-timestamp': '1768473000',
    'webhook-signature': signature,
  });

describe('verifyDelivery()', () => {
  it('has vectors of both kinds', () => {
    expect(SIGNATURES.filter(({ isAccepted }) => isAccepted)).toHaveLength(32);
    expect(SIGNATURES.filter(({ isAccepted }) => !isAccepted)).toHaveLength(78);
  });
  it.each(SIGNATURES)(
    'has the result of the vector $title, also while a secret is rotated',
    async (vector) => {
      const { delivery, secret, now, isAccepted } = vector;
      const taken = schemesNamed(vector.schemes);
      expect(await verifyDelivery(delivery, taken, { secrets: [secret], now })).toBe(isAccepted);
      const secrets = ['whsec_bmV3ZXN0LXNlY3JldC0wMTIzNDU2Nzg5', secret];
      expect(await verifyDelivery(delivery, taken, { secrets, now })).toBe(isAccepted);
    },
  );
  it.each([
    [-301, false],
    [-300, true],
    [0, true],
    [300, true],
    [301, false],
  ])(
    'accepts a signed time up to five minutes from now, either way: %i s, %s',
    async (seconds, isFresh) => {
      expect(await verify(chatwoot(NOW / 1000 + seconds))).toBe(isFresh);
    },
  );
  it.each([
    ['2026-01-15T10:30:00Z', true],
    ['2026-01-15T10:25:00.000Z', true],
    ['2026-01-15T10:24:59Z', false],
    ['2026-01-15T10:35:01Z', false],
    ['2026-01-15', false],
  ])('accepts a time of Zendesk up to five minutes from now: %s, %s', async (time, isFresh) => {
    const delivery = madeUp('{}', {
      'X-Zendesk-Webhook-Signature-Timestamp': time,
      'X-Zendesk-Webhook-Signature': hmac(SECRET, `${time}{}`).digest('base64'),
    });
    expect(await verify(delivery, [SECRET], [schemes.ZENDESK])).toBe(isFresh);
  });
  it('tries up to four secrets', async () => {
    expect(await verify(chatwoot(), [...Array<string>(3).fill('other'), SECRET])).toBe(true);
    expect(await verify(chatwoot(), [...Array<string>(4).fill('other'), SECRET])).toBe(false);
  });
  it('accepts a secret in UTF-8', async () => {
    expect(await verify(chatwoot(undefined, { secret: 'schlüssel ✓' }), ['schlüssel ✓'])).toBe(
      true,
    );
  });
  it('refuses a repeated signature or token header, even with the same value', async () => {
    const delivery = chatwoot();
    delivery.headers.append(
      'x-chatwoot-signature',
      delivery.headers.get('X-Chatwoot-Signature') ?? '',
    );
    expect(await verify(delivery)).toBe(false);
    const token = madeUp('{}', { 'X-Webhook-Token': 'token-1, token-1' });
    expect(await verify(token, ['token-1'], [schemes.STATIC_TOKEN])).toBe(false);
  });
  it.each<[string, (digest: string) => string]>([
    ['in capitals', (digest) => `sha256=${digest.toUpperCase()}`],
    ['cut', (digest) => `sha256=${digest.slice(0, -2)}`],
    ['longer', (digest) => `sha256=${digest}00`],
    ['after a blank', (digest) => `sha256= ${digest}`],
    ['without its algorithm', (digest) => digest],
    ['after an algorithm in capitals', (digest) => `SHA256=${digest}`],
    ['missing', () => 'sha256='],
  ])('refuses a digest %s', async (_, change) =>
    expect(await verify(chatwoot(undefined, { change }))).toBe(false),
  );
  it('refuses another base64 encoding of the same bytes', async () => {
    const digest = hmac('secret 2', '{}', 'sha1').digest('base64');
    expect(digest).toMatch(/[+/]/);
    const take = (value: string) =>
      verify(madeUp('{}', { 'X-HelpScout-Signature': value }), ['secret 2'], [schemes.HELP_SCOUT]);
    expect(await take(digest)).toBe(true);
    for (const other of [
      digest.replace(/=+$/, ''),
      `${digest}====`,
      digest.replaceAll('+', '-').replaceAll('/', '_'),
    ])
      expect(await take(other)).toBe(false);
  });
  it('tries up to sixteen signatures of a list', async () => {
    const secret = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
    const digest = hmac(Buffer.from(secret.slice(6), 'base64'), 'm.1768473000.{}').digest('base64');
    const take = (before: number) =>
      verify(
        standard(`${'v1,AAAA '.repeat(before)}v1,${digest}`),
        [secret],
        [schemes.STANDARD_WEBHOOKS],
      );
    expect([await take(15), await take(16)]).toEqual([true, false]);
  });
  it('does not use a public key as an HMAC key', async () => {
    const key = 'whpk_6kpsY+KcUgq+9VB7Ey7F+ZVHdq6+vnuSQh7qaRRG0iw=';
    const both = [schemes.STANDARD_WEBHOOKS, schemes.STANDARD_WEBHOOKS_PUBLIC_KEY];
    for (const used of [Buffer.from(key.slice(5), 'base64'), Buffer.from(key)]) {
      const digest = hmac(used, 'm.1768473000.{}').digest('base64');
      expect(await verify(standard(`v1,${digest}`), [key], both)).toBe(false);
    }
  });
});
