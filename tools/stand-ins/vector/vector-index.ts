import * as z from 'zod';
import type { Fault } from '../server/faults.ts';
import { parseFilter } from './filter.ts';
import { shortestFloat32 } from './float32.ts';
import {
  createNamespaceRecords,
  type Indexing,
  type NamespaceRecords,
  type StoredVector,
} from './vector-records.ts';
import { VectorRefusal } from './vector-refusal.ts';

/** A dense or hybrid index without a hosted model. */
export interface LocalIndex {
  /** As error messages name it. */
  name: string;
  isHybrid: boolean;
  dimension: number;
  similarityFunction: 'COSINE' | 'DOT_PRODUCT' | 'EUCLIDEAN';
  indexing: Indexing;
  namespaces: Map<string, NamespaceRecords>;
}

interface OperationCall {
  index: LocalIndex;
  /** Empty for the default namespace. */
  namespace: string;
  body: unknown;
  query: URLSearchParams;
  fault: Fault | undefined;
}

export interface Operation {
  /** Whether the path ends in a namespace. */
  namespace: 'optional' | 'required' | 'none';
  writes: boolean;
  /** @returns What goes into `result`. @throws {VectorRefusal} */
  run(call: OperationCall): unknown;
}

/** Maximum number of vectors that one request may write, name or ask for. */
const MAX_VECTORS = 1000;
const MAX_METADATA_BYTES = 48 * 1024;
const MAX_DATA_BYTES = 1024 * 1024;
const MAX_NON_ZEROS = 1000;
/** Undocumented: a filter of 12 KB is refused, one of 30 conditions is not. */
const MAX_FILTER_LENGTH = 4096;

const Id = z.union([z.string().min(1), z.number()]).transform(String);
/** Checked in one go: a write may bring millions of numbers. */
const Vector = z.custom<number[]>(
  (value) => Array.isArray(value) && value.every((each) => typeof each === 'number'),
  'expected a list of numbers',
);
const Sparse = z
  .strictObject({ indices: Vector, values: Vector })
  .refine(
    ({ indices, values }) =>
      indices.length === values.length &&
      indices.length <= MAX_NON_ZEROS &&
      indices.every((index) => Number.isInteger(index) && Math.abs(index) < 2 ** 31) &&
      new Set(indices).size === indices.length,
    `expected up to ${MAX_NON_ZEROS} values, each with an index of its own`,
  );
const FilterText = z
  .string()
  .max(MAX_FILTER_LENGTH, `filter is longer than ${MAX_FILTER_LENGTH} characters`);
const Count = z.int().min(1).max(MAX_VECTORS);
const include = {
  includeVectors: z.boolean().default(false),
  includeMetadata: z.boolean().default(false),
  includeData: z.boolean().default(false),
};
type Include = z.output<z.ZodObject<typeof include>>;
const many = <T extends z.ZodType>(schema: T) => z.array(schema).min(1).max(MAX_VECTORS);

// Strict, so that what this server does not emulate is refused rather than ignored.
const Upsert = many(
  z.strictObject({
    id: Id,
    vector: Vector,
    sparseVector: Sparse.optional(),
    metadata: z.record(z.string(), z.unknown()).optional(),
    data: z.string().optional(),
  }),
);
const Query = many(
  z.strictObject({
    vector: Vector.optional(),
    sparseVector: Sparse.optional(),
    weightingStrategy: z.literal('IDF').optional(),
    topK: Count.default(10),
    filter: FilterText.default(''),
    ...include,
  }),
);
const Fetch = z.strictObject({ ids: z.array(Id).max(MAX_VECTORS), ...include });
const Range = z.strictObject({
  cursor: z.union([z.string(), z.number()]).transform(String),
  limit: Count,
  ...include,
});
const Delete = z.strictObject({
  ids: z.array(Id).max(MAX_VECTORS).optional(),
  prefix: z.string().min(1).optional(),
  filter: FilterText.min(1).optional(),
});

/** @throws {VectorRefusal} 400 */
const readBody = <T extends z.ZodType>(schema: T, body: unknown): z.output<T> => {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const problem = z.prettifyError(parsed.error).replaceAll('\n', ' ').slice(0, 500);
  throw new VectorRefusal(400, `Invalid request: ${problem}`);
};

