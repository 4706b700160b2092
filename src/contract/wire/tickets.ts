import * as z from 'zod';
import { DateOrTimestamp, Timestamp } from '../core/names.ts';
import { DraftReference, TicketMessage } from './support-response.ts';

/**
 * State of the job for a customer's message: `open` is in progress or will be retried; `done` is complete; `dead` failed permanently and
 * can be replayed.
 */
export const TicketState = z.enum(['open', 'done', 'dead']);
export type TicketState = z.infer<typeof TicketState>;

/** What was written for a message: a note, a draft if the connection wants only that, or nothing. */
export const TicketResult = z.enum(['note', 'draft', 'none']);
export type TicketResult = z.infer<typeof TicketResult>;

/** What agents made of drafts: sent as they are, sent with changes, or something else sent. */
export const DraftOutcome = z.enum(['kept', 'edited', 'discarded']);
export type DraftOutcome = z.infer<typeof DraftOutcome>;

/**
 * What a draft needs before it is sent: `ready` nothing that is known; `check` a look at what its ticket names, or at an unsure intent;
 * `unanswered` an answer, as it quotes no article.
 */
export const DraftState = z.enum(['ready', 'check', 'unanswered']);
export type DraftState = z.infer<typeof DraftState>;

/** The job for one message of a customer. */
export const TicketJob = z.object({
  id: z.string().min(1).max(4000),
  helpdesk: z.string().min(1).max(40),
  /** The helpdesk's ticket id. */
  ticket_id: z.string().min(1).max(200),
  state: TicketState,
  result: TicketResult.nullable(),
  /** Attempts since it arrived or was last replayed. */
  attempts: z.int().min(0),
  /** Why the last attempt failed, in one sentence; null when it did not. */
  last_error: z.string().min(1).max(300).nullable(),
  /** Why nothing was written, in a few words: `an automatic reply`, `a message without words`. */
  reason: z.string().min(1).max(300).optional(),
  /** Subject of the ticket or beginning of the message, without personal data; absent before it was read and once it is erased. */
  title: z.string().min(1).max(200).optional(),
  /** Beginning of the message where the title is the subject of the ticket, without personal data; absent as the title is. */
  excerpt: z.string().min(1).max(200).optional(),
  /** First name of the customer; absent where none is known, and as the title is. */
  customer_name: z.string().min(1).max(60).optional(),
  /** Absent where no reply is proposed. */
  draft_state: DraftState.optional(),
  /** Id of the intent; absent before the message was analysed. */
  intent: z.string().min(1).max(100).optional(),
  /** What an agent made of the draft; absent while that is not known. */
  outcome: DraftOutcome.optional(),
  /** An agent has sent back how the draft should have been. */
  rewritten: z.literal(true).optional(),
  accepted_at: Timestamp,
  changed_at: Timestamp,
  /** Time of the next attempt; null unless it is open. */
  next_attempt_at: Timestamp.nullable(),
});
export type TicketJob = z.infer<typeof TicketJob>;

/** Query of `GET /v1/support/tickets`. All that is given must hold. */
export const TicketsRequest = z.strictObject({
  /** `dead` when absent, `all` where a ticket, an outcome, an intent, words or a time is named. */
  state: z.enum([...TicketState.options, 'all']).optional(),
  /** Tool, as in the address of its webhook: `chatwoot`. */
  helpdesk: z.string().min(1).max(40).optional(),
  /** The helpdesk's ticket id. */
  ticket_id: z.string().min(1).max(200).optional(),
  /** What an agent made of the draft; `waiting`: something was written, and no reply of an agent is known. */
  outcome: z.enum(['waiting', ...DraftOutcome.options]).optional(),
  /** Id of the intent of the message. */
  intent: z.string().min(1).max(100).optional(),
  /** Words, in any case, of the title, the beginning of the message and the first name of the customer: all of them. */
  text: z.string().trim().min(1, 'is empty').max(200).optional(),
  /** Arrived from this moment on. */
  from: DateOrTimestamp.optional(),
  /** Arrived before this moment. */
  to: DateOrTimestamp.optional(),
  /** 1 to 200. */
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().max(4100).optional(),
});
export type TicketsRequest = z.infer<typeof TicketsRequest>;

