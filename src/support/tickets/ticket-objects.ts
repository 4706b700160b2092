import * as z from 'zod';
import type {
  DraftFeedback,
  HandoverErasureQuery,
  HandoverRequest,
  HandoverState,
  HandoversPage,
  HandoversRequest,
  Lesson,
  LessonsRequest,
  TicketJob,
  TicketOnDesk,
  TicketOutcomes,
  TicketsRequest,
  TicketsResponse,
} from '../../contract/wire/tickets.ts';
import { HELPDESK_IDS, type HelpdeskEvent, type HelpdeskId, type SentReply } from '../tools/helpdesk-tool.ts';
import type { DraftLesson, ProposedReply, RatedDraft, RepliedMessage } from './ticket-draft.ts';

/** A ticket: its workspace, the tool, and its id there. */
export interface TicketKey {
  workspace: string;
  helpdesk: HelpdeskId;
  /** Id of the helpdesk, at most 200 characters. */
  ticketId: string;
}

export type TicketRef = Pick<TicketKey, 'helpdesk' | 'ticketId'>;

/** Name of a ticket's Durable Object: unique for each place. */
export const ticketObjectName = ({ workspace, helpdesk, ticketId }: TicketKey): string =>
  JSON.stringify([workspace, helpdesk, ticketId]);

export type MessageEvent = Extract<HelpdeskEvent, { kind: 'message' }>;

/** RPC methods of a ticket's Durable Object. */
export interface TicketStub {
  accept(place: TicketKey, event: MessageEvent): Promise<void>;
  work(place: TicketKey): Promise<WorkOutcome>;
  postpone(place: TicketKey, until: number): Promise<void>;
  replay(place: TicketKey, jobs: readonly number[]): Promise<number[]>;
  draft(place: TicketKey): Promise<StoredDraft | undefined>;
  onDesk(place: TicketKey): Promise<StoredCase | undefined>;
  lesson(place: TicketKey, job: number): Promise<DraftLesson | undefined>;
  rate(place: TicketKey, feedback: DraftFeedback, text?: string): Promise<boolean>;
  learn(place: TicketKey, sent: string): Promise<RepliedMessage | undefined>;
  eraseDrafts(place: TicketKey): Promise<void>;
}

/** The draft of a job, and since when (milliseconds since 1970) its message is known. */
export interface StoredDraft {
  job: number;
  reply: ProposedReply;
  feedback: DraftFeedback | null;
  createdAt: number;
}

/** A draft that was not sent as it was. */
export interface ChangedDraft extends Pick<Lesson, 'helpdesk' | 'ticket_id' | 'title' | 'intent' | 'outcome' | 'at'> {
  job: number;
}

/** The newest message of a ticket, with what is kept of it. */
export interface StoredCase extends Pick<TicketOnDesk, 'case' | 'sent' | 'rewritten'> {
  job: JobReport;
}

export interface WorkOutcome {
  /** Number of jobs that are still open. */
  open: number;
}

/** RPC methods of a workspace's Durable Object. */
export interface WorkspaceStub {
  report(workspace: string, place: { helpdesk: string; ticketId: string }, jobs: readonly JobReport[]): Promise<void>;
  list(workspace: string, query: TicketsRequest): Promise<TicketPage | 'unknown cursor'>;
  addRefused(workspace: string, helpdesk: HelpdeskId, count: number): Promise<void>;
  restore(workspace: string, jobs: readonly TicketJob[]): Promise<boolean[]>;
  addReply(workspace: string, place: TicketRef, replied: RepliedMessage): Promise<void>;
  addFeedback(workspace: string, place: TicketRef, rated: RatedDraft): Promise<void>;
  outcomes(workspace: string): Promise<TicketOutcomes>;
  changedDrafts(workspace: string, query: LessonsRequest): Promise<ChangedDraft[]>;
  eraseOutcomes(workspace: string, place: TicketRef): Promise<void>;
  dead(workspace: string, ids: readonly string[] | 'all', limit: number): Promise<DeadJob[]>;
  forget(workspace: string, ids: readonly string[]): Promise<{ dead: number }>;
  addUndelivered(workspace: string, delivery: Undelivered): Promise<void>;
  addOversized(workspace: string, delivery: Oversized): Promise<void>;
  pausedUntil(workspace: string): Promise<Record<string, number>>;
  pause(workspace: string, helpdesk: string, until: number): Promise<void>;
  requestSync(workspace: string, options: { full: boolean }): Promise<void>;
  addHandover(
    workspace: string,
    request: HandoverRequest,
    options: { target: HelpdeskId | 'list'; sender?: string | undefined },
  ): Promise<HandoverState | 'too many'>;
  handovers(workspace: string, query: HandoversRequest): Promise<HandoversPage | 'unknown cursor'>;
  eraseHandovers(workspace: string, query: HandoverErasureQuery): Promise<number>;
  isFirstCall(workspace: string, linkHash: string, options: { ttlSeconds: number; nowMs: number }): Promise<boolean>;
}

