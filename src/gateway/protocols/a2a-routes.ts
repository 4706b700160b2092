import type { Context } from 'hono';
import { describeIssues, readAs } from '../../contract/core/error-info.ts';
import { routeMatcher } from '../../contract/routes/http-routes.ts';
import {
  type A2aFunction,
  type A2aRequest,
  type GatewayKeys,
  TaskErasureQuery,
} from '../../contract/wire/a2a.ts';
import type { Librarians } from '../../librarians/delegation/librarian-directory.ts';
import type { Signer } from '../../platform/context/compact-jws.ts';
import type { KeyDirectory } from '../../platform/context/key-directory.ts';
import { encodeBase64url, sha256, utf8 } from '../../platform/encoding.ts';
import { lruCache } from '../../platform/lru-cache.ts';
import { demand, workspaceOf } from '../access/authenticate.ts';
import { jsonBytes } from '../access/forward.ts';
import { errorOf, GatewayError } from '../access/gateway-error.ts';
import type { Tokens } from '../access/oidc.ts';
import type { GatewayEnv } from '../access/request-log.ts';
import { type CallParts, callsFor, jsonRpcError, jsonRpcErrors } from './calls-for-caller.ts';

/** What the function a2a may call in the name of a key, beside asking. */
const isCallable = routeMatcher(['GET /v1/librarians', 'GET /.well-known/agent-card.json']);

const a2aError = jsonRpcError(({ code, message: _, ...error }) => [
  {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason: code,
    domain: 'constellation.dev',
    metadata: { code, ...(error.suggestion === undefined ? {} : { suggestion: error.suggestion }) },
  },
]);

/** Puts errors of the gateway into the form of A2A: details with our code (A2A 1.0, section 9.5). */
export const a2aErrors = jsonRpcErrors(a2aError);

/**
 * `POST /a2a`: hands the request to the function a2a, which gets the rights of the caller and a function that calls routes of this
 * gateway with the caller's credentials, not the credentials themselves. What it has asked goes on when the caller has gone.
 */
export function createA2a({ a2a, ...parts }: CallParts & { a2a: A2aFunction | undefined }) {
  return async (c: Context<GatewayEnv>): Promise<Response> => {
    if (a2a === undefined) return c.notFound();
    if (c.req.method !== 'POST') {
      c.set('outcome', 'INVALID_QUERY');
      const message = 'Cannot take this method: every request of A2A is a POST';
      return a2aError(405, errorOf('INVALID_QUERY', { message }), { Allow: 'POST' });
    }
    const key = c.get('apiKey');
    const caller = {
      workspace: workspaceOf(key, c.req.query('workspace_id')),
      owner: key.id,
      capabilities: key.capabilities,
    };
    const request: A2aRequest = {
      version: c.req.header('A2A-Version') ?? c.req.query('A2A-Version') ?? '',
      extensions: c.req.header('A2A-Extensions') ?? '',
      body: await jsonBytes(c),
    };
    c.set('answeredBy', 'a2a');
    const { response, finished } = await a2a.answer(
      request,
      caller,
      callsFor(c, { ...parts, isCallable }),
    );
    c.set('work', finished?.());
    return new Response(response.body, response);
  };
}

/** `DELETE /v1/a2a/tasks`: erases the tasks of a conversation or a person, whoever has begun them. */
export function createTaskErasure({ a2a }: { a2a: A2aFunction | undefined }) {
  return async (c: Context<GatewayEnv>): Promise<Response> => {
    if (a2a === undefined) return c.notFound();
    const key = c.get('apiKey');
    demand(key, 'memory:write');
    const { workspace_id: named, ...query } = c.req.query();
    const read = readAs(TaskErasureQuery, query);
    if (!read.ok) {
      throw new GatewayError('INVALID_QUERY', {
        message: `Cannot erase tasks: ${describeIssues(read.issues)}`,
        suggestion: 'Send ?context_id= or ?person_id= in the address',
      });
    }
    c.set('answeredBy', 'a2a');
    return c.json({ erased: await a2a.erase(workspaceOf(key, named), read.value, key.id) });
  };
}

interface CardParts {
  a2a: A2aFunction | undefined;
  librarians: Librarians;
  signer: Signer | undefined;
  tokens?: Tokens | undefined;
  now: () => number;
}

/** Clients may keep the card this long, in seconds. */
const CARD_SECONDS = 300;

/**
 * `GET /.well-known/agent-card.json`: the card, with a signature over its canonical form by the gateway's own key (A2A 1.0, section 8.4).
 * The header of the signature has a type of its own, so that it can never stand for a link or a receipt.
 */
export function createCard({ a2a, librarians, signer, tokens, now }: CardParts) {
  const seen = lruCache<string, string>({ max: MAX_SEEN });
  /** When the card of an address was first seen to be as it is now, as a date of HTTP. */
  const changedAt = (etag: string): string => seen.getOr(etag, () => new Date(now()).toUTCString());
  return async (c: Context<GatewayEnv>): Promise<Response> => {
    if (a2a === undefined || signer === undefined) return c.notFound();
    const { origin } = new URL(c.req.url);
    const own = (await librarians.list()).librarians.filter(({ id }) => !id.startsWith('partner.'));
    const { card, canonical } = await a2a.card({
      origin,
      librarians: own,
      issuers: tokens?.issuers ?? [],
    });
    const jku = `${origin}/.well-known/jwks.json`;
    const header = encodeBase64url(
      utf8(JSON.stringify({ alg: 'EdDSA', jku, kid: signer.kid, typ: 'JOSE' })),
    );
    const signed = utf8(`${header}.${encodeBase64url(utf8(canonical))}`);
    const signature = encodeBase64url(await signer.sign(signed));
    const etag = `"${(await sha256(signed)).slice(0, 22)}"`;
    const isWhole = own.every(
      ({ id }) => id === 'concierge' || librarians.infoOf(id) !== undefined,
    );
    c.set('headersOfFile', {
      // A librarian that has not described itself yet is missing in the card.
      'Cache-Control': isWhole ? `public, max-age=${CARD_SECONDS}` : 'no-cache',
      ETag: etag,
      'Last-Modified': changedAt(etag),
    });
    if (c.req.header('If-None-Match') === etag) return c.body(null, 304);
    return c.json({ ...card, signatures: [{ protected: header, signature }] });
  };
}

const MAX_SEEN = 16;

/** `GET /.well-known/jwks.json`: the keys of the gateway in the directory, so that a client can verify the card. */
export function gatewayKeys({ directory, now }: { directory: KeyDirectory; now: () => number }) {
  return (c: Context<GatewayEnv>): Response => {
    const seconds = now() / 1000;
    const keys = (directory.librarian('gateway')?.keys ?? []).filter(
      ({ exp = Infinity }) => exp > seconds,
    );
    c.set('headersOfFile', { 'Cache-Control': `public, max-age=${CARD_SECONDS}` });
    return c.json({
      keys: keys.map(({ kid, x }) => ({
        kty: 'OKP',
        crv: 'Ed25519',
        alg: 'EdDSA',
        use: 'sig',
        kid,
        x,
      })),
    } satisfies GatewayKeys);
  };
}
