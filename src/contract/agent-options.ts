import * as z from 'zod';
import type { AgentType } from './agent-response.ts';

/** The forms of an answer besides the envelope: Markdown, plain text, and the blocks of a `DisplayModel`. */
export const AgentFormat = z.enum(['markdown', 'text', 'display']);
export type AgentFormat = z.infer<typeof AgentFormat>;

/** Options of `semantic`. */
const SemanticOptions = z.strictObject({
  /** Least similarity of a document, 0 to 1; 0.7 when absent, and 0.4 for a part of a hybrid question. */
  similarity_threshold: z.number().min(0).max(1).optional(),
  /** Documents at most, 1 to 50; 10 when absent. */
  limit: z.int().min(1).max(50).optional(),
});

const TwoLetters = z
  .string()
  .regex(/^[A-Za-z]{2}$/, 'is not a code of two letters')
  .transform((letters) => letters.toLowerCase());

/** Options of `web_search`. */
const WebSearchOptions = z.strictObject({
  /** Results at most, 1 to 20; 10 when absent. */
  limit: z.int().min(1).max(20).optional(),
  /** Country that the results should come from, ISO 3166-1: `us`. The deployment's setting when absent. */
  country: TwoLetters.optional(),
  /** ISO 639-1: `en`. The deployment's setting when absent. */
  language: TwoLetters.optional(),
});

/** `analytics` has no options: the question alone says what is counted. */
const AnalyticsOptions = z.strictObject({});

/** The options of each type of agent (docs/http-api.md). Members that are not listed here are refused. */
export const AGENT_OPTIONS = {
  analytics: AnalyticsOptions,
  semantic: SemanticOptions,
  web_search: WebSearchOptions,
  /** The options of the agents that the hybrid one asks, by their type. */
  hybrid: z.strictObject({
    analytics: AnalyticsOptions.optional(),
    semantic: SemanticOptions.optional(),
    web_search: WebSearchOptions.optional(),
  }),
} satisfies Record<AgentType, z.ZodObject>;
