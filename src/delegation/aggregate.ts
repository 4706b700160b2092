import { type AnswerPart, isUnsure, type LibrarianResponse } from '../contract/response.ts';
import type { Branch } from '../runtime/delegates.ts';
import { errorInfo } from '../runtime/error-info-of.ts';
import { closestOf } from './abstention.ts';
import { composeAnswer } from './compose-answer.ts';
import { joinFailures } from './failures.ts';
import { mergeSources, renumberCitations } from './merge-sources.ts';
import { arrangeTopics, combineConfidence, type Reply, readBranch } from './topics.ts';

/** The size of `metadata.parts`; a fan-out is at most 8. */
const MAX_BRANCHES = 16;

/**
 * Combines the answers of several librarians into one Response (docs/aggregation.md). Pure, and never throws.
 *
 * - One branch: its response, unchanged.
 * - Several: their answers side by side, with all sources, `metadata.parts` and a combined confidence; `partial` when that is below 0.6,
 *   a part is partial, or a branch failed.
 * - No answer: an error, the one that all have in common or DELEGATION_FAILED.
 *
 * @param branches In the order of the requests; at most 16 are read.
 */
export const aggregate = (branches: readonly Branch[]): LibrarianResponse => {
  const [only] = branches;
  if (only !== undefined && branches.length === 1) return only.response;
  const read = branches.slice(0, MAX_BRANCHES).map(readBranch);
  const { sources, places } = mergeSources(
    read.map(({ text, response }) => (text === '' ? [] : (response.sources ?? []))),
  );
  const parts = fitParts(read.map((reply, index) => partOf(reply, places[index] ?? [])));
  if (read.every(({ text }) => text === '')) return allFailed(read, parts);
  const replies = read.map((reply, index) => ({ ...reply, text: renumberCitations(reply.text, places[index] ?? []) }));
  const topics = arrangeTopics(replies);
  const confidence = combineConfidence(topics);
  const isPartial = isUnsure(confidence) || branches.length > MAX_BRANCHES || replies.some(hasGap);
  const declined = replies.filter((reply) => reply.isDeclined);
  return {
    answer: composeAnswer(topics, replies),
    ...(sources.length > 0 ? { sources } : {}),
    confidence,
    ...(isPartial ? { partial: true } : {}),
    metadata: {
      parts,
      ...(declined.length > 0 ? { closest: closestOf(declined.map(({ response }) => response)) } : {}),
    },
  };
};

const hasGap = ({ error, isDeclined, response }: Reply): boolean =>
  error !== undefined || isDeclined || response.partial === true;

const allFailed = (replies: readonly Reply[], parts: AnswerPart[]): LibrarianResponse => {
  const failures = replies.flatMap(({ librarian, error }) => (error === undefined ? [] : [{ librarian, error }]));
  if (failures.length > 0) return { error: joinFailures(failures), metadata: { parts } };
  const message = 'Cannot answer: no librarian was asked';
  return { error: errorInfo('DELEGATION_FAILED', { message, recoverable: false }) };
};

const partOf = (
  { librarian, question, response, error }: Reply,
  places: readonly (number | undefined)[],
): AnswerPart => {
  const { answer, confidence, partial } = response;
  const { trace: _trace, ...metadata } = response.metadata ?? {};
  const cited = [...new Set(places)].filter((place) => place !== undefined);
  return {
    librarian,
    query: question.slice(0, 4000),
    ...(answer === undefined ? {} : { answer }),
    ...(cited.length > 0 ? { sources: cited } : {}),
    ...(confidence === undefined ? {} : { confidence }),
    ...(partial === undefined ? {} : { partial }),
    ...(error === undefined ? {} : { error }),
    ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
  };
};

/** Limit of all parts together, in the units of the contract's metadata limit (256,000); the rest is for other metadata. */
const MAX_PARTS_SIZE = 240_000;
/** Maximum depth of a part's own metadata, which is nested three levels deep; the contract allows 16. */
const MAX_DEPTH = 13;

/**
 * Drops what does not fit into `metadata` of a Response: first metadata of parts, largest first, then answers, largest first (the joined
 * answer repeats their text up to its limit).
 */
const fitParts = (parts: readonly AnswerPart[]): AnswerPart[] => {
  const fitted = parts.map((part): AnswerPart => {
    const { metadata, ...rest } = part;
    return metadata === undefined || sizeOf(metadata, MAX_DEPTH) === Number.POSITIVE_INFINITY ? rest : part;
  });
  const sizes = fitted.map(({ metadata, answer, ...rest }) => ({
    metadata: metadata === undefined ? 0 : sizeOf(metadata, MAX_DEPTH),
    answer: answer?.length ?? 0,
    rest: sizeOf(rest, MAX_DEPTH),
  }));
  let left = MAX_PARTS_SIZE;
  for (const { metadata, answer, rest } of sizes) left -= metadata + answer + rest + OVERHEAD;
  for (const member of ['metadata', 'answer'] as const) {
    const largestFirst = sizes
      .map((size, index) => ({ index, size: size[member] }))
      .toSorted((a, b) => b.size - a.size);
    for (const { index, size } of largestFirst) {
      if (left >= 0 || size === 0) break;
      const part = fitted[index];
      if (part !== undefined) delete part[member];
      left += size;
    }
  }
  return fitted;
};

/** Upper bound of the names and values around a part. */
const OVERHEAD = 100;

/** Counted as `jsonObject` does; infinite when nested deeper than `depth`, or larger than the limit. */
const sizeOf = (value: unknown, depth: number): number => {
  if (typeof value !== 'object' || value === null) return typeof value === 'string' ? value.length + 1 : 1;
  if (depth === 0) return Number.POSITIVE_INFINITY;
  let size = 1;
  for (const [key, member] of Object.entries(value)) {
    size += sizeOf(member, depth - 1) + (Array.isArray(value) ? 0 : key.length);
    if (size > MAX_PARTS_SIZE) return Number.POSITIVE_INFINITY;
  }
  return size;
};
