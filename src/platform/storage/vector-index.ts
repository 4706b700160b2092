import type { StoreOptions } from './store-unavailable.ts';

/** Fields that queries can filter by. Names are identifiers, strings are ids of a closed alphabet: never text that a user wrote. */
export type VectorMetadata = Readonly<Record<string, string | number | boolean>>;

export interface VectorRecord {
  /** 1 to 200 of `A-Za-z0-9_.:-`. */
  id: string;
  vector: readonly number[];
  metadata?: VectorMetadata | undefined;
}

export interface VectorHit {
  id: string;
  /** Cosine, -1 to 1. */
  similarity: number;
  metadata?: VectorMetadata | undefined;
}

/** Conditions on metadata, all of which must hold. A field that is missing or of another type meets no condition. */
export type VectorFilter = readonly (
  | { field: string; in: readonly string[] }
  /** The field is a list that has this. */
  | { field: string; contains: string }
  | { field: string; atLeast: number }
  | { field: string; atMost: number }
)[];

/**
 * Vectors of one tenant, searched by similarity. Every method throws `StoreUnavailable`.
 *
 * @example
 * const nearest = async (index: VectorIndex, vector: readonly number[]) => {
 *   await index.upsert([{ id: 'chunk-1', vector, metadata: { kind: 'manual' } }]);
 *   return index.query(vector, { limit: 5, filter: [{ field: 'kind', in: ['manual'] }] });
 * };
 */
export interface VectorIndex {
  readonly dimensions: number;
  /**
   * Inserts or replaces any number of records; queries find them once `pending` is 0. Throws RangeError for a vector with another
   * number of dimensions.
   */
  upsert(records: readonly VectorRecord[], options?: StoreOptions): Promise<void>;
  /** Best first; fewer than `limit` hits do not mean that there are no more. `limit` is 1 to 1,000. */
  query(
    vector: readonly number[],
    options: StoreOptions & { limit: number; filter?: VectorFilter | undefined },
  ): Promise<VectorHit[]>;
  /** Unknown ids are no error. Queries may return a deleted record for a moment longer, `list` does not. */
  delete(ids: readonly string[], options?: StoreOptions): Promise<void>;
  /** Ids of all records, a page at a time; `next` is absent on the last page. */
  list(
    options?: StoreOptions & { cursor?: string | undefined },
  ): Promise<{ ids: string[]; next?: string | undefined }>;
  /** Removes everything of this tenant. */
  clear(options?: StoreOptions): Promise<void>;
  /** Number of records that were written and are not yet found by queries. */
  pending(options?: StoreOptions): Promise<number>;
}

/** @throws {RangeError} */
export function checkVector(vector: readonly number[], dimensions: number): void {
  if (vector.length !== dimensions)
    throw new RangeError(`a vector has ${vector.length} numbers instead of ${dimensions}`);
  if (!vector.every(Number.isFinite))
    throw new RangeError('a vector has a number that is not finite');
}

/** @throws {RangeError} The message does not contain the id. */
export function checkId(id: string): void {
  if (!/^[A-Za-z0-9_.:-]{1,200}$/.test(id))
    throw new RangeError('an id is not 1 to 200 of A-Za-z0-9_.:-');
}

/** @throws {RangeError} */
export function checkRecord({ id, vector, metadata = {} }: VectorRecord, dimensions: number): void {
  checkId(id);
  checkVector(vector, dimensions);
  if (JSON.stringify(metadata).length > MAX_METADATA_LENGTH)
    throw new RangeError('the metadata of a record is too long');
}

/** @throws {RangeError} */
export function checkLimit(limit: number): void {
  if (!(Number.isInteger(limit) && limit >= 1 && limit <= 1000))
    throw new RangeError('limit is not 1 to 1,000');
}

/** Upstash accepts 48 KB; a character can be three bytes. */
const MAX_METADATA_LENGTH = 16_000;

/** The fields of a stored value that queries can filter by; others are dropped. */
export function readMetadata(value: Readonly<Record<string, unknown>>): VectorMetadata {
  const fields = Object.entries(value).filter(([, field]) => SCALARS.has(typeof field));
  return Object.fromEntries(fields) as VectorMetadata; // the remaining ones are of these types
}

const SCALARS = new Set(['string', 'number', 'boolean']);

export function meetsFilter(
  metadata: Readonly<Record<string, unknown>> | undefined,
  filter: VectorFilter,
): boolean {
  return filter.every((condition) => {
    const { field } = condition;
    const found =
      metadata !== undefined && Object.hasOwn(metadata, field) ? metadata[field] : undefined;
    if ('in' in condition) return typeof found === 'string' && condition.in.includes(found);
    if ('contains' in condition) return Array.isArray(found) && found.includes(condition.contains);
    if (typeof found !== 'number') return false;
    return 'atLeast' in condition ? found >= condition.atLeast : found <= condition.atMost;
  });
}
