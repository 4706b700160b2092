import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { Index } from '@upstash/vector';
import * as z from 'zod';
import type { StoreOptions } from './store-unavailable.ts';
import {
  insteadOfNamespace,
  readReply,
  type UpstashAccess,
  upstashCaller,
} from './upstash-client.ts';
import {
  checkId,
  checkLimit,
  checkRecord,
  checkVector,
  meetsFilter,
  readMetadata,
  type VectorFilter,
  type VectorHit,
  type VectorIndex,
  type VectorRecord,
} from './vector-index.ts';

interface UpstashVectorConfig extends UpstashAccess {
  /** The tenant's namespace (`namespaceOf`); 1 to 64 of `A-Za-z0-9_-`. */
  namespace: string;
  dimensions: number;
}

/** Maximum number of records that Upstash accepts in one request and returns in one reply. */
const BATCH = 1000;
/** Upstash documents no limit for a request; its own example of 100 vectors with 1,536 numbers comes to 2.3 MB. */
const BATCH_BYTES = 4_000_000;
/** A number as JSON is at most `-1.2345678901234567e-100,`. */
const NUMBER_BYTES = 25;

/**
 * Vectors in one namespace of an Upstash Vector index that compares by cosine and has no hosted model. Queries find a record once
 * `pending` is 0; `list` has it at once. The search is approximate. Stateless between calls.
 *
 * @throws {RangeError} For a namespace, a URL or a token that cannot be valid. The message contains none of them.
 *
 * @example
 * const index = upstashVectorIndex({
 *   url: 'https://example-vector.upstash.io',
 *   token: 'secret',
 *   namespace: namespaceOf('kb', 'default'),
 *   dimensions: 1536,
 * });
 * await index.pending(); // 0 once everything written can be searched
 * @see https://upstash.com/docs/vector/api/get-started
 */
export function upstashVectorIndex({
  namespace,
  dimensions,
  ...access
}: UpstashVectorConfig): VectorIndex {
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
      for (const record of records) checkRecord(record, dimensions);
      for (const batch of batchesOf(records, dimensions)) {
        const wire = batch.map(({ id, vector, metadata }) => ({
          id,
          vector: [...vector],
          ...(metadata && { metadata }),
        }));
        await onNamespace('store vectors', (space) => space.upsert(wire), options);
      }
    },
    query: async (vector, { limit, filter = [], signal }) => {
      checkVector(vector, dimensions);
      checkLimit(limit);
      const text = filterText(filter);
      if (
        isZero(vector) ||
        filter.some((condition) => 'in' in condition && condition.in.length === 0)
      )
        return [];
      const query = {
        vector: [...vector],
        topK: limit,
        includeMetadata: true,
        ...(text !== '' && { filter: text }),
      };
      const what = 'search vectors';
      const found = await onNamespace(what, (space) => space.query(query), { signal }).catch(
        insteadOfNamespace([]),
      );
      const hits = readReply(Scores, found, what).map(hitOf);
      // An approximate search, or a filter that was read in another way, must not return records that do not match.
      const meeting = hits.filter(({ metadata }) => meetsFilter(metadata, filter));
      return meeting.sort((left, right) => right.similarity - left.similarity).slice(0, limit);
    },
    delete: async (ids, options) => {
      for (const id of ids) checkId(id);
      for (let at = 0; at < ids.length; at += BATCH) {
        const some = ids.slice(at, at + BATCH);
        await onNamespace('delete vectors', (space) => space.delete(some), options).catch(
          insteadOfNamespace(undefined),
        );
      }
    },
    list: async ({ cursor = '0', signal } = {}) => {
      if (!/^[\x21-\x7e]{1,256}$/.test(cursor))
        throw new RangeError('cursor is not one that a page returned');
      const what = 'list vectors';
      const range = { cursor, limit: BATCH };
      const empty = { nextCursor: '', vectors: [] };
      const page = await onNamespace(what, (space) => space.range(range), { signal }).catch(
        insteadOfNamespace(empty),
      );
      const { vectors, nextCursor } = readReply(Page, page, what);
      const ids = vectors.map(({ id }) => id);
      return nextCursor === '' ? { ids } : { ids, next: nextCursor };
    },
    clear: async (options) => {
      const clear = call(
        'clear vectors',
        (requester) => new Index(requester).deleteNamespace(namespace),
        options,
      );
      await clear.catch(insteadOfNamespace(undefined));
    },
    pending: async (options) => {
      const what = 'count pending vectors';
      const info = await call(what, (requester) => new Index(requester).info(), options);
      return pendingIn(namespace, info, what);
    },
  };
}

