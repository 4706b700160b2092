import {
  createRemoteJWKSet,
  customFetch,
  decodeJwt,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose';
import * as z from 'zod';
import { Audience, HeldAudiences, WorkspaceId } from '../../contract/core/names.ts';
import { MAX_AUDIENCES } from '../../platform/context/limits.ts';
import { fetchJson, HttpFailure, readBytes, sendOk } from '../../platform/http/fetch-json.ts';
import { sleep } from '../../platform/retry.ts';
import {
  environmentSettings,
  isDevelopment,
  readSettings,
  type SettingsSchema,
  serviceAddress,
  type Variables,
} from '../../platform/settings/settings.ts';
import { json } from '../../platform/settings/values.ts';
import { type ApiKey, ApiKeyRecord, hashApiKey } from './api-keys.ts';
import { GatewayError } from './gateway-error.ts';

/**
 * Claims that a token has to have, all of them: a text that the claim equals, or that a list (or `scope`, separated by spaces)
 * contains. A name that no claim has may be a path, `realm_access.roles`.
 */
const Claims = z.record(z.string().min(1).max(200), z.string().min(1).max(500));

/** What holders of a token may do. */
const Grant = z.strictObject({
  /** Absent: every token. */
  claims: Claims.optional(),
  workspaces: z.array(WorkspaceId).min(1).max(50),
  capabilities: ApiKeyRecord.shape.capabilities,
  /** Audiences of its holder, some of them only with further claims: `{"name": "legal", "claims": {"groups": "legal"}}`. */
  audiences: z
    .array(z.union([HeldAudiences.element, z.strictObject({ name: Audience, claims: Claims })]))
    .max(100)
    .optional(),
  /** `standard` when absent; counted for each person. */
  rate: ApiKeyRecord.shape.rate.optional(),
});

/** An identity provider whose tokens are accepted (OpenID Connect Discovery 1.0; RFC 9068 for access tokens). */
const Provider = z.strictObject({
  /** Equals `iss` of its tokens, to the character. */
  issuer: z.url().max(500),
  /** Has to be in `aud`: the name of this gateway at the provider. */
  audience: z.string().min(1).max(500),
  /** Address of its keys; found by discovery when absent. */
  jwks_uri: z.url().max(2048).optional(),
  /** The console as a public client of the provider; without it the console offers no sign-in there. */
  client_id: z.string().min(1).max(500).optional(),
  /** What the console asks the provider for, separated by spaces; `openid` when absent. */
  scope: z.string().min(1).max(1000).optional(),
  /** Further parameters of the console's sign-in that the provider asks for. */
  parameters: z.record(z.string().min(1).max(100), z.string().max(1000)).optional(),
  /** The first whose claims fit applies; without one the token is refused. */
  grants: z.array(Grant).min(1).max(100),
});
export type Provider = z.infer<typeof Provider>;

export const signInSettings = {
  ...environmentSettings,
  OIDC_PROVIDERS: json(z.array(Provider).max(10), {
    what: 'Identity providers whose tokens are accepted beside API keys ([signing in](sign-in.md))',
    example: '[{"issuer": "https://…", "audience": "…", "grants": […]}]',
    usual: [],
    otherwise: 'none',
  }),
} satisfies SettingsSchema;

/** @throws {SettingRefused} For a wrong list, or an address in it that must not be called. */
export function readProviders(variables: Variables<typeof signInSettings>): Provider[] {
  const isLocal = isDevelopment(variables);
  const { OIDC_PROVIDERS: providers } = readSettings(signInSettings, variables);
  for (const { issuer, jwks_uri } of providers)
    for (const address of [issuer, ...(jwks_uri === undefined ? [] : [jwks_uri])])
      serviceAddress(new URL(address).origin, { name: 'OIDC_PROVIDERS', isLocal });
  return providers;
}

export interface Tokens {
  /** Issuers, for the metadata of this resource (RFC 9728). */
  issuers: readonly string[];
  /** Whether a bearer credential is a token rather than an API key. */
  reads(credential: string): boolean;
  /** The rights that a token gives, as those of a key. @throws {GatewayError} Why it gives none. */
  find(token: string): Promise<ApiKey>;
  /** Addresses of a provider, from its discovery or the cache. @throws {GatewayError} `SERVICE_UNAVAILABLE` */
  metadataOf(issuer: string): Promise<ProviderMetadata>;
}

/** Longest token, in characters. */
const MAX_TOKEN_LENGTH = 8000;
const TOKEN = /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/;
/** Signatures with a public key; never `none`, and never a shared secret. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
/** How far the clocks of provider and gateway may differ, in seconds. */
const CLOCK_TOLERANCE = 30;
const TIMEOUT_MS = 5000;
/** Keys are fetched again after this time, and for a token with an unknown key at most twice a minute. */
const KEYS_MS = 600_000;
const COOLDOWN_MS = 30_000;
/** How long a failure of a provider counts. */
const FAILURE_MS = 10_000;
const MAX_METADATA_BYTES = 256 * 1024;

/** Verifies the tokens of identity providers. Keys are fetched when the first token comes, and cached in the isolate. */
export function oidcTokens(
  providers: readonly Provider[],
  { send = fetch, now = () => Date.now() }: { send?: typeof fetch; now?: () => number } = {},
): Tokens {
  const metadataOf = cachedPerIssuer((issuer) => providerMetadata(issuer, send), now);
  const verifiers = new Map(
    providers.map((provider) => [
      provider.issuer,
      { provider, keyOf: keysOf(provider, { send, now, metadataOf }) },
    ]),
  );
  return {
    issuers: [...verifiers.keys()],
    metadataOf,
    reads: (credential) => verifiers.size > 0 && TOKEN.test(credential),
    find: async (token) => {
      if (token.length > MAX_TOKEN_LENGTH)
        throw refused(`it has more than ${MAX_TOKEN_LENGTH} characters`);
      const known = verifiers.get(issuerOf(token));
      if (known === undefined) throw refused('its issuer is not accepted here');
      const { provider, keyOf } = known;
      const { issuer, audience } = provider;
      const claims = await verified(token, keyOf, { issuer, audience, now: now() });
      if (typeof claims.sub !== 'string' || claims.sub === '')
        throw refused('its claim sub is not as it has to be');
      const grant = provider.grants.find((each) => fits(each.claims ?? {}, claims));
      if (grant === undefined) throw refused('its claims give no rights here');
      const { workspaces, capabilities, rate = 'standard' } = grant;
      const audiences = audiencesOf(grant, claims);
      const [first = '', ...others] = workspaces;
      const id = (await hashApiKey(`${issuer}\n${claims.sub}`)).slice(0, 16);
      const rights = {
        workspaces: [first, ...others] satisfies ApiKey['workspaces'],
        capabilities,
        audiences,
        rate,
      };
      return { name: personIn(claims), ...rights, id, authentication: 'oidc' };
    },
  };
}

const refused = (why: string): GatewayError =>
  new GatewayError('UNAUTHORIZED', {
    message: `Cannot accept the token: ${why}`,
    suggestion:
      'Sign in again at the identity provider, or have an administrator of this gateway check OIDC_PROVIDERS',
  });

const issuerOf = (token: string): string => {
  try {
    return decodeJwt(token).iss ?? '';
  } catch {
    throw refused('it cannot be read');
  }
};

const verified = async (
  token: string,
  keyOf: JWTVerifyGetKey,
  { issuer, audience, now }: { issuer: string; audience: string; now: number },
): Promise<JWTPayload> => {
  try {
    const { payload } = await jwtVerify(token, keyOf, {
      issuer,
      audience,
      algorithms: ALGORITHMS,
      clockTolerance: CLOCK_TOLERANCE,
      currentDate: new Date(now),
      requiredClaims: ['sub', 'exp'],
    });
    return payload;
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    throw problemOf(error);
  }
};

const problemOf = (error: unknown): GatewayError => {
  if (error instanceof errors.JWTExpired) return refused('it has expired');
  if (error instanceof errors.JWTClaimValidationFailed)
    return refused(`its claim ${error.claim} is not as it has to be`);
  if (error instanceof errors.JOSEAlgNotAllowed)
    return refused('its signature algorithm is not accepted');
  if (
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWSSignatureVerificationFailed
  )
    return refused('its signature is not of the identity provider');
  const isOfToken =
    error instanceof errors.JWSInvalid ||
    error instanceof errors.JWTInvalid ||
    error instanceof errors.JOSENotSupported;
  return isOfToken ? refused('it cannot be read') : unavailable(error);
};

const unavailable = (cause: unknown): GatewayError => {
  const error = new GatewayError('SERVICE_UNAVAILABLE', {
    message: 'Cannot check the token: the identity provider does not hand out its keys',
    suggestion: 'Try again in some seconds, or use an API key',
  });
  error.cause = cause;
  return error;
};

interface KeysParts {
  send: typeof fetch;
  now: () => number;
  metadataOf: Tokens['metadataOf'];
}

/** The keys of a provider. After a failure, the gateway does not ask again before the cooldown ends. */
const keysOf = (
  { issuer, jwks_uri }: Provider,
  { send, now, metadataOf }: KeysParts,
): JWTVerifyGetKey => {
  let keys: ReturnType<typeof createRemoteJWKSet> | undefined;
  const read = cachedPerIssuer((address) => boundedText(send, address), now, {
    forMs: SAME_KEYS_MS,
  });
  return async (header, token) => {
    keys ??= createRemoteJWKSet(new URL(jwks_uri ?? (await metadataOf(issuer)).jwks_uri), {
      timeoutDuration: TIMEOUT_MS,
      cacheMaxAge: KEYS_MS,
      cooldownDuration: COOLDOWN_MS,
      [customFetch]: async (address: string) => new Response(await read(address)),
    });
    return keys(header, token);
  };
};

const boundedText = async (send: typeof fetch, address: string): Promise<string> => {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await sendOk(address, {
    fetch: send,
    headers: { accept: 'application/json' },
    signal,
  });
  return new TextDecoder().decode(
    await readBytes(response, { maxBytes: MAX_METADATA_BYTES, signal }),
  );
};

interface CachedCall<Value> {
  /** Until when the outcome counts; while the call is in flight, until when others wait for it. */
  untilMs: number;
  outcome?: { ok: true; value: Value } | { ok: false; error: unknown };
}

/**
 * Calls a provider once for all that ask within a time, whether it succeeds or fails; there are as many entries as providers. Requests that
 * come meanwhile look for the outcome: a promise of another request must not be awaited on Workers.
 *
 * @param options.forMs How long a success counts.
 */
const cachedPerIssuer = <Value>(
  make: (issuer: string) => Promise<Value>,
  now: () => number,
  { forMs = KEYS_MS }: { forMs?: number } = {},
): ((issuer: string) => Promise<Value>) => {
  const calls = new Map<string, CachedCall<Value>>();
  return async (issuer) => {
    for (
      let known = calls.get(issuer);
      known !== undefined && known.untilMs > now();
      known = calls.get(issuer)
    ) {
      if (known.outcome?.ok === true) return known.outcome.value;
      if (known.outcome?.ok === false) throw known.outcome.error;
      await sleep(LOOK_AGAIN_MS);
    }
    const call: CachedCall<Value> = { untilMs: now() + TIMEOUT_MS };
    calls.set(issuer, call);
    try {
      const value = await make(issuer);
      calls.set(issuer, { outcome: { ok: true, value }, untilMs: now() + forMs });
      return value;
    } catch (error) {
      calls.set(issuer, { outcome: { ok: false, error }, untilMs: now() + FAILURE_MS });
      throw error;
    }
  };
};

const LOOK_AGAIN_MS = 20;
/** Requests that need the keys at the same time share them; `createRemoteJWKSet` decides when they are stale. */
const SAME_KEYS_MS = 5000;

const Metadata = z.object({
  issuer: z.string().max(500),
  jwks_uri: z.url().max(2048),
  authorization_endpoint: z.url().max(2048).optional(),
  token_endpoint: z.url().max(2048).optional(),
});
type ProviderMetadata = z.infer<typeof Metadata>;

/**
 * Addresses of a provider. OpenID Connect Discovery 1.0, section 4: the metadata has to name the issuer that it was asked for.
 *
 * @throws {GatewayError} `SERVICE_UNAVAILABLE`
 */
const providerMetadata = async (issuer: string, send: typeof fetch): Promise<ProviderMetadata> => {
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  try {
    const { json } = await fetchJson(address, {
      fetch: send,
      headers: { accept: 'application/json' },
      maxBytes: MAX_METADATA_BYTES,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const metadata = Metadata.parse(json);
    if (metadata.issuer !== issuer)
      throw new HttpFailure('not-json', 'the metadata is of another issuer');
    for (const name of ['jwks_uri', 'authorization_endpoint', 'token_endpoint'] as const) {
      const address = metadata[name];
      if (address !== undefined)
        serviceAddress(new URL(address).origin, {
          name,
          isLocal: new URL(issuer).protocol === 'http:',
        });
    }
    return metadata;
  } catch (error) {
    throw unavailable(error);
  }
};

/** The first 20 that the claims give: a context holds no more. */
const audiencesOf = ({ audiences = [] }: z.infer<typeof Grant>, claims: JWTPayload): string[] => {
  const held = audiences.flatMap((each) => {
    if (typeof each === 'string') return each;
    return fits(each.claims, claims) ? each.name : [];
  });
  return [...new Set(held)].slice(0, MAX_AUDIENCES);
};

const fits = (demanded: Readonly<Record<string, string>>, claims: JWTPayload): boolean =>
  Object.entries(demanded).every(([name, wanted]) => {
    const claim = claimOf(name, claims);
    if (Array.isArray(claim)) return claim.includes(wanted);
    return name === 'scope' && typeof claim === 'string'
      ? claim.split(' ').includes(wanted)
      : claim === wanted;
  });

const MAX_NAME = 100;

/** The name of the person (OpenID Connect Core 1.0, section 5.1), for the audit log alone. */
const personIn = ({ name, preferred_username: userName }: JWTPayload): string => {
  const stated = [name, userName].find((each) => typeof each === 'string' && each.trim() !== '');
  return typeof stated === 'string' ? stated.trim().slice(0, MAX_NAME) : 'token';
};

const claimOf = (name: string, claims: JWTPayload): unknown => {
  if (Object.hasOwn(claims, name)) return claims[name];
  return name
    .split('.')
    .reduce<unknown>(
      (part, key) =>
        typeof part === 'object' && part !== null && Object.hasOwn(part, key)
          ? (part as Record<string, unknown>)[key]
          : undefined,
      claims,
    );
};
