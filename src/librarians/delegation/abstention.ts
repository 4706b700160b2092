import * as z from 'zod';
import { type AnswerPhrases, answerPhrases } from '../../answering/write/answer-phrases.ts';
import { type ErrorCode, type ErrorInfo, readAs } from '../../contract/core/error-info.ts';
import { statesLackOfInformation } from '../../contract/core/lack-of-information.ts';
import type { LibrarianResponse } from '../../contract/core/response.ts';
import { errorInfo } from '../../platform/context/error-info-of.ts';

/** An article close to a question that no article answers. */
const ClosestArticle = z.object({
  title: z.string().min(1).max(500),
  file: z.string().max(500).optional(),
  url: z.string().max(2000).optional(),
  heading: z.string().max(500).optional(),
});
type ClosestArticle = z.infer<typeof ClosestArticle>;

/** Articles shown with an answer that declines. */
const MAX_CLOSEST = 3;

/** Whether an answer states that information is lacking: it has no sources, and lists the closest articles or says so in words. */
export function isDeclined({ answer, sources = [], metadata }: LibrarianResponse): boolean {
  return (
    answer !== undefined &&
    sources.length === 0 &&
    (Array.isArray(metadata?.closest) || statesLackOfInformation(answer))
  );
}

/** The closest articles of several answers, each once, at most three. */
export function closestOf(
  responses: readonly Pick<LibrarianResponse, 'metadata'>[],
): ClosestArticle[] {
  const all = responses.flatMap(({ metadata }) => {
    const read = readAs(z.array(ClosestArticle), metadata?.closest);
    return read.ok ? read.value : [];
  });
  const once = new Map(all.map((article) => [article.url ?? article.title, article]));
  return [...once.values()].slice(0, MAX_CLOSEST);
}

/** The Response for a question that no librarian can answer: an answer that says so in the asker's language, never an error. */
export function nothingFound(
  metadata: Readonly<Record<string, unknown>> = {},
  language?: string,
): LibrarianResponse {
  return {
    answer: answerPhrases(language).nothing,
    sources: [],
    confidence: 0,
    partial: true,
    metadata: { closest: [], ...metadata },
  };
}

interface Failure {
  librarian: string;
  error: ErrorInfo;
}

/**
 * One error for several: the code that all have in common, or DELEGATION_FAILED. `details.failures` names each with its
 * code; recoverable when any of them is.
 */
export function joinFailures(failures: readonly Failure[]): ErrorInfo {
  const codes = new Set(failures.map(({ error }) => error.code));
  const [first] = codes;
  const code: ErrorCode = codes.size === 1 && first !== undefined ? first : 'DELEGATION_FAILED';
  const recoverable = failures
    .filter(({ error }) => error.recoverable === true)
    .map(({ librarian }) => librarian);
  const suggestion = suggestionFor(code, recoverable);
  const names = [
    ...new Set(failures.map(({ librarian, error }) => `${librarian} (${error.code})`)),
  ];
  return {
    ...errorInfo(code),
    message:
      `Cannot answer: none of the librarians that were asked could: ${names.join(', ')}`.slice(
        0,
        2000,
      ),
    recoverable: recoverable.length > 0,
    ...(suggestion === undefined ? {} : { suggestion }),
    details: {
      failures: failures.map(({ librarian, error }) => ({
        librarian,
        code: error.code,
        recoverable: error.recoverable === true,
      })),
    },
  };
}

/** `undefined` if the code's default message already says what to do. */
const suggestionFor = (code: ErrorCode, recoverable: readonly string[]): string | undefined => {
  if (code === 'NOT_FOUND' || code === 'INVALID_QUERY')
    return 'Ask in other words, naming the thing that the question is about, or ask one question at a time';
  const isHopeless = recoverable.length === 0 && errorInfo(code).recoverable === true;
  if (isHopeless || (code === 'DELEGATION_FAILED' && recoverable.length === 0))
    return 'Asking the same again will not help: ask one question at a time, or another librarian directly';
  if (code !== 'DELEGATION_FAILED') return undefined;
  return `Ask the same again in a few seconds: ${[...new Set(recoverable)].join(', ')} may answer then`;
};

/** Why there is no answer, as the end of a sentence: "No answer from weather: ...". Our own wording, not the librarian's. */
export function whyMissing(code: ErrorCode, phrases: AnswerPhrases): string {
  return phrases[WHY_MISSING[code]];
}

const WHY_MISSING = {
  INVALID_QUERY: 'whyUnclear',
  UNAUTHORIZED: 'whyRefused',
  NOT_FOUND: 'whyNothing',
  RATE_LIMITED: 'whyBusy',
  INTERNAL_ERROR: 'whyFailed',
  TIMEOUT: 'whyLate',
  SERVICE_UNAVAILABLE: 'whyDown',
  DELEGATION_FAILED: 'whyFailed',
  LOOP_DETECTED: 'whyFailed',
  MAX_DEPTH_EXCEEDED: 'whyFailed',
  AI_UNAVAILABLE: 'whyDown',
  DATA_SOURCE_ERROR: 'whyDown',
} as const satisfies Record<ErrorCode, keyof AnswerPhrases>;
