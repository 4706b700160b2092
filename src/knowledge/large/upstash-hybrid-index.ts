import { Index } from '@upstash/vector';
import * as z from 'zod';
import { slicesOf } from '../../platform/storage/embedding-store.ts';
import type { StoreOptions } from '../../platform/storage/store-unavailable.ts';
import {
  insteadOfNamespace,
  malformedReply,
  readReply,
  type UpstashAccess,
  upstashCaller,
} from '../../platform/storage/upstash-client.ts';
import { filterText, isNamespace, pendingIn } from '../../platform/storage/upstash-vector-index.ts';
import { checkId, meetsFilter, type VectorFilter } from '../../platform/storage/vector-index.ts';
import {
  checkHybridQuery,
  checkHybridRecord,
  type HybridHit,
  type HybridIndex,
  type HybridMetadata,
  type HybridQuery,
  type HybridRecord,
} from './hybrid-index.ts';

interface UpstashHybridConfig extends UpstashAccess {
  /** 1 to 64 of `A-Za-z0-9_-`; with the generation of its records. */
  namespace: string;
  dimensions: number;
}

/** The hybrid index of a namespace, where one is configured. */
export function hybridIndexesOf(
  hybrid: Pick<UpstashAccess, 'url' | 'token'> | undefined,
): ((namespace: string, dimensions: number) => HybridIndex) | undefined {
  return (
    hybrid && ((namespace, dimensions) => upstashHybridIndex({ ...hybrid, namespace, dimensions }))
  );
}

/** Most records that Upstash accepts in one request and returns in one reply. */
const BATCH = 1000;
/** Characters of a request. Upstash documents no limit; some 900 passages of 1,600 characters. */
const BATCH_CHARACTERS = 4_000_000;

/**
 * Passages in one namespace of a hybrid index of Upstash Vector without hosted models, which compares dense vectors by cosine. Each query
 * names one component alone, so that its scores are raw: fusing them is ours. Stateless between calls.
 *
 * @throws {RangeError} For a namespace, a URL or a token that cannot be valid. The message contains none of them.
 * @see https://upstash.com/docs/vector/features/hybridindexes
 */
export function upstashHybridIndex({
  namespace,
  dimensions,
  ...access
}: UpstashHybridConfig): HybridIndex {
  if (!isNamespace(namespace)) throw new RangeError('a namespace is not 1 to 64 of A-Za-z0-9_-');
  const call = upstashCaller(access);
  const onNamespace = <T>(
    what: string,
    ask: (records: ReturnType<Index['namespace']>) => Promise<T>,
    options: StoreOptions | undefined,
  ) => call(what, (requester) => ask(new Index(requester).namespace(namespace)), options);

  return {
    dimensions,
    upsert: async (records, options) => {
      for (const record of records) checkHybridRecord(record, dimensions);
      for (const batch of batchesOf(records.map(wireOf)))
        await onNamespace('store passages', (space) => space.upsert(batch), options);
    },
    query: async (queries, { limit, filter = [], signal }) => {
      checkHybridQuery(queries, { limit, dimensions });
      if (queries.length === 0) return [];
      const what = 'search passages';
      const wire = queries.map((query) => wireQueryOf(query, { limit, filter }));
      const ask = (requester: ConstructorParameters<typeof Index>[0]) =>
        new Index(requester).queryMany(wire, { namespace });
      const reply = await call(what, (requester) => ask(requester), { signal }).catch(
        insteadOfNamespace(queries.map(() => [])),
      );
      const lists = readReply(Lists, reply, what);
      // The SDK cannot tell one empty list from none.
      if (queries.length === 1 && lists.length === 0) return [[]];
      if (lists.length !== queries.length) throw malformedReply(what);
      return lists.map((list, at) =>
        hitsOf(list, { isDense: 'dense' in (queries[at] ?? {}), filter }),
      );
    },
    delete: async (ids, options) => {
      for (const id of ids) checkId(id);
      for (const some of slicesOf(ids, BATCH))
        await onNamespace('delete passages', (space) => space.delete([...some]), options).catch(
          insteadOfNamespace(undefined),
        );
    },
    stored: async (ids, options) => {
      for (const id of ids) checkId(id);
      const what = 'look passages up';
      const stored = new Set<string>();
      for (const some of slicesOf(ids, BATCH)) {
        const reply = await onNamespace(what, (space) => space.fetch([...some]), options).catch(
          insteadOfNamespace([]),
        );
        for (const record of readReply(Records, reply, what)) if (record) stored.add(record.id);
      }
      return stored;
    },
    list: async ({ cursor = '0', signal } = {}) => {
      if (!/^[\x21-\x7e]{1,256}$/.test(cursor))
        throw new RangeError('cursor is not one that a page returned');
      const what = 'list passages';
      const range = { cursor, limit: BATCH, includeMetadata: true };
      const page = await onNamespace(what, (space) => space.range(range), { signal }).catch(
        insteadOfNamespace({ nextCursor: '', vectors: [] }),
      );
      const { vectors, nextCursor } = readReply(Page, page, what);
      const records = vectors.map(({ id, metadata }) => ({ id, metadata }));
      return nextCursor === '' ? { records } : { records, next: nextCursor };
    },
    clear: async (options) => {
      const clear = call(
        'clear passages',
        (requester) => new Index(requester).deleteNamespace(namespace),
        options,
      );
      await clear.catch(insteadOfNamespace(undefined));
    },
    pending: async (options) => {
      const what = 'count pending passages';
      const info = await call(what, (requester) => new Index(requester).info(), options);
      return pendingIn(namespace, info, what);
    },
  };
}