const upsert = ({ index, namespace, body }: OperationCall) => {
  const records = readBody(Upsert, [body].flat()).map(({ vector, ...record }) => {
    if (record.metadata && Buffer.byteLength(JSON.stringify(record.metadata)) > MAX_METADATA_BYTES)
      throw new VectorRefusal(422, `Metadata is too large, limit: ${MAX_METADATA_BYTES} bytes`);
    if (Buffer.byteLength(record.data ?? '') > MAX_DATA_BYTES)
      throw new VectorRefusal(422, `Data is too large, limit: ${MAX_DATA_BYTES} bytes`);
    if (index.isHybrid !== (record.sparseVector !== undefined))
      throw new VectorRefusal(422, `This index is ${index.isHybrid ? '' : 'not '}hybrid`);
    const own = vectorFor(index, vector);
    return { ...record, vector: own, squares: squaresOf(own) };
  });
  // A namespace is created by its first write.
  const space = index.namespaces.get(namespace) ?? createNamespaceRecords(index.indexing);
  index.namespaces.set(namespace, space);
  space.put(records);
  return 'Success';
};

const vectorFor = ({ dimension }: LocalIndex, vector: readonly number[]): Float32Array => {
  if (vector.length === dimension) return Float32Array.from(vector);
  throw new VectorRefusal(
    422,
    `Invalid vector dimension: ${vector.length}, expected: ${dimension}`,
  );
};

/** One query, or a list of one, is answered with its hits; a longer list with a list of them. */
const query = ({ index, namespace, body, fault }: OperationCall) => {
  if (index.similarityFunction !== 'COSINE')
    throw new VectorRefusal(501, 'This stand-in searches by COSINE alone');
  const answers = readBody(Query, [body].flat()).map(({ topK, filter, ...asked }) => {
    const { vector, sparseVector, weightingStrategy, ...shown } = asked;
    const meets = filter.trim() === '' ? () => true : parseFilter(filter);
    const space = index.namespaces.get(namespace);
    const hits = bestOf(scoresIn(index, space, asked), {
      topK,
      meets: ({ metadata }) => meets(metadata),
    });
    const found =
      fault?.kind === 'fewer-results'
        ? hits.slice(0, fault.keep ?? Math.floor(hits.length / 2))
        : hits;
    return found.map(({ record, score }) => ({
      score: shortestFloat32(score),
      ...show(record, shown),
    }));
  });
  return answers.length === 1 ? answers[0] : answers;
};

interface Scored {
  record: StoredVector;
  score: number;
}

/** The best, in order; of a million candidates most are compared with the worst of them alone. */
const bestOf = (
  scored: Iterable<Scored>,
  { topK, meets }: { topK: number; meets: (record: StoredVector) => boolean },
): Scored[] => {
  const best: Scored[] = [];
  for (const each of scored) {
    const worst = best.length < topK ? undefined : best.at(-1);
    if ((worst && each.score <= worst.score) || !meets(each.record)) continue;
    const place = best.findLastIndex(({ score }) => score >= each.score) + 1;
    best.splice(place, 0, each);
    if (best.length > topK) best.pop();
  }
  return best;
};

/** A query of one component has its raw scores; both together would be fused. */
const scoresIn = (
  index: LocalIndex,
  space: NamespaceRecords | undefined,
  { vector, sparseVector, weightingStrategy }: Partial<z.output<typeof Query>[number]>,
): Iterable<Scored> => {
  if (vector !== undefined && sparseVector !== undefined)
    throw new VectorRefusal(501, 'This stand-in does not fuse: ask for one component');
  if (sparseVector !== undefined) {
    if (!index.isHybrid) throw new VectorRefusal(422, 'This index is not hybrid');
    return space?.postings().scores(sparseVector, weightingStrategy === 'IDF') ?? [];
  }
  const wanted = vectorFor(index, vector ?? []);
  const records = space?.indexed().values() ?? [].values();
  const squares = squaresOf(wanted);
  return records.map((record) => ({ record, score: scoreOf({ vector: wanted, squares }, record) }));
};

const squaresOf = (vector: Float32Array): number =>
  vector.reduce((sum, value) => sum + value * value, 0);

/** `(1 + cosine) / 2`, in 32 bits as on the service; 0.5 when one of the vectors is all zeros. */
const scoreOf = (
  { vector: left, squares }: Pick<StoredVector, 'vector' | 'squares'>,
  { vector: right, squares: others }: Pick<StoredVector, 'vector' | 'squares'>,
): number => {
  let product = 0;
  for (let at = 0; at < left.length; at++) product += (left[at] ?? 0) * (right[at] ?? 0);
  const lengths = Math.sqrt(squares * others);
  const cosine = lengths === 0 ? 0 : product / lengths;
  return Math.fround((1 + Math.max(-1, Math.min(1, cosine))) / 2);
};

