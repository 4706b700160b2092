import * as z from 'zod';
import type {
  DraftFeedback,
  HandoverErasureQuery,
  HandoverRequest,
  HandoverState,
  HandoversPage,
  HandoversRequest,
  Lesson,
  LessonsQuery,
  TicketJob,
  TicketOnDesk,
  TicketOutcomes,
  TicketsRequest,
  TicketsResponse,
} from '../../contract/wire/tickets.ts';
import type { ObjectMethods } from '../../platform/rpc/remote-store.ts';
import {
  HELPDESK_IDS,
  type HelpdeskEvent,
  type HelpdeskId,
  type SentReply,
} from '../tools/helpdesk-tool.ts';
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
export function ticketObjectName({ workspace, helpdesk, ticketId }: TicketKey): string {
  return JSON.stringify([workspace, helpdesk, ticketId]);
}

export type MessageEvent = Extract<HelpdeskEvent, { kind: 'message' }>;

/** The jobs of one ticket, and the work on them. */
export interface TicketCase {
  /** Adds a job for a delivery; a repeated delivery adds none. */
  accept(event: MessageEvent): void;
  /** The workspace lets the ticket begin now. False when nothing is due: the turn is free. */
  begin(): boolean;
  /** When `work` has something to do next, in milliseconds since 1970. */
  dueAt(): number | undefined;
  /** Works on all due jobs, one after the other, reports, and deletes old jobs; concurrent calls share one run. */
  work(): Promise<void>;
  /** Reopens dead jobs; returns those that were dead. */
  replay(jobs: readonly number[]): Promise<number[]>;
  /** The draft for the newest message that has one. */
  draft(): StoredDraft | undefined;
  /** The newest message with what is kept of it; undefined for a ticket without jobs. */
  onDesk(): StoredCase | undefined;
  lesson(job: number): DraftLesson | undefined;
  /** Keeps what an agent says of the draft, and how it should have been. False when there is no draft. */
  rate(feedback: DraftFeedback | undefined, text?: string): boolean;
  /** Compares a reply that an agent has sent with the draft; undefined when one is known already. */
  learn(sent: string): RepliedMessage | undefined;
  eraseDrafts(): void;
}

/** RPC methods of a ticket's Durable Object. */
export const TICKET_METHODS = [
  'accept',
  'begin',
  'replay',
  'draft',
  'onDesk',
  'lesson',
  'rate',
  'learn',
  'eraseDrafts',
] as const satisfies (keyof TicketCase)[];
type TicketMethod = (typeof TICKET_METHODS)[number];
export type TicketStub = ObjectMethods<TicketCase, TicketMethod, TicketKey>;

/** The draft of a job, and since when (milliseconds since 1970) its message is known. */
export interface StoredDraft {
  job: number;
  reply: ProposedReply;
  feedback: DraftFeedback | null;
  createdAt: number;
}

/** A draft that was not sent as it was. */
export interface ChangedDraft
  extends Pick<Lesson, 'helpdesk' | 'ticket_id' | 'title' | 'intent' | 'outcome' | 'at'> {
  job: number;
}

/** The newest message of a ticket, with what is kept of it. */
interface StoredCase extends Pick<TicketOnDesk, 'case' | 'sent' | 'rewritten'> {
  job: JobReport;
}

