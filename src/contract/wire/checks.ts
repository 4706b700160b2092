import * as z from 'zod';
import { KnowledgeFile } from '../core/knowledge-file.ts';
import { Query, Timestamp } from '../core/names.ts';
import { ArticlePut } from './host-article.ts';

/** The most checks of a workspace. */
export const MAX_CHECKS = 2000;
/** Checks that a preview lists. */
export const MAX_PREVIEWED = 100;
/** Checks that are stored in one call. */
export const MAX_CHECKS_A_CALL = 100;

/** A text that has to stand in the answer, whatever its case, its spaces and its Markdown. */
const Fact = z
  .string()
  .trim()
  .max(500)
  .regex(/[\p{L}\p{N}]/u, 'has no letter and no digit');

const CheckId = z.string().min(1).max(64);

/** What has to come of a question: an answer with a fact, from an article or both, or none. A line of a file of checks. */
export const KnowledgeCheckInput = z
  .strictObject({
    /** 1 to 4,000 characters. A workspace has one check of a question. */
    question: Query,
    /** A text that has to stand in the answer. */
    contains: Fact.optional(),
    /** Id of an article that the answer has to cite. */
    cites: KnowledgeFile.optional(),
    /** Whether it has to be declined. */
    declined: z.literal(true).optional(),
    /** When it is stored: the one to change, where there are several of its question for several audiences. */
    id: CheckId.optional(),
  })
  .refine(
    ({ contains, cites, declined }) => ((contains ?? cites) === undefined) === (declined === true),
    {
      error: 'needs contains or cites, or declined alone',
      params: {
        suggestion:
          'contains (a text that has to stand in the answer), cites (the id of an article) or both, or declined as true and neither of them',
      },
    },
  );
export type KnowledgeCheckInput = z.infer<typeof KnowledgeCheckInput>;

/**
 * What an answer lacks: `answer`: it was declined or asked back; `contains`: the text does not stand in it; `cites`: the article is not among
 * its sources; `declined`: it was answered.
 */
export const CheckLack = z.enum(['answer', 'contains', 'cites', 'declined']);
export type CheckLack = z.infer<typeof CheckLack>;

const EditionId = z.string().min(1).max(128);

const CheckedArticle = z.object({ id: KnowledgeFile, title: z.string().max(500) });

/** What came of a question. */
export const CheckAnswer = z.object({
  outcome: z.enum(['answered', 'unsure', 'declined', 'asks_back']),
  /** Markdown, cut after 4,000 characters. */
  text: z.string().max(4000),
  /** The articles that it cites, the first eight. */
  cites: z.array(CheckedArticle).max(8),
});
export type CheckAnswer = z.infer<typeof CheckAnswer>;

/** How a check ended. */
export const CheckResult = z.object({
  state: z.enum(['green', 'red']),
  /** Empty when it is green. */
  lacks: z.array(CheckLack).max(CheckLack.options.length),
  answer: CheckAnswer,
});
export type CheckResult = z.infer<typeof CheckResult>;

/** The change between two editions with which a check turned red. */
export const CheckBreak = z.object({
  /** The last edition in which it was green. */
  before: EditionId,
  after: EditionId,
  /** The articles that changed between them and that its answer cited, cites now or has to cite. */
  articles: z
    .array(CheckedArticle.extend({ change: z.enum(['added', 'changed', 'removed']) }))
    .max(20),
});
export type CheckBreak = z.infer<typeof CheckBreak>;

export const CheckState = z.enum(['red', 'not_run', 'green']);
export type CheckState = z.infer<typeof CheckState>;

const StoredInput = z.object({
  id: CheckId,
  question: z.string().min(1).max(4000),
  contains: z.string().max(500).optional(),
  cites: KnowledgeFile.optional(),
  declined: z.literal(true).optional(),
});

