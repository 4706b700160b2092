import type { GapKind, KnowledgeGap } from '../../contract/knowledge-gaps.ts';

/** A gap that was met, with the question that met it. */
export interface MetGap {
  kind: GapKind;
  /** For people, as `gaps` has it. */
  gap: string;
  intent: string | undefined;
  product: string | undefined;
  /** What it is about: stems, the most telling first. */
  stems: readonly { stem: string; weight: number }[];
  /** Of the question, by the model that `space` names; absent without a model. */
  vector?: readonly number[] | undefined;
  space?: string | undefined;
}

/** A question that met gaps. Without personal data: whoever writes it down has masked it. */
export interface GapSighting {
  /** The same for the same request sent twice, which counts once. */
  requestId: string;
  query: string;
  subject: string | undefined;
  /** As the request had them: what is asked again when a newer edition is there. */
  intent: string;
  product: string | undefined;
  gaps: readonly MetGap[];
  edition: string | undefined;
  /** Milliseconds since 1970. */
  nowMs: number;
}

/** An open gap, to be asked again. */
export interface OpenGap {
  id: string;
  kind: GapKind;
  query: string;
  subject: string | undefined;
  intent: string;
  product: string | undefined;
}

export interface GapListing {
  state: 'open' | 'closed' | 'all';
  limit: number;
  cursor: string | undefined;
}

/** What a workspace's customers asked and its knowledge base did not answer. */
export interface GapBook {
  /** Counts each gap, with those it is the same as. */
  record(sighting: GapSighting): Promise<void>;
  /** Most often met first. */
  list(listing: GapListing): Promise<{ gaps: KnowledgeGap[]; total: number; next_cursor: string | null }>;
  /** Open gaps that were not compared with this edition yet, at most `limit`. */
  toCheck(edition: string, limit: number): Promise<OpenGap[]>;
  /** What came of asking again: closed where `isAnswered`. */
  checked(
    results: readonly { id: string; isAnswered: boolean }[],
    at: { edition: string; nowMs: number },
  ): Promise<void>;
}
