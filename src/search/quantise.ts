/** A vector of length 1 with one byte per number: number `i` is about `scale * row[i]`. */
export interface QuantisedVector {
  /** Above 0. */
  scale: number;
  row: Int8Array;
}

/**
 * Normalises a vector to length 1 and quantises it to one byte per number. Cosines change by less than 0.01 from 256
 * numbers on.
 *
 * @throws {RangeError} When it has no direction: empty, all zero, or a number that is not finite.
 */
export const quantise = (vector: readonly number[] | Float32Array): QuantisedVector => {
  let square = 0;
  let largest = 0;
  for (const value of vector) {
    square += value * value;
    largest = Math.max(largest, Math.abs(value));
  }
  if (!(square > 0 && Number.isFinite(square))) throw new RangeError('Cannot quantise a vector without a direction');
  const unit = largest / 127;
  return { scale: unit / Math.sqrt(square), row: Int8Array.from(vector, (value) => Math.round(value / unit)) };
};

const SCALE_BYTES = 4;

/** Size of a quantised vector in bytes. */
const quantisedBytes = (dimensions: number): number => SCALE_BYTES + dimensions;

/** Serialises a vector: the scale as a little-endian 32-bit float, then the row. */
export const packVector = ({ scale, row }: QuantisedVector): Uint8Array<ArrayBuffer> => {
  const bytes = new Uint8Array(quantisedBytes(row.length));
  new DataView(bytes.buffer).setFloat32(0, scale, true);
  bytes.set(new Uint8Array(row.buffer, row.byteOffset, row.length), SCALE_BYTES);
  return bytes;
};

/** Parses the output of `packVector`; the row is a view. */
export const unpackVector = (bytes: Uint8Array): QuantisedVector => ({
  scale: new DataView(bytes.buffer, bytes.byteOffset).getFloat32(0, true),
  row: new Int8Array(bytes.buffer, bytes.byteOffset + SCALE_BYTES, bytes.length - SCALE_BYTES),
});

/** Number of 32-bit words that hold one bit per number. */
export const signWords = (dimensions: number): number => Math.ceil(dimensions / 32);

/** One bit per number, set if it is above 0: enough to exclude distant vectors. */
export const signsOf = (row: Int8Array): Int32Array => {
  const words = new Int32Array(signWords(row.length));
  row.forEach((value, at) => {
    if (value > 0) words[at >> 5] = (words[at >> 5] ?? 0) | (1 << (at & 31));
  });
  return words;
};
