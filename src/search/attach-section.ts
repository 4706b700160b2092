import { aligned, checkNewName, readHeader, writeHeader } from './edition-format.ts';

/** Spare bytes that `buildEdition` leaves behind an edition, so that attaching small sections copies nothing. */
export const SPARE_BYTES = 65_536;

/**
 * Adds a named section to a finished edition, for what can only be known once it can be searched, such as the parameters
 * of decisions fitted on it. Where the memory behind `edition` has room, the section is written there and nothing is
 * copied: `edition` itself must not be used any more, the returned array takes its place.
 *
 * @param name `[a-z][A-Za-z0-9.-]*`, at most 24 characters, not yet in the edition.
 * @throws {RangeError} When the name cannot be used.
 * @throws {EditionFormatError} When `edition` is not one.
 */
export const attachSection = (edition: Uint8Array, name: string, section: Uint8Array): Uint8Array<ArrayBuffer> => {
  const places = readHeader(edition);
  checkNewName(name, places);
  const start = aligned(edition.byteLength);
  const byteLength = aligned(start + section.byteLength);
  const hasRoom = edition.byteOffset + byteLength <= edition.buffer.byteLength;
  const grown = hasRoom
    ? new Uint8Array(edition.buffer as ArrayBuffer, edition.byteOffset, byteLength) // never shared between threads
    : new Uint8Array(byteLength + SPARE_BYTES).subarray(0, byteLength);
  if (!hasRoom) grown.set(edition);
  grown.set(section, start);
  places.set(name, { start, length: section.byteLength });
  writeHeader(grown, places);
  return grown;
};
