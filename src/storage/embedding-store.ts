import type { StoreOptions } from './store-unavailable.ts';

/** The second level of the embedding cache, which outlives an isolate. It holds vectors under hashes, never a text. */
export interface EmbeddingStore {
  /** In the order of the keys, `undefined` for a missing one. One request where the store supports it. Throws `StoreUnavailable`. */
  getMany(keys: readonly string[], options?: StoreOptions): Promise<(number[] | undefined)[]>;
  /** Values are stored as 32-bit floats. */
  setMany(entries: readonly { key: string; embedding: readonly number[] }[], options?: StoreOptions): Promise<void>;
  /** Takes effect at once; missing keys are no error. */
  deleteMany(keys: readonly string[], options?: StoreOptions): Promise<void>;
}

/** KV accepts keys of 512 bytes, the prefix included. */
const MAX_KEY_LENGTH = 400;

/** @throws {RangeError} The message does not contain the key. */
export const checkKeys = (keys: readonly string[]): void => {
  const isKey = (key: string) => key.length <= MAX_KEY_LENGTH && /^[\x21-\x7e]+$/.test(key);
  if (!keys.every(isKey)) throw new RangeError('a key is not 1 to 400 visible ASCII characters');
};

/** @throws {RangeError} For a vector that could not be read back. */
export const checkEmbedding = (embedding: readonly number[], dimensions: number): void => {
  const isWhole = embedding.length === dimensions && embedding.every((each) => Number.isFinite(Math.fround(each)));
  if (!isWhole) throw new RangeError(`an embedding is not ${dimensions} finite numbers`);
};

/** In slices of at most `size`. */
export const slicesOf = <T>(values: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(values.length / size) }, (_, at) => values.slice(at * size, (at + 1) * size));

/** Names the format, and keeps a value from being valid JSON, which some clients convert. */
const FORMAT = 'f32:';

/** An embedding as text: base64 of its 32-bit floats, little-endian. 8 KB for 1,536 dimensions, a quarter of a JSON array. */
export const encodeEmbedding = (embedding: readonly number[]): string => {
  const view = new DataView(new ArrayBuffer(embedding.length * 4));
  embedding.forEach((each, at) => {
    view.setFloat32(at * 4, each, true);
  });
  const bytes = new Uint8Array(view.buffer);
  let binary = '';
  for (let at = 0; at < bytes.length; at += CHUNK) binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return FORMAT + btoa(binary);
};

/** A number of arguments that every engine accepts. */
const CHUNK = 8192;

/** @returns `undefined` for anything but an embedding with this number of dimensions, all of them finite. */
export const decodeEmbedding = (text: unknown, dimensions: number): number[] | undefined => {
  if (typeof text !== 'string' || !text.startsWith(FORMAT)) return undefined;
  if (text.length !== FORMAT.length + 4 * Math.ceil((dimensions * 4) / 3)) return undefined;
  const binary = binaryOf(text.slice(FORMAT.length));
  if (binary?.length !== dimensions * 4) return undefined;
  const view = new DataView(new ArrayBuffer(binary.length));
  for (let at = 0; at < binary.length; at += 1) view.setUint8(at, binary.charCodeAt(at));
  const embedding = Array.from({ length: dimensions }, (_, at) => view.getFloat32(at * 4, true));
  return embedding.every(Number.isFinite) ? embedding : undefined;
};

const binaryOf = (text: string): string | undefined => {
  try {
    return atob(text);
  } catch {
    return undefined;
  }
};
