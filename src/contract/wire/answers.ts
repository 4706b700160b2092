import * as z from 'zod';
import { Statements } from '../core/ask.ts';
import { ErrorInfo } from '../core/error-info.ts';
import { jsonObject } from '../core/json-object.ts';
import { DateOrTimestamp, LibrarianId, MemoryId, Timestamp } from '../core/names.ts';
import { DelegationTrace, Source } from '../core/response.ts';

/** Id of an answer: a random UUID, under `metadata.answer_id` of the Response. */
export const AnswerId = z.uuid({ error: 'is not the id of an answer' });

/**
 * How a question ended: `answered`; `hedged` (an answer below the confidence of .6, or an incomplete one); `declined` (nothing answers
 * it); `clarifying` (a question back); `closes` (thanks, a greeting or a goodbye, which ask nothing); `person` (a request for a person, shown the
 * way to one); `error`.
 */
export const AnswerVerdict = z.enum([
  'answered',
  'hedged',
  'declined',
  'clarifying',
  'closes',
  'person',
  'error',
]);
export type AnswerVerdict = z.infer<typeof AnswerVerdict>;

/** Through what a question came. */
export const AnswerInterface = z.enum([
  ...([
    'rest',
    'stream',
    'chat',
    'mcp',
    'a2a',
    'ticket',
    'widget',
    'command_line',
    'console',
    'client',
  ] as const),
]);
export type AnswerInterface = z.infer<typeof AnswerInterface>;

/** Request header that names the interface of a client of ours, for filters and statistics alone. */
export const INTERFACE_HEADER = 'Constellation-Interface';

/** One sentence about an answer; line breaks and further white space count as one space. */
const Comment = z
  .string()
  .max(2000)
  .transform((text) => text.replaceAll(/\s+/g, ' ').trim())
  .pipe(z.string().min(1, 'is empty').max(500, 'is longer than 500 characters'));

/** `POST /v1/answers/{id}/feedback`. The last one counts. */
export const AnswerFeedbackRequest = z.strictObject({
  value: z.enum(['up', 'down']),
  comment: Comment.optional(),
  /** The person that gives it: refused when the answer was given to another one. */
  person_id: MemoryId.optional(),
});
export type AnswerFeedbackRequest = z.infer<typeof AnswerFeedbackRequest>;

export const AnswerFeedback = z.object({
  value: z.enum(['up', 'down']),
  comment: z.string().max(500).optional(),
  at: Timestamp,
});
export type AnswerFeedback = z.infer<typeof AnswerFeedback>;

const Milliseconds = z.number().min(0).max(3_600_000);

/** Milliseconds of each stage, as the gateway measured them; a stage that was not reached is absent. */
export const AnswerTimings = z.object({
  total: Milliseconds,
  /** Reading the conversation and the facts, and writing the standalone question. */
  understanding: Milliseconds.optional(),
  /** Choosing the librarians. */
  routing: Milliseconds.optional(),
  /** The librarians, and joining their answers. */
  answering: Milliseconds.optional(),
  /** From the request to the first statement of a stream. */
  first_statement: Milliseconds.optional(),
});
export type AnswerTimings = z.infer<typeof AnswerTimings>;

/** A kept answer as a list shows it. Personal data in its texts is masked. */
export const AnswerSummary = z.object({
  id: AnswerId,
  asked_at: Timestamp,
  question: z.string().max(4000),
  /** The standalone question, where the conversation changed it. */
  understood_as: z.string().max(8000).optional(),
  verdict: AnswerVerdict,
  confidence: z.number().min(0).max(1).nullable(),
  interface: AnswerInterface,
  /** Those that answered, the one asked by the gateway first. */
  librarians: z.array(LibrarianId).max(16),
  /** The edition that was read; null where the librarian names none. */
  edition: z.string().max(128).nullable(),
  /** Intent of the message, from support. */
  intent: z.string().max(100).optional(),
  conversation_id: MemoryId.optional(),
  person_id: MemoryId.optional(),
  /** The subject of the key or token: `user:` and its id. */
  asked_by: z.string().max(200),
  duration_ms: Milliseconds,
  /** Tokens of models, input and output. */
  tokens: z.int().min(0),
  /** US dollars; 0 where the model has no price. */
  cost_usd: z.number().min(0),
  /** Whether an answer of the same question was reused. */
  cached: z.boolean(),
  /** Code of the error. */
  code: z.string().max(64).optional(),
  feedback: AnswerFeedback.nullable(),
});
export type AnswerSummary = z.infer<typeof AnswerSummary>;

