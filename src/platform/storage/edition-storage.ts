import type { KVNamespace } from '@cloudflare/workers-types';
import * as z from 'zod';

/** Maximum bytes of one part of an edition, below the 25 MiB limit of a KV value. */
export const EDITION_PART_BYTES = 8 * 1024 * 1024;

/** Maximum bytes of an edition without its pages of texts: more does not fit into a reading function. */
export const MAX_EDITION_BYTES = 68 * 1024 * 1024;

/** Pages are stored as parts with numbers from here on; those of the edition itself are below. */
export const FIRST_PAGE = 1000;

/** Maximum bytes of a page: the text of one long chunk and its words. */
const MAX_PAGE_BYTES = 4 * 1024 * 1024;

/** Key of a part in edition storage. */
export function partKey(
  { workspace, edition }: Pick<EditionManifest, 'workspace' | 'edition'>,
  part: number,
): string {
  return `editions/${encodeURIComponent(workspace)}/${edition}/${part}`;
}

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** Contents of an edition: what a reader needs to fetch, verify and join its parts. */
export const EditionManifest = z.object({
  /** `e000012-3f9c01ab`: an increasing number, and the beginning of a hash of the articles. */
  edition: z.string().regex(/^e\d{6,12}-[0-9a-f]{8}$/),
  workspace: z.string().min(1).max(128),
  /** Version of the layout (`docs/edition-format.md`). */
  formatVersion: z.int().min(1),
  createdAt: z.string().max(40),
  articles: z.int().min(0),
  chunks: z.int().min(0),
  /** Pages of texts, stored beside the parts; none when the texts are in the edition. */
  pages: z.int().min(0).max(50_000).optional(),
  /** Sum over all parts, without pages. */
  bytes: z.int().min(1),
  /** For hosts that are asked before answers: whether it was, just now. Absent elsewhere, and in storage. */
  isFresh: z.boolean().optional(),
  parts: z
    .array(
      z.object({
        key: z.string().min(1).max(512),
        bytes: z.int().min(1).max(EDITION_PART_BYTES),
        sha256: Sha256,
      }),
    )
    .min(1)
    .max(64),
});
export type EditionManifest = z.infer<typeof EditionManifest>;

/** SHA-256, 32 bytes. */
export async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
}

/** SHA-256 in lower-case hexadecimal. */
export async function sha256Hex(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return [...(await sha256(bytes))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Writes parts of editions to a place close to the readers. */
export interface EditionStorage {
  put(key: string, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  delete(key: string): Promise<void>;
}

/** Reads parts of editions. */
export interface EditionParts {
  /** A part or page as stored, unverified; `undefined` when it is not stored here. Throws when that is unknown. */
  readPart(manifest: EditionManifest, part: number): Promise<Uint8Array<ArrayBuffer> | undefined>;
}

/** Names the current edition and the places of its parts. */
export interface EditionSource {
  /** `undefined` when no edition was ever published. Throws when the library cannot be reached. */
  /** @param freshWithinMs How long to wait for what the host has changed, where it is asked before answers. */
  readCurrent(freshWithinMs?: number): Promise<EditionManifest | undefined>;
  /** The cheapest first. */
  parts: readonly EditionParts[];
}

/** A `GET` to the library, signed for the current request. Throws when there is no valid response. */
export type AskLibrary = (
  path: string,
  options: { maxBytes: number },
) => Promise<{ status: number; body: Uint8Array<ArrayBuffer> }>;

/** The library did not return the current edition, or a part of it. */
export class LibraryUnreachable extends Error {
  override name = 'LibraryUnreachable';
}

/** The manifest of the current edition, or of one that is still stored; `undefined` when there is none. */
export async function readManifest(
  ask: AskLibrary,
  edition = 'current',
): Promise<EditionManifest | undefined> {
  const { status, body } = await ask(`/editions/${edition}`, { maxBytes: 65_536 });
  if (status === 404) return undefined;
  if (status !== 200)
    throw new LibraryUnreachable(`Cannot read the edition ${edition}: status is ${status}`);
  return EditionManifest.parse(JSON.parse(new TextDecoder().decode(body)));
}

/** Editions as the library function serves them over its service binding: always current and complete. `cheaper` parts are tried first. */
export function libraryEditionSource(
  ask: AskLibrary,
  cheaper: readonly EditionParts[] = [],
): EditionSource {
  return {
    readCurrent: (freshWithinMs) =>
      readManifest(
        ask,
        freshWithinMs === undefined
          ? 'current'
          : `current?fresh_within_ms=${Math.ceil(freshWithinMs)}`,
      ),
    parts: [
      ...cheaper,
      {
        readPart: async ({ edition, parts }, part) => {
          const maxBytes = part < FIRST_PAGE ? (parts[part]?.bytes ?? 0) : MAX_PAGE_BYTES;
          const { status, body } = await ask(`/editions/${edition}/parts/${part}`, { maxBytes });
          if (status === 404) return undefined;
          if (status !== 200)
            throw new LibraryUnreachable(
              `Cannot read part ${part} of an edition: status is ${status}`,
            );
          return body;
        },
      },
    ],
  };
}

/** Parts in Workers KV, which has a copy close to every location. KV may be a minute behind: a missing part is read elsewhere. */
export function kvEditionParts(kv: Pick<KVNamespace, 'get'>): EditionParts {
  return {
    readPart: async (manifest, part) => {
      const key = part < FIRST_PAGE ? manifest.parts[part]?.key : partKey(manifest, part);
      const bytes = key === undefined ? null : await kv.get(key, 'arrayBuffer');
      return bytes === null ? undefined : new Uint8Array(bytes);
    },
  };
}

export function kvEditionStorage(kv: Pick<KVNamespace, 'put' | 'delete'>): EditionStorage {
  return {
    put: (key, bytes) => kv.put(key, bytes),
    delete: (key) => kv.delete(key),
  };
}
