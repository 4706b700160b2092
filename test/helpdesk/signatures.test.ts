import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import * as schemes from '../../src/helpdesk/signature-schemes.ts';
import { verifyDelivery } from '../../src/helpdesk/signatures.ts';
import { madeUp } from './payload.ts';

const NOW = 1_768_473_000_000;
const SECRET = 'a secret of the tool';
const chatwoot = (seconds: number, body = '{}', secret = SECRET) =>
  madeUp(body, {
    'X-Chatwoot-Timestamp': String(seconds),
    'X-Chatwoot-Signature': `sha256=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`,
  });
const verify = (delivery: ReturnType<typeof madeUp>, secrets: readonly string[] = [SECRET], now = NOW) =>
  verifyDelivery(delivery, [schemes.CHATWOOT], { secrets, now });

describe('verifyDelivery()', () => {
  it('takes a signed time up to five minutes from now, either way', async () => {
    for (const [seconds, isFresh] of [
      [-301, false],
      [-300, true],
      [0, true],
      [300, true],
      [301, false],
    ] as const) {
      expect(await verify(chatwoot(NOW / 1000 + seconds))).toBe(isFresh);
    }
  });

  it('holds Zendesk to the same five minutes, whose page names none', async () => {
    const at = (time: string) =>
      madeUp('{}', {
        'X-Zendesk-Webhook-Signature-Timestamp': time,
        'X-Zendesk-Webhook-Signature': createHmac('sha256', SECRET).update(`${time}{}`).digest('base64'),
      });
    const take = (time: string) => verifyDelivery(at(time), [schemes.ZENDESK], { secrets: [SECRET], now: NOW });
    expect(await take('2026-01-15T10:30:00Z')).toBe(true);
    expect(await take('2026-01-15T10:25:00.000Z')).toBe(true);
    expect(await take('2026-01-15T10:24:59Z')).toBe(false);
    expect(await take('2026-01-15T10:35:01Z')).toBe(false);
    expect(await take('2026-01-15')).toBe(false);
  });

  it('takes either secret while one is rotated, and no more than eight', async () => {
    expect(await verify(chatwoot(NOW / 1000), ['newest', SECRET])).toBe(true);
    expect(await verify(chatwoot(NOW / 1000), [SECRET, 'oldest'])).toBe(true);
    expect(await verify(chatwoot(NOW / 1000), [...Array<string>(8).fill('other'), SECRET])).toBe(false);
  });

  it('takes a secret in UTF-8', async () => {
    expect(await verify(chatwoot(NOW / 1000, '{}', 'schlüssel ✓'), ['schlüssel ✓'])).toBe(true);
  });

  it('reads header names in any case', async () => {
    const delivery = chatwoot(NOW / 1000);
    const headers = new Headers([...delivery.headers].map(([name, value]) => [name.toUpperCase(), value]));
    expect(await verify({ ...delivery, headers })).toBe(true);
  });

  it('refuses a signature header that came twice, even with the same value', async () => {
    const delivery = chatwoot(NOW / 1000);
    delivery.headers.append('X-Chatwoot-Signature', delivery.headers.get('X-Chatwoot-Signature') ?? '');
    expect(await verify(delivery)).toBe(false);
  });

  it('refuses a digest in capitals, cut, longer, or with blanks in it', async () => {
    const delivery = chatwoot(NOW / 1000);
    const signature = delivery.headers.get('X-Chatwoot-Signature') ?? '';
    const digest = signature.slice('sha256='.length);
    for (const wrong of [
      `sha256=${digest.toUpperCase()}`,
      signature.slice(0, -2),
      `${signature}00`,
      `sha256= ${digest}`,
      digest,
      `SHA256=${digest}`,
      'sha256=',
    ]) {
      const headers = new Headers(delivery.headers);
      headers.set('X-Chatwoot-Signature', wrong);
      expect(await verify({ ...delivery, headers })).toBe(false);
    }
  });

  it('refuses base64 that is written in another way for the same bytes', async () => {
    const secret = 'secret 2';
    const digest = createHmac('sha1', secret).update('{}').digest('base64');
    expect(digest).toMatch(/[+/]/);
    const take = (value: string) =>
      verifyDelivery(madeUp('{}', { 'X-HelpScout-Signature': value }), [schemes.HELP_SCOUT], {
        secrets: [secret],
        now: NOW,
      });
    expect(await take(digest)).toBe(true);
    expect(await take(digest.replace(/=+$/, ''))).toBe(false);
    expect(await take(`${digest}====`)).toBe(false);
    expect(await take(digest.replaceAll('+', '-').replaceAll('/', '_'))).toBe(false);
  });

  it('tries sixteen signatures of a list and no more', async () => {
    const secret = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
    const digest = createHmac('sha256', Buffer.from(secret.slice(6), 'base64'))
      .update('m.1768473000.{}')
      .digest('base64');
    const take = (before: number) =>
      verifyDelivery(
        madeUp('{}', {
          'webhook-id': 'm',
          'webhook-timestamp': '1768473000',
          'webhook-signature': `${'v1,AAAA '.repeat(before)}v1,${digest}`,
        }),
        [schemes.STANDARD_WEBHOOKS],
        { secrets: [secret], now: NOW },
      );
    expect(await take(15)).toBe(true);
    expect(await take(16)).toBe(false);
  });

  it('takes no secret of one kind for the other: a public key is no key of an HMAC', async () => {
    const key = 'whpk_6kpsY+KcUgq+9VB7Ey7F+ZVHdq6+vnuSQh7qaRRG0iw=';
    for (const used of [Buffer.from(key.slice(5), 'base64'), Buffer.from(key)]) {
      const digest = createHmac('sha256', used).update('m.1768473000.{}').digest('base64');
      const headers = { 'webhook-id': 'm', 'webhook-timestamp': '1768473000', 'webhook-signature': `v1,${digest}` };
      const both = [schemes.STANDARD_WEBHOOKS, schemes.STANDARD_WEBHOOKS_PUBLIC_KEY];
      expect(await verifyDelivery(madeUp('{}', headers), both, { secrets: [key], now: NOW })).toBe(false);
    }
  });

  it('compares a token as a whole', async () => {
    const take = (value: string, secrets: readonly string[]) =>
      verifyDelivery(madeUp('{}', { 'X-Webhook-Token': value }), [schemes.STATIC_TOKEN], { secrets, now: NOW });
    expect(await take('token-2', ['token-1', 'token-2'])).toBe(true);
    expect(await take('token', ['token-1'])).toBe(false);
    expect(await take('token-1, token-1', ['token-1'])).toBe(false);
  });
});