/** What only the answer itself shows, not its line in a list. */
export const AnswerDetails = z.object({
  /** Markdown; null where there is only an error. */
  answer: z.string().max(32_000).nullable(),
  /** The answer in parts, each with its quotes, articles, headings and offsets. */
  statements: Statements,
  sources: z.array(Source).max(50),
  /** The closest articles that are not cited. */
  closest: z.array(jsonObject({ maxDepth: 2, maxLength: 4000 })).max(10),
  error: ErrorInfo.optional(),
  trace: DelegationTrace.optional(),
  timings: AnswerTimings,
  /** What the question might spend, and what it has spent: `calls`, `tokens`, `cost_micros`. */
  budgets: z.object({
    granted: z.record(z.string().max(40), z.number()),
    spent: z.record(z.string().max(40), z.number()),
  }),
  /** The rest of the Response's metadata: what the librarians say about their search and their confidence. */
  metadata: jsonObject({ maxDepth: 14, maxLength: 256_000 }),
  /** Members that were too large to be kept. */
  omitted: z.array(z.string().max(64)).max(16).optional(),
});
export type AnswerDetails = z.infer<typeof AnswerDetails>;

/** `GET /v1/answers/{id}`, and a line of the export. */
export const KeptAnswer = AnswerSummary.extend(AnswerDetails.shape);
export type KeptAnswer = z.infer<typeof KeptAnswer>;

/** The most answers that are kept in one call. */
export const MAX_KEPT_TOGETHER = 32;

/** What the gateway sends to be kept. */
export const AnswerInput = KeptAnswer.omit({ feedback: true });
export type AnswerInput = z.infer<typeof AnswerInput>;

const Share = z.coerce.number().min(0).max(1);

/** Which answers: every named condition holds. */
export const AnswerFilter = z.strictObject({
  librarian: LibrarianId.optional(),
  verdict: AnswerVerdict.optional(),
  interface: AnswerInterface.optional(),
  feedback: z.enum(['up', 'down', 'none', 'any']).optional(),
  /** Confidence from this one on. */
  confidence_from: Share.optional(),
  /** Confidence below this one; 1 includes 1. */
  confidence_to: Share.optional(),
  /** Asked from this moment on. */
  from: DateOrTimestamp.optional(),
  /** Asked before this moment. */
  to: DateOrTimestamp.optional(),
  /** Words that the question contains, in any case. */
  text: z.string().trim().min(1, 'is empty').max(200).optional(),
  intent: z.string().min(1).max(100).optional(),
  edition: z.string().min(1).max(128).optional(),
  /** Id of an article that a statement of the answer cites. */
  article: z.string().min(1).max(500).optional(),
  conversation_id: MemoryId.optional(),
  person_id: MemoryId.optional(),
});
export type AnswerFilter = z.infer<typeof AnswerFilter>;

/** Query of `GET /v1/answers`. */
export const AnswersQuery = AnswerFilter.extend({
  /** 1 to 200 a page. An export always has all, and reads so many at once. */
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().max(100).optional(),
  /** `jsonl`: all answers in full, one a line, as with `Accept: application/x-ndjson`. */
  format: z.enum(['json', 'jsonl']).optional(),
});
export type AnswersQuery = z.infer<typeof AnswersQuery>;

/** Reply of `GET /v1/answers`: newest first. */
export const AnswersPage = z.object({
  answers: z.array(AnswerSummary).max(200),
  /** Number of answers that fit the filters. */
  total: z.int().min(0),
  next_cursor: z.string().max(100).nullable(),
});
export type AnswersPage = z.infer<typeof AnswersPage>;

/** Query of `DELETE /v1/answers`: one of the three. */
export const AnswersErasureQuery = z
  .strictObject({
    person_id: MemoryId.optional(),
    conversation_id: MemoryId.optional(),
    /** Asked before this moment. */
    before: DateOrTimestamp.optional(),
  })
  .refine(
    (query) => Object.values(query).filter((value) => value !== undefined).length === 1,
    'has to name person_id, conversation_id or before, and only one of them',
  );
export type AnswersErasureQuery = z.infer<typeof AnswersErasureQuery>;

/** `POST /v1/answers/{id}/replay`: asks the kept question again. */
export const AnswerReplayRequest = z.strictObject({
  /** The edition to answer from, where it is still stored; the current one when absent. Only the navigator answers from another one. */
  edition: z
    .string()
    .regex(/^e\d{6,12}-[0-9a-f]{8}$/, 'is not the id of an edition')
    .optional(),
  /** The librarian to ask, `concierge` included; the one that answered when absent. */
  librarian: LibrarianId.optional(),
  /** Whether a model may be used where one is configured; true when absent. */
  model: z.boolean().optional(),
  /** 1 to 60,000. */
  timeout_ms: z.int().min(1).max(60_000).optional(),
});
export type AnswerReplayRequest = z.infer<typeof AnswerReplayRequest>;

