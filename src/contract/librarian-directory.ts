import * as z from 'zod';
import { LibrarianInfo } from './librarian.ts';

/** `degraded`: it answers without an optional dependency. `unknown`: it was not checked yet. */
export const Health = z.enum(['ok', 'degraded', 'down', 'unknown']);
export type Health = z.infer<typeof Health>;

/** Why a librarian cannot answer at all: what it lacks, such as its database or a provider's key. */
const Unavailable = z.string().min(1).max(300);

/** A librarian in `GET /v1/librarians`. */
export const LibrarianEntry = LibrarianInfo.extend({ health: Health, unavailable: Unavailable.optional() });
export type LibrarianEntry = z.infer<typeof LibrarianEntry>;

/** `GET /v1/librarians`. */
export const LibrarianDirectory = z.object({ librarians: z.array(LibrarianEntry).max(1000) });
export type LibrarianDirectory = z.infer<typeof LibrarianDirectory>;

/** Who may ask: anyone, callers with a signed context, or callers whose context names a user. */
export const Access = z.enum(['public', 'signed', 'user']);
export type Access = z.infer<typeof Access>;

/** A librarian's public Ed25519 key. */
export const PublicKey = z.object({
  /** The librarian's id, a dot and a number. */
  kid: z.string().min(1).max(80),
  /** 32 bytes, base64url without padding. */
  x: z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'is not 32 bytes in base64url'),
  /** Validity of the key in seconds since 1970. */
  nbf: z.number().min(0).optional(),
  exp: z.number().min(0).optional(),
});
export type PublicKey = z.infer<typeof PublicKey>;

/** `GET /librarians/{id}`: the public description of a librarian. */
export const LibrarianDescription = LibrarianInfo.extend({
  access: Access,
  keys: z.array(PublicKey).max(16),
  /** When present, no question is routed to it; asked by name it returns SERVICE_UNAVAILABLE. */
  unavailable: Unavailable.optional(),
});
export type LibrarianDescription = z.infer<typeof LibrarianDescription>;

/** The gateway as a resource that tokens open (RFC 9728, section 2). */
export const ProtectedResource = z.object({
  resource: z.url().max(2048),
  /** Issuers whose tokens are accepted. */
  authorization_servers: z.array(z.url().max(500)).max(10),
  bearer_methods_supported: z.array(z.literal('header')).max(1),
  resource_name: z.string().max(100),
});
export type ProtectedResource = z.infer<typeof ProtectedResource>;

/** `GET /healthz`: the function is up, and which adapters it uses. */
export const Healthz = z.object({
  status: z.enum(['ok', 'degraded']),
  version: z.string().max(64).optional(),
  /** By role: `{ knowledge: 'embedded', embeddings: 'static-words-2', model: 'none' }`. */
  adapters: z.record(z.string().max(64), z.string().max(64)),
  /** The key directory in use. When it expires every call between functions is refused; `status` is `degraded` in the 30 days before. */
  directory: z.object({ sequence: z.int().min(0), expires_at: z.iso.datetime().max(40) }).optional(),
  /** Number of connections to helpdesks in all workspaces, and the tools of those that cannot be used; `status` is `degraded` with one. */
  helpdesks: z.object({ connections: z.int().min(0), misconfigured: z.array(z.string().max(40)).max(100) }).optional(),
});
export type Healthz = z.infer<typeof Healthz>;
