import type { EditionManifest } from './edition-manifest.ts';

/** A place where the parts of editions lie. */
export interface EditionParts {
  /** A part as it was stored, unchecked; `undefined` when this place does not have it. Throws when it cannot tell. */
  readPart(manifest: EditionManifest, part: number): Promise<Uint8Array<ArrayBuffer> | undefined>;
}

/** Where a reader learns which edition is current, and gets it from (design, section 5). */
export interface EditionSource {
  /** The edition that is current now; `undefined` when none was ever published. Throws when the library cannot be asked. */
  readCurrent(): Promise<EditionManifest | undefined>;
  /** Places to look for the parts, the cheapest first. */
  parts: readonly EditionParts[];
}
