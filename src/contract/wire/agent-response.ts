import * as z from 'zod';
import { ConfidenceLevel } from '../core/confidence-level.ts';
import { ErrorBody, ErrorCode, unlessMissing } from '../core/error-info.ts';
import { jsonObject, withinLimits } from '../core/json-object.ts';
import { Link, Query, WebUrl } from '../core/names.ts';

/** The four kinds of agent. */
export const AgentType = z.enum(['analytics', 'semantic', 'web_search', 'hybrid']);
export type AgentType = z.infer<typeof AgentType>;

const Text = z.string().max(64_000);
const Free = jsonObject({ maxDepth: 12, maxLength: 1_000_000 });
const Share = z.number().min(0).max(1);

/** An object that may be sent as an empty list when it has no members, as PHP clients do. */
export function orEmptyList<T extends z.ZodType>(object: T) {
  return z.union([
    object,
    z
      .array(z.unknown())
      .max(0)
      .transform(() => ({})),
  ]);
}

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
    check.addIssue({
      code: 'custom',
      path: ['row_count'],
      message: `is ${row_count}, but rows has ${rows.length}`,
    });
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
    classification_reasoning: z
      .union([z.array(z.unknown()).max(200), z.record(z.string(), z.unknown())])
      .optional(),
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

/** Plain text: no Markdown, no HTML, no control characters except line breaks. Can be displayed unchanged. */
const Plain = (max: number) => z.string().max(max);
const Heading = Plain(300).optional();
const Count = z.int().min(0);
const Unit = Plain(20).optional();

/** Text in paragraphs. */
export const TextBlock = z.object({
  kind: z.literal('text'),
  heading: Heading,
  text: Plain(16_000),
});
export type TextBlock = z.infer<typeof TextBlock>;

export const TableColumn = z.object({
  label: Plain(100),
  align: z.enum(['left', 'right']),
  unit: Unit,
});
export type TableColumn = z.infer<typeof TableColumn>;

/** Rows of text cells, one cell per column. */
export const TableBlock = z.object({
  kind: z.literal('table'),
  heading: Heading,
  columns: z.array(TableColumn).min(1).max(12),
  rows: z.array(z.array(Plain(200)).max(12)).max(50),
  /** Total number of rows; more than `rows` when not all are shown. */
  row_count: Count,
  /** Number of columns that are not shown. */
  hidden_columns: Count,
});
export type TableBlock = z.infer<typeof TableBlock>;

/** One to three series of numbers over one row of labels. */
export const ChartBlock = z.object({
  kind: z.literal('chart'),
  heading: Heading,
  /** `line` when the labels are points in time, in order. */
  form: z.enum(['bar', 'line']),
  /** What the labels are. */
  label: Plain(100),
  labels: z.array(Plain(200)).min(2).max(50),
  series: z
    .array(
      z.object({
        name: Plain(100),
        unit: Unit,
        values: z.array(z.number().nullable()).min(2).max(50),
      }),
    )
    .min(1)
    .max(3),
});
export type ChartBlock = z.infer<typeof ChartBlock>;

/** Documents that were found, best first. */
export const DocumentsBlock = z.object({
  kind: z.literal('documents'),
  heading: Heading,
  documents: z
    .array(
      z.object({
        title: Plain(300),
        url: Link.optional(),
        section: Plain(300).optional(),
        excerpt: Plain(600),
        score: Share,
        last_updated: Plain(64).optional(),
      }),
    )
    .max(20),
  document_count: Count,
});
export type DocumentsBlock = z.infer<typeof DocumentsBlock>;

/** Web pages. */
export const LinksBlock = z.object({
  kind: z.literal('links'),
  heading: Heading,
  links: z
    .array(
      z.object({
        title: Plain(300),
        url: WebUrl.optional(),
        price: Plain(60).optional(),
        /** Words of the page. */
        snippet: Plain(300).optional(),
      }),
    )
    .max(20),
  link_count: Count,
});
export type LinksBlock = z.infer<typeof LinksBlock>;

/** Our price compared with the cheapest found, in one currency. */
export const PriceComparisonBlock = z.object({
  kind: z.literal('price_comparison'),
  heading: Heading,
  product: Plain(300).optional(),
  internal_price: z.number().optional(),
  cheapest_external: z.number().optional(),
  /** Negative when the web is cheaper. */
  difference: z.number().optional(),
  /** The difference as a percentage of the internal price. */
  percentage: z.number().optional(),
  /** ISO 4217. */
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, 'is no currency code')
    .optional(),
  /** The same as a sentence. */
  verdict: Plain(600),
});
export type PriceComparisonBlock = z.infer<typeof PriceComparisonBlock>;

/** Why something is missing. */
export const ErrorBlock = z.object({
  kind: z.literal('error'),
  heading: Heading,
  message: Plain(2000),
  code: ErrorCode.optional(),
  suggestion: Plain(1000).optional(),
  recoverable: z.boolean().optional(),
});
export type ErrorBlock = z.infer<typeof ErrorBlock>;

export const DisplayBlock = z.discriminatedUnion('kind', [
  TextBlock,
  TableBlock,
  ChartBlock,
  DocumentsBlock,
  LinksBlock,
  PriceComparisonBlock,
  ErrorBlock,
]);
export type DisplayBlock = z.infer<typeof DisplayBlock>;

/** The source of an answer, as one line of text. */
export const DisplayAttribution = z.object({
  icon: Plain(32),
  primary_source: Plain(200),
  /** 0 to 1. */
  confidence: Share,
  level: ConfidenceLevel,
  /** "table: products". */
  details: z.array(Plain(200)).max(8),
});
export type DisplayAttribution = z.infer<typeof DisplayAttribution>;

/** An agent's answer for display: every text is plain and of limited length. */
export const DisplayModel = z.object({
  type: AgentType,
  query: Plain(4000),
  blocks: z.array(DisplayBlock).max(64),
  attribution: DisplayAttribution.optional(),
});
export type DisplayModel = z.infer<typeof DisplayModel>;

/** What `POST /v1/agents/{type}` answers in JSON: the envelope, or with `?format=display` the blocks. */
export const AgentReply = z.union([AgentResponse, DisplayModel]);
export type AgentReply = z.infer<typeof AgentReply>;
