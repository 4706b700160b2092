import type { TicketsRequest, TicketsResponse } from '../../contract/tickets.ts';
import type { JobPlace, Undelivered } from './desk-index.ts';
import type { JobReport } from './report-jobs.ts';

export interface DeadJob {
  id: string;
  place: JobPlace;
  /** Of a delivery that could not be kept in its ticket's object. */
  message: string | null;
}

/** What others may ask of a workspace's desk. */
export interface DeskStub {
  report(workspace: string, place: { helpdesk: string; ticketId: string }, jobs: readonly JobReport[]): Promise<void>;
  list(workspace: string, query: TicketsRequest): Promise<TicketsResponse | 'unknown cursor'>;
  dead(workspace: string, ids: readonly string[] | 'all', limit: number): Promise<DeadJob[]>;
  forget(workspace: string, ids: readonly string[]): Promise<{ dead: number }>;
  addUndelivered(workspace: string, delivery: Undelivered): Promise<void>;
  pausedUntil(workspace: string): Promise<Record<string, number>>;
  pause(workspace: string, helpdesk: string, until: number): Promise<void>;
  requestSync(workspace: string, options: { full: boolean }): Promise<void>;
  isFirstCall(workspace: string, linkHash: string, options: { ttlSeconds: number; nowMs: number }): Promise<boolean>;
}
