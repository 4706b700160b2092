import * as z from 'zod';
import { MemoryId, Query } from '../core/names.ts';
import { MemoryDegradation, MemoryType, SearchResult } from './memory.ts';

/** Variables of a `memoryFormat`, each in double braces. */
export const TEMPLATE_VARIABLES = ['content', 'type', 'confidence', 'timestamp', 'score'] as const;

/** Template that formats memories as text. */
export const ContextTemplate = z.strictObject({
  name: z.string().min(1, 'is empty').max(64),
  /** Text before the memories. */
  header: z.string().max(4000).optional(),
  /** One memory: `- {{content}}`. Only the five variables may be in double braces. */
  memoryFormat: z
    .string()
    .min(1, 'is empty')
    .max(4000)
    .superRefine((format, check) => {
      for (const [, name] of format.matchAll(/\{\{([^{}]{0,64})\}\}/g)) {
        if (TEMPLATE_VARIABLES.some((known) => known === name?.trim())) continue;
        check.addIssue({ code: 'custom', message: `has an unknown variable: ${name}` });
      }
    }),
  /** Text between memories. */
  separator: z.string().max(200),
  /** Text after the memories. */
  footer: z.string().max(4000).optional(),
  /** Whether type, confidence and time are included. */
  includeMetadata: z.boolean(),
});
export type ContextTemplate = z.infer<typeof ContextTemplate>;

/** A `Date`, or on the wire an ISO 8601 date or timestamp -> a `Date`. */
const Moment = z.union(
  [
    z.date(),
    z
      .union([z.iso.date(), z.iso.datetime({ offset: true }).max(40)])
      .transform((text) => new Date(text)),
  ],
  { error: 'is not a date' },
);

/** The same as an upper bound: a date stands for its last millisecond in UTC. */
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

/** Options of a search. Unknown members are refused. */
const searchMembers = {
  /** 1 to 100; 10 when absent. */
  limit: z.int().min(1).max(100).optional(),
  /** Only these types. */
  memoryTypes: z.array(MemoryType).max(32).optional(),
  /** Only memories created at or after this time. */
  dateFrom: Moment.optional(),
  /** Only memories created up to this time; a date on the wire includes the whole day. */
  dateTo: LastMoment.optional(),
  /** Only memories with at least this confidence, 0 to 1. */
  minConfidence: z.number().min(0).max(1).optional(),
  /** Only memories of this conversation. */
  conversationId: MemoryId.optional(),
  /** False when absent. */
  includeRelationships: z.boolean().optional(),
  /** Steps to follow, 1 to 5; 1 when absent. */
  relationshipDepth: z.int().min(1).max(5).optional(),
};

type Range = { dateFrom?: Date | undefined; dateTo?: Date | undefined };
const inOrder = ({ dateFrom, dateTo }: Range) =>
  dateFrom === undefined || dateTo === undefined || dateFrom <= dateTo;
const NOT_IN_ORDER = { path: ['dateTo'], error: 'is before dateFrom' };

export const SearchOptions = z.strictObject(searchMembers).refine(inOrder, NOT_IN_ORDER);
export type SearchOptions = z.infer<typeof SearchOptions>;

/** Weights of the default ranking, each 0 to 1. */
export const RankingOptions = z.strictObject({
  recencyWeight: z.number().min(0).max(1).optional(),
  confidenceWeight: z.number().min(0).max(1).optional(),
  similarityWeight: z.number().min(0).max(1).optional(),
});
export type RankingOptions = z.infer<typeof RankingOptions>;

/** A ranker as data: the default ranking with other weights, and how much repetition is avoided. */
export const RankerWeights = RankingOptions.extend({
  /** Maximal marginal relevance: 1 (or absent) ranks by the weights alone, 0 only avoids memories that say the same. */
  lambda: z.number().min(0).max(1).optional(),
});
export type RankerWeights = z.infer<typeof RankerWeights>;

/** Ranks results, best first. */
export type RankingFunction = (results: SearchResult[], options: RankingOptions) => SearchResult[];

/** A name of a template or a ranker. */
const Name = z.string().min(1, 'is empty').max(64);

/** A search and the formatting of its results, as sent by a caller. */
export const WireContextOptions = z
  .strictObject({
    ...searchMembers,
    /** A template or its name; `chat` when absent. */
    template: z.union([Name, ContextTemplate]).optional(),
    /** Tokens at most, 1 to 200,000; 2,000 when absent. */
    tokenBudget: z.int().min(1).max(200_000).optional(),
    /** A ranker as weights, or its name; the default ranking when absent. */
    ranker: z.union([Name, RankerWeights]).optional(),
    /** Whether type, confidence and time of each memory are written out. */
    includeMetadata: z.boolean().optional(),
  })
  .refine(inOrder, NOT_IN_ORDER);
export type WireContextOptions = z.infer<typeof WireContextOptions>;

/** The same in code, where a ranker may be a function. */
export type ContextOptions = Omit<WireContextOptions, 'ranker'> & {
  ranker?: WireContextOptions['ranker'] | RankingFunction | undefined;
};

