import * as z from 'zod';

/** The most bytes that one part of an edition holds: below the 25 MiB that a KV value may have. */
export const EDITION_PART_BYTES = 8 * 1024 * 1024;

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** What an edition consists of, so that whoever fetches its parts can check and join them. */
export const EditionManifest = z.object({
  /** `e000012-3f9c01ab`: a number that grows, and the beginning of a hash of the articles. */
  edition: z.string().regex(/^e\d{6,12}-[0-9a-f]{8}$/),
  workspace: z.string().min(1).max(128),
  /** Version of the layout (`docs/edition-format.md`). */
  formatVersion: z.int().min(1),
  createdAt: z.string().max(40),
  articles: z.int().min(0),
  chunks: z.int().min(0),
  /** Of all parts together. */
  bytes: z.int().min(1),
  parts: z
    .array(z.object({ key: z.string().min(1).max(512), bytes: z.int().min(1).max(EDITION_PART_BYTES), sha256: Sha256 }))
    .min(1)
    .max(64),
});
export type EditionManifest = z.infer<typeof EditionManifest>;

/** SHA-256 in lower-case hexadecimal. */
export const sha256Hex = async (bytes: Uint8Array<ArrayBuffer>): Promise<string> => {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
};
