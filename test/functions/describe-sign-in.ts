import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ErrorBody } from '../../src/contract/core/error-info.ts';
import { SignedIn, SignInOptions } from '../../src/contract/wire/access.ts';
import type { Product } from '../../tools/run/product.ts';
import { earlyInMinute } from '../early-in-minute.ts';
import { AUDIENCE, CLIENT_ID, type LocalIdentityProvider } from './identity-provider-for-test.ts';
import { send } from './product-for-test.ts';

/** People of the group `support` work in the default workspace, all others read another one. */
export function providersOf(issuer: string): string {
  const grants = [
    {
      claims: { groups: 'support' },
      workspaces: ['default'],
      capabilities: ['kb:read', 'memory:*'],
    },
    { workspaces: ['other'], capabilities: ['kb:read'] },
  ];
  return JSON.stringify([{ issuer, audience: AUDIENCE, client_id: CLIENT_ID, grants }]);
}

export function describeSignIn(
  productOf: () => Product,
  providerOf: () => LocalIdentityProvider,
): void {
  const token = (sub: string, groups: string[], aud = AUDIENCE): Promise<string> =>
    providerOf().sign({ sub, groups, aud });

  const UNAUTHORIZED = { code: 'UNAUTHORIZED' };

  describe('a token of an identity provider, in workerd', () => {
    it('asks with the rights of its grant, only in its workspaces', async () => {
      const kim = await token('kim', ['support']);
      const asked = await send(
        productOf(),
        'POST /v1/ask',
        { query: 'How do I swap the fan?' },
        kim,
      );
      expect([asked.status, await asked.json()]).toEqual([
        200,
        expect.objectContaining({ sources: expect.anything() }),
      ]);
      const query = { query: 'fan' };
      expect(
        (await send(productOf(), 'POST /v1/knowledge/search?workspace_id=other', query, kim))
          .status,
      ).toBe(401);
      expect((await send(productOf(), 'POST /v1/sync', {}, kim)).status).toBe(401);
      const lee = await token('lee', []);
      expect(
        (await send(productOf(), 'POST /v1/knowledge/search?workspace_id=default', query, lee))
          .status,
      ).toBe(401);
    });

    it('separates the conversations of two people', async () => {
      const ask = async (person: string, query: string) => {
        const body = { query, conversation_id: 'shared-name' };
        const reply = await send(
          productOf(),
          'POST /v1/ask',
          body,
          await token(person, ['support']),
        );
        return ((await reply.json()) as { metadata: { conversation: { turns: number } } }).metadata
          .conversation.turns;
      };
      await ask('kim', 'How loud is the Apollo III in Turbo mode?');
      expect([
        await ask('kim', 'And in Eco mode?'),
        await ask('mallory', 'And in Eco mode?'),
      ]).toEqual([1, 0]);
    });

    it('is refused with a pointer to the accepted providers', async () => {
      const refused = await send(
        productOf(),
        'GET /v1/librarians',
        undefined,
        `${await token('kim', [])}x`,
      );
      expect(refused.status).toBe(401);
      const address =
        /resource_metadata="([^"]+)"/.exec(refused.headers.get('WWW-Authenticate') ?? '')?.[1] ??
        '';
      const metadata = await (await fetch(address)).json();
      expect(metadata).toMatchObject({
        resource: productOf().url.origin,
        authorization_servers: [providerOf().issuer],
      });
      const ofMcp = await fetch(
        new URL('/.well-known/oauth-protected-resource/mcp', productOf().url),
      );
      expect(await ofMcp.json()).toMatchObject({ resource: `${productOf().url.origin}/mcp` });
    });

    it('for another service is refused by each interface in its own form', async () => {
      const elsewhere = await token('kim', ['support'], 'https://mail.example.com');
      const body = {
        model: 'navigator',
        messages: [{ role: 'user', content: 'How do I swap the fan?' }],
      };
      const chat = await send(productOf(), 'POST /v1/chat/completions', body, elsewhere);
      expect([chat.status, await chat.json()]).toEqual([
        401,
        {
          error: expect.objectContaining({
            code: 'invalid_api_key',
            info: expect.objectContaining(UNAUTHORIZED),
          }),
        },
      ]);
      for (const path of ['/mcp', '/a2a']) {
        const call = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
        const answer = await send(productOf(), `POST ${path}`, call, elsewhere);
        expect([path, answer.status]).toEqual([path, 401]);
        expect(answer.headers.get('WWW-Authenticate')).toContain('Bearer');
        expect(JSON.stringify(await answer.json())).toMatch(/"jsonrpc":"2.0".*"UNAUTHORIZED"/);
      }
    });
  });

  describe('POST /v1/sign-in', () => {
    const VERIFIER = 'v'.repeat(43);
    // The digest of the verifier, RFC 7636, section 4.2.
    const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

    const codeFor = async (groups: string[]): Promise<string> => {
      providerOf().person = { sub: 'kim', groups };
      const options = SignInOptions.parse(
        await (await fetch(new URL('/v1/sign-in', productOf().url))).json(),
      );
      expect(options.providers).toMatchObject([
        { issuer: providerOf().issuer, client_id: CLIENT_ID, scope: 'openid', parameters: {} },
      ]);
      const address = new URL(options.providers[0]?.authorization_endpoint ?? '');
      const redirect_uri = new URL('/sign-in', productOf().url).href;
      const query = {
        client_id: CLIENT_ID,
        redirect_uri,
        code_challenge: CHALLENGE,
        code_challenge_method: 'S256',
      };
      address.search = String(new URLSearchParams(query));
      const { headers } = await fetch(address, { redirect: 'manual' });
      return new URL(headers.get('location') ?? '').searchParams.get('code') ?? '';
    };
    const redeem = (body: object) =>
      fetch(new URL('/v1/sign-in', productOf().url), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ issuer: providerOf().issuer, code_verifier: VERIFIER, ...body }),
      });
    const refusalOf = async (body: object) => {
      const response = await redeem(body);
      return [response.status, ErrorBody.parse(await response.json()).error.message];
    };

    /** Statuses of many calls at once, as from one address. */
    const flood = async (
      count: number,
      address: string,
      init: RequestInit = {},
    ): Promise<Record<number, number>> => {
      const headers = { 'content-type': 'application/json', 'CF-Connecting-IP': address };
      const sent = Array.from({ length: count }, () =>
        fetch(new URL('/v1/sign-in', productOf().url), { ...init, headers }),
      );
      const statuses = (await Promise.all(sent)).map(({ status }) => status);
      return Object.fromEntries(
        Map.groupBy(statuses, (status) => status)
          .entries()
          .map(([status, all]) => [status, all.length]),
      );
    };
    const callsOf = (path: string): number =>
      providerOf().calls.filter((call) => call === path).length;

    it('is limited for each address, and asks the provider for its addresses once', async () => {
      const DISCOVERY = '/.well-known/openid-configuration';
      const before = [callsOf(DISCOVERY), callsOf('/token')] as const;
      await earlyInMinute();
      const begun = await flood(200, '203.0.113.1');
      expect(begun).toEqual({ 200: 60, 429: 140 });
      const body = JSON.stringify({
        issuer: providerOf().issuer,
        code: 'guessed',
        code_verifier: VERIFIER,
      });
      const redeemed = await flood(200, '203.0.113.1', { method: 'POST', body });
      expect(redeemed).toEqual({ 401: 60, 429: 140 });
      expect(callsOf(DISCOVERY) - before[0]).toBeLessThanOrEqual(1);
      expect(callsOf('/token') - before[1]).toBe(60);
      // Another address is not affected.
      expect(await flood(1, '203.0.113.2')).toEqual({ 200: 1 });
    });

    it('redeems a code once for an accepted token, and only with the verifier of its sign-in', async () => {
      const code = await codeFor(['support']);
      const { token: given } = SignedIn.parse(await (await redeem({ code })).json());
      expect((await send(productOf(), 'GET /v1/librarians', undefined, given)).status).toBe(200);
      const notAccepted = [401, 'Cannot sign in: the identity provider does not accept the code'];
      expect(await refusalOf({ code })).toEqual(notAccepted);
      const other = await codeFor(['support']);
      expect(await refusalOf({ code: other, code_verifier: 'w'.repeat(43) })).toEqual(notAccepted);
    });

    it('asks only configured providers, and refuses an invalid verifier', async () => {
      expect(await refusalOf({ code: 'c', issuer: 'http://169.254.169.254/' })).toEqual([
        ...[404, 'Cannot sign in: this identity provider is not offered here'],
      ]);
      expect(await refusalOf({ code: 'c', code_verifier: 'short' })).toEqual([
        400,
        expect.stringContaining('verifier'),
      ]);
    });
  });
}
