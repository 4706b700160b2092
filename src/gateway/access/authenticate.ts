import type { Context, MiddlewareHandler } from 'hono';
import { namesWhere, routeMatcher } from '../../contract/routes/http-routes.ts';
import { covers } from '../../platform/context/capabilities.ts';
import type { KeyDirectory } from '../../platform/context/key-directory.ts';
import { callerOf } from '../../platform/context/verify-context.ts';
import { API_KEY, type ApiKey, type ApiKeys } from './api-keys.ts';
import {
  GatewayError,
  RATE_PERIOD_SECONDS,
  type RateLimits,
  withinAddressRate,
  withinPageRate,
  withinPartnerRate,
  withinRate,
  withinSignedRate,
  withinSignInRate,
} from './gateway-error.ts';
import type { Tokens } from './oidc.ts';
import type { GatewayEnv } from './request-log.ts';

/** What credentials are checked against. */
export interface Credentials {
  keys: ApiKeys;
  tokens?: Tokens | undefined;
  limits: RateLimits;
}

/** Authenticates a request by its `Authorization: Bearer <key or token>`, within the rate limit of its holder. */
export function authenticate(parts: Credentials): MiddlewareHandler<GatewayEnv> {
  return async (c, next) => {
    c.set('apiKey', await signIn(c, parts, c.req.header('Authorization')));
    await next();
  };
}

/**
 * The holder of these credentials.
 *
 * @throws {GatewayError} When they are not accepted, or their holder or the caller's address is over its rate limit.
 */
export async function signIn(
  c: Context<GatewayEnv>,
  parts: Credentials,
  authorization: string | undefined,
): Promise<ApiKey> {
  const { limits } = parts;
  const key = await holderOf(authorization, parts);
  if (key instanceof GatewayError) {
    // Only failures count: a valid key works from every address.
    const address = c.req.header('CF-Connecting-IP') ?? 'unknown';
    if (!(await withinAddressRate(address, limits)))
      throw tooMany('this address has failed to sign in too often');
    throw key;
  }
  if (key.origins !== undefined) await demandPage(c, { ...key, origins: key.origins }, limits);
  await limitKey(key, limits);
  return key;
}

/** Throws when a key is over its rate limit. */
export async function limitKey(key: ApiKey, limits: RateLimits): Promise<void> {
  if (!(await withinRate(key, limits))) throw tooMany('this API key has made too many requests');
}

/** What web pages may do with a publishable key. */
export const isPublishable = routeMatcher(namesWhere((route) => route.isPublishable === true));

/** Throws unless a page of the key's origins asks, within the limit of its reader's address. */
const demandPage = async (
  c: Context<GatewayEnv>,
  { id, origins }: { id: string; origins: readonly string[] },
  limits: RateLimits,
): Promise<void> => {
  const origin = c.req.header('Origin');
  if (origin === undefined || !origins.includes(origin)) {
    throw new GatewayError('UNAUTHORIZED', {
      message: `Cannot accept the publishable key: it is not for ${origin === undefined ? 'programs' : `pages of ${origin.slice(0, 200)}`}`,
      suggestion:
        'Have an administrator of this gateway make a publishable key for the origin of the page',
    });
  }
  if (!isPublishable(c.req.method, c.req.path)) {
    throw new GatewayError('UNAUTHORIZED', {
      message:
        'Cannot do this: the publishable key may ask, search, judge answers and hand over to a person, nothing else',
      suggestion: 'Use an API key that is kept on a server',
    });
  }
  const address = c.req.header('CF-Connecting-IP') ?? 'unknown';
  if (!(await withinPageRate(address, { id, limits })))
    throw tooMany('this address has asked too many questions');
};

