import * as z from 'zod';
import { AgentType } from './agent-response.ts';
import { ErrorCode } from './error-info.ts';
import { Link, WebUrl } from './names.ts';
import { ConfidenceLevel } from './navigator-response.ts';

/** Plain text: no Markdown, no HTML, no control characters except line breaks. Can be displayed unchanged. */
const Plain = (max: number) => z.string().max(max);
const Heading = Plain(300).optional();
const Count = z.int().min(0);
const Share = z.number().min(0).max(1);
const Unit = Plain(20).optional();

/** Text in paragraphs. */
export const TextBlock = z.object({ kind: z.literal('text'), heading: Heading, text: Plain(16_000) });
export type TextBlock = z.infer<typeof TextBlock>;

export const TableColumn = z.object({ label: Plain(100), align: z.enum(['left', 'right']), unit: Unit });
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
    .array(z.object({ name: Plain(100), unit: Unit, values: z.array(z.number().nullable()).min(2).max(50) }))
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
