import * as z from 'zod';
import {
  AgentType,
  AnalyticsResult,
  HybridResult,
  orEmptyList,
  SemanticResult,
  WebSearchResult,
} from './agent-result.ts';
import { unlessMissing } from './issue.ts';
import { jsonObject, withinLimits } from './json-object.ts';
import { Query } from './query.ts';

/** Where an agent's answer comes from, for display (seed 003, getSourceAttribution). */
export const SourceAttribution = z.object({
  primary_source: z.string().min(1, 'is empty').max(200),
  /** One character, as a rule. */
  icon: z.string().max(32),
  details: orEmptyList(jsonObject({ maxDepth: 6, maxLength: 16_000 })),
  /** 0 to 1. */
  confidence: z.number().min(0).max(1),
});
export type SourceAttribution = z.infer<typeof SourceAttribution>;

/** The names and icons of the five kinds of source (seed 003, Source Attribution Examples). */
export const ATTRIBUTIONS = {
  analytics: { primary_source: 'Analytics Database', icon: '📊' },
  semantic: { primary_source: 'RAG Knowledge Base', icon: '📚' },
  web_search: { primary_source: 'Web Search', icon: '🌐' },
  llm: { primary_source: 'LLM', icon: '🤖' },
  mixed: { primary_source: 'Mixed', icon: '🔀' },
} as const satisfies Record<string, Pick<SourceAttribution, 'primary_source' | 'icon'>>;

/** How a query was run (seed 003, getMetadata). All optional; other members pass through, up to 64,000 characters. */
export const AgentMetadata = z
  .looseObject({
    entity_id: z.int().nullish(),
    entity_type: z.string().max(100).nullish(),
    /** Seconds. */
    execution_time: z.number().min(0).optional(),
    timestamp: z.string().max(64).optional(),
    language_id: z.int().optional(),
    user_id: z.string().max(200).optional(),
    /** 0 to 1. */
    confidence_score: z.number().min(0).max(1).optional(),
    classification_reasoning: z.union([z.array(z.unknown()).max(200), z.record(z.string(), z.unknown())]).optional(),
    cache_hit: z.boolean().optional(),
    feedback_influenced: z.boolean().optional(),
    memory_context_used: z.boolean().optional(),
  })
  .superRefine(withinLimits({ maxDepth: 8, maxLength: 64_000 }));
export type AgentMetadata = z.infer<typeof AgentMetadata>;

const answered = {
  success: z.literal(true),
  /** As asked. */
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

/** What every agent returns (seed 003, Validation Rules). Unknown members are dropped. */
export const AgentResponse = z.discriminatedUnion('success', [AgentSuccess, AgentFailure]);
export type AgentResponse = z.infer<typeof AgentResponse>;

/** `POST /v1/agents/{type}` (design, section 4). Unknown members are refused, except within `options`. */
export const AgentRequest = z.strictObject({
  query: Query,
  /** What an agent of this type takes besides, such as a product or a threshold. */
  options: jsonObject({ maxDepth: 4, maxLength: 8000 }).optional(),
});
export type AgentRequest = z.infer<typeof AgentRequest>;
