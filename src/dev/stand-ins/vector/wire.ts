import * as z from 'zod';
import { VectorRefusal } from './vector-error.ts';

/** Most vectors that one request may write, name or ask for. */
export const MAX_VECTORS = 1000;
export const MAX_METADATA_BYTES = 48 * 1024;
export const MAX_DATA_BYTES = 1024 * 1024;
/** Undocumented: a filter of 12 KB is refused, one of 30 conditions is not. */
const MAX_FILTER_LENGTH = 4096;

const Id = z.union([z.string().min(1), z.number()]).transform(String);
/** Checked in one go: a write may bring millions of numbers. */
const Dense = z.custom<number[]>(
  (value) => Array.isArray(value) && value.every((each) => typeof each === 'number'),
  'expected a list of numbers',
);
const Sparse = z.object({ indices: z.array(z.int32()), values: z.array(z.number()) });
const Metadata = z.record(z.string(), z.unknown());
const Count = z.int().min(1).max(MAX_VECTORS);
const Cursor = z.union([z.string(), z.number()]).transform(String);

const include = {
  includeVectors: z.boolean().default(false),
  includeMetadata: z.boolean().default(false),
  includeData: z.boolean().default(false),
};
export const Include = z.object(include);
export type Include = z.infer<typeof Include>;

const oneOrMany = <T extends z.ZodType>(schema: T) =>
  z.union([z.array(schema).min(1).max(MAX_VECTORS), schema.transform((one) => [one])]);

const VectorItem = z.object({
  id: Id,
  vector: Dense.optional(),
  sparseVector: Sparse.optional(),
  metadata: Metadata.optional(),
  data: z.string().optional(),
});
export const Upsert = oneOrMany(VectorItem);
export const UpsertData = oneOrMany(z.object({ id: Id, data: z.string(), metadata: Metadata.optional() }));

const search = {
  topK: Count.default(10),
  filter: z.string().max(MAX_FILTER_LENGTH, `filter is longer than ${MAX_FILTER_LENGTH} characters`).default(''),
  weightingStrategy: z.literal('IDF').optional(),
  fusionAlgorithm: z.enum(['RRF', 'DBSF']).default('RRF'),
  ...include,
};
const maxIdle = { maxIdle: z.int().min(1).default(3600) };
const VectorQuery = z.object({ vector: Dense.optional(), sparseVector: Sparse.optional(), ...search });
const DataQuery = z.object({
  data: z.string(),
  queryMode: z.enum(['HYBRID', 'DENSE', 'SPARSE']).default('HYBRID'),
  ...search,
});
export type VectorQuery = z.infer<typeof VectorQuery>;
export type DataQuery = z.infer<typeof DataQuery>;
export const Query = z.union([z.array(VectorQuery).min(1).max(MAX_VECTORS), VectorQuery]);
export const QueryData = z.union([z.array(DataQuery).min(1).max(MAX_VECTORS), DataQuery]);
export const ResumableQuery = VectorQuery.extend(maxIdle);
export const ResumableQueryData = DataQuery.extend(maxIdle);
export const ResumableNext = z.object({ uuid: z.string(), additionalK: Count });
export const ResumableEnd = z.object({ uuid: z.string() });

const ids = z.union([z.array(Id).max(MAX_VECTORS), Id.transform((id) => [id])]).optional();
const prefix = z.string().min(1).optional();
export const Fetch = z.object({ ids, prefix, ...include });
export const Range = z.object({ cursor: Cursor, limit: Count, prefix: z.string().optional(), ...include });
export const Delete = z.object({ ids, prefix, filter: z.string().min(1).max(MAX_FILTER_LENGTH).optional() });
export type Delete = z.infer<typeof Delete>;
export const Update = VectorItem.extend({ metadataUpdateMode: z.enum(['OVERWRITE', 'PATCH']).default('OVERWRITE') });
export const RenameNamespace = z.object({ namespace: z.string(), newNamespace: z.string() });

/** @throws {VectorRefusal} 400 */
export const readWire = <T extends z.ZodType>(schema: T, body: unknown): z.infer<T> => {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const problem = z.prettifyError(parsed.error).replaceAll('\n', ' ').slice(0, 500);
  throw new VectorRefusal(400, `Invalid request: ${problem}`);
};
