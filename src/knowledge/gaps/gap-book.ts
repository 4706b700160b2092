import type { GapKind, KnowledgeGap } from '../../contract/knowledge-gaps.ts';
import type { GapSubject } from './same-subject.ts';

/** A gap that was met: what is missing, in a sentence for people and in what it is told apart by. */
export interface MetGap {
  kind: GapKind;
  gap: string;
  /** Null for all products, as for any intent. */
  product: string | null;
  intent: string | null;
  subject: GapSubject;
}

/** What is asked again when a newer edition is there. Without personal data: it was masked before it came here. */
export interface GapQuery {
  message: string;
  subject: string | null;
  intent: string;
  product: string | null;
}

/** A question that met gaps. */
export interface GapSighting {
  /** Of the request: a copy that arrives within an hour counts nothing. */
  requestHash: string;
  query: GapQuery;
  gaps: readonly MetGap[];
  /** Where they were missing. */
  edition: string;
  /** Milliseconds since 1970. */
  nowMs: number;
}

/** An open gap, to be asked again. */
export interface OpenGap extends Pick<MetGap, 'kind' | 'product' | 'intent' | 'subject'> {
  id: string;
  query: GapQuery;
  lastSeenMs: number;
}

/** What came of asking again. */
export interface CheckedGap extends Pick<OpenGap, 'id' | 'lastSeenMs'> {
  isAnswered: boolean;
}

export interface GapListing {
  state: 'open' | 'closed' | 'all';
  /** 1 to 200. */
  limit: number;
  /** Of the page before. */
  cursor?: string | undefined;
}

export interface GapPage {
  /** Most often met first. */
  gaps: KnowledgeGap[];
  /** All of that state. */
  total: number;
  next_cursor: string | null;
}

/** What the customers of one workspace asked and its knowledge base did not answer. */
export interface GapBook {
  /** Counts each gap with those that are about the same; opens again what was closed before. */
  record(sighting: GapSighting): void;
  list(listing: GapListing): GapPage;
  /** Open gaps that were not compared with this edition yet, the most often met first; none where it is not the one of the moment. */
  toCheck(edition: string, limit: number, nowMs: number): OpenGap[];
  /** Closes what is answered now, unless it was met since it was read. All of it, or nothing after a crash. */
  noteChecked(results: readonly CheckedGap[], at: { edition: string; nowMs: number }): void;
}

/** A gap book that lives elsewhere. */
export type RemoteGapBook = {
  [Method in keyof GapBook]: (...parameters: Parameters<GapBook[Method]>) => Promise<ReturnType<GapBook[Method]>>;
};