const Metadata = z
  .record(z.string(), z.union([z.string(), z.number(), z.array(z.string())]))
  .catch({});
const Lists = z
  .array(
    z
      .array(
        z.object({
          id: z.string(),
          score: z.number(),
          metadata: Metadata.default({}),
          data: z.string().catch('').default(''),
        }),
      )
      .max(BATCH),
  )
  .max(BATCH);
const Records = z.array(z.object({ id: z.string() }).nullable()).max(BATCH);
const Page = z.object({
  nextCursor: z.string().max(256),
  vectors: z.array(z.object({ id: z.string(), metadata: Metadata.default({}) })).max(BATCH),
});

interface WireRecord {
  id: string;
  vector: number[];
  sparseVector: { indices: number[]; values: number[] };
  metadata: HybridMetadata;
  data: string;
}

const wireOf = ({ id, dense, sparse, metadata, data }: HybridRecord): WireRecord => ({
  id,
  vector: [...dense],
  sparseVector: { indices: [...sparse.indices], values: [...sparse.values] },
  metadata,
  data,
});

const wireQueryOf = (
  query: HybridQuery,
  { limit, filter }: { limit: number; filter: VectorFilter },
) => {
  const more = {
    topK: limit,
    includeMetadata: true,
    includeData: true,
    filter: filterText(filter),
  };
  if ('dense' in query) return { vector: [...query.dense], ...more };
  const sparseVector = { indices: [...query.sparse.indices], values: [...query.sparse.values] };
  // The literal of the SDK's enum `WeightingStrategy`, which is not needed at run time.
  return { sparseVector, weightingStrategy: 'IDF' as never, ...more };
};

const hitsOf = (
  list: z.output<typeof Lists>[number],
  { isDense, filter }: { isDense: boolean; filter: VectorFilter },
): HybridHit[] =>
  list
    // An approximate search, or a filter that was read in another way, must not return records that do not match.
    .filter(({ metadata }) => meetsFilter(metadata, filter))
    .map(({ id, score, metadata, data }) => ({
      id,
      // A dense score of Upstash is `(1 + cosine) / 2`.
      score: isDense ? Math.max(-1, Math.min(1, 2 * score - 1)) : score,
      metadata,
      data,
    }))
    .sort((left, right) => right.score - left.score);

const batchesOf = (records: readonly WireRecord[]): WireRecord[][] => {
  const batches: WireRecord[][] = [];
  let characters = Number.POSITIVE_INFINITY;
  for (const record of records) {
    const size = JSON.stringify(record).length;
    if (characters + size > BATCH_CHARACTERS || batches.at(-1)?.length === BATCH) {
      batches.push([]);
      characters = 0;
    }
    batches.at(-1)?.push(record);
    characters += size;
  }
  return batches;
};