/** Who asks, or why that cannot be known. */
const holderOf = async (
  header: string | undefined,
  { keys, tokens }: { keys: ApiKeys; tokens?: Tokens | undefined },
): Promise<ApiKey | GatewayError> => {
  const credential = /^Bearer +(\S+) *$/i.exec(header ?? '')?.[1];
  if (credential !== undefined && tokens?.reads(credential) === true) {
    return tokens.find(credential).catch((error: unknown) => {
      if (error instanceof GatewayError && error.code === 'UNAUTHORIZED') return error;
      throw error;
    });
  }
  const secret = credential !== undefined && API_KEY.test(credential) ? credential : undefined;
  const key = secret === undefined ? undefined : await keys.find(secret);
  return key ?? new GatewayError('UNAUTHORIZED', refusalOf({ header, secret }));
};

const refusalOf = ({
  header,
  secret,
}: {
  header: string | undefined;
  secret: string | undefined;
}) => {
  const suggestion =
    'Send the header Authorization: Bearer <key> with a key that an administrator of this gateway made';
  if (header === undefined)
    return { message: 'Cannot tell who asks: the request has no API key', suggestion };
  if (secret === undefined)
    return {
      message: 'Cannot read the API key: the header Authorization is malformed',
      suggestion,
    };
  return {
    message: 'Cannot accept the API key: it is unknown or has expired',
    suggestion:
      'Check for a mistyped or cut key, or have an administrator of this gateway make a new one',
  };
};

/**
 * Throws when an address, or the librarian that has signed the call, is over the limit for calls between librarians.
 *
 * @param token The value of `Context-Token`, which the called function verifies as a whole.
 */
export async function limitLibrarians(
  { address = 'unknown', token = '' }: { address: string | undefined; token: string | undefined },
  { limits, directory, now }: { limits: RateLimits; directory: KeyDirectory; now: number },
): Promise<void> {
  await limitAddress(address, limits);
  const caller = await callerOf(token, { directory, now });
  if (caller !== undefined && !(await withinPartnerRate(caller, limits))) {
    throw tooMany(`the librarian ${caller} has made too many calls`);
  }
}

/** Throws when an address is over the limit for calls that are verified by their own signature. */
export async function limitAddress(address: string, limits: RateLimits): Promise<void> {
  if (!(await withinSignedRate(address, limits)))
    throw tooMany('this address has made too many calls');
}

/** Throws when an address has begun or ended too many sign-ins at an identity provider: each may make the gateway call one. */
export async function limitSignIn(c: Context<GatewayEnv>, limits: RateLimits): Promise<void> {
  const address = c.req.header('CF-Connecting-IP') ?? 'unknown';
  if (!(await withinSignInRate(address, { method: c.req.method, limits }))) {
    throw tooMany('this address has begun too many sign-ins');
  }
}

/** Throws unless the key holds the rights that the route requires. */
export function demand(key: ApiKey, capability: string): void {
  if (covers(key.capabilities, capability)) return;
  throw new GatewayError('UNAUTHORIZED', {
    message: `Cannot do this: the API key does not hold the capability ${capability}`,
    suggestion: `Use a key that holds ${capability}, or have this one's record changed by an administrator`,
    details: { missing: capability },
  });
}

/** The workspace of a request: the one it names, if the key may use it, otherwise the key's first. */
export function workspaceOf(key: ApiKey, ...named: (string | undefined)[]): string {
  const wanted = new Set(named.filter((name) => name !== undefined));
  if (wanted.size > 1) {
    throw new GatewayError('INVALID_QUERY', {
      message: 'Cannot choose a workspace: the address and the body name different ones',
      suggestion: 'Name the workspace once, in the body or as ?workspace_id=',
    });
  }
  const [workspace = key.workspaces[0]] = wanted;
  if (key.workspaces.includes(workspace)) return workspace;
  throw new GatewayError('UNAUTHORIZED', {
    message: 'Cannot use this workspace: the API key does not belong to it',
    suggestion: 'Leave workspace_id out to use the first workspace of the key',
  });
}

const tooMany = (reason: string): GatewayError =>
  new GatewayError('RATE_LIMITED', {
    message: `Cannot take this request: ${reason} in the last minute`,
    details: { retry_after_seconds: RATE_PERIOD_SECONDS },
  });
