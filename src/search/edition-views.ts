import { unreadable } from './edition-format.ts';

const NOTHING = new Uint8Array(0);

/** A section as 32-bit numbers. @throws {EditionFormatError} When its length is not a multiple of four. */
export const numbersView = (section: Uint8Array = NOTHING): Uint32Array => {
  if (section.byteLength % 4 !== 0) throw unreadable('a section of numbers has an odd length');
  return new Uint32Array(section.buffer, section.byteOffset, section.byteLength / 4);
};

/** The chunks of all postings, two or four bytes each. @throws {EditionFormatError} When `count` fits neither. */
export const postingView = (section: Uint8Array = NOTHING, count: number): Uint16Array | Uint32Array => {
  if (section.byteLength === count * 2) return new Uint16Array(section.buffer, section.byteOffset, count);
  if (section.byteLength === count * 4) return new Uint32Array(section.buffer, section.byteOffset, count);
  throw unreadable('its postings have lost their chunks');
};
