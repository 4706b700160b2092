import * as z from 'zod';
import { ErrorBody } from './error-info.ts';
import { unlessMissing } from './issue.ts';
import { jsonObject, withinLimits } from './json-object.ts';
import { Query, WebUrl } from './names.ts';

/** The four kinds of agent. */
export const AgentType = z.enum(['analytics', 'semantic', 'web_search', 'hybrid']);
export type AgentType = z.infer<typeof AgentType>;

const Text = z.string().max(64_000);
const Free = jsonObject({ maxDepth: 12, maxLength: 1_000_000 });
const Share = z.number().min(0).max(1);

/** An object that may be sent as an empty list when it has no members, as PHP clients do. */
export const orEmptyList = <T extends z.ZodType>(object: T) =>
  z.union([
    object,
    z
      .array(z.unknown())
      .max(0)
      .transform(() => ({})),
  ]);

/** Result of a database query. */
export const AnalyticsResult = z
  .object({
    sql_query: z.string().regex(/\S/, 'is empty').max(64_000),
    /** Column names, in order. */
    columns: z.array(z.string().max(300)).max(2000),
    /** One object a row, by column name. */
    rows: z.array(jsonObject({ maxDepth: 4, maxLength: 100_000 })).max(100_000),
    /** The number of rows. */
    row_count: z.int().min(0),
    /** Interpretation of the rows for a reader. */
    interpretation: Text,
  })
  .superRefine(({ rows, row_count }, check) => {
    if (row_count === rows.length) return;
    check.addIssue({ code: 'custom', path: ['row_count'], message: `is ${row_count}, but rows has ${rows.length}` });
  });
export type AnalyticsResult = z.infer<typeof AnalyticsResult>;

/** A document that an embedding search found. */
export const AgentDocument = z.object({
  content: Text,
  /** Similarity, 0 to 1. */
  score: Share,
  metadata: orEmptyList(Free).optional(),
});
export type AgentDocument = z.infer<typeof AgentDocument>;

/** Result of an embedding search. */
export const SemanticResult = z
  .object({
    /** Best first. */
    documents: z.array(AgentDocument).max(1000),
    summary: Text,
    /** The number of documents. */
    document_count: z.int().min(0),
    /** Minimum similarity of a document, 0 to 1. */
    similarity_threshold: Share,
  })
  .superRefine(({ documents, document_count }, check) => {
    if (document_count === documents.length) return;
    const message = `is ${document_count}, but documents has ${documents.length}`;
    check.addIssue({ code: 'custom', path: ['document_count'], message });
  });
export type SemanticResult = z.infer<typeof SemanticResult>;

/** A result from the web. */
export const ExternalResult = z
  .looseObject({
    title: z.string().max(1000),
    price: z.number().nullish(),
    url: WebUrl.nullish(),
  })
  .superRefine(withinLimits({ maxDepth: 6, maxLength: 32_000 }));
export type ExternalResult = z.infer<typeof ExternalResult>;

/** Our price compared with the cheapest found, in one currency. */
export const PriceComparison = z
  .looseObject({
    internal_price: z.number().nullish(),
    cheapest_external: z.number().nullish(),
    /** `cheapest_external - internal_price`: negative when the web is cheaper. */
    difference: z.number().nullish(),
    /** The difference as a percentage of the internal price. */
    percentage: z.number().nullish(),
  })
  .superRefine(withinLimits({ maxDepth: 6, maxLength: 32_000 }));
export type PriceComparison = z.infer<typeof PriceComparison>;

/** Result of a web search. */
export const WebSearchResult = z.object({
  /** The product in our own catalogue; empty when the question is about none. */
  product_info: orEmptyList(Free),
  external_results: z.array(ExternalResult).max(200),
  price_comparison: orEmptyList(PriceComparison),
  /** Absolute http or https addresses. */
  urls: z.array(WebUrl).max(200),
});
export type WebSearchResult = z.infer<typeof WebSearchResult>;

/** A part of a hybrid answer. Its result is of the shape of its type when it succeeded; only its presence is checked. */
export const SubQuery = z
  .looseObject({
    type: AgentType,
    query: z.string().regex(/\S/, 'is empty').max(4000),
    result: orEmptyList(Free),
  })
  .superRefine(withinLimits({ maxDepth: 16, maxLength: 1_100_000 }));
export type SubQuery = z.infer<typeof SubQuery>;

/** Combined result of several agents. */
export const HybridResult = z.object({
  sub_queries: z.array(SubQuery).max(16),
  /** The combined answer for a reader. */
  synthesis: Text,
  /** Agents used: `analytics`, `semantic`. */
  sources_used: z.array(z.string().max(300)).max(64),
});
export type HybridResult = z.infer<typeof HybridResult>;

