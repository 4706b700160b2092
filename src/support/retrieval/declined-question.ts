import { DECLINED_BELOW, findAnswer } from '../../answering/passages/find-answer.ts';
import type { TextVectors } from '../../answering/understand/parse-question.ts';
import { isQuestion } from './find-gaps.ts';
import type { Evidence } from './knowledge.ts';

interface DeclineOptions {
  /** The customer's product; undefined when none is named. */
  product?: string | undefined;
  vectors?: TextVectors | undefined;
}

/**
 * Whether a message asks something, and `/v1/ask` would decline it: neither the message nor one of its questions has an answer that is
 * probable enough to be shown.
 */
export function isDeclinedQuestion(
  { edition, text, search, sentences }: Evidence,
  { product, vectors }: DeclineOptions,
): boolean {
  const questions = sentences.filter((each) => isQuestion(each.text));
  if (questions.length === 0 && !(sentences.length === 0 && isQuestion(text))) return false;
  const devices = product === undefined ? [] : [product];
  return [{ text, outcome: search }, ...questions].every(
    (each) =>
      findAnswer(edition, each.text, { searches: [each.outcome], devices, vectors }).probability <
      DECLINED_BELOW,
  );
}
