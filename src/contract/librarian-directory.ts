import * as z from 'zod';
import { LibrarianInfo } from './librarian.ts';

/** `degraded`: it answers, but without a part it would like to have. `unknown`: it was not asked yet. */
export const Health = z.enum(['ok', 'degraded', 'down', 'unknown']);
export type Health = z.infer<typeof Health>;

/** Why a librarian cannot answer anything: what it lacks, such as its database or the key of a provider. */
const Unavailable = z.string().min(1).max(300);

/** A librarian in `GET /v1/librarians`. */
export const LibrarianEntry = LibrarianInfo.extend({ health: Health, unavailable: Unavailable.optional() });
export type LibrarianEntry = z.infer<typeof LibrarianEntry>;

/** `GET /v1/librarians`. */
export const LibrarianDirectory = z.object({ librarians: z.array(LibrarianEntry).max(1000) });
export type LibrarianDirectory = z.infer<typeof LibrarianDirectory>;

/** Who may ask: anyone; holders of a signed context; those whose context names a user. */
export const Access = z.enum(['public', 'signed', 'user']);
export type Access = z.infer<typeof Access>;

/** An Ed25519 key that a librarian signs with. */
export const PublicKey = z.object({
  /** The librarian's id, a dot and a number. */
  kid: z.string().min(1).max(80),
  /** 32 bytes, base64url without padding. */
  x: z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'is not 32 bytes in base64url'),
  /** Seconds since 1970 between which the key counts. */
  nbf: z.number().min(0).optional(),
  exp: z.number().min(0).optional(),
});
export type PublicKey = z.infer<typeof PublicKey>;

/** `GET /librarians/{id}`: what another librarian needs to know before it asks. */
export const LibrarianDescription = LibrarianInfo.extend({
  access: Access,
  keys: z.array(PublicKey).max(16),
  /** Present: no question is routed to it; asked by name it answers SERVICE_UNAVAILABLE. */
  unavailable: Unavailable.optional(),
});
export type LibrarianDescription = z.infer<typeof LibrarianDescription>;

/** `GET /healthz`: that the function lives, and which adapters it uses. */
export const Healthz = z.object({
  status: z.enum(['ok', 'degraded']),
  version: z.string().max(64).optional(),
  /** By role: `{ knowledge: 'embedded', embeddings: 'static-words-2', model: 'none' }`. */
  adapters: z.record(z.string().max(64), z.string().max(64)),
});
export type Healthz = z.infer<typeof Healthz>;
