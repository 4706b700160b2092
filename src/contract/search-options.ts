import * as z from 'zod';
import type { SearchResult } from './memory.ts';
import { MemoryId, MemoryType } from './memory.ts';
import { Query } from './query.ts';

/** A `Date`, or on the wire a day or a moment in ISO 8601 -> a `Date`. */
const Moment = z.union(
  [z.date(), z.union([z.iso.date(), z.iso.datetime({ offset: true }).max(40)]).transform((text) => new Date(text))],
  { error: 'is not a date' },
);

/** The same as an end: a day is over with its last millisecond, in UTC. */
const LastMoment = z.union(
  [
    z.date(),
    z.iso.date().transform((day) => new Date(Date.parse(day) + DAY_MS - 1)),
    z.iso
      .datetime({ offset: true })
      .max(40)
      .transform((text) => new Date(text)),
  ],
  { error: 'is not a date' },
);
const DAY_MS = 86_400_000;

/** What a search is narrowed to (seed 002, Configuration). Unknown members are refused. */
const searchMembers = {
  /** 1 to 100; 10 when absent. */
  limit: z.int().min(1).max(100).optional(),
  /** Only these types. */
  memoryTypes: z.array(MemoryType).max(32).optional(),
  /** Only memories created from then on. */
  dateFrom: Moment.optional(),
  /** Only memories created until then; on the wire a day is included as a whole. */
  dateTo: LastMoment.optional(),
  /** Only memories at least this sure, 0 to 1. */
  minConfidence: z.number().min(0).max(1).optional(),
  /** Only memories of this conversation. */
  conversationId: MemoryId.optional(),
  /** False when absent. */
  includeRelationships: z.boolean().optional(),
  /** Steps to follow, 1 to 5; 1 when absent. */
  relationshipDepth: z.int().min(1).max(5).optional(),
};

type Range = { dateFrom?: Date | undefined; dateTo?: Date | undefined };
const inOrder = ({ dateFrom, dateTo }: Range) => dateFrom === undefined || dateTo === undefined || dateFrom <= dateTo;
const NOT_IN_ORDER = { path: ['dateTo'], error: 'is before dateFrom' };

export const SearchOptions = z.strictObject(searchMembers).refine(inOrder, NOT_IN_ORDER);
export type SearchOptions = z.infer<typeof SearchOptions>;

/** Weights of the default ranking, each 0 to 1 (seed 002, Ranker). */
export const RankingOptions = z.strictObject({
  recencyWeight: z.number().min(0).max(1).optional(),
  confidenceWeight: z.number().min(0).max(1).optional(),
  similarityWeight: z.number().min(0).max(1).optional(),
});
export type RankingOptions = z.infer<typeof RankingOptions>;

/** Puts results in another order, best first (seed 002, Ranker). */
export type RankingFunction = (results: SearchResult[], options: RankingOptions) => SearchResult[];

/** A search, and how its results become text: as a caller can send it (seed 002, Configuration). */
export const WireContextOptions = z
  .strictObject({
    ...searchMembers,
    /** Name of a template; `chat` when absent. */
    template: z.string().min(1, 'is empty').max(64).optional(),
    /** Tokens at most, 1 to 200,000; 2,000 when absent. */
    tokenBudget: z.int().min(1).max(200_000).optional(),
    /** Name of a ranker; the default ranking when absent. */
    ranker: z.string().min(1, 'is empty').max(64).optional(),
    /** Whether type, confidence and time of each memory are written out. */
    includeMetadata: z.boolean().optional(),
  })
  .refine(inOrder, NOT_IN_ORDER);
export type WireContextOptions = z.infer<typeof WireContextOptions>;

/** The same in code, where a ranker may be a function. */
export type ContextOptions = Omit<WireContextOptions, 'ranker'> & { ranker?: string | RankingFunction | undefined };

/** What is searched for: a text, or its embedding computed before; up to 4,096 finite numbers. */
const target = {
  query: Query.optional(),
  vector: z.array(z.number()).min(1).max(4096).optional(),
};
const hasOneTarget = ({ query, vector }: { query?: string | undefined; vector?: number[] | undefined }) =>
  (query === undefined) !== (vector === undefined);
const NOT_ONE_TARGET = { path: ['query'], error: 'has to be there when vector is not, and only then' };

/** `POST /v1/workspaces/{workspace_id}/memories/search`. */
export const MemorySearchRequest = z
  .strictObject({ ...target, options: SearchOptions.optional() })
  .refine(hasOneTarget, NOT_ONE_TARGET);
export type MemorySearchRequest = z.infer<typeof MemorySearchRequest>;

/** `POST /v1/workspaces/{workspace_id}/memories/context` and `.../context/preview`. */
export const ContextRequest = z
  .strictObject({ ...target, options: WireContextOptions.optional() })
  .refine(hasOneTarget, NOT_ONE_TARGET);
export type ContextRequest = z.infer<typeof ContextRequest>;
