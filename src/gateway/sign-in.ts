import type { Context } from 'hono';
import * as z from 'zod';
import { type SignedIn, type SignInOptions, SignInRequest } from '../contract/wire/access.ts';
import { fetchJson, HttpFailure } from '../platform/http/fetch-json.ts';
import { jsonAnswer, readJson } from '../platform/http/json-http.ts';
import { limitSignIn } from './access/authenticate.ts';
import { jsonBytes } from './access/forward.ts';
import { GatewayError, type RateLimits } from './access/gateway-error.ts';
import type { Provider, Tokens } from './access/oidc.ts';
import type { GatewayEnv } from './access/request-log.ts';

interface SignInParts {
  providers?: readonly Provider[] | undefined;
  tokens?: Tokens | undefined;
  limits: RateLimits;
  send?: typeof fetch | undefined;
}

/** The page that the provider sends the browser back to. */
const REDIRECT = '/sign-in';
const TIMEOUT_MS = 8000;
const MAX_REPLY_BYTES = 64 * 1024;

/** What a provider answers for a code; which of the tokens is for this gateway depends on the provider. */
const TokenReply = z.object({
  access_token: z.string().optional(),
  id_token: z.string().optional(),
});

/** `GET` and `POST /v1/sign-in`: the providers at which a browser can sign in, and the code that it brings back for a token. */
export function createSignIn({ providers = [], tokens, limits, send = fetch }: SignInParts) {
  const offered = providers.filter((provider) => provider.client_id !== undefined);
  return {
    options: async (c: Context<GatewayEnv>): Promise<Response> => {
      if (offered.length > 0) await limitSignIn(c, limits);
      const found = await Promise.all(
        offered.map(
          async ({ issuer, client_id: client = '', scope = 'openid', parameters = {} }) => {
            const metadata = await tokens?.metadataOf(issuer).catch(() => undefined);
            const endpoint = metadata?.authorization_endpoint;
            return endpoint === undefined
              ? []
              : [
                  {
                    issuer,
                    authorization_endpoint: endpoint,
                    client_id: client,
                    scope,
                    parameters,
                  },
                ];
          },
        ),
      );
      return jsonAnswer({ providers: found.flat() } satisfies SignInOptions);
    },
    redeem: async (c: Context<GatewayEnv>): Promise<Response> => {
      await limitSignIn(c, limits);
      const request = readJson(await jsonBytes(c), SignInRequest);
      if (!request.ok)
        throw new GatewayError('INVALID_QUERY', {
          message: request.problem,
          suggestion: request.suggestion,
        });
      const { issuer, code, code_verifier } = request.value;
      const provider = offered.find((each) => each.issuer === issuer);
      if (provider?.client_id === undefined || tokens === undefined)
        throw new GatewayError('NOT_FOUND', {
          message: 'Cannot sign in: this identity provider is not offered here',
        });
      const { token_endpoint: endpoint } = await tokens.metadataOf(issuer);
      if (endpoint === undefined)
        throw new GatewayError('SERVICE_UNAVAILABLE', {
          message: 'Cannot sign in: the provider has no token endpoint',
        });
      const form = new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: provider.client_id,
        code,
        code_verifier,
        redirect_uri: new URL(REDIRECT, c.req.url).href,
      });
      const { access_token: access, id_token: id } = await redeemAt(endpoint, form, send);
      for (const token of [access, id]) {
        if (token === undefined || !tokens.reads(token)) continue;
        const accepted = await tokens.find(token).then(
          () => undefined,
          (error: unknown) => error,
        );
        if (accepted === undefined) return jsonAnswer({ token } satisfies SignedIn);
        if (id === undefined || token === id) throw accepted;
      }
      throw refused('its tokens are not for this gateway');
    },
  };
}

const redeemAt = async (endpoint: string, form: URLSearchParams, send: typeof fetch) => {
  try {
    const { json } = await fetchJson(endpoint, {
      fetch: send,
      method: 'POST',
      body: form.toString(),
      maxBytes: MAX_REPLY_BYTES,
      headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return TokenReply.parse(json);
  } catch (cause) {
    const error =
      cause instanceof HttpFailure && cause.status >= 400 && cause.status < 500
        ? refused('the identity provider does not accept the code')
        : new GatewayError('SERVICE_UNAVAILABLE', {
            message: 'Cannot sign in: the identity provider gives no token',
            suggestion: 'Try again in some seconds, or use an API key',
          });
    error.cause = cause;
    throw error;
  }
};

const refused = (why: string): GatewayError =>
  new GatewayError('UNAUTHORIZED', {
    message: `Cannot sign in: ${why}`,
    suggestion: 'Sign in again, or have an administrator of this gateway check OIDC_PROVIDERS',
  });
