import type * as z from 'zod';
import {
  type ContextOptions,
  MemorySearchRequest,
  type RankingFunction,
  SearchOptions,
  WireContextOptions,
} from '../contract/context-engine.ts';
import { Query, WorkspaceId } from '../contract/names.ts';
import { invalidInput, validationFailure } from './errors.ts';

/** Search options with their defaults applied. */
export type SearchPlan = SearchOptions & { limit: number; relationshipDepth: number };

/** Context options with their defaults applied, except those that the engine sets. */
export type ContextPlan = SearchPlan & Omit<ContextOptions, keyof SearchOptions>;

const DEFAULT_LIMIT = 10;
const DEFAULT_DEPTH = 1;

/** Like all functions here, throws `ContextFailure` with a `validation_error` that names the problem. */
export const readWorkspace = (workspaceId: string): string => parse(WorkspaceId, 'workspaceId', workspaceId);

/** Queries are trimmed. */
export const readQuery = (query: string): string => parse(Query, 'query', query);

export const readQueries = (queries: string[]): string[] => {
  if (!Array.isArray(queries)) throw validationFailure('queries: must be an array');
  if (queries.length > MAX_QUERIES) throw validationFailure(`queries: has more than ${MAX_QUERIES} items`);
  return queries.map((query, index) => parse(Query, `queries.${index}`, query));
};

const MAX_QUERIES = 100;

/** @param dimensions Dimensions of the model, if there is one. */
export const readVector = (vector: number[], dimensions: number | undefined): number[] => {
  const read = parse(MemorySearchRequest.shape.vector.nonoptional(), 'vector', vector);
  if (dimensions !== undefined && read.length !== dimensions)
    throw validationFailure(`vector: has ${read.length} dimensions, the model has ${dimensions}`);
  return read;
};

export const readSearchOptions = (options: SearchOptions = {}): SearchPlan =>
  withDefaults(parse(SearchOptions, 'options', options));

export const readContextOptions = (options: ContextOptions = {}): ContextPlan => {
  const { ranker, ...rest } = Object(options) as ContextOptions; // Object(null) is {}
  if (typeof ranker !== 'function') return withDefaults(parse(WireContextOptions, 'options', options));
  const order: RankingFunction = ranker;
  return { ...withDefaults(parse(WireContextOptions, 'options', rest)), ranker: order };
};

const withDefaults = <T extends SearchOptions>(options: T): T & { limit: number; relationshipDepth: number } => ({
  ...options,
  limit: options.limit ?? DEFAULT_LIMIT,
  relationshipDepth: options.relationshipDepth ?? DEFAULT_DEPTH,
});

const parse = <T extends z.ZodType>(schema: T, name: string, value: unknown): z.output<T> => {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw invalidInput(name, parsed.error);
  return parsed.data;
};
