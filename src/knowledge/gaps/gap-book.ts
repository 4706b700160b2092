import type { GapKind, KnowledgeGap } from '../../contract/wire/knowledge.ts';
import type { GapRecord, GapRecordPage, GapRecordsQuery } from '../../contract/wire/moving.ts';
import { lruCache } from '../../platform/lru-cache.ts';
import { type ObjectMethods, type Remote, remoteStore } from '../../platform/rpc/remote-store.ts';
import { StoreUnavailable } from '../../platform/storage/store-unavailable.ts';

/** A gap that a question revealed: what is missing, as a sentence for people and in structured form. */
export interface RevealedGap {
  kind: GapKind;
  gap: string;
  /** Null for all products; likewise for intents. */
  product: string | null;
  intent: string | null;
  subject: GapSubject;
}

/** The query that is retried with newer editions. Personal data is already masked. */
export interface GapQuery {
  message: string;
  subject: string | null;
  intent: string;
  product: string | null;
  /** Id of the person who asked, where the request names one. */
  person?: string | null | undefined;
}

/** A question that revealed gaps. */
export interface GapSighting {
  /** Hash of the request: a copy within an hour is not counted. */
  requestHash: string;
  /** The subject of the request, `user:<key id>` or `svc:<function>`: a key may add a limited number of gaps a day. */
  by: string;
  query: GapQuery;
  gaps: readonly RevealedGap[];
  /** Audiences of the context that asked. Equal gaps of other audiences are stored separately, so that their questions do not mix. Absent: none. */
  audiences?: readonly string[] | undefined;
  /** Edition in which they were missing. */
  edition: string;
  /** Milliseconds since 1970. */
  nowMs: number;
}

/** What became of a gap of a sighting: `repeated` for a copy of a counted request, `limit` for one that the key may not add today. */
export type RecordedGap =
  | { id: string; outcome: 'new' | 'counted' | 'repeated' }
  | { outcome: 'limit' | 'repeated' };

/**
 * The `intent` of a question that was asked of the articles, as opposed to a ticket: it is compared with newer editions as a question. For
 * one whose answer was disliked, the mark of that answer follows.
 */
export const ASKED = '@asked';

/** The sentence of a gap of which only the question is known. */
export const NO_ANSWER = 'No article answers this question';

/** An open gap, to be retried. */
export interface OpenGap extends Pick<RevealedGap, 'kind' | 'product' | 'intent' | 'subject'> {
  id: string;
  /** The questions that it stands for, the newest first; at least one. */
  queries: readonly GapQuery[];
  lastSeenMs: number;
}

/** Result of a retry. */
export interface CheckedGap extends Pick<OpenGap, 'id' | 'lastSeenMs'> {
  isAnswered: boolean;
}

export interface GapListing {
  /** Audiences of the context that lists: only gaps that it could have revealed. Absent: none. */
  audiences?: readonly string[] | undefined;
  state: 'open' | 'closed' | 'all';
  /** Only those that occurred, or were closed, in the last so many times 24 hours; most frequent then first. */
  days?: number | undefined;
  /** Only those that have this question among their newest. */
  question?: string | undefined;
  /** Milliseconds since 1970: the end of the weeks that are counted. */
  nowMs: number;
  /** 1 to 200. */
  limit: number;
  /** Cursor of the previous page. */
  cursor?: string | undefined;
}

export interface GapPage {
  /** Most frequent first; closed ones of some days newest first. */
  gaps: KnowledgeGap[];
  /** Total in that state. */
  total: number;
  next_cursor: string | null;
}

/** Questions of one workspace that its knowledge base did not answer. */
export interface GapBook {
  /** Counts each gap together with equal ones; reopens closed ones. Returns what became of each. */
  record(sighting: GapSighting): RecordedGap[];
  /** One gap, if the audiences may see it. */
  read(id: string, nowMs: number, audiences?: readonly string[]): KnowledgeGap | null;
  /** Deletes a gap with its questions, if the audiences may see it; false when there is none of that id for them. */
  remove(id: string, audiences?: readonly string[]): boolean;
  /**
   * Deletes the questions of a person, and the gaps that no one else has asked about. Returns the number of questions in gaps that the
   * audiences may see.
   */
  erasePerson(person: string, audiences?: readonly string[]): number;
  list(listing: GapListing): GapPage;
  /** All that is stored, by id. */
  records(query: GapRecordsQuery, audiences?: readonly string[]): GapRecordPage;
  /**
   * Stores gaps as `records` returned them; those that exist stay as they are. Returns how many were stored, and the ids that are refused:
   * while there are gaps that the audiences may not see, every id that they cannot see, taken or free.
   */
  restore(
    gaps: readonly GapRecord[],
    audiences?: readonly string[],
  ): { restored: number; refused: string[] };
  /**
   * Open gaps that were met with exactly these audiences and not compared with this edition yet, most frequent first; none if it is not the
   * active edition.
   */
  toCheck(edition: string, limit: number, nowMs: number, audiences?: readonly string[]): OpenGap[];
  /** The lists of audiences that gaps were met with. */
  audienceLists(): string[][];
  /** Closes answered gaps, unless they occurred again since they were read. Atomic. */
  noteChecked(results: readonly CheckedGap[], at: { edition: string; nowMs: number }): void;
}

