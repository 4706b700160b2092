import { DENSE_MODELS, type DenseModel, type SparseModel } from './hosted-model.ts';
import type { Similarity } from './scoring.ts';
import type { ResumableSearch } from './search-request.ts';
import { createNamespaceRecords, type Indexing, type NamespaceRecords } from './vector-records.ts';

/** What is chosen when an index is created, and never changes. */
export interface IndexConfig {
  /** As error texts name it. */
  name?: string;
  /** The token that may do everything; one is made up where there is none. */
  token?: string;
  readOnlyToken?: string;
  /** DENSE where it is not said. */
  type?: 'DENSE' | 'SPARSE' | 'HYBRID';
  /** 1 to 5,376; of the model, or 1536. */
  dimension?: number;
  /** COSINE where it is not said. */
  similarityFunction?: Similarity;
  /** Hosted models: with them, texts can be written and asked for. */
  denseModel?: DenseModel;
  sparseModel?: SparseModel;
}

export interface LocalIndex {
  name: string;
  type: 'DENSE' | 'SPARSE' | 'HYBRID';
  /** 0 for a sparse index. */
  dimension: number;
  similarityFunction: Similarity;
  denseModel: DenseModel | undefined;
  sparseModel: SparseModel | undefined;
  indexing: Indexing;
  namespaces: Map<string, NamespaceRecords>;
  resumableSearches: Map<string, ResumableSearch>;
}

const MAX_DIMENSION = 5376;

export const createLocalIndex = (config: IndexConfig, name: string, indexing: Indexing): LocalIndex => {
  const type = config.type ?? 'DENSE';
  const ofModel = config.denseModel && DENSE_MODELS[config.denseModel];
  const dimension = type === 'SPARSE' ? 0 : (ofModel ?? config.dimension ?? 1536);
  if (dimension > MAX_DIMENSION) throw new RangeError(`An index has at most ${MAX_DIMENSION} dimensions`);
  return {
    name: config.name ?? name,
    type,
    dimension,
    similarityFunction: config.similarityFunction ?? 'COSINE',
    denseModel: config.denseModel,
    sparseModel: config.sparseModel,
    indexing,
    namespaces: new Map([['', createNamespaceRecords(indexing)]]),
    resumableSearches: new Map(),
  };
};

/** Whether the service can make the vectors of this index from texts. */
export const embedsTexts = ({ type, denseModel, sparseModel }: LocalIndex): boolean =>
  (type === 'SPARSE' || denseModel !== undefined) && (type === 'DENSE' || sparseModel !== undefined);

/** A namespace comes into being with its first write. */
export const namespaceForWriting = (index: LocalIndex, namespace: string): NamespaceRecords => {
  const known = index.namespaces.get(namespace);
  if (known) return known;
  const created = createNamespaceRecords(index.indexing);
  index.namespaces.set(namespace, created);
  return created;
};