/** A connection of the workspace to a helpdesk. Contains no secret and no customer text. */
export const HelpdeskStatus = z.object({
  helpdesk: z.string().min(1).max(40),
  /** What is wrong with its setting and what to do, in one sentence; null when it can be used. */
  problem: z.string().min(1).max(300).nullable(),
  /** Deliveries refused because no secret matched, until none was for 30 days (`TICKET_KEEP_DAYS`); and the time of the last one. */
  refused: z.int().min(0),
  last_refused_at: Timestamp.nullable(),
});
export type HelpdeskStatus = z.infer<typeof HelpdeskStatus>;

/** Reply of `GET /v1/support/tickets`: most recently changed first. */
export const TicketsResponse = z.object({
  tickets: z.array(TicketJob).max(200),
  /** Number of jobs that match on all pages. */
  total: z.int().min(0),
  next_cursor: z.string().max(4100).nullable(),
  /** The workspace's connections, whatever was asked for. */
  helpdesks: z.array(HelpdeskStatus).max(20),
});
export type TicketsResponse = z.infer<typeof TicketsResponse>;

/** `POST /v1/support/tickets/replay`: replays dead jobs by id, or all of them. */
export const ReplayRequest = z.union([
  z.strictObject({ ids: z.array(z.string().min(1).max(4000)).min(1).max(100) }),
  z.strictObject({ all: z.literal(true) }),
]);
export type ReplayRequest = z.infer<typeof ReplayRequest>;

/** Reply of `POST /v1/support/tickets/replay`. */
export const ReplayResponse = z.object({
  /** Number of replayed jobs. */
  replayed: z.int().min(0),
  /** Ids without a dead job. */
  unknown: z.array(z.string().max(4000)).max(100),
  /** Remaining dead jobs: with `all`, at most 500 are replayed at once. */
  remaining: z.int().min(0),
});
export type ReplayResponse = z.infer<typeof ReplayResponse>;

/** A ticket of a connected helpdesk: query of `GET` and `DELETE /v1/support/tickets/draft`. */
export const TicketPlaceRequest = z.strictObject({
  /** Tool, as in the address of its webhook: `chatwoot`. */
  helpdesk: z.string().min(1).max(40),
  /** The helpdesk's ticket id. */
  ticket_id: z.string().min(1).max(200),
});
export type TicketPlaceRequest = z.infer<typeof TicketPlaceRequest>;

/** A sentence of a draft, and the passages of articles that contain it; none for greetings and questions. */
export const DraftSentence = z.object({
  text: z.string().min(1).max(32_000),
  evidence: z
    .array(
      z.object({
        title: z.string().min(1).max(200),
        url: z.string().min(1).max(500),
        /** The passage, cut after 600 characters. */
        quote: z.string().min(1).max(600),
      }),
    )
    .max(3),
});
export type DraftSentence = z.infer<typeof DraftSentence>;

/** Whether a draft helped, and why, in a sentence. */
export const DraftFeedback = z.strictObject({
  value: z.enum(['up', 'down']),
  comment: z.string().trim().min(1).max(500).optional(),
});
export type DraftFeedback = z.infer<typeof DraftFeedback>;

/** Reply of `GET /v1/support/tickets/draft`: the proposed reply to the customer's newest message that has one. */
export const TicketDraft = z.object({
  /** Id of the job, as in the list of tickets. */
  id: z.string().min(1).max(4000),
  intent: z.string().min(1).max(100),
  /** How sure the intent is, 0 to 1. */
  confidence: z.number().min(0).max(1),
  /** BCP 47: `en`. */
  language: z.string().max(35).nullable(),
  /** Plain text, to be inserted as it is. */
  text: z.string().min(1).max(32_000),
  /** The same with headings, lists, links and code; absent in drafts of earlier versions. */
  markdown: z.string().max(48_000).optional(),
  /** The same by sentence, in order. */
  sentences: z.array(DraftSentence).max(400),
  /** What to check before sending. */
  risks: z.array(z.string().min(1).max(1000)).max(20),
  feedback: DraftFeedback.nullable(),
  created_at: Timestamp,
});
export type TicketDraft = z.infer<typeof TicketDraft>;

