import { beforeEach, describe, expect, it } from 'vitest';
import { ApiKeyRecord, kvApiKeys } from '../../../src/gateway/access/api-keys.ts';
import { idOf, keyStore, replyOf, startGateway } from '../gateway-for-test.ts';

const PUBLISHED = 'ck_pub_0123456789abcdefghij';
const SERVER = 'ck_server_0123456789';
const PAGE = 'https://shop.example.com';
// More than a page may have, as in a mistaken record.
const RIGHTS = { capabilities: ['*'], audiences: ['*'], rate: 'unlimited' as const };
let gateway: Awaited<ReturnType<typeof startGateway>>;
beforeEach(async () => {
  gateway = await startGateway({
    keys: { [PUBLISHED]: { ...RIGHTS, origins: [PAGE] }, [SERVER]: RIGHTS },
  });
});

const send = (
  path: string,
  { body, ...headers }: { body?: object } & Record<string, string | object> = {},
) =>
  gateway.send(path, body ?? { query: 'What?' }, {
    key: PUBLISHED,
    origin: PAGE,
    ...headers,
  } as Record<string, string>);
const allowedIn = ({ headers }: Response) => headers.get('Access-Control-Allow-Origin');

describe('a publishable key', () => {
  it('answers pages of its origins, only with the right to read articles', async () => {
    const response = await send('/v1/ask');
    expect([response.status, allowedIn(response)]).toEqual([200, PAGE]);
    expect(gateway.asked[0]?.context?.user?.capabilities).toEqual(['kb:read']);
  });
  it.each([
    ['pages of another origin', 'https://evil.example.com'],
    ['pages of an origin with the same prefix', `${PAGE}.evil.example.com`],
    ['pages without an origin', 'null'],
    ['programs', undefined],
  ])('refuses %s with a readable reason', async (_, origin) => {
    const response = await gateway.send(
      '/v1/ask',
      { query: 'What?' },
      { key: PUBLISHED, ...(origin && { origin }) },
    );
    expect([response.status, allowedIn(response)]).toEqual([401, origin ?? null]);
    const error = { message: expect.stringContaining('publishable key') };
    expect((await replyOf(response)).body).toMatchObject({ error });
    expect(gateway.asked).toEqual([]);
  });
  it('refuses every route except asking, searching and feedback', async () => {
    for (const path of [
      '/v1/navigate',
      '/v1/sync',
      '/v1/chat/completions',
      '/v1/support/analyze',
      '/metrics',
    ])
      expect((await send(path)).status, path).toBe(401);
    expect(
      (await gateway.send('/api/kb/articles', undefined, { key: PUBLISHED, origin: PAGE })).status,
    ).toBe(401);
    const authorization = `Basic ${btoa(`x:${PUBLISHED}`)}`;
    expect(
      (await gateway.send('/search?q=a', undefined, { authorization, origin: PAGE })).status,
    ).toBe(401);
  });
  it('has no audience, whatever its record says', async () => {
    const keys = kvApiKeys(await keyStore({ [PUBLISHED]: { ...RIGHTS, origins: [PAGE] } }));
    expect((await keys.find(PUBLISHED))?.audiences).toEqual([]);
  });
  it('reads and writes no conversation', async () => {
    expect(
      (await send('/v1/ask', { body: { query: 'What?', conversation_id: 'c1' } })).status,
    ).toBe(401);
  });
  it('is limited per address', async () => {
    gateway.limited.add(`page ${await idOf(PUBLISHED)} 192.0.2.1`);
    const response = await send('/v1/ask');
    expect([response.status, allowedIn(response)]).toEqual([429, PAGE]);
  });
  it.each([
    ['/v1/ask', 'POST', PAGE],
    ['/v1/ask', 'DELETE', null],
    ['/v1/sync', 'POST', null],
    ['/api/kb/articles/a', 'PUT', null],
  ])(
    'allows preflights of its routes from any page, and of no other route: %s %s',
    async (path, method, allowed) => {
      const headers = {
        'Access-Control-Request-Method': method,
        'Access-Control-Request-Headers': 'authorization',
      };
      const response = await gateway.app.request(path, {
        method: 'OPTIONS',
        headers: { Origin: PAGE, ...headers },
      });
      expect(allowedIn(response)).toBe(allowed);
    },
  );
  it('allows no page for other keys', async () =>
    expect(allowedIn(await send('/v1/ask', { key: SERVER }))).toBeNull());

  const NO_ORIGINS = [
    'https://shop.example.com/',
    'shop.example.com',
    'https://*.example.com',
    'https://shop.example.com:443',
  ];
  it.each(NO_ORIGINS)('cannot be created for %s, which is not an origin', (origin) => {
    const record = { name: 'shop', workspaces: ['acme'], capabilities: [], rate: 'standard' };
    expect(ApiKeyRecord.safeParse({ ...record, origins: [origin] }).success).toBe(false);
    expect(ApiKeyRecord.safeParse({ ...record, origins: [PAGE] }).success).toBe(true);
  });
});