/** A page of jobs, and the refused deliveries of the workspace. */
export interface TicketPage extends Omit<TicketsResponse, 'helpdesks'> {
  refusals: readonly Refusals[];
}

/** Deliveries of one tool that no secret of the connection verified. */
export type Refusals = { helpdesk: string; count: number; last_at: string };

/** How to reach both kinds of objects. */
export interface Stubs {
  ticketStub(place: TicketKey): TicketStub;
  workspaceStub(workspace: string): WorkspaceStub;
}

/** State of a job, as a ticket reports it to its workspace. */
export interface JobReport extends Omit<TicketJob, 'id' | 'helpdesk' | 'ticket_id'> {
  job: number;
  /** Grows with each change: of two reports the higher one is current. */
  version: number;
}

/** The ticket of a job, and the job's number in the ticket's object. */
export interface JobPlace {
  helpdesk: string;
  ticketId: string;
  job: number;
}

export interface DeadJob {
  id: string;
  place: JobPlace;
  /** For a delivery that its ticket's object could not store; JSON of a queue message. */
  message: string | null;
}

/** A delivery that could not be stored in its ticket's object. */
export interface Undelivered {
  helpdesk: string;
  ticketId: string;
  /** Id of the message that it is about, or `first` or `latest`. */
  about: string;
  /** JSON of a queue message. */
  message: string;
}

/** A verified delivery that is too large to be read. */
export interface Oversized {
  helpdesk: string;
  bytes: number;
  /** Hash of its bytes: a repetition is listed once. */
  hash: string;
}

const Place = { workspace: z.string().min(1).max(128), helpdesk: z.enum(HELPDESK_IDS) };

/** A message of the queue. */
export const TicketMessage = z.discriminatedUnion('kind', [
  /** Names a ticket with work to do; the work is in the ticket's object. */
  z.strictObject({ kind: z.literal('ticket'), ...Place, ticketId: z.string().min(1).max(200) }),
  /** A delivery that could not be stored in time, as `HelpdeskTool.read` returned it. */
  z.strictObject({
    kind: z.literal('event'),
    ...Place,
    event: z.custom<HelpdeskEvent>((value) => typeof value === 'object'),
  }),
]);
export type TicketMessage = z.infer<typeof TicketMessage>;
export type EventMessage = Extract<TicketMessage, { kind: 'event' }>;

/**
 * Stores an event where it survives every crash: a message in its ticket's object, an article in the workspace's object.
 *
 * @returns Id of the ticket with work to do; undefined for an article, whose sync the workspace's object starts itself.
 */
export const storeEvent = async (
  { workspace, helpdesk, event }: EventMessage,
  { ticketStub, workspaceStub }: Stubs,
): Promise<string | undefined> => {
  if (event.kind === 'message') {
    const place = { workspace, helpdesk, ticketId: event.ticketId };
    await ticketStub(place).accept(place, event);
    return event.ticketId;
  }
  // Only a full listing shows that an article is gone.
  if (event.kind === 'article')
    await workspaceStub(workspace).requestSync(workspace, { full: event.change === 'unpublished' });
  return undefined;
};

/** Keeps a reply that an agent has sent with the draft of its ticket, compares them, and counts the outcome. */
export const learnFrom = async (
  { ticketId, text }: SentReply,
  { workspace, helpdesk, ticketStub, workspaceStub }: Stubs & Pick<TicketKey, 'workspace' | 'helpdesk'>,
): Promise<void> => {
  const stub = workspaceStub(workspace);
  // A ticket without jobs has no draft, and gets no object.
  const page = await stub.list(workspace, { helpdesk, ticket_id: ticketId, limit: 1 });
  if (page === 'unknown cursor' || page.total === 0) return;
  const place = { workspace, helpdesk, ticketId };
  const replied = await ticketStub(place).learn(place, text);
  if (replied !== undefined) await stub.addReply(workspace, { helpdesk, ticketId }, replied);
};