/** A reply that an agent has sent, or has written in place of the draft. */
export const SentText = z.object({ text: z.string().min(1).max(32_000), at: Timestamp });
export type SentText = z.infer<typeof SentText>;

/** What is kept of a customer's message beside its draft, for the agents of the desk. */
export const TicketCase = z.object({
  subject: z.string().max(1000).nullable(),
  customer_name: z.string().max(200).nullable(),
  message: z.string().min(1).max(32_000),
  /** The newest public messages before it, oldest first. */
  history: z.array(TicketMessage).max(20),
  /** What the customer wants, in a sentence. */
  summary: z.string().max(1000).nullable(),
  /** Id of the intent, and how sure it is, 0 to 1. */
  intent: z.string().min(1).max(100),
  confidence: z.number().min(0).max(1),
  /** Questions about what the customer has not said. */
  questions: z.array(z.string().min(1).max(1000)).max(20),
  escalation: z
    .object({
      to: z.string().max(200).nullable(),
      reasons: z.array(z.string().min(1).max(1000)).max(20),
    })
    .nullable(),
  /** Articles that come close, where none is quoted. */
  closest: z.array(DraftReference).max(3),
});
export type TicketCase = z.infer<typeof TicketCase>;

/** Reply of `GET /v1/support/tickets/case`: the newest message of a ticket, its draft, and what became of it. */
export const TicketOnDesk = z.object({
  job: TicketJob,
  /** Null for a message that was not analysed, and once it is erased. */
  case: TicketCase.nullable(),
  draft: TicketDraft.nullable(),
  /** The first reply of an agent after the draft; null while none is known. */
  sent: SentText.nullable(),
  /** How an agent would have written the draft, given as feedback. */
  rewritten: SentText.nullable(),
});
export type TicketOnDesk = z.infer<typeof TicketOnDesk>;

/** Query of `GET /v1/support/tickets/lessons`. All that is given must hold. */
export const LessonsQuery = z.strictObject({
  intent: z.string().min(1).max(100).optional(),
  /** With `ticket_id`: one ticket. */
  helpdesk: z.string().min(1).max(40).optional(),
  ticket_id: z.string().min(1).max(200).optional(),
  /** 1 to 50. */
  limit: z.coerce.number().int().min(1).max(50).default(30),
});
export type LessonsQuery = z.infer<typeof LessonsQuery>;

/** A draft that was not sent as it was, and what an agent wrote instead. */
export const Lesson = z.object({
  helpdesk: z.string().min(1).max(40),
  ticket_id: z.string().min(1).max(200),
  title: z.string().max(200).nullable(),
  intent: z.string().min(1).max(100),
  /** `rewritten`: a better draft was sent back, and no reply to the customer is known. */
  outcome: z.enum([...DraftOutcome.options, 'rewritten']),
  /** Those that the draft cites. */
  articles: z.array(DraftReference).max(10),
  draft: z.string().max(32_000),
  sent: z.string().max(32_000),
  /** Sentences of the reply that the draft lacks, without personal data, and those of the draft that were not sent. */
  added: z.array(z.string().max(2000)).max(20),
  removed: z.array(z.string().max(2000)).max(20),
  at: Timestamp,
});
export type Lesson = z.infer<typeof Lesson>;

/** Reply of `GET /v1/support/tickets/lessons`: newest first. */
export const LessonsResponse = z.object({ lessons: z.array(Lesson).max(50) });
export type LessonsResponse = z.infer<typeof LessonsResponse>;

/** Body of `POST /v1/support/tickets/feedback`. */
export const TicketFeedbackRequest = z
  .strictObject({
    ...TicketPlaceRequest.shape,
    ...DraftFeedback.partial().shape,
    /** How the draft should have been; needed where there is no value. */
    text: z.string().trim().min(1).max(32_000).optional(),
  })
  .refine(
    ({ value, text }) => value !== undefined || text !== undefined,
    'has neither value nor text',
  );
export type TicketFeedbackRequest = z.infer<typeof TicketFeedbackRequest>;

