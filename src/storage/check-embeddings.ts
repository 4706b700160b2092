/** KV takes keys of 512 bytes; a prefix has to fit before them. */
const MAX_KEY_LENGTH = 400;

/** @throws {RangeError} The message does not name the key. */
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
