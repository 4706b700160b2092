import type { StoreOptions } from '../../platform/storage/store-unavailable.ts';
import { checkId, checkVector, type VectorFilter } from '../../platform/storage/vector-index.ts';

/** A sparse vector: the hashes of its terms, ascending and each once, and their weights. */
export interface SparseVector {
  /** 0 to 2^31 - 1. */
  indices: readonly number[];
  values: readonly number[];
}

/** What queries filter by: numbers, ids of a closed alphabet, and lists of them. Never text that a user wrote. */
export type HybridMetadata = Readonly<Record<string, string | number | readonly string[]>>;

export interface HybridRecord {
  /** 1 to 200 of `A-Za-z0-9_.:-`. */
  id: string;
  /** Not all zeros. */
  dense: readonly number[];
  sparse: SparseVector;
  metadata: HybridMetadata;
  /** Returned with each hit; at most 100,000 UTF-16 units. */
  data: string;
}

/** A query compares one of the two parts; what both find is joined by the caller. */
export type HybridQuery =
  | {
      /** Its values are multiplied by the inverse document frequencies of the namespace. */
      sparse: SparseVector;
    }
  | { dense: readonly number[] };

export interface HybridHit {
  id: string;
  /** Sparse: the inner product, above 0. Dense: the cosine, -1 to 1. */
  score: number;
  metadata: HybridMetadata;
  data: string;
}

/**
 * Passages of one namespace, searched by words and by meaning. It is eventually consistent: a query finds a record some time after it was
 * written, and a deleted one for a while longer. Every method throws `StoreUnavailable`, and RangeError for what is out of bounds.
 *
 * @example
 * const candidates = (index: HybridIndex, sparse: SparseVector, dense: number[]) =>
 *   index.query([{ sparse }, { dense }], { limit: 20, filter: [{ field: 'b', atMost: 12 }] });
 */
export interface HybridIndex {
  readonly dimensions: number;
  /** Inserts or replaces any number of records. */
  upsert(records: readonly HybridRecord[], options?: StoreOptions): Promise<void>;
  /**
   * One list of hits for each of up to 16 queries, in one request, best first. Fewer than `limit` hits (1 to 100) do not mean that there
   * are no more. A hit may be a record that was deleted, and one that others wrote: check it.
   */
  query(
    queries: readonly HybridQuery[],
    options: StoreOptions & { limit: number; filter?: VectorFilter | undefined },
  ): Promise<HybridHit[][]>;
  /** Unknown ids are no error. */
  delete(ids: readonly string[], options?: StoreOptions): Promise<void>;
  /** Which of the ids are stored; sees writes and deletions at once. */
  stored(ids: readonly string[], options?: StoreOptions): Promise<Set<string>>;
  /** All records, a page at a time; `next` is absent on the last page. */
  list(options?: StoreOptions & { cursor?: string | undefined }): Promise<{
    records: { id: string; metadata: HybridMetadata }[];
    next?: string | undefined;
  }>;
  /** Removes everything of this namespace. */
  clear(options?: StoreOptions): Promise<void>;
  /** Number of records that were written and are not yet found by queries; itself late. */
  pending(options?: StoreOptions): Promise<number>;
}

/** What Upstash accepts: non-zero values of a sparse vector. */
export const MAX_NON_ZEROS = 1000;
const MAX_DATA_LENGTH = 100_000;
/** 48 KB are accepted; a character can be three bytes. */
const MAX_METADATA_LENGTH = 16_000;
const MAX_QUERIES = 16;
const MAX_LIMIT = 100;

/** @throws {RangeError} The message does not contain the id or a text. */
export function checkHybridRecord(record: HybridRecord, dimensions: number): void {
  checkId(record.id);
  checkVector(record.dense, dimensions);
  if (record.dense.every((value) => value === 0))
    throw new RangeError('a dense vector has no direction');
  checkSparse(record.sparse);
  if (JSON.stringify(record.metadata).length > MAX_METADATA_LENGTH)
    throw new RangeError('the metadata of a record is too long');
  if (record.data.length > MAX_DATA_LENGTH)
    throw new RangeError('the data of a record is too long');
}

/** @throws {RangeError} */
export function checkHybridQuery(
  queries: readonly HybridQuery[],
  { limit, dimensions }: { limit: number; dimensions: number },
): void {
  if (queries.length > MAX_QUERIES) throw new RangeError(`more than ${MAX_QUERIES} queries`);
  if (!(Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT))
    throw new RangeError(`limit is not 1 to ${MAX_LIMIT}`);
  for (const query of queries)
    if ('sparse' in query) checkSparse(query.sparse);
    else checkVector(query.dense, dimensions);
}

const checkSparse = ({ indices, values }: SparseVector): void => {
  if (indices.length !== values.length || indices.length > MAX_NON_ZEROS)
    throw new RangeError(`a sparse vector is not up to ${MAX_NON_ZEROS} pairs`);
  let previous = -1;
  for (const [at, index] of indices.entries()) {
    if (!(Number.isInteger(index) && index > previous && index < 2 ** 31))
      throw new RangeError('the indices of a sparse vector are not ascending from 0 to 2^31 - 1');
    if (!Number.isFinite(values[at])) throw new RangeError('a sparse vector has no finite value');
    previous = index;
  }
};
