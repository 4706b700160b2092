/** The bytes are not a readable edition: wrong type, newer version, truncated or damaged. */
class EditionFormatError extends Error {
  override name = 'EditionFormatError';
}

/** Incremented when the layout or the meaning of a section changes; readers reject unknown versions. */
export const EDITION_VERSION = 7;
/** The oldest that readers open: it has no audiences, so all of it is for everybody. */
const OLDEST_VERSION = 5;

/** Position of a section, in bytes from the start of the edition. */
interface Placement {
  start: number;
  length: number;
}

/** `CEDN`, read as a little-endian 32-bit number. */
const MAGIC = 0x4e44_4543;
const HEADER_BYTES = 32;
const MAX_SECTIONS = 64;
const NAME_BYTES = 24;
const ENTRY_BYTES = NAME_BYTES + 8;
const SECTION_NAME = /^[a-z][A-Za-z0-9.-]{0,23}$/;

/** Sections start at multiples of four, so that typed arrays can be laid over them. */
export function aligned(offset: number): number {
  return (offset + 3) & ~3;
}

/** Lays out sections consecutively. @returns Their positions and the total length, in bytes. */
export function placeSections(lengths: ReadonlyMap<string, number>): {
  places: Map<string, Placement>;
  byteLength: number;
} {
  const places = new Map<string, Placement>();
  let end = HEADER_BYTES + MAX_SECTIONS * ENTRY_BYTES;
  for (const [name, length] of lengths) {
    checkNewName(name, places);
    places.set(name, { start: aligned(end), length });
    end = aligned(end) + length;
  }
  return { places, byteLength: aligned(end) };
}

/** Writes the header: type, version, length and section table. */
export function writeHeader(bytes: Uint8Array, places: ReadonlyMap<string, Placement>): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  [MAGIC, EDITION_VERSION, bytes.byteLength, places.size].forEach((value, at) => {
    view.setUint32(at * 4, value, true);
  });
  let entry = HEADER_BYTES;
  for (const [name, { start, length }] of places) {
    bytes.fill(0, entry, entry + NAME_BYTES);
    new TextEncoder().encodeInto(name, bytes.subarray(entry, entry + NAME_BYTES));
    view.setUint32(entry + NAME_BYTES, start, true);
    view.setUint32(entry + NAME_BYTES + 4, length, true);
    entry += ENTRY_BYTES;
  }
}

/** Reads the section table. @throws {EditionFormatError} When it is not of this version or points outside the bytes. */
export function readHeader(bytes: Uint8Array): Map<string, Placement> {
  if (bytes.byteLength < HEADER_BYTES + MAX_SECTIONS * ENTRY_BYTES)
    throw unreadable('it is shorter than its header');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const version = view.getUint32(4, true);
  const count = view.getUint32(12, true);
  if (view.getUint32(0, true) !== MAGIC) throw unreadable('it does not begin like an edition');
  if (version < OLDEST_VERSION || version > EDITION_VERSION)
    throw unreadable(
      `its version is ${version}, known are ${OLDEST_VERSION} to ${EDITION_VERSION}`,
    );
  if (view.getUint32(8, true) !== bytes.byteLength)
    throw unreadable('its length is not the one it states');
  if (count > MAX_SECTIONS)
    throw unreadable(`it has ${count} sections, at most are ${MAX_SECTIONS}`);
  const places = new Map<string, Placement>();
  for (let entry = HEADER_BYTES; entry < HEADER_BYTES + count * ENTRY_BYTES; entry += ENTRY_BYTES) {
    const name = nameAt(bytes, entry);
    const start = view.getUint32(entry + NAME_BYTES, true);
    const length = view.getUint32(entry + NAME_BYTES + 4, true);
    if (start % 4 !== 0 || start + length > bytes.byteLength)
      throw unreadable('a section lies outside of it');
    places.set(name, { start, length });
  }
  return places;
}

/** Decodes an ASCII name. Setting up a `TextDecoder` 33 times would be half of the cold start here. */
const nameAt = (bytes: Uint8Array, entry: number): string => {
  let end = entry;
  while (end < entry + NAME_BYTES && bytes[end] !== 0) end++;
  return String.fromCharCode(...bytes.subarray(entry, end));
};

/** The error for bytes that cannot be opened. @param reason What is wrong, shown after the colon. */
export function unreadable(reason: string): EditionFormatError {
  return new EditionFormatError(`Cannot read the edition: ${reason}`);
}

/** @throws {RangeError} When the name is malformed or taken, or there are too many sections. */
const checkNewName = (name: string, places: ReadonlyMap<string, Placement>): void => {
  if (!SECTION_NAME.test(name))
    throw new RangeError(`Cannot name a section ${JSON.stringify(name)}: see the format`);
  if (places.has(name))
    throw new RangeError(`Cannot add section ${name}: there is one of that name`);
  if (places.size >= MAX_SECTIONS)
    throw new RangeError(`Cannot add section ${name}: there are ${MAX_SECTIONS} already`);
};

/** Spare bytes that `buildEdition` reserves behind an edition, so that small sections are attached without a copy. */
export const SPARE_BYTES = 65_536;

/**
 * Adds a named section to a finished edition, for data that requires a searchable edition, such as fitted parameters. If
 * the memory behind `edition` has room, the section is written there without a copy: use the returned array and no longer
 * `edition`.
 *
 * @param name `[a-z][A-Za-z0-9.-]*`, at most 24 characters, not yet in the edition.
 * @throws {RangeError} When the name cannot be used.
 * @throws {EditionFormatError} When `edition` is not an edition.
 */
export function attachSection(
  edition: Uint8Array,
  name: string,
  section: Uint8Array,
): Uint8Array<ArrayBuffer> {
  const places = readHeader(edition);
  checkNewName(name, places);
  return append(edition, { name, section, places });
}

/** Gives a section of a finished edition another content; the rest is as with `attachSection`. */
export function replaceSection(
  edition: Uint8Array,
  name: string,
  section: Uint8Array,
): Uint8Array<ArrayBuffer> {
  return append(edition, { name, section, places: readHeader(edition) });
}

/** Behind what is there, and in the header. */
const append = (
  edition: Uint8Array,
  { name, section, places }: { name: string; section: Uint8Array; places: Map<string, Placement> },
): Uint8Array<ArrayBuffer> => {
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
