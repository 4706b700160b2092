import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';

/** The gateway's name at the provider. */
export const AUDIENCE = 'https://kb.example.com';
export const CLIENT_ID = 'console';

/** An identity provider on this machine: discovery, keys, and the authorization code flow with PKCE for one person. */
export interface LocalIdentityProvider {
  issuer: string;
  /** A token with these claims; for this gateway when `aud` is absent. */
  sign(claims: JWTPayload): Promise<string>;
  /** Claims of the person who signs in; undefined when sign-in is denied. */
  person: JWTPayload | undefined;
  /** Paths of the calls that it got. */
  calls: string[];
  /** Whether it answers everything with 503. */
  isDown: boolean;
  stop(): void;
}

export async function startIdentityProvider(): Promise<LocalIdentityProvider> {
  const pair = await generateKeyPair('RS256');
  const jwk = { ...(await exportJWK(pair.publicKey)), kid: 'one', alg: 'RS256', use: 'sig' };
  const codes = new Map<string, URLSearchParams>();
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', provider.issuer);
    provider.calls.push(pathname);
    if (provider.isDown) {
      response.writeHead(503).end();
      return;
    }
    if (pathname === '/authorize') {
      const back = new URL(searchParams.get('redirect_uri') ?? '');
      back.searchParams.set('state', searchParams.get('state') ?? '');
      if (provider.person === undefined) back.searchParams.set('error', 'access_denied');
      else {
        const code = crypto.randomUUID();
        codes.set(code, searchParams);
        back.searchParams.set('code', code);
      }
      response.writeHead(302, { location: back.href }).end();
      return;
    }
    response.setHeader('content-type', 'application/json');
    if (pathname === '/keys') response.end(JSON.stringify({ keys: [jwk] }));
    else if (pathname === '/token') {
      let body = '';
      for await (const part of request) body += part;
      const form = new URLSearchParams(body);
      const begun = codes.get(form.get('code') ?? '');
      codes.delete(form.get('code') ?? '');
      const challenge = createHash('sha256').update(form.get('code_verifier') ?? '');
      const isRight =
        begun?.get('code_challenge') === challenge.digest('base64url') &&
        begun.get('code_challenge_method') === 'S256' &&
        form.get('client_id') === CLIENT_ID &&
        begun.get('client_id') === CLIENT_ID &&
        begun.get('redirect_uri') === form.get('redirect_uri');
      if (!isRight) response.writeHead(400).end(JSON.stringify({ error: 'invalid_grant' }));
      else {
        const id = await provider.sign({ ...provider.person, aud: CLIENT_ID });
        const access = await provider.sign({ ...provider.person });
        response.end(JSON.stringify({ token_type: 'Bearer', id_token: id, access_token: access }));
      }
    } else {
      const { issuer } = provider;
      const endpoints = {
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
      };
      response.end(JSON.stringify({ issuer, jwks_uri: `${issuer}/keys`, ...endpoints }));
    }
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const provider: LocalIdentityProvider = {
    issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // it listens on a port
    person: undefined,
    calls: [],
    isDown: false,
    sign: (claims) =>
      new SignJWT({ iss: provider.issuer, aud: AUDIENCE, ...claims })
        .setProtectedHeader({ alg: 'RS256', kid: 'one' })
        .setExpirationTime('5m')
        .sign(pair.privateKey),
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return provider;
}