/** One of the two answers that a replay compares. */
export const ReplayedAnswer = KeptAnswer.pick({
  verdict: true,
  answer: true,
  statements: true,
  confidence: true,
  edition: true,
  librarians: true,
  tokens: true,
  cost_usd: true,
  duration_ms: true,
  code: true,
});
export type ReplayedAnswer = z.infer<typeof ReplayedAnswer>;

/** What became of a statement. `before` and `after` are places in the lists of statements, from 0. */
export const StatementChange = z.object({
  change: z.enum(['kept', 'changed', 'added', 'removed']),
  before: z.int().min(0).optional(),
  after: z.int().min(0).optional(),
});
export type StatementChange = z.infer<typeof StatementChange>;

/** Reply of `POST /v1/answers/{id}/replay`. The new answer is not kept. */
export const AnswerReplay = z.object({
  /** The question that was asked again: as it was kept, masked and standalone. */
  question: z.string().max(8000),
  before: ReplayedAnswer,
  after: ReplayedAnswer,
  /** In the order of the new answer; removed statements last. */
  difference: z.array(StatementChange).max(128),
});
export type AnswerReplay = z.infer<typeof AnswerReplay>;

/** Most buckets of one request for statistics. */
export const MAX_BUCKETS = 750;

/** Most articles whose citations are counted. */
export const MAX_CITED_ARTICLES = 2000;

/** Query of `GET /v1/answers/statistics`: the filters of the list, over the last 30 days when `from` is absent. */
export const AnswerStatisticsQuery = AnswerFilter.extend({
  /** In UTC. At most 750 of them. */
  bucket: z.enum(['hour', 'day']).default('day'),
});
export type AnswerStatisticsQuery = z.infer<typeof AnswerStatisticsQuery>;

const Count = z.int().min(0);
/** Number of answers by verdict. */
export const VerdictCounts = z.object({
  answered: Count,
  hedged: Count,
  declined: Count,
  clarifying: Count,
  closes: Count,
  person: Count,
  error: Count,
});
const Opinions = z.object({ up: Count, down: Count });
/** Answers that someone has judged, those that decline apart: a thumb up for a "no" does not say that the question was answered. */
const Judged = z.object({
  total: Count,
  /** With a thumb up. */
  right: Count,
  /** The mean of the confidence that they state; null without such answers. */
  confidence: z.number().min(0).max(1).nullable(),
});
const Percentiles = z.object({ count: Count, p50: z.number(), p90: z.number(), p99: z.number() });

/** Reply of `GET /v1/answers/statistics`. The answers behind each number are those of the list with the same filters. */
export const AnswerStatistics = z.object({
  from: Timestamp,
  to: Timestamp,
  total: Count,
  /** All of the time, oldest first, empty ones too; `from` and `to` are filters of the list. */
  buckets: z
    .array(
      z.object({
        from: Timestamp,
        to: Timestamp,
        total: Count,
        verdicts: VerdictCounts,
        feedback: Opinions,
        tokens: Count,
        cost_usd: z.number().min(0),
        cached: Count,
        /** Percentiles of the whole time, as `latency.total` below; null without answers. */
        latency: Percentiles.nullable(),
      }),
    )
    .max(MAX_BUCKETS),
  /** Milliseconds; null for a stage that no answer has. */
  latency: z.object({
    total: Percentiles.nullable(),
    understanding: Percentiles.nullable(),
    routing: Percentiles.nullable(),
    answering: Percentiles.nullable(),
    first_statement: Percentiles.nullable(),
  }),
  /** Ten of them, `confidence_from` and `confidence_to` of the list, with what people thought of these answers. */
  confidence: z
    .array(
      z.object({
        from: z.number(),
        to: z.number(),
        total: Count,
        feedback: Opinions,
        judged: Judged,
      }),
    )
    .max(10),
  /** Most frequent first, as are the next two. A question that several librarians answered counts for each. */
  librarians: z
    .array(z.object({ librarian: LibrarianId, total: Count, verdicts: VerdictCounts }))
    .max(100),
  interfaces: z
    .array(z.object({ interface: AnswerInterface, total: Count, verdicts: VerdictCounts }))
    .max(20),
  /** Counts of answers whose intent is known. */
  intents: z
    .array(z.object({ intent: z.string().max(100), total: Count, verdicts: VerdictCounts }))
    .max(200),
  /** Articles that statements cite, most cited first: an answer counts once for each. Answers kept before citations were counted have none. */
  articles: z
    .array(
      z.object({
        article: z.string().max(500),
        title: z.string().max(500),
        total: Count,
        /** Those in doubt. */
        hedged: Count,
        /** Those with a thumb down. */
        down: Count,
      }),
    )
    .max(MAX_CITED_ARTICLES),
});
export type AnswerStatistics = z.infer<typeof AnswerStatistics>;