/** What all tickets of a workspace share: their jobs, pauses of tools, requested syncs, and visitors who asked for a person. */
export interface Desk {
  /** Records the state of a ticket's jobs. Returns when it may begin to work, in milliseconds since 1970: few tickets work at once. */
  enter(place: TicketRef, jobs: readonly JobReport[]): number;
  /** Records the state of a ticket's jobs when its work is over. */
  leave(place: TicketRef, jobs: readonly JobReport[]): void;
  list(query: TicketsRequest): TicketPage | 'unknown cursor';
  addRefused(helpdesk: HelpdeskId, count: number): void;
  restore(jobs: readonly TicketJob[]): boolean[];
  addReply(place: TicketRef, reply: RepliedMessage): void;
  addFeedback(place: TicketRef, rated: RatedDraft): void;
  outcomes(): TicketOutcomes;
  changedDrafts(query: LessonsQuery): ChangedDraft[];
  eraseOutcomes(place: TicketRef): void;
  dead(ids: readonly string[] | 'all', limit: number): DeadJob[];
  forget(ids: readonly string[]): { dead: number };
  /** Stores a delivery that its ticket's object did not store in time, and hands it on later. */
  addDelivery(message: EventMessage): void;
  addOversized(delivery: Oversized): void;
  pause(helpdesk: string, until: number): void;
  requestSync(options: { full: boolean }): void;
  addHandover(
    request: HandoverRequest,
    options: { target: HelpdeskId | 'list'; sender?: string | undefined },
  ): HandoverState | 'too many';
  handovers(query: HandoversRequest): HandoversPage | 'unknown cursor';
  eraseHandovers(query: HandoverErasureQuery): number;
  isFirstCall(linkHash: string, options: { ttlSeconds: number; nowMs: number }): boolean;
}

/** RPC methods of a workspace's Durable Object. */
export const DESK_METHODS = [
  'enter',
  'leave',
  'list',
  'addRefused',
  'restore',
  'addReply',
  'addFeedback',
  'outcomes',
  'changedDrafts',
  'eraseOutcomes',
  'dead',
  'forget',
  'addDelivery',
  'addOversized',
  'pause',
  'requestSync',
  'addHandover',
  'handovers',
  'eraseHandovers',
  'isFirstCall',
] as const satisfies (keyof Desk)[];
export type WorkspaceStub = ObjectMethods<Desk>;

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
  /** For a delivery that its ticket's object could not store; JSON of an `EventMessage`. */
  message: string | null;
}

/** A delivery that could not be stored in its ticket's object. */
export interface Undelivered {
  helpdesk: string;
  ticketId: string;
  /** Id of the message that it is about, or `first` or `latest`. */
  about: string;
  /** JSON of an `EventMessage`. */
  message: string;
}

/** A verified delivery that is too large to be read. */
export interface Oversized {
  helpdesk: string;
  bytes: number;
  /** Hash of its bytes: a repetition is listed once. */
  hash: string;
}

/** A delivery, as `HelpdeskTool.read` returned it. */
export const EventMessage = z.strictObject({
  kind: z.literal('event'),
  workspace: z.string().min(1).max(128),
  helpdesk: z.enum(HELPDESK_IDS),
  event: z.custom<Exclude<HelpdeskEvent, { kind: 'ignored' }>>(
    (value) => typeof value === 'object',
  ),
});
export type EventMessage = z.infer<typeof EventMessage>;

/** Stores an event where it survives every crash: a message in its ticket's object, an article in the workspace's object. */
export async function storeEvent(
  { workspace, helpdesk, event }: EventMessage,
  { ticketStub, workspaceStub }: Stubs,
): Promise<void> {
  if (event.kind === 'message') {
    const place = { workspace, helpdesk, ticketId: event.ticketId };
    return ticketStub(place).accept(place, event);
  }
  // Only a full listing shows that an article is gone.
  return workspaceStub(workspace).requestSync(workspace, { full: event.change === 'unpublished' });
}

/** Keeps a reply that an agent has sent with the draft of its ticket, compares them, and counts the outcome. */
export async function learnFrom(
  { ticketId, text }: SentReply,
  {
    workspace,
    helpdesk,
    ticketStub,
    workspaceStub,
  }: Stubs & Pick<TicketKey, 'workspace' | 'helpdesk'>,
): Promise<void> {
  const stub = workspaceStub(workspace);
  // A ticket without jobs has no draft, and gets no object.
  const page = await stub.list(workspace, { helpdesk, ticket_id: ticketId, limit: 1 });
  if (page === 'unknown cursor' || page.total === 0) return;
  const place = { workspace, helpdesk, ticketId };
  const reply = await ticketStub(place).learn(place, text);
  if (reply !== undefined) await stub.addReply(workspace, { helpdesk, ticketId }, reply);
}
