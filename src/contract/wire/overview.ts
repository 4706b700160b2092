import * as z from 'zod';
import { Timestamp } from '../core/names.ts';
import { AnswerInterface, AnswerSummary, VerdictCounts } from './answers.ts';
import { KnowledgeChecks } from './checks.ts';
import { HealthFinding, KnowledgeGap, KnowledgeHealth } from './knowledge.ts';

/** Most entries of each list of an overview. */
export const OVERVIEW_LISTED = 10;

/** Query of `GET /v1/overview`. */
export const OverviewQuery = z.strictObject({
  /** Days that are looked at, up to now, and as many before them to compare with; 1 to 28. */
  days: z.coerce.number().int().min(1).max(28).default(7),
});
export type OverviewQuery = z.infer<typeof OverviewQuery>;

const Count = z.int().min(0);

/** Questions of some days: how they ended, and how many answers somebody found unhelpful. */
const Questions = z.object({ total: Count, verdicts: VerdictCounts, disliked: Count });

const Interfaces = z
  .array(z.object({ interface: AnswerInterface, total: Count, verdicts: VerdictCounts }))
  .max(20);

/** The same with what they came through, most frequent first. */
export const QuestionCounts = Questions.extend({ interfaces: Interfaces });

const OverviewPart = z.enum(['answers', 'gaps', 'articles', 'tickets', 'checks']);

/** Reply of `GET /v1/overview`. The lists of the API with the same filters hold the rows of each number. */
export const Overview = z.object({
  from: Timestamp,
  to: Timestamp,
  /** Beginning of the days that are compared with, which end at `from`. */
  before: Timestamp,
  answers: z
    .object({
      /** False where this deployment keeps none of the workspace's answers. */
      are_kept: z.boolean(),
      now: Questions,
      before: Questions,
      /** Most frequent first. */
      interfaces: Interfaces,
      /** The newest that somebody found unhelpful. */
      disliked: z.array(AnswerSummary).max(OVERVIEW_LISTED),
    })
    .nullable(),
  gaps: z
    .object({
      /** Open ones in all. */
      open: Count,
      /** Open ones that occurred in these days, and those that did most often. */
      asked: Count,
      most_asked: z.array(KnowledgeGap).max(OVERVIEW_LISTED),
      /** Those that were closed in these days. */
      closed: Count,
      last_closed: z.array(KnowledgeGap).max(OVERVIEW_LISTED),
    })
    .nullable(),
  articles: KnowledgeHealth.pick({ articles: true, counts: true })
    .extend({ findings: z.array(HealthFinding).max(OVERVIEW_LISTED) })
    .nullable(),
  tickets: z
    .object({
      /** Being worked on. */
      open: Count,
      /** Failed for good. */
      failed: Count,
      /** With a note or a draft, and without a reply of an agent that is known. */
      waiting: Count,
    })
    .nullable(),
  /** How many checks have which state, now. */
  checks: KnowledgeChecks.shape.counts.nullable(),
  /** Why a part is null: the capability that the key lacks, or none when it could not be read just now. */
  unread: z
    .array(z.object({ part: OverviewPart, missing: z.string().max(100).optional() }))
    .max(OverviewPart.options.length),
});
export type Overview = z.infer<typeof Overview>;
