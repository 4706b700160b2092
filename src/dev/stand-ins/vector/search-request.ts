import type { Fusion } from './scoring.ts';
import type { NamespaceRecords, SparseVector } from './vector-records.ts';
import type { Include } from './wire.ts';

export interface Vectors {
  vector?: Float32Array | undefined;
  sparseVector?: SparseVector | undefined;
}

/** What is looked for in one namespace. */
export interface NamespaceSearch extends Vectors {
  filter: string;
  weightingStrategy?: 'IDF' | undefined;
  fusionAlgorithm: Fusion;
}

/** A search that goes on where it stopped. */
export interface ResumableSearch {
  search: NamespaceSearch;
  records: NamespaceRecords;
  include: Include;
  found: Set<string>;
  maxIdleMs: number;
  usedAt: number;
}
