import type {
  CheckBreak,
  CheckResult,
  CheckState,
  KnowledgeCheckInput,
  KnowledgeChecks,
  KnowledgeChecksQuery,
  KnowledgeChecksWritten,
} from '../../contract/wire/checks.ts';
import { type ObjectMethods, type Remote, remoteStore } from '../../platform/rpc/remote-store.ts';
import { StoreUnavailable } from '../../platform/storage/store-unavailable.ts';

/** A check as its author wrote it, with what a run needs. */
export interface StoredCheck {
  id: string;
  input: KnowledgeCheckInput;
  /** Sorted: the question is asked with these. */
  audiences: readonly string[];
  state: CheckState;
  /** The last run; undefined before the first. */
  last: { edition: string; cites: CheckResult['answer']['cites'] } | undefined;
}

/** How a check ended on an edition. */
export interface CheckRun extends Pick<StoredCheck, 'id' | 'input'> {
  result: CheckResult;
  edition: string;
  /** Articles that changed since the edition of the run before; noted when the check turns from green to red. */
  changes: CheckBreak['articles'];
}

/** Who asks, and when. */
interface CheckScope {
  audiences: readonly string[];
  /** Milliseconds since 1970. */
  nowMs: number;
}

export interface CheckListing extends CheckScope {
  /** Id of the current edition; undefined where it could not be read. */
  edition?: string | undefined;
}

export interface CheckWriting {
  checks: readonly CheckToWrite[];
  /** Sorted: new checks are asked with these. */
  audiences: readonly string[];
  /** What the author may see; `audiences` when absent. */
  readableAudiences?: readonly string[] | undefined;
  /** Whether those that there are stay as they are. */
  isOnlyNew?: boolean | undefined;
  nowMs: number;
}

export interface CheckToWrite {
  /** The id of a new one. */
  id: string;
  /** The one to change, if it is of the same question; nothing is written where the author sees none of this id. */
  existingId?: string | undefined;
  input: KnowledgeCheckInput;
}

/** What was written; else how many were too many, or the question of a check to change that does not exist. */
export type PutResult = KnowledgeChecksWritten | { full: number } | { missing: string };

/** Equal for the same question, whatever its white space. */
export function questionKey(question: string): string {
  return question.normalize('NFC').replace(/\s+/g, ' ');
}

/** The checks of one workspace, in the object that runs them. */
export interface CheckBook {
  /** Adds, and changes the checks of the same questions that the author may see; all or none. */
  put(writing: CheckWriting): PutResult;
  /** Those that the audiences may see. Answers from another than the current edition may quote articles that are gone: they are left out. */
  list(query: KnowledgeChecksQuery, scope: CheckListing): KnowledgeChecks;
  /** All that the audiences may see. */
  readAll(audiences: readonly string[]): StoredCheck[];
  remove(id: string, audiences: readonly string[]): boolean;
  /** Has all of them run again that the audiences may see; returns how many. */
  start(scope: CheckScope): number;
  /** Has those run again that were last run against another edition than the current one, or failed on another. */
  noteEdition(edition: string, nowMs: number): void;
  isEmpty(): boolean;
  /** Those that are to be run now. */
  due(limit: number, nowMs: number): StoredCheck[];
  /** When the next is to be run. */
  nextDueAt(): number | undefined;
  /**
   * Notes a run without a result.
   *
   * @param edition Another one does not wait until then.
   * @param atMs When to run it next, by the number of its failures in a row.
   */
  postpone(id: string, edition: string, atMs: (failures: number) => number): void;
  /** Puts off those that would be run before. */
  putOff(untilMs: number): void;
  /** Marks of the articles of an edition (`articleMarks`), kept while a check was last run against it. */
  marks(edition: string): Uint8Array | undefined;
  hasMarks(edition: string): boolean;
  keepMarks(edition: string, marks: Uint8Array<ArrayBuffer>): void;
  note(run: CheckRun, nowMs: number): void;
}

/** The methods that travel; the others are for the object itself. */
export const CHECK_METHODS = [
  'put',
  'list',
  'readAll',
  'remove',
  'start',
  'noteEdition',
] as const satisfies (keyof CheckBook)[];
type CheckMethod = (typeof CHECK_METHODS)[number];

/** The check books of all workspaces, each in the object of its name. */
export type CheckBooks = (workspace: string) => Remote<CheckBook, CheckMethod>;

export function remoteCheckBooks(
  stub: (workspace: string) => ObjectMethods<CheckBook, CheckMethod>,
): CheckBooks {
  const failure = (cause: unknown) =>
    new StoreUnavailable('unavailable', 'Cannot ask the checks of a workspace', { cause });
  return (workspace) =>
    remoteStore<CheckBook, CheckMethod>(CHECK_METHODS, { workspace, stub, failure });
}
