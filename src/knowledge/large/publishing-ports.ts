import type { EditionEntry } from '../articles/article.ts';
import type { HybridIndex, SparseVector } from './hybrid-index.ts';
import type { LargeManifest } from './large-manifest.ts';
import type { LexiconCounter } from './lexicon-store.ts';

/** The index of a workspace, and how its records are made. */
export interface LargeMode {
  /** The namespace of a generation, and the index of a namespace. */
  namespaceOf(generation: number): string;
  indexOf(namespace: string): HybridIndex;
  space: LargeManifest['space'];
  /** Changes with whatever makes other records of the same article: the model, stemmers, weights. */
  madeWith: string;
  /** The language of most of these articles. */
  usualOf(entries: Iterable<EditionEntry>): string;
  /** The vectors of the passages of each article, in order. @throws {EmbeddingFailed} */
  vectorsOf(entries: readonly EditionEntry[], usual: string): Promise<PassageVectors[][]>;
  counterFor(usual: string): LexiconCounter;
  /** From how many passages on they are in the index. */
  fromPassages: number;
  /** Dead articles that a manifest can name; 50,000 when absent. */
  maxTombstones?: number | undefined;
}

export interface PassageVectors {
  dense: readonly number[];
  sparse: SparseVector;
}

/** The articles of a library. */
export interface PublishedArticles {
  entry(id: string): EditionEntry | undefined;
  /** By id, those after one. */
  entriesAfter(id: string): Iterable<EditionEntry>;
  known(ids: readonly string[]): ReadonlyMap<string, { hash: string }>;
  chunkCount(): number;
  /** Changes with every article. */
  revision(): number;
}

/** Result of a step. */
export interface PublicationStep {
  /** `more`: continue. `waiting`: not before `dueAt`. `done`: the current edition has what the articles are. */
  next: 'more' | 'waiting' | 'done';
  /** Rows and records written. */
  writes: number;
  /** Passages of which the vectors were made. */
  passages: number;
}
