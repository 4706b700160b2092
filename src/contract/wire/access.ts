import * as z from 'zod';
import { Capability, WorkspaceId } from '../core/names.ts';

/** Reply of `GET /v1/access`: what the key or token of the request may do. */
export const CallerAccess = z.object({
  /** The first is the default of a request that names none. */
  workspaces: z.array(WorkspaceId).min(1).max(50),
  capabilities: z.array(Capability).max(24),
  /** Requests a minute: `standard` 300, `high` 6,000. */
  rate: z.enum(['standard', 'high', 'unlimited']),
  /** An API key, or a token of an identity provider. */
  authentication: z.enum(['key', 'oidc']),
  /** When the key expires; absent for one that does not, and for tokens. */
  expires_at: z.iso.datetime({ offset: true }).max(40).optional(),
});
export type CallerAccess = z.infer<typeof CallerAccess>;

/** An identity provider at which a browser can sign in: authorization code with PKCE (RFC 6749, RFC 7636). */
export const SignInProvider = z.object({
  issuer: z.url().max(500),
  authorization_endpoint: z.url().max(2048),
  /** The gateway as a public client of the provider: it has no secret. */
  client_id: z.string().max(500),
  /** Separated by spaces. */
  scope: z.string().max(1000),
  /** Further parameters that the provider asks for: `{"audience": "https://kb.example.com"}`. */
  parameters: z.record(z.string().max(100), z.string().max(1000)),
});
export type SignInProvider = z.infer<typeof SignInProvider>;

/** Reply of `GET /v1/sign-in`; empty where people sign in with keys alone. A provider that cannot be reached is left out. */
export const SignInOptions = z.object({ providers: z.array(SignInProvider).max(10) });
export type SignInOptions = z.infer<typeof SignInOptions>;

/** `POST /v1/sign-in`: redeems the code that the provider has sent the browser back with. The redirect address is `/sign-in` of the gateway. */
export const SignInRequest = z.strictObject({
  issuer: z.url().max(500),
  code: z.string().min(1).max(4000),
  /** RFC 7636, section 4.1. */
  code_verifier: z.string().regex(/^[\w.~-]{43,128}$/, 'is no code verifier'),
});
export type SignInRequest = z.infer<typeof SignInRequest>;

/** Reply of `POST /v1/sign-in`: a token of the provider that this gateway accepts. */
export const SignedIn = z.object({ token: z.string().max(8000) });
export type SignedIn = z.infer<typeof SignedIn>;