const OutcomeCounts = z.object({
  kept: z.int().min(0),
  edited: z.int().min(0),
  discarded: z.int().min(0),
  /** Drafts of which agents said that they helped, or did not. */
  up: z.int().min(0),
  down: z.int().min(0),
  /** Drafts in place of which agents sent back a better one. */
  rewritten: z.int().min(0),
  /** Mean share of a draft's sentences that were sent, 0 to 1; 0 where none was compared. */
  share: z.number().min(0).max(1),
});

/** Reply of `GET /v1/support/tickets/outcomes`: most drafts first. A draft counts for each article that it cites. */
export const TicketOutcomes = z.object({
  intents: z.array(OutcomeCounts.extend({ intent: z.string().min(1).max(100) })).max(200),
  articles: z.array(OutcomeCounts.extend({ url: z.string().min(1).max(500) })).max(200),
});
export type TicketOutcomes = z.infer<typeof TicketOutcomes>;

/** A question of the answer box with what it answered. */
const HandoverTurn = z.strictObject({
  question: z.string().min(1).max(4000),
  answer: z.string().max(8000),
});

/** Body of `POST /v1/support/requests`: a visitor of a web page asks for a person. */
export const HandoverRequest = z.strictObject({
  /** Chosen by the caller and the same with every attempt: one request, one ticket. */
  idempotency_key: z
    .string()
    .regex(/^[\w-]{16,64}$/, 'is not 16 to 64 letters, digits, hyphens and underscores'),
  /** As typed by the visitor, not verified. */
  email: z.email().max(254),
  message: z.string().trim().min(1).max(4000),
  /** What was asked and answered before, oldest first. */
  conversation: z.array(HandoverTurn).max(10).default([]),
  /** The web page, without what follows a `?`. */
  page: z
    .url({ protocol: /^https?$/ })
    .max(2000)
    .optional(),
  /** The visitor agrees that address and conversation are sent. */
  consent: z.literal(true),
});
export type HandoverRequest = z.infer<typeof HandoverRequest>;

/** `waiting`: a ticket is being created; `created`: there is a ticket; `listed`: a person has to answer by mail. */
export const HandoverState = z.enum(['waiting', 'created', 'listed']);
export type HandoverState = z.infer<typeof HandoverState>;

/** Reply of `POST /v1/support/requests`. */
export const HandoverAccepted = z.object({ id: z.string().min(1).max(64), state: HandoverState });
export type HandoverAccepted = z.infer<typeof HandoverAccepted>;

/** Query of `GET /v1/support/requests`. */
export const HandoversRequest = z.strictObject({
  state: HandoverState.optional(),
  /** 1 to 100. */
  limit: z.coerce.number().int().min(1).max(100).default(50),
  cursor: z.string().max(200).optional(),
});
export type HandoversRequest = z.infer<typeof HandoversRequest>;

/** A request of a visitor. Once there is a ticket, address and texts are in the helpdesk alone. */
export const Handover = z.object({
  id: z.string().min(1).max(64),
  state: HandoverState,
  /** The tool in which a ticket is created; null where requests are only listed. */
  helpdesk: z.string().min(1).max(40).nullable(),
  ticket_id: z.string().min(1).max(200).nullable(),
  accepted_at: Timestamp,
  /** Why there is no ticket yet, in one sentence. */
  last_error: z.string().min(1).max(300).nullable(),
  /** Null once there is a ticket. */
  request: z
    .object({
      email: z.string().min(1).max(254),
      message: z.string().min(1).max(4000),
      conversation: z.array(HandoverTurn).max(10),
      page: z.string().max(2000).nullable(),
    })
    .nullable(),
});
export type Handover = z.infer<typeof Handover>;

/** Reply of `GET /v1/support/requests`: newest first. */
export const HandoversPage = z.object({
  requests: z.array(Handover).max(100),
  next_cursor: z.string().max(200).nullable(),
});
export type HandoversPage = z.infer<typeof HandoversPage>;

/** Query of `DELETE /v1/support/requests`: one request, or all of an address. */
export const HandoverErasureQuery = z
  .strictObject({
    id: z.string().min(1).max(64).optional(),
    email: z.string().min(3).max(254).optional(),
  })
  .refine(
    ({ id, email }) => (id === undefined) !== (email === undefined),
    'names not exactly one of id and email',
  );
export type HandoverErasureQuery = z.infer<typeof HandoverErasureQuery>;
