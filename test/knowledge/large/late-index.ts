import type {
  HybridHit,
  HybridIndex,
  HybridQuery,
  HybridRecord,
} from '../../../src/knowledge/large/hybrid-index.ts';
import { StoreUnavailable } from '../../../src/platform/storage/store-unavailable.ts';
import { meetsFilter, type VectorFilter } from '../../../src/platform/storage/vector-index.ts';
import { cosine } from '../vectors-for-test.ts';

interface StoredRecord extends HybridRecord {
  visibleAt: number;
  goneAt: number;
}

/** The namespaces of an index that shows records late and deleted ones for a while, on the clock of a test. */
export interface LateIndexes {
  open(namespace: string): HybridIndex;
  /** What queries may return now, whatever they ask. */
  visible(namespace: string): HybridHit[];
  /** Records written and deleted so far. */
  upserts: number;
  deletions: number;
  /** Thrown by every call while it is set. */
  failure: StoreUnavailable | undefined;
  /** Called before each call; throws to end the process there. */
  onCall: () => void;
  /** As somebody may do by hand. */
  empty(namespace: string): void;
}

export function lateIndexes(
  clock: { now: number },
  { lateMs = 0, lingerMs = 0 }: { lateMs?: number; lingerMs?: number } = {},
): LateIndexes {
  const namespaces = new Map<string, Map<string, StoredRecord>>();
  const recordsOf = (namespace: string): Map<string, StoredRecord> => {
    const records = namespaces.get(namespace) ?? new Map<string, StoredRecord>();
    namespaces.set(namespace, records);
    return records;
  };
  const isVisible = ({ visibleAt, goneAt }: StoredRecord): boolean =>
    visibleAt <= clock.now && goneAt > clock.now;
  const attempt = <T>(work: () => T): T => {
    indexes.onCall();
    if (indexes.failure !== undefined) throw indexes.failure;
    return work();
  };
  const indexes: LateIndexes = {
    upserts: 0,
    deletions: 0,
    failure: undefined,
    onCall: () => {},
    empty: (namespace) => recordsOf(namespace).clear(),
    visible: (namespace) => [...recordsOf(namespace).values()].filter(isVisible).map(hitOf),
    open: (namespace) => ({
      dimensions: DIMENSIONS,
      upsert: async (records) =>
        attempt(() => {
          indexes.upserts += records.length;
          for (const record of records)
            recordsOf(namespace).set(record.id, {
              ...record,
              visibleAt: clock.now + lateMs,
              goneAt: Number.POSITIVE_INFINITY,
            });
        }),
      query: async (queries, { limit, filter = [] }) =>
        attempt(() => {
          const all = [...recordsOf(namespace).values()].filter(isVisible);
          return queries.map((query) => best(all, query, { limit, filter }));
        }),
      delete: async (ids) =>
        attempt(() => {
          indexes.deletions += ids.length;
          for (const id of ids) {
            const record = recordsOf(namespace).get(id);
            if (record !== undefined)
              record.goneAt = Math.min(
                record.goneAt,
                Math.max(clock.now, record.visibleAt) + lingerMs,
              );
          }
        }),
      stored: async (ids) =>
        attempt(() => {
          const records = recordsOf(namespace);
          return new Set(ids.filter((id) => records.get(id)?.goneAt === Number.POSITIVE_INFINITY));
        }),
      list: async () =>
        attempt(() => ({
          records: [...recordsOf(namespace).values()]
            .filter(({ goneAt }) => goneAt === Number.POSITIVE_INFINITY)
            .map(({ id, metadata }) => ({ id, metadata })),
        })),
      clear: async () => attempt(() => recordsOf(namespace).clear()),
      pending: async () =>
        attempt(
          () =>
            [...recordsOf(namespace).values()].filter(({ visibleAt }) => visibleAt > clock.now)
              .length,
        ),
    }),
  };
  return indexes;
}

export const DIMENSIONS = 8;

const hitOf = ({ id, metadata, data }: StoredRecord): HybridHit => ({
  id,
  score: 0,
  metadata,
  data,
});

const best = (
  records: readonly StoredRecord[],
  query: HybridQuery,
  { limit, filter }: { limit: number; filter: VectorFilter },
): HybridHit[] =>
  records
    .filter(({ metadata }) => meetsFilter({ b: Number(metadata.b) }, filter))
    .map((record) => ({
      ...hitOf(record),
      score: 'dense' in query ? cosine(query.dense, record.dense) : 0,
    }))
    .toSorted((left, right) => right.score - left.score)
    .slice(0, limit);

export function unavailable(): StoreUnavailable {
  return new StoreUnavailable('unavailable', 'The index does not answer');
}
