import { type EditionManifest, type EditionParts, sha256Hex } from '../storage/edition-storage.ts';
import { type Edition, openEdition } from './open-edition.ts';

/** No place had an intact copy of a part. */
class EditionIncomplete extends Error {
  override name = 'EditionIncomplete';
}

/** Fetches the parts of an edition, each from the first place that has it unharmed, and opens what they make together. */
export const loadEdition = async (manifest: EditionManifest, places: readonly EditionParts[]): Promise<Edition> => {
  const bytes = new Uint8Array(manifest.bytes);
  let at = 0;
  for (const [part, { bytes: length }] of manifest.parts.entries()) {
    if (at + length > bytes.length) throw new EditionIncomplete('Cannot load the edition: its parts are too long');
    bytes.set(await readPart(manifest, part, places), at);
    at += length;
  }
  if (at !== bytes.length) throw new EditionIncomplete('Cannot load the edition: its parts are too short');
  return openEdition(bytes);
};

const readPart = async (
  manifest: EditionManifest,
  part: number,
  places: readonly EditionParts[],
): Promise<Uint8Array> => {
  const expected = manifest.parts[part];
  let cause: unknown;
  for (const place of places) {
    try {
      const bytes = await place.readPart(manifest, part);
      if (bytes?.length === expected?.bytes && bytes && (await sha256Hex(bytes)) === expected?.sha256) return bytes;
    } catch (error) {
      cause = error;
    }
  }
  throw new EditionIncomplete(`Cannot load the edition: no place has part ${part} unharmed`, { cause });
};
