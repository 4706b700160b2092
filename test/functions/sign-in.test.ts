import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Product } from '../../src/dev/run/product.ts';
import { send, startEmbedded } from './product-for-test.ts';

const AUDIENCE = 'https://kb.example.com';

let pair: Awaited<ReturnType<typeof generateKeyPair>>;
let server: Server;
let issuer: string;
let product: Product;

beforeAll(async () => {
  pair = await generateKeyPair('RS256');
  const jwk = { ...(await exportJWK(pair.publicKey)), kid: 'one', alg: 'RS256', use: 'sig' };
  server = createServer(({ url }, response) =>
    response.end(JSON.stringify(url === '/keys' ? { keys: [jwk] } : { issuer, jwks_uri: `${issuer}/keys` })),
  );
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const grants = [
    { claims: { groups: 'support' }, workspaces: ['default'], capabilities: ['kb:read', 'memory:*'] },
    { workspaces: ['other'], capabilities: ['kb:read'] },
  ];
  const OIDC_PROVIDERS = JSON.stringify([{ issuer, audience: AUDIENCE, grants }]);
  product = await startEmbedded({ allVars: { OIDC_PROVIDERS } });
  await product.sync({ full: true });
}, 120_000);
afterAll(async () => {
  await product?.stop();
  server?.close();
});

const token = (sub: string, groups: string[], aud = AUDIENCE): Promise<string> =>
  new SignJWT({ iss: issuer, aud, sub, groups })
    .setProtectedHeader({ alg: 'RS256', kid: 'one' })
    .setExpirationTime('5m')
    .sign(pair.privateKey);

const UNAUTHORIZED = { code: 'UNAUTHORIZED' };

describe('a token of an identity provider, in workerd', { timeout: 60_000 }, () => {
  it('asks with the rights of its grant, in its workspaces alone', async () => {
    const kim = await token('kim', ['support']);
    const asked = await send(product, 'POST /v1/ask', { query: 'How do I swap the fan?' }, kim);
    expect([asked.status, await asked.json()]).toEqual([200, expect.objectContaining({ sources: expect.anything() })]);
    const query = { query: 'fan' };
    expect((await send(product, 'POST /v1/knowledge/search?workspace_id=other', query, kim)).status).toBe(401);
    expect((await send(product, 'POST /v1/sync', {}, kim)).status).toBe(401);
    const lee = await token('lee', []);
    expect((await send(product, 'POST /v1/knowledge/search?workspace_id=default', query, lee)).status).toBe(401);
  });

  it('keeps the conversations of two people apart', async () => {
    const ask = async (person: string, query: string) => {
      const body = { query, conversation_id: 'shared-name' };
      const reply = await send(product, 'POST /v1/ask', body, await token(person, ['support']));
      return ((await reply.json()) as { metadata: { conversation: { turns: number } } }).metadata.conversation.turns;
    };
    await ask('kim', 'How loud is the Apollo III in Turbo mode?');
    expect([await ask('kim', 'And in Eco mode?'), await ask('mallory', 'And in Eco mode?')]).toEqual([1, 0]);
  });

  it('that is refused is pointed to the providers that are accepted', async () => {
    const refused = await send(product, 'GET /v1/librarians', undefined, `${await token('kim', [])}x`);
    expect(refused.status).toBe(401);
    const address = /resource_metadata="([^"]+)"/.exec(refused.headers.get('WWW-Authenticate') ?? '')?.[1] ?? '';
    const metadata = await (await fetch(address)).json();
    expect(metadata).toMatchObject({ resource: product.url.origin, authorization_servers: [issuer] });
    const ofMcp = await fetch(new URL('/.well-known/oauth-protected-resource/mcp', product.url));
    expect(await ofMcp.json()).toMatchObject({ resource: `${product.url.origin}/mcp` });
  });

  it('that is for another service is refused, by each interface in its own form', async () => {
    const elsewhere = await token('kim', ['support'], 'https://mail.example.com');
    const body = { model: 'navigator', messages: [{ role: 'user', content: 'How do I swap the fan?' }] };
    const chat = await send(product, 'POST /v1/chat/completions', body, elsewhere);
    expect([chat.status, await chat.json()]).toEqual([
      401,
      { error: expect.objectContaining({ code: 'invalid_api_key', info: expect.objectContaining(UNAUTHORIZED) }) },
    ]);
    for (const path of ['/mcp', '/a2a']) {
      const call = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
      const answer = await send(product, `POST ${path}`, call, elsewhere);
      expect([path, answer.status]).toEqual([path, 401]);
      expect(answer.headers.get('WWW-Authenticate')).toContain('Bearer');
      expect(JSON.stringify(await answer.json())).toMatch(/"jsonrpc":"2.0".*"UNAUTHORIZED"/);
    }
  });

  it('is not needed by holders of an API key', async () => {
    expect((await send(product, 'GET /v1/librarians')).status).toBe(200);
  });
});
