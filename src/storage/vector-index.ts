import type { StoreOptions } from './embedding-store.ts';

/** What can be filtered by. Names are identifiers, texts are ids of a closed alphabet: never what a user wrote. */
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

/** A condition on metadata. A field that a record lacks meets none, not even `!=`. */
export type VectorFilter =
  | { field: string; is: '=' | '!='; value: string | number | boolean }
  | { field: string; is: '<' | '<=' | '>' | '>='; value: number }
  | { field: string; in: readonly string[] }
  | { and: readonly VectorFilter[] }
  | { or: readonly VectorFilter[] };

/** Vectors of one tenant, found by closeness. Every method throws `StoreUnavailable`. */
export interface VectorIndex {
  readonly dimensions: number;
  /** Inserts or replaces, any number; they can be found once `pending` is 0. Throws RangeError for a vector of another dimension. */
  upsert(records: readonly VectorRecord[], options?: StoreOptions): Promise<void>;
  /** The closest, best first; fewer than `limit` does not mean that there are no more. `limit` is 1 to 1,000. */
  query(
    vector: readonly number[],
    options: StoreOptions & { limit: number; filter?: VectorFilter | undefined },
  ): Promise<VectorHit[]>;
  /** Ids that are not there are no error. A query may find the others for a moment longer, `list` does not. */
  delete(ids: readonly string[], options?: StoreOptions): Promise<void>;
  /** Ids of all records, a page at a time; `next` is absent on the last page. */
  list(options?: StoreOptions & { cursor?: string | undefined }): Promise<{ ids: string[]; next?: string | undefined }>;
  /** Removes everything of this tenant. */
  clear(options?: StoreOptions): Promise<void>;
  /** Records that were written and cannot be found yet. */
  pending(options?: StoreOptions): Promise<number>;
}
