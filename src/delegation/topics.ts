import type { ErrorInfo } from '../contract/error-info.ts';
import { PARTIAL_BELOW } from '../contract/navigator-response.ts';
import type { LibrarianResponse } from '../contract/response.ts';
import type { Branch } from '../runtime/delegates.ts';
import { errorInfo } from '../runtime/error-info-of.ts';
import { isDeclined } from './abstention.ts';
import { containMarkdown } from './contain-markdown.ts';

/** The outcome of one branch, as it is joined with others. */
export interface Reply {
  librarian: string;
  question: string;
  response: LibrarianResponse;
  /** The answer as Markdown that stays within its part; empty if there is none. */
  text: string;
  /** An answer that only says that there is none. */
  isDeclined: boolean;
  /** Why there is no answer, or what is missing beside it. */
  error: ErrorInfo | undefined;
}

/** Reads a branch; a reply without visible text counts as failed. */
export const readBranch = ({ to, query, response }: Branch): Reply => {
  const contained = containMarkdown(response.answer ?? '');
  const text = VISIBLE.test(contained) ? contained : '';
  const error = response.error ?? (text === '' ? errorInfo('DELEGATION_FAILED', { librarian: to }) : undefined);
  return {
    librarian: to,
    question: query,
    response,
    text,
    isDeclined: isDeclined({ ...response, answer: text }),
    error,
  };
};

const VISIBLE = /[^\s\p{Cc}\p{Cf}\p{Cs}]/u;

/** One question with the answers to it. */
export interface Topic {
  question: string;
  replies: readonly Reply[];
  /** Most confident first; librarians with the same answer are grouped. Declined answers are included only if all declined. */
  answers: readonly (readonly [Reply, ...Reply[]])[];
  /** Whether any of them has information. */
  isInformed: boolean;
}

export const arrangeTopics = (replies: readonly Reply[]): Topic[] =>
  [...Map.groupBy(replies, ({ question }) => normalised(question)).values()].map((members) => {
    const answered = members.filter(({ text }) => text !== '');
    const informed = answered.filter((reply) => !reply.isDeclined);
    const surestFirst = (informed.length > 0 ? informed : answered).toSorted(
      (one, other) => confidenceOf(other) - confidenceOf(one),
    );
    const answers = [...Map.groupBy(surestFirst, ({ text }) => wordingOf(text)).values()];
    return {
      question: members[0]?.question ?? '',
      replies: members,
      // A group has at least one member.
      answers: answers as [Reply, ...Reply[]][],
      isInformed: informed.length > 0,
    };
  });

/** Normalises case, white space, punctuation and Unicode form. */
const normalised = (question: string): string => {
  const words = question
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{M}\p{N}]+|[^\s\p{P}]/gu);
  return words === null ? question : words.join(' ');
};

/** Normalises white space and removes citations. */
const wordingOf = (text: string): string =>
  text
    .replace(/\[\d{1,2}\]/g, '')
    .replace(/\s+/g, ' ')
    .trim();

/** An answer without a stated confidence counts as not known to be unsure. */
const confidenceOf = ({ response }: Reply): number => response.confidence ?? PARTIAL_BELOW;

/** Librarians may draw on the same source, so each further one counts half. */
const WEIGHT_OF_AGREEMENT = 0.5;
/** Agreement alone raises the confidence no further. */
const MAX_BY_AGREEMENT = 0.95;

/**
 * The confidence of a joined answer, 0 to 1, rounded to three decimals.
 *
 * 1. A question has the confidence of its most confident answer, `c`; 0.6 if that states none.
 * 2. The same answer from others raises it: `1 - (1 - c) (1 - a/2) (1 - b/2) ...`, up to 0.95.
 * 3. The weakest answered question bounds the whole, which is scaled by the share of questions that were answered.
 */
export const combineConfidence = (topics: readonly Topic[]): number => {
  // If no librarian has information, their confidence in that is reported.
  const isInformed = topics.some((topic) => topic.isInformed);
  const answered = topics.flatMap(({ answers: [best], ...topic }) =>
    best === undefined || topic.isInformed !== isInformed ? [] : [best],
  );
  if (answered.length === 0) return 0;
  const weakest = Math.min(
    ...answered.map(([leading, ...agreeing]) => {
      const doubt = agreeing.reduce(
        (product, reply) => product * (1 - WEIGHT_OF_AGREEMENT * confidenceOf(reply)),
        1 - confidenceOf(leading),
      );
      return Math.max(confidenceOf(leading), Math.min(1 - doubt, MAX_BY_AGREEMENT));
    }),
  );
  return Math.round(((weakest * answered.length) / topics.length) * 1000) / 1000;
};
