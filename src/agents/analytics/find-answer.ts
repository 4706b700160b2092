import type { Compose } from './compose-question.ts';
import { type MatchOutcome, matchQuestion } from './match-question.ts';
import type { QuestionIndex } from './question-index.ts';
import type { ReadQuestion } from './read-question.ts';

/** From this score on a named question is as good as one of its examples. */
const SURE_SCORE = 0.97;
/** What a question needs whose words are all known, but which asks with them what cannot be composed: it is probably another one. */
const NEAR_SCORE = 0.85;

/**
 * A named question that is nearly one of its examples; else a composed one, which accounts for every word; else a named one that is
 * near enough.
 */
export const findAnswer = (
  asked: ReadQuestion,
  { index, compose }: { index: QuestionIndex; compose?: Compose | undefined },
): MatchOutcome => {
  const named = matchQuestion(index, asked);
  if (compose === undefined || (named.ok && named.match.score >= SURE_SCORE)) return named;
  const { match, isUnderstood } = compose(asked);
  if (match !== undefined) return { ok: true, match };
  const isOther = named.ok && isUnderstood && named.match.score < NEAR_SCORE;
  return isOther ? { ok: false, close: [named.match.question] } : named;
};
