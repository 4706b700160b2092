import type {
  AnswerFeedback,
  AnswerFilter,
  AnswerInput,
  AnswerStatistics,
  AnswersErasureQuery,
  AnswersPage,
  KeptAnswer,
} from '../../contract/wire/answers.ts';
import type { AuditEntry, AuditPage } from '../../contract/wire/audit.ts';
import { CodedError } from '../../platform/http/coded-error.ts';
import { type ObjectMethods, type Remote, remoteStore } from '../../platform/rpc/remote-store.ts';
import {
  readSettings,
  type SettingsSchema,
  type Variables,
} from '../../platform/settings/settings.ts';
import { wholeNumber } from '../../platform/settings/values.ts';
import type { AnswerCounts, StatisticsRange } from './answer-statistics.ts';

/** Which page of a list. */
export interface AnswerListing {
  /** Audiences of the caller: only answers that were given with these, or fewer, are listed. None when absent. */
  audiences?: readonly string[] | undefined;
  filter: AnswerFilter;
  limit: number;
  /** `next_cursor` of the page before; checked by `readAnswerCursor`. */
  cursor?: string | undefined;
}

/** Answers in full, for an export. */
interface FullPage {
  answers: KeptAnswer[];
  next_cursor: string | null;
}

/**
 * The kept answers of one workspace. `audiences` are those of the context: an answer may quote what the asker could read, so only those who
 * hold all of the asker's see it.
 */
export interface AnswerStore {
  /** Keeps answers whose texts are masked; the second call with the same id changes nothing. */
  keep(answers: readonly AnswerInput[], audiences?: readonly string[]): void;
  /** Newest first. */
  list(listing: AnswerListing): AnswersPage;
  /** Newest first; as many as fit into some megabytes, at least one. */
  full(listing: AnswerListing): FullPage;
  get(id: string, audiences?: readonly string[]): KeptAnswer | null;
  /** Counts the answers of the filter within a time, which takes the place of the filter's own. */
  statistics(
    filter: AnswerFilter,
    range: StatisticsRange,
    audiences?: readonly string[],
  ): AnswerStatistics;
  /** Counts the answers of each bucket of a time, oldest first. */
  counts(range: StatisticsRange, audiences?: readonly string[]): AnswerCounts[];
  /**
   * Stores what somebody thinks of an answer, in place of an earlier opinion. False when there is no answer of that id that this
   * caller may judge.
   */
  judge(id: string, feedback: AnswerFeedback, by: FeedbackGiver): boolean;
  /**
   * Removes answers, and returns how many. What is stored about a person or a conversation goes completely, whoever may read it; of those
   * before a time only what may be read with these audiences.
   */
  erase(of: AnswersErasureQuery, audiences?: readonly string[]): number;
  /** False when there is no answer of that id that may be read with these audiences. */
  remove(id: string, audiences?: readonly string[]): boolean;
  /** Notes an act of administration. Nothing that erases answers removes it; it goes after 400 days, or when 10,000 newer ones are there. */
  noteAct(entry: AuditEntry): void;
  acts(listing: { limit: number; cursor?: string | undefined }): AuditPage;
  /** Removes the expired and the surplus. */
  removeExpired(): void;
  /** When the next one expires, in milliseconds since 1970. */
  nextRemoval(): number | undefined;
}

interface FeedbackGiver {
  /** Subject of the context: it may judge what it asked, with `mayJudgeAll` whatever its audiences may read. */
  subject: string;
  mayJudgeAll: boolean;
  audiences?: readonly string[] | undefined;
  /** The person in whose name it is given: not the one of an answer to another person. */
  person?: string | undefined;
}

/** How long and how many answers are kept. */
export interface AnswerLimits {
  days: number;
  answers: number;
}

export const answerSettings = {
  ANSWER_DAYS: wholeNumber({
    from: 1,
    to: 3650,
    usual: 30,
    what: 'Days until a kept answer is removed',
  }),
  MAX_ANSWERS: wholeNumber({
    from: 1,
    to: 1_000_000,
    usual: 50_000,
    what: 'Answers that a workspace keeps (of 128 KB at most, in a database of 10 GB); the oldest are removed',
  }),
} satisfies SettingsSchema;
export type AnswerVariables = Variables<typeof answerSettings>;

/** @throws {SettingRefused} Names a variable that is not a whole number in its range. */
export function readAnswerLimits(variables: AnswerVariables): AnswerLimits {
  const { ANSWER_DAYS: days, MAX_ANSWERS: answers } = readSettings(answerSettings, variables);
  return { days, answers };
}

export function answerCursorText(place: number): string {
  return `p${place}`;
}

/** The place that a page ends with; undefined for a text that is no cursor. */
export function readAnswerCursor(cursor: string): number | undefined {
  const digits = /^p(\d{1,15})$/.exec(cursor)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** The RPC methods of the object; no other member can be called from outside. */
export const ANSWER_METHODS = [
  'keep',
  'list',
  'full',
  'get',
  'statistics',
  'counts',
  'judge',
  'erase',
  'remove',
  'noteAct',
  'acts',
] as const satisfies (keyof AnswerStore)[];
type AnswerMethod = (typeof ANSWER_METHODS)[number];

/** An answer store in a Durable Object. */
export type RemoteAnswers = Remote<AnswerStore, AnswerMethod>;

/** The answers of a workspace. */
export function remoteAnswers(
  stub: (workspace: string) => ObjectMethods<AnswerStore, AnswerMethod>,
  workspace: string,
): RemoteAnswers {
  const failure = (cause: unknown) =>
    new CodedError('SERVICE_UNAVAILABLE', 'Cannot use the kept answers', { cause });
  return remoteStore<AnswerStore, AnswerMethod>(ANSWER_METHODS, { workspace, stub, failure });
}