/** The query: a text, or its embedding of up to 4,096 finite numbers. */
const target = {
  query: Query.optional(),
  vector: z.array(z.number()).min(1).max(4096).optional(),
};
const hasOneTarget = ({
  query,
  vector,
}: {
  query?: string | undefined;
  vector?: number[] | undefined;
}) => (query === undefined) !== (vector === undefined);
const NOT_ONE_TARGET = {
  path: ['query'],
  error: 'has to be there when vector is not, and only then',
};

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

/** `POST /v1/workspaces/{workspace_id}/memories/search/batch`: the queries are embedded in one call. */
export const MemoryBatchRequest = z.strictObject({
  queries: z.array(Query).min(1).max(20),
  /** Options of every search. */
  options: SearchOptions.optional(),
});
export type MemoryBatchRequest = z.infer<typeof MemoryBatchRequest>;

/** The name of a template or a ranker of a workspace, as it stands in an address. */
export const SettingName = z
  .string()
  .regex(/^[A-Za-z0-9][\w.-]{0,63}$/, 'is not 1 to 64 letters, digits, _, . and -');

/** `PUT /v1/workspaces/{workspace_id}/context-templates/{name}`. If present, `name` must equal the one in the path. */
export const ContextTemplatePut = ContextTemplate.partial({ name: true });
export type ContextTemplatePut = z.infer<typeof ContextTemplatePut>;

/** `PUT /v1/workspaces/{workspace_id}/context-rankers/{name}`. If present, `name` must equal the one in the path. */
export const ContextRankerPut = RankerWeights.extend({ name: Name.optional() });
export type ContextRankerPut = z.infer<typeof ContextRankerPut>;

/** `GET /v1/workspaces/{workspace_id}/context-templates`. */
export const ContextTemplates = z.object({
  templates: z.array(ContextTemplate).max(50),
  built_in: z.array(ContextTemplate).max(20),
});
export type ContextTemplates = z.infer<typeof ContextTemplates>;

/** `GET /v1/workspaces/{workspace_id}/context-rankers`. */
export const ContextRankers = z.object({
  rankers: z.record(SettingName, RankerWeights),
  built_in: z.array(Name).max(20),
});
export type ContextRankers = z.infer<typeof ContextRankers>;

/** Memories formatted as text for a prompt. */
export const ContextResult = z.object({
  context: z.string().max(2_000_000),
  /** Counted with the model's tokenizer, or estimated. */
  tokenCount: z.int().min(0),
  /** What counted them: `cl100k_base`, a vocabulary of OpenAI, or `characters`, an estimate of four to a token. */
  tokenizer: z.string().max(64).optional(),
  /** The memories that are in the text, best first. */
  memories: z.array(SearchResult).max(1000),
  /** Whether memories were omitted or cut to fit the budget. */
  truncated: z.boolean(),
  /** Name of the template. */
  template: z.string().min(1).max(64),
  /** Over HTTP: what was unavailable when the context was built. */
  degraded: z.array(MemoryDegradation).max(2).optional(),
});
export type ContextResult = z.infer<typeof ContextResult>;

/** The same with ranking details. The ids are those of `memories`, in their order. */
export const ContextPreview = ContextResult.extend({
  memoryIds: z.array(MemoryId).max(1000),
  /** By memory id. */
  rankingScores: z.record(MemoryId, z.number()),
  /** Per cent of the token budget; 100 is all of it. */
  budgetUsed: z.number().min(0),
}).superRefine(({ memories, memoryIds, rankingScores }, check) => {
  const refuse = (path: string, message: string) =>
    check.addIssue({ code: 'custom', path: [path], message });
  const included = memories.map(({ memory }) => memory.id);
  if (included.join('\n') !== memoryIds.join('\n'))
    refuse('memoryIds', 'differs from the ids of memories');
  const unscored = memoryIds.find((id) => !Object.hasOwn(rankingScores, id));
  if (unscored !== undefined) refuse('rankingScores', `has no score for ${unscored}`);
});
export type ContextPreview = z.infer<typeof ContextPreview>;

const message = z.string().max(2000);
/** For the log; never sent to a caller. */
const cause = z.unknown().optional();

/** Why the context engine has no result. */
export const ContextError = z.discriminatedUnion('type', [
  z.object({ type: z.literal('embedding_error'), message, cause }),
  z.object({ type: z.literal('search_error'), message, cause }),
  z.object({ type: z.literal('storage_error'), message, cause }),
  z.object({ type: z.literal('validation_error'), message }),
  z.object({
    type: z.literal('template_not_found'),
    template: z.string().max(64),
    /** The existing names. */
    available: z.array(z.string().max(64)).max(100).optional(),
  }),
]);
export type ContextError = z.infer<typeof ContextError>;

/** A value, or the error when there is none; callers check `ok` first. */
export type Result<T, E> = { ok: true; value: T } | { ok: false; error: E };
