import { beforeEach, describe, expect, it } from 'vitest';
import type { Context, Librarian } from '../../src/contract/librarian.ts';
import { createLibrarians } from '../../src/delegation/librarian-directory.ts';
import { ApiKeyRecord, kvApiKeys } from '../../src/gateway/api-keys.ts';
import { createApp } from '../../src/gateway/app.ts';
import { serveLibrarian } from '../../src/runtime/serve-librarian.ts';
import { signedClient } from '../../src/runtime/signed-client.ts';
import { localDirectory, localSigner } from '../../src/signing/identity.ts';
import { keyStore } from './key-store.ts';

const PUBLISHED = 'ck_pub_0123456789abcdefghij';
const PAGE = 'https://shop.example.com';
const RECORD: ApiKeyRecord = {
  name: 'shop',
  workspaces: ['acme'],
  // More than a page may have, as in a mistaken record.
  capabilities: ['*'],
  rate: 'unlimited',
  origins: [PAGE],
};

let contexts: (Context | undefined)[];
let limited: Set<string>;
let app: ReturnType<typeof createApp>;

beforeEach(async () => {
  contexts = [];
  limited = new Set();
  const directory = await localDirectory();
  const librarian: Librarian = async (_, context) => {
    contexts.push(context);
    return { answer: 'Forty-two.', confidence: 0.9 };
  };
  const navigator = serveLibrarian(
    librarian,
    { id: 'navigator', name: 'Navigator', capabilities: ['kb:read'] },
    { signer: await localSigner('navigator'), directory, log: () => {} },
  );
  const functions = { navigator: { fetch: async (request: Request) => navigator.fetch(request) } };
  const limiter = { limit: async ({ key }: { key: string }) => ({ success: !limited.has(key) }) };
  const { kv } = await keyStore({ [PUBLISHED]: RECORD, ck_server_0123456789: { ...RECORD, origins: undefined } });
  app = createApp({
    keys: kvApiKeys(kv),
    limits: { standard: limiter, high: limiter, anonymous: limiter },
    client: signedClient({
      self: 'gateway',
      signer: await localSigner('gateway'),
      directory,
      targets: functions,
      log: () => {},
    }),
    directory,
    functions,
    librarians: createLibrarians({ targets: functions, own: ['navigator'] }),
    corsOrigins: ['https://desk.example.com'],
    health: { status: 'ok', adapters: { knowledge: 'embedded' } },
    log: () => {},
  });
});

const send = (
  path: string,
  { origin, key = PUBLISHED, body = { query: 'What?' } }: { origin?: string; key?: string; body?: object } = {},
) =>
  app.request(path, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${key}`,
      'Content-Type': 'application/json',
      'CF-Connecting-IP': '192.0.2.7',
      ...(origin === undefined ? {} : { Origin: origin }),
    },
    body: JSON.stringify(body),
  });

describe('a publishable key', () => {
  it('answers pages of its origins, only with the right to read articles', async () => {
    const response = await send('/v1/ask', { origin: PAGE });
    expect(response.status).toBe(200);
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe(PAGE);
    expect(contexts[0]?.user?.capabilities).toEqual(['kb:read']);
  });

  it.each([
    ['pages of another origin', 'https://evil.example.com'],
    ['pages of an origin with the same prefix', `${PAGE}.evil.example.com`],
    ['pages without an origin', 'null'],
    ['programs', undefined],
  ])('refuses %s with a readable reason', async (_, origin) => {
    const response = await send('/v1/ask', origin === undefined ? {} : { origin });
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining('publishable key') } });
    if (origin !== undefined) expect(response.headers.get('Access-Control-Allow-Origin')).toBe(origin);
    expect(contexts).toEqual([]);
  });

  it('refuses every route except asking, searching and feedback', async () => {
    for (const path of ['/v1/navigate', '/v1/sync', '/v1/chat/completions', '/v1/support/analyze', '/metrics']) {
      expect((await send(path, { origin: PAGE })).status, path).toBe(401);
    }
    const headers = { Authorization: `Bearer ${PUBLISHED}`, Origin: PAGE };
    expect((await app.request('/api/kb/articles', { headers })).status).toBe(401);
    const basic = { Authorization: `Basic ${btoa(`x:${PUBLISHED}`)}`, Origin: PAGE };
    expect((await app.request('/search?q=a', { headers: basic })).status).toBe(401);
  });

  it('has no audience, whatever its record says', async () => {
    const { kv } = await keyStore({ [PUBLISHED]: { ...RECORD, audiences: ['*'] } });
    expect((await kvApiKeys(kv).find(PUBLISHED))?.audiences).toEqual([]);
  });

  it('reads and writes no conversation', async () => {
    const body = { query: 'What?', conversation_id: 'c1' };
    expect((await send('/v1/ask', { origin: PAGE, body })).status).toBe(401);
  });

  it('is limited per address', async () => {
    await send('/v1/ask', { origin: PAGE });
    const subject = contexts[0]?.user?.id.replace('user:', '');
    limited.add(`page ${subject} 192.0.2.7`);
    const response = await send('/v1/ask', { origin: PAGE });
    expect(response.status).toBe(429);
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe(PAGE);
  });

  it('allows preflights of its routes from any page, and of no other route', async () => {
    const preflight = (path: string, method: string) =>
      app.request(path, {
        method: 'OPTIONS',
        headers: {
          Origin: PAGE,
          'Access-Control-Request-Method': method,
          'Access-Control-Request-Headers': 'authorization',
        },
      });
    expect((await preflight('/v1/ask', 'POST')).headers.get('Access-Control-Allow-Origin')).toBe(PAGE);
    for (const [path, method] of [
      ['/v1/ask', 'DELETE'],
      ['/v1/sync', 'POST'],
      ['/api/kb/articles/a', 'PUT'],
    ] as const) {
      expect((await preflight(path, method)).headers.get('Access-Control-Allow-Origin'), path).toBeNull();
    }
  });

  it('allows no page for other keys', async () => {
    const response = await send('/v1/ask', { origin: PAGE, key: 'ck_server_0123456789' });
    expect(response.headers.get('Access-Control-Allow-Origin')).toBeNull();
  });

  it.each(['https://shop.example.com/', 'shop.example.com', 'https://*.example.com', 'https://shop.example.com:443'])(
    'cannot be created for %s, which is not an origin',
    (origin) => {
      expect(ApiKeyRecord.safeParse({ ...RECORD, origins: [origin] }).success).toBe(false);
    },
  );
});
