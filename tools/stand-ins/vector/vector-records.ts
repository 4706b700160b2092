import { createSparsePostings, type SparsePostings, type SparseVector } from './sparse-postings.ts';

/** A stored vector. Never changed: a write replaces it. */
export interface StoredVector {
  id: string;
  vector: Float32Array;
  /** Sum of its squares. */
  squares: number;
  /** In a hybrid index. */
  sparseVector?: SparseVector | undefined;
  metadata?: Readonly<Record<string, unknown>> | undefined;
  data?: string | undefined;
}

/** When a write reaches queries. */
export interface Indexing {
  /** Milliseconds; infinite until `finishIndexing`. */
  delayMs: number;
  /** Whether queries still find what was deleted until the delay has passed. */
  deletesLinger: boolean;
  now(): number;
}

/** Records of one namespace, in the order of their first write. */
export interface NamespaceRecords {
  /** What `fetch` and `range` see: every write at once. */
  written: ReadonlyMap<string, StoredVector>;
  /** What queries see. */
  indexed(): ReadonlyMap<string, StoredVector>;
  /** The sparse vectors of what queries see. */
  postings(): SparsePostings<StoredVector>;
  /** How many vectors were written and are not yet what queries see. */
  pendingCount(): number;
  put(records: readonly StoredVector[]): void;
  /** @returns How many there were. */
  remove(ids: readonly string[]): number;
  finishIndexing(): void;
}

export function createNamespaceRecords(indexing: Indexing): NamespaceRecords {
  const written = new Map<string, StoredVector>();
  const visible = new Map<string, StoredVector>();
  /** By id: what it becomes, and since when it waits. Only the last write of an id matters. */
  const waiting = new Map<string, { record: StoredVector | undefined; since: number }>();

  const postings = createSparsePostings<StoredVector>();
  const show = (id: string, record: StoredVector | undefined) => {
    waiting.delete(id);
    const before = visible.get(id);
    if (before) postings.remove(before);
    if (record) visible.set(id, record);
    else visible.delete(id);
    if (record?.sparseVector) postings.add(record, record.sparseVector);
  };
  const settle = () => {
    const due = indexing.now() - indexing.delayMs;
    for (const [id, { record, since }] of waiting) if (since <= due) show(id, record);
  };
  const wait = (id: string, record: StoredVector | undefined) => {
    waiting.set(id, { record, since: indexing.now() });
  };
  return {
    written,
    indexed: () => {
      settle();
      return visible;
    },
    postings: () => {
      settle();
      return postings;
    },
    pendingCount: () => {
      settle();
      return [...waiting.values()].filter(({ record }) => record !== undefined).length;
    },
    put: (records) => {
      settle(); // What is due is shown, before a later write of the same id takes its place in the queue.
      for (const record of records) {
        written.set(record.id, record);
        wait(record.id, record);
      }
    },
    remove: (ids) => {
      let removed = 0;
      settle();
      for (const id of ids) {
        if (!written.delete(id)) continue;
        removed += 1;
        if (indexing.deletesLinger && visible.has(id)) wait(id, undefined);
        else show(id, undefined);
      }
      return removed;
    },
    finishIndexing: () => {
      for (const [id, { record }] of waiting) show(id, record);
    },
  };
}
