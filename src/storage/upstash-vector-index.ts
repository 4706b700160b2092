import { Index } from '@upstash/vector';
import * as z from 'zod';
import { readAs } from '../contract/issue.ts';
import { checkId, checkLimit, checkRecord, checkVector, readMetadata } from './check-vector.ts';
import type { StoreOptions } from './embedding-store.ts';
import { isNamespace } from './namespace-of.ts';
import { StoreUnavailable } from './store-unavailable.ts';
import { UnknownNamespace, type UpstashAccess, upstashRequester } from './upstash-requester.ts';
import { filterText, meetsFilter } from './vector-filter.ts';
import type { VectorHit, VectorIndex, VectorRecord } from './vector-index.ts';

export interface UpstashVectorConfig extends UpstashAccess {
  /** Of one tenant, see `namespaceOf`; 1 to 64 of `A-Za-z0-9_-`. */
  namespace: string;
  dimensions: number;
}

/** As many as Upstash takes and gives at once. */
const BATCH = 1000;
/** Upstash names no bound for a request; its own example of 100 vectors with 1,536 numbers comes to 2.3 MB. */
const BATCH_BYTES = 4_000_000;
/** A number as JSON is at most `-1.2345678901234567e-100,`. */
const NUMBER_BYTES = 25;

/**
 * Vectors in one namespace of an Upstash Vector index that compares by cosine and has no model of its own. What is written
 * can be found once `pending` is 0; `list` has it at once. Its search is approximate. Holds nothing between calls.
 *
 * @throws {RangeError} For a namespace, an address or a token that cannot be one. The message names none of them.
 */
export const upstashVectorIndex = ({ namespace, dimensions, ...access }: UpstashVectorConfig): VectorIndex => {
  if (!isNamespace(namespace)) throw new RangeError('a namespace is not 1 to 64 of A-Za-z0-9_-');
  upstashRequester(access, { what: 'be asked' });

  /** A client for one call, whose signal it has. */
  const index = (what: string, { signal }: StoreOptions = {}) => new Index(upstashRequester(access, { what, signal }));

  return {
    dimensions,
    upsert: async (records, options) => {
      for (const record of records) checkRecord(record, dimensions);
      for (const batch of batchesOf(records, dimensions)) {
        const wire = batch.map(({ id, vector, metadata }) => ({
          id,
          vector: [...vector],
          ...(metadata && { metadata }),
        }));
        await asked('store vectors', () => index('store vectors', options).namespace(namespace).upsert(wire));
      }
    },
    query: async (vector, { limit, filter, signal }) => {
      checkVector(vector, dimensions);
      checkLimit(limit);
      const text = filter === undefined ? true : filterText(filter);
      if (text === false || isZero(vector)) return [];
      const query = {
        vector: [...vector],
        topK: limit,
        includeMetadata: true,
        ...(text !== true && { filter: text }),
      };
      const what = 'search vectors';
      const found = await asked(what, () => index(what, { signal }).namespace(namespace).query(query), []);
      const hits = read(Scores, found, what).map(hitOf);
      // A search that is not exact, or a filter that was not understood, must not show what does not belong there.
      const meeting = filter === undefined ? hits : hits.filter(({ metadata }) => meetsFilter(metadata, filter));
      return meeting.sort((left, right) => right.similarity - left.similarity).slice(0, limit);
    },
    delete: async (ids, options) => {
      for (const id of ids) checkId(id);
      const what = 'delete vectors';
      for (let at = 0; at < ids.length; at += BATCH) {
        const some = ids.slice(at, at + BATCH);
        await asked(what, () => index(what, options).namespace(namespace).delete(some), { deleted: 0 });
      }
    },
    list: async ({ cursor = '0', signal } = {}) => {
      if (!/^[\x21-\x7e]{1,256}$/.test(cursor)) throw new RangeError('cursor is none that was given');
      const what = 'list vectors';
      const range = () => index(what, { signal }).namespace(namespace).range({ cursor, limit: BATCH });
      const { vectors, nextCursor } = read(Page, await asked(what, range, { nextCursor: '', vectors: [] }), what);
      const ids = vectors.map(({ id }) => id);
      return nextCursor === '' ? { ids } : { ids, next: nextCursor };
    },
    clear: async (options) => {
      await asked('clear vectors', () => index('clear vectors', options).deleteNamespace(namespace), '');
    },
    pending: async (options) => {
      const what = 'count pending vectors';
      const { namespaces } = read(Info, await asked(what, () => index(what, options).info()), what);
      return Object.hasOwn(namespaces, namespace) ? (namespaces[namespace]?.pendingVectorCount ?? 0) : 0;
    },
  };
};

/** @param unknown What a namespace gives that was never written to. */
const asked = async <T>(what: string, ask: () => Promise<T>, unknown?: unknown): Promise<unknown> => {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof UnknownNamespace && unknown !== undefined) return unknown;
    if (error instanceof StoreUnavailable) throw error;
    // The SDK itself fails where a reply has no result; its message stays behind.
    throw new StoreUnavailable('malformed', `Cannot ${what}: the reply is not of a known form`);
  }
};

const read = <T extends z.ZodType>(schema: T, value: unknown, what: string): z.output<T> => {
  const found = readAs(schema, value);
  if (found.ok) return found.value;
  throw new StoreUnavailable('malformed', `Cannot ${what}: the reply is not of a known form`);
};

const Scores = z
  .array(z.object({ id: z.string(), score: z.number(), metadata: z.record(z.string(), z.unknown()).optional() }))
  .max(BATCH);
const Page = z.object({ nextCursor: z.string().max(256), vectors: z.array(z.object({ id: z.string() })).max(BATCH) });
const Info = z.object({ namespaces: z.record(z.string(), z.object({ pendingVectorCount: z.int().min(0) })) });

/** Upstash tells `(1 + cosine) / 2`. */
const hitOf = ({ id, score, metadata }: z.output<typeof Scores>[number]): VectorHit => ({
  id,
  similarity: Math.max(-1, Math.min(1, 2 * score - 1)),
  ...(metadata && { metadata: readMetadata(metadata) }),
});

/** A vector without a direction is close to nothing, and cosine is not defined for it. */
const isZero = (vector: readonly number[]): boolean => vector.every((each) => each === 0);

/** Split by number and by an upper bound of their bytes. */
const batchesOf = (records: readonly VectorRecord[], dimensions: number): VectorRecord[][] => {
  const batches: VectorRecord[][] = [];
  let batch: VectorRecord[] = [];
  let bytes = 0;
  for (const record of records) {
    const size = 300 + dimensions * NUMBER_BYTES + 3 * JSON.stringify(record.metadata ?? {}).length;
    if (batch.length === BATCH || (batch.length > 0 && bytes + size > BATCH_BYTES)) {
      batches.push(batch);
      batch = [];
      bytes = 0;
    }
    batch.push(record);
    bytes += size;
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
};
