import type { VectorMetadata, VectorRecord } from './vector-index.ts';

/** @throws {RangeError} */
export const checkVector = (vector: readonly number[], dimensions: number): void => {
  if (vector.length !== dimensions)
    throw new RangeError(`a vector has ${vector.length} numbers instead of ${dimensions}`);
  if (!vector.every(Number.isFinite)) throw new RangeError('a vector has a number that is not finite');
};

/** @throws {RangeError} The message does not name the id. */
export const checkId = (id: string): void => {
  if (!/^[A-Za-z0-9_.:-]{1,200}$/.test(id)) throw new RangeError('an id is not 1 to 200 of A-Za-z0-9_.:-');
};

/** @throws {RangeError} */
export const checkRecord = ({ id, vector, metadata = {} }: VectorRecord, dimensions: number): void => {
  checkId(id);
  checkVector(vector, dimensions);
  if (JSON.stringify(metadata).length > MAX_METADATA_LENGTH)
    throw new RangeError('the metadata of a record is too long');
};

/** @throws {RangeError} */
export const checkLimit = (limit: number): void => {
  if (!(Number.isInteger(limit) && limit >= 1 && limit <= 1000)) throw new RangeError('limit is not 1 to 1,000');
};

/** 48 KB is the most that Upstash takes; a letter can be three bytes. */
const MAX_METADATA_LENGTH = 16_000;

/** What can be filtered by of something that came from a store; the rest is left out. */
export const readMetadata = (value: Readonly<Record<string, unknown>>): VectorMetadata => {
  const fields = Object.entries(value).filter(([, field]) => SCALARS.has(typeof field));
  return Object.fromEntries(fields) as VectorMetadata; // those that are left are of these types
};

const SCALARS = new Set(['string', 'number', 'boolean']);
