import type { GapKind, KnowledgeGap } from '../../contract/knowledge-gaps.ts';

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

/** What a gap is about, so that the same in other words is known for the same. */
export interface GapSubject {
  /** Stems with what each tells in its edition, above 0; empty where kind, product and intent say it all. */
  stems: readonly (readonly [stem: string, weight: number])[];
  /** Of what was asked, by the model that `model` names; absent where there is none. */
  vector?: readonly number[] | undefined;
  model?: string | undefined;
}

/** From here on two subjects of one intent are the same: half of what their stems tell. */
export const SAME_SUBJECT = 0.5;
/** Of two intents, since a classification may err. */
export const SAME_WHATEVER_INTENT = 0.8;
/** A meaning counts from here on, where some word is common: only paraphrases reach it with any model that docs/calibration.md tells of. */
const SAME_MEANING = 0.8;
const SOME_STEMS = 0.15;

/** How alike two subjects are, by their words and, where both have one of the same model, their vectors: 0 to 1. */
export const subjectLikeness = (left: GapSubject, right: GapSubject): number => {
  if (left.stems.length === 0 && right.stems.length === 0) return 1;
  const byStems = cosineOfStems(left.stems, right.stems);
  if (byStems < SOME_STEMS || left.model === undefined || left.model !== right.model) return byStems;
  const byMeaning = cosine(left.vector ?? [], right.vector ?? []);
  return byMeaning >= SAME_MEANING ? Math.max(byStems, byMeaning) : byStems;
};

const cosineOfStems = (left: GapSubject['stems'], right: GapSubject['stems']): number => {
  const weights = new Map(left);
  const dot = right.reduce((sum, [stem, weight]) => sum + weight * (weights.get(stem) ?? 0), 0);
  const lengths = lengthOf(left.map(([, weight]) => weight)) * lengthOf(right.map(([, weight]) => weight));
  return lengths === 0 ? 0 : dot / lengths;
};

const cosine = (left: readonly number[], right: readonly number[]): number => {
  if (left.length !== right.length) return 0;
  const dot = left.reduce((sum, value, at) => sum + value * (right[at] ?? 0), 0);
  const lengths = lengthOf(left) * lengthOf(right);
  return lengths === 0 ? 0 : dot / lengths;
};

const lengthOf = (numbers: readonly number[]): number => Math.hypot(...numbers);

/** Where a page of gaps ended: the count and the id of its last. */
export interface GapCursor {
  count: number;
  id: string;
}

export const gapCursorText = ({ count, id }: GapCursor): string => `${count}.${id}`;

/** Undefined for what `gapCursorText` did not write. */
export const readGapCursor = (text: string): GapCursor | undefined => {
  const [, count = '', id = ''] = /^(\d{1,15})\.([\w-]{1,100})$/.exec(text) ?? [];
  return id === '' ? undefined : { count: Number(count), id };
};