/** A vector as replies show it: what was not asked for, or does not exist, is absent. */
const show = (
  { id, vector, sparseVector, metadata, data }: StoredVector,
  { includeVectors, includeMetadata, includeData }: Include,
) => ({
  id,
  ...(includeVectors && { vector: Array.from(vector, shortestFloat32) }),
  ...(includeVectors && sparseVector && { sparseVector }),
  ...(includeMetadata && metadata && { metadata }),
  ...(includeData && data !== undefined && { data }),
});

const fetchVectors = ({ index, namespace, body }: OperationCall) => {
  const { ids, ...shown } = readBody(Fetch, body);
  const written = index.namespaces.get(namespace)?.written;
  return ids.map((id) => {
    const record = written?.get(id);
    return record ? show(record, shown) : null;
  });
};

/** A cursor is the position after the last vector of the page. */
const range = ({ index, namespace, body }: OperationCall) => {
  const { cursor, limit, ...shown } = readBody(Range, body);
  if (!/^\d{0,15}$/.test(cursor)) throw new VectorRefusal(400, 'Invalid cursor');
  const all = [...(index.namespaces.get(namespace)?.written.values() ?? [])];
  const end = Number(cursor) + limit;
  const page = all.slice(Number(cursor), end);
  return {
    nextCursor: end < all.length ? String(end) : '',
    vectors: page.map((record) => show(record, shown)),
  };
};

const remove = ({ index, namespace, body }: OperationCall) => {
  const selectors = readBody(Delete, body);
  const { ids, prefix, filter } = selectors;
  if (Object.keys(selectors).length !== 1)
    throw new VectorRefusal(
      422,
      'Only and only one of the ids, prefix, or filter must be provided.',
    );
  const meets = filter === undefined ? undefined : parseFilter(filter);
  const space = index.namespaces.get(namespace);
  const selected = [...(space?.written.values() ?? [])].filter(({ id, metadata }) =>
    meets ? meets(metadata) : id.startsWith(prefix ?? ''),
  );
  return { deleted: space?.remove(ids ?? selected.map(({ id }) => id)) ?? 0 };
};

const info = ({ index }: OperationCall) => {
  const { dimension, similarityFunction, namespaces, isHybrid } = index;
  const counts = [...namespaces].map(([name, records]) => {
    return [
      name,
      { vectorCount: records.indexed().size, pendingVectorCount: records.pendingCount() },
    ] as const;
  });
  const sum = (of: 'vectorCount' | 'pendingVectorCount') =>
    counts.reduce((total, [, each]) => total + each[of], 0);
  const written = [...namespaces.values()].reduce(
    (total, records) => total + records.written.size,
    0,
  );
  return {
    vectorCount: sum('vectorCount'),
    pendingVectorCount: sum('pendingVectorCount'),
    indexSize: 4 * dimension * written,
    dimension,
    similarityFunction,
    indexType: isHybrid ? 'HYBRID' : 'DENSE',
    denseIndex: { dimension, similarityFunction },
    ...(isHybrid && { sparseIndex: {} }),
    namespaces: Object.fromEntries(counts),
  };
};

/** Namespaces stay, empty. */
const reset = ({ index, namespace, query: parameters }: OperationCall) => {
  for (const name of parameters.has('all') ? [...index.namespaces.keys()] : [namespace])
    if (index.namespaces.has(name))
      index.namespaces.set(name, createNamespaceRecords(index.indexing));
  return 'Success';
};

const deleteNamespace = ({ index, namespace }: OperationCall) => {
  if (index.namespaces.delete(namespace)) return 'Success';
  throw new VectorRefusal(404, `Namespace ${namespace} for the index ${index.name} does not exist`);
};

/** By the first segment of the path. */
export const OPERATIONS: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ['upsert', { namespace: 'optional', writes: true, run: upsert }],
  ['query', { namespace: 'optional', writes: false, run: query }],
  ['fetch', { namespace: 'optional', writes: false, run: fetchVectors }],
  ['range', { namespace: 'optional', writes: false, run: range }],
  ['delete', { namespace: 'optional', writes: true, run: remove }],
  ['info', { namespace: 'none', writes: false, run: info }],
  ['reset', { namespace: 'optional', writes: true, run: reset }],
  [
    'list-namespaces',
    { namespace: 'none', writes: false, run: ({ index }) => [...index.namespaces.keys()] },
  ],
  ['delete-namespace', { namespace: 'required', writes: true, run: deleteNamespace }],
]);
