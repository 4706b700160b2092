import type { SourceAttribution } from '../../contract/agent-response.ts';
import type { ErrorInfo } from '../../contract/error-info.ts';
import type { PartialQuery } from './split-query.ts';

/** A part of a question with what came of it. */
export type Part = AnsweredPart | FailedPart;

export interface AnsweredPart extends PartialQuery {
  ok: true;
  /** What was found, in the words of who found it: Markdown that holds nothing but its own part. */
  finding: string;
  /** Whether the source had something on it; one that had nothing is asked, but not used. */
  isInformed: boolean;
  /** Whether the source itself says that something is missing. */
  isPartial: boolean;
  result: Record<string, unknown>;
  attribution: SourceAttribution;
}

export interface FailedPart extends PartialQuery {
  ok: false;
  error: ErrorInfo;
  /** Whether somebody was asked; `false` when the caller may not. */
  isAsked: boolean;
}