/** The topic of a gap, used to find the same one in other words. */
export interface GapSubject {
  /** Stems with their weight in the edition, above 0; empty if kind, product and intent identify the gap. */
  stems: readonly (readonly [stem: string, weight: number])[];
  /** Embedding of the query by `model`; absent without one. */
  vector?: readonly number[] | undefined;
  model?: string | undefined;
}

/** Least similarity of two equal topics with one intent: half the weight of their stems. */
export const SAME_SUBJECT = 0.5;
/** Least similarity with two intents, since a classification may be wrong. */
export const SAME_ACROSS_INTENTS = 0.8;
/** Least cosine similarity, for topics with a shared word: only paraphrases reach it with any model in docs/calibration.md. */
const SAME_MEANING = 0.8;
/** Least similarity by words for vectors to count. */
const COMPARABLE_STEMS = 0.15;

/** Similarity of two topics by their words and, if both were embedded by the same model, their vectors: 0 to 1. */
export function subjectLikeness(left: GapSubject, right: GapSubject): number {
  if (left.stems.length === 0 && right.stems.length === 0) return 1;
  const byStems = cosineOfStems(left.stems, right.stems);
  if (byStems < COMPARABLE_STEMS || left.model === undefined || left.model !== right.model)
    return byStems;
  const byMeaning = cosine(left.vector ?? [], right.vector ?? []);
  return byMeaning >= SAME_MEANING ? Math.max(byStems, byMeaning) : byStems;
}

const cosineOfStems = (left: GapSubject['stems'], right: GapSubject['stems']): number => {
  const weights = new Map(left);
  const dot = right.reduce((sum, [stem, weight]) => sum + weight * (weights.get(stem) ?? 0), 0);
  const lengths =
    lengthOf(left.map(([, weight]) => weight)) * lengthOf(right.map(([, weight]) => weight));
  return lengths === 0 ? 0 : dot / lengths;
};

const cosine = (left: readonly number[], right: readonly number[]): number => {
  if (left.length !== right.length) return 0;
  const dot = left.reduce((sum, value, at) => sum + value * (right[at] ?? 0), 0);
  const lengths = lengthOf(left) * lengthOf(right);
  return lengths === 0 ? 0 : dot / lengths;
};

const lengthOf = (numbers: readonly number[]): number => Math.hypot(...numbers);

/** Cursor of a page of gaps: what its last is sorted by, and its id. */
interface GapCursor {
  /** How often it occurred, or when it was closed. */
  rank: number;
  id: string;
}

export function gapCursorText({ rank, id }: GapCursor): string {
  return `${rank}.${id}`;
}

/** Undefined for a cursor that `gapCursorText` did not write. */
export function readGapCursor(text: string): GapCursor | undefined {
  const [, rank = '', id = ''] = /^(\d{1,15})\.([\w-]{1,100})$/.exec(text) ?? [];
  return id === '' ? undefined : { rank: Number(rank), id };
}

/** What the object of a workspace stores; that of the directory has the workspaces. */
export interface GapStore extends GapBook {
  noteWorkspace(workspace: string): void;
  /** By name. */
  workspaces(): string[];
}

const BOOK_METHODS = [
  'record',
  'read',
  'remove',
  'erasePerson',
  'list',
  'records',
  'restore',
  'toCheck',
  'noteChecked',
  'audienceLists',
] as const satisfies (keyof GapBook)[];

/** The RPC methods of the object; no other member can be called from outside. */
export const GAP_METHODS = [
  ...BOOK_METHODS,
  'noteWorkspace',
  'workspaces',
] as const satisfies (keyof GapStore)[];

/** A gap book in a Durable Object. */
export type RemoteGapBook = Remote<GapBook>;

/** No workspace has this name, since it begins with a dot. */
const DIRECTORY = '.workspaces';
/** Bound of the isolate's cache of registered workspaces. */
const MAX_NOTED = 10_000;

export interface GapBooks {
  of(workspace: string): RemoteGapBook;
  /** Workspaces that have ever recorded a gap. */
  workspaces(): Promise<string[]>;
}

/** The gap books of all workspaces, each in the object of its name. */
export function remoteGapBooks(stub: (name: string) => ObjectMethods<GapStore>): GapBooks {
  const noted = lruCache<string, true>({ max: MAX_NOTED });
  const note = async (workspace: string): Promise<void> => {
    if (noted.get(workspace) !== undefined) return;
    await stub(DIRECTORY).noteWorkspace(DIRECTORY, workspace);
    noted.set(workspace, true);
  };
  const failure = (cause: unknown) =>
    new StoreUnavailable('unavailable', 'Cannot ask the gaps of a workspace', { cause });
  return {
    of: (workspace) => {
      const book = remoteStore<GapBook, keyof GapBook>(BOOK_METHODS, { workspace, stub, failure });
      return {
        ...book,
        record: async (sighting) => {
          // Registered first, so that every stored gap is retried later.
          await note(workspace);
          return book.record(sighting);
        },
        restore: async (...parameters) => {
          await note(workspace);
          return book.restore(...parameters);
        },
      };
    },
    workspaces: () => stub(DIRECTORY).workspaces(DIRECTORY),
  };
}
