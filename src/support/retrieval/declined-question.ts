import { DECLINED_BELOW, findAnswer } from '../../answering/passages/find-answer.ts';
import type { TextVectors } from '../../answering/understand/parse-question.ts';
import { analyseQuery } from '../../knowledge/search/analyse-query.ts';
import { isCode } from '../../language/analyse-text.ts';
import { isQuestion } from './find-gaps.ts';
import type { Evidence } from './knowledge.ts';

interface DeclineOptions {
  /** The customer's product; undefined when none is named. */
  product?: string | undefined;
  vectors?: TextVectors | undefined;
}

/**
 * Whether a message asks something, and `/v1/ask` would decline it: neither the message nor one of its questions has an answer that is
 * probable enough to be shown. A message with a code that the articles have is never such a question.
 */
export function isDeclinedQuestion(
  { edition, text, search, sentences }: Evidence,
  { product, vectors }: DeclineOptions,
): boolean {
  const questions = sentences.filter((each) => isQuestion(each.text));
  if (questions.length === 0 && !(sentences.length === 0 && isQuestion(text))) return false;
  // An article that has the code of a message is about it, however likely an answer is.
  if (analyseQuery(edition, text).terms.some(({ word, isKnown }) => isKnown && isCode(word)))
    return false;
  const devices = product === undefined ? [] : [product];
  return [{ text, outcome: search }, ...questions].every(
    (each) =>
      findAnswer(edition, each.text, { searches: [each.outcome], devices, vectors }).probability <
      DECLINED_BELOW,
  );
}