const Scores = z
  .array(
    z.object({
      id: z.string(),
      score: z.number(),
      metadata: z.record(z.string(), z.unknown()).optional().catch(undefined),
    }),
  )
  .max(BATCH);
const Page = z.object({
  nextCursor: z.string().max(256),
  vectors: z.array(z.object({ id: z.string() })).max(BATCH),
});
/** How many vectors of a namespace wait, by a reply of `info`. */
export function pendingIn(namespace: string, info: unknown, what: string): number {
  const { namespaces } = readReply(Info, info, what);
  return Object.hasOwn(namespaces, namespace)
    ? (namespaces[namespace]?.pendingVectorCount ?? 0)
    : 0;
}

const Info = z.object({
  namespaces: z.record(z.string(), z.object({ pendingVectorCount: z.int().min(0) })),
});

/** A score of Upstash is `(1 + cosine) / 2`. */
const hitOf = ({ id, score, metadata }: z.output<typeof Scores>[number]): VectorHit => ({
  id,
  similarity: Math.max(-1, Math.min(1, 2 * score - 1)),
  ...(metadata && { metadata: readMetadata(metadata) }),
});

/** A vector without a direction is similar to nothing: cosine is not defined for it. */
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

/** The SDK does not URL-encode a namespace, so any other character would change the address. */
export function isNamespace(name: string): boolean {
  return /^[A-Za-z0-9_-]{1,64}$/.test(name);
}

/**
 * The namespace of a workspace's vectors, distinct for every kind and workspace. `memory` of `acme` is `memory_acme`; a longer name than
 * 64 characters has 188 bits of SHA-256 in place of the workspace: `memory-9f86d081…`. The character after the kind keeps the two
 * forms apart.
 *
 * @param kind Kind of the vectors: 1 to 16 of a-z.
 * @param workspace As the contract defines it: 1 to 64 letters, digits, underscores, hyphens.
 * @param generation For kinds whose workspaces have several namespaces: `passages_acme-2`. Either all of a kind have one or none.
 * @throws {RangeError} For anything else.
 *
 * @example
 * namespaceOf('kb', 'acme'); // 'kb_acme'
 */
export function namespaceOf(kind: string, workspace: string, generation?: number): string {
  if (!/^[a-z]{1,16}$/.test(kind)) throw new RangeError('kind is not 1 to 16 of a-z');
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(workspace))
    throw new RangeError('workspace is no workspace id');
  const suffix = generation === undefined ? '' : `-${generation}`;
  const plain = `${kind}_${workspace}`;
  return isNamespace(plain + suffix)
    ? plain + suffix
    : `${kind}-${bytesToHex(sha256(utf8ToBytes(workspace))).slice(0, 47)}${suffix}`;
}

/** Upstash rejects longer filters somewhere below 12 KB; the exact limit is not documented. */
const MAX_FILTER_LENGTH = 1024;

/**
 * A filter in the language of Upstash Vector. Escaping is not documented there, so values are restricted to an alphabet that needs none.
 *
 * @throws {RangeError} For a name, a value or a length that cannot be sent safely. The message does not contain the value.
 */
export function filterText(filter: VectorFilter): string {
  const text = filter.map(clauseOf).join(' AND ');
  if (text.length > MAX_FILTER_LENGTH) throw new RangeError('the filter is too long');
  return text;
}

const clauseOf = (condition: VectorFilter[number]): string => {
  const { field } = condition;
  const isName = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(field) && !KEYWORDS.has(field.toLowerCase());
  if (!isName) throw new RangeError('the filter has a field name that is not an identifier');
  if ('in' in condition) return `(${field} IN (${condition.in.map(quoted).join(', ')}))`;
  if ('contains' in condition) return `(${field} CONTAINS ${quoted(condition.contains)})`;
  return 'atLeast' in condition
    ? `(${field} >= ${decimal(condition.atLeast)})`
    : `(${field} <= ${decimal(condition.atMost)})`;
};

const KEYWORDS = new Set([
  'and',
  'or',
  'not',
  'in',
  'glob',
  'contains',
  'has',
  'field',
  'true',
  'false',
]);

const quoted = (value: string): string => {
  if (!/^[A-Za-z0-9_.:-]{1,256}$/.test(value))
    throw new RangeError('the filter has a value that is not an id');
  return `'${value}'`;
};

/** The language knows no exponents. */
const decimal = (value: number): string => {
  const digits = String(value);
  if (!/^-?\d+(\.\d+)?$/.test(digits))
    throw new RangeError('the filter has a number that is not a plain decimal');
  return digits;
};
