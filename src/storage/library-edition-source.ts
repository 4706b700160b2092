import { EditionManifest } from './edition-manifest.ts';
import type { EditionParts, EditionSource } from './edition-source.ts';

/** A `GET` to the library, signed in the name of the request at hand. Throws when no valid answer came back. */
export type AskLibrary = (
  path: string,
  options: { maxBytes: number },
) => Promise<{ status: number; body: Uint8Array<ArrayBuffer> }>;

/** The library could not say which edition is current, or not give a part of it. */
export class LibraryUnreachable extends Error {
  override name = 'LibraryUnreachable';
}

/**
 * Editions as the library function serves them over its service binding: always current, and complete. Parts are looked
 * for in `cheaper` places first.
 */
export const libraryEditionSource = (ask: AskLibrary, cheaper: readonly EditionParts[] = []): EditionSource => ({
  readCurrent: async () => {
    const { status, body } = await ask('/editions/current', { maxBytes: 65_536 });
    if (status === 404) return undefined;
    if (status !== 200) throw new LibraryUnreachable(`Cannot read the current edition: status is ${status}`);
    return EditionManifest.parse(JSON.parse(new TextDecoder().decode(body)));
  },
  parts: [
    ...cheaper,
    {
      readPart: async ({ edition, parts }, part) => {
        const maxBytes = parts[part]?.bytes ?? 0;
        const { status, body } = await ask(`/editions/${edition}/parts/${part}`, { maxBytes });
        if (status === 404) return undefined;
        if (status !== 200) throw new LibraryUnreachable(`Cannot read part ${part} of an edition: status is ${status}`);
        return body;
      },
    },
  ],
});