/** The source of an agent's answer, for display. */
export const SourceAttribution = z.object({
  primary_source: z.string().min(1, 'is empty').max(200),
  /** Usually one character. */
  icon: z.string().max(32),
  details: orEmptyList(jsonObject({ maxDepth: 6, maxLength: 16_000 })),
  /** 0 to 1. */
  confidence: z.number().min(0).max(1),
});
export type SourceAttribution = z.infer<typeof SourceAttribution>;

/** The names and icons of the five kinds of source. */
export const ATTRIBUTIONS = {
  analytics: { primary_source: 'Analytics Database', icon: '📊' },
  semantic: { primary_source: 'RAG Knowledge Base', icon: '📚' },
  web_search: { primary_source: 'Web Search', icon: '🌐' },
  llm: { primary_source: 'LLM', icon: '🤖' },
  mixed: { primary_source: 'Mixed', icon: '🔀' },
} as const satisfies Record<string, Pick<SourceAttribution, 'primary_source' | 'icon'>>;

/** How a query was run. All optional; other members pass through, up to 64,000 characters. */
export const AgentMetadata = z
  .looseObject({
    entity_id: z.int().nullish(),
    entity_type: z.string().max(100).nullish(),
    /** Seconds. */
    execution_time: z.number().min(0).optional(),
    timestamp: z.string().max(64).optional(),
    /** Language of the question, as a primary tag of BCP 47: `en`. */
    language: z.string().max(35).optional(),
    /** The id that the deployment gives this language. */
    language_id: z.int().optional(),
    /** The subject of the verified context: `user:k_1`. */
    user_id: z.string().max(200).optional(),
    /** 0 to 1. */
    confidence_score: z.number().min(0).max(1).optional(),
    /** Why this agent was asked, and why it took the question for what it took it for. */
    classification_reasoning: z.union([z.array(z.unknown()).max(200), z.record(z.string(), z.unknown())]).optional(),
    /** Whether the answer came from a cache. */
    cache_hit: z.boolean().optional(),
    /** Whether feedback on earlier answers had an influence on this one. */
    feedback_influenced: z.boolean().optional(),
    /** Whether earlier turns of the conversation completed the question. */
    memory_context_used: z.boolean().optional(),
  })
  .superRefine(withinLimits({ maxDepth: 8, maxLength: 64_000 }));
export type AgentMetadata = z.infer<typeof AgentMetadata>;

const answered = {
  success: z.literal(true),
  /** The question as received. */
  query: z.string().regex(/\S/, 'is empty').max(4000),
  source_attribution: SourceAttribution,
  metadata: orEmptyList(AgentMetadata),
  error: z.null({ error: unlessMissing('is not null, although success is true') }),
};

/** An answer, with the result of its type. */
export const AgentSuccess = z.discriminatedUnion('type', [
  z.object({ ...answered, type: z.literal('analytics'), result: AnalyticsResult }),
  z.object({ ...answered, type: z.literal('semantic'), result: SemanticResult }),
  z.object({ ...answered, type: z.literal('web_search'), result: WebSearchResult }),
  z.object({ ...answered, type: z.literal('hybrid'), result: HybridResult }),
]);
export type AgentSuccess = z.infer<typeof AgentSuccess>;

/** No answer: `error` says why. `result` and `source_attribution` may be empty. */
export const AgentFailure = z.object({
  ...answered,
  success: z.literal(false),
  type: AgentType,
  result: orEmptyList(jsonObject({ maxDepth: 12, maxLength: 1_000_000 })),
  source_attribution: orEmptyList(SourceAttribution.partial()),
  error: z
    .string({ error: unlessMissing('is not a text, although success is false') })
    .regex(/\S/, 'is empty')
    .max(2000),
});
export type AgentFailure = z.infer<typeof AgentFailure>;

/** What every agent returns. Unknown members are dropped. */
export const AgentResponse = z.discriminatedUnion('success', [AgentSuccess, AgentFailure]);
export type AgentResponse = z.infer<typeof AgentResponse>;

/** How a request to an agent fails: in the agent's own form, or in that of all routes when it did not reach one. */
export const AgentError = z.union([AgentFailure, ErrorBody]);
export type AgentError = z.infer<typeof AgentError>;

/** `POST /v1/agents/{type}`. Unknown members are refused, except within `options`. */
export const AgentRequest = z.strictObject({
  query: Query,
  /** Further options of this agent type, such as a product or a threshold. */
  options: jsonObject({ maxDepth: 4, maxLength: 8000 }).optional(),
  /** As in `/v1/ask`: `person_id` names who asks. `semantic` and `hybrid` use what is stored about that person; others do not. */
  metadata: jsonObject({ maxDepth: 8, maxLength: 16_000 }).optional(),
  /** Whether facts that are stored about `metadata.person_id` are used; true when absent. */
  facts: z.boolean().optional(),
});
export type AgentRequest = z.infer<typeof AgentRequest>;