/** A check that is stored, with how it ended when it was last run. */
export const KnowledgeCheck = StoredInput.extend({
  created_at: Timestamp,
  state: CheckState,
  /** When it got this state; null before it was run. */
  since: Timestamp.nullable(),
  /** When it was last run. */
  ran_at: Timestamp.nullable(),
  /** The edition that it was last run against. */
  edition: EditionId.nullable(),
  lacks: z.array(CheckLack).max(CheckLack.options.length),
  /** Null before the first run, and where it came from another than the current edition. */
  answer: CheckAnswer.nullable(),
  /** Null unless it has turned from green to red. */
  broken_by: CheckBreak.nullable(),
  /** Title of the article that it has to cite; absent where the current edition has none of its id for the caller. */
  cites_title: z.string().max(500).optional(),
});
export type KnowledgeCheck = z.infer<typeof KnowledgeCheck>;

/** Query of `GET /v1/knowledge/checks`. */
export const KnowledgeChecksQuery = z.strictObject({
  state: z.enum([...CheckState.options, 'all']).default('all'),
  /** Red ones first when absent. `created`: the oldest first, so that pages hold each check once even while some change their state. */
  order: z.literal('created').optional(),
  /** 1 to 100. */
  limit: z.coerce.number().int().min(1).max(100).default(50),
  cursor: z
    .string()
    .regex(/^\d\.\d{1,15}\.[\w-]{1,64}$/, 'is not one that a page before has given')
    .optional(),
});
export type KnowledgeChecksQuery = z.infer<typeof KnowledgeChecksQuery>;

const Count = z.int().min(0);

/** Reply of `GET /v1/knowledge/checks`. */
export const KnowledgeChecks = z.object({
  checks: z.array(KnowledgeCheck).max(100),
  /** Numbers of all checks, whatever state is listed. */
  counts: z.object({ red: Count, not_run: Count, green: Count }),
  /** Whether some are still to be run against the current edition. */
  running: z.boolean(),
  /** How many those are. */
  pending: Count,
  /** When one was last run; null before. */
  last_ran_at: Timestamp.nullable(),
  next_cursor: z.string().max(100).nullable(),
});
export type KnowledgeChecks = z.infer<typeof KnowledgeChecks>;

/** Body of `PUT /v1/knowledge/checks`: one of a question that there is takes its place, and keeps its audiences. */
export const KnowledgeChecksPut = z.strictObject({
  checks: z.array(KnowledgeCheckInput).min(1).max(MAX_CHECKS_A_CALL),
  /** Whether a check of a question that there is stays as it is. */
  only_new: z.boolean().optional(),
});
export type KnowledgeChecksPut = z.infer<typeof KnowledgeChecksPut>;

/** Reply of `PUT /v1/knowledge/checks`. */
export const KnowledgeChecksWritten = z.object({ added: Count, changed: Count, unchanged: Count });
export type KnowledgeChecksWritten = z.infer<typeof KnowledgeChecksWritten>;

/** Body of `POST /v1/knowledge/checks/run`. */
export const KnowledgeChecksRun = z.strictObject({});

/** Reply of `POST /v1/knowledge/checks/run`: how many will be run. */
export const KnowledgeChecksStarted = z.object({ checks: Count });
export type KnowledgeChecksStarted = z.infer<typeof KnowledgeChecksStarted>;

/** Reply of `POST /v1/knowledge/checks/try`, whose body is a check: how it ends now. It is not stored. */
export const KnowledgeCheckTried = CheckResult.extend({ edition: EditionId });
export type KnowledgeCheckTried = z.infer<typeof KnowledgeCheckTried>;

/** Body of `POST /v1/knowledge/checks/preview`: an article as `PUT /api/kb/articles/{id}` would write it. Nothing is written. */
export const KnowledgeChecksPreview = z.strictObject({ id: KnowledgeFile, article: ArticlePut });
export type KnowledgeChecksPreview = z.infer<typeof KnowledgeChecksPreview>;

/** Reply of `POST /v1/knowledge/checks/preview`: how the stored checks would end. */
export const KnowledgeChecksPreviewed = z.object({
  /** How many were run, and how many there was no time for. */
  run: Count,
  omitted: Count,
  /** Green ones that would be red, and those that are red; the first hundred. */
  checks: z
    .array(
      StoredInput.extend({
        was: CheckState,
        ...CheckResult.shape,
      }),
    )
    .max(MAX_PREVIEWED),
  /** Further such checks that are not listed. */
  more: Count,
});
export type KnowledgeChecksPreviewed = z.infer<typeof KnowledgeChecksPreviewed>;
