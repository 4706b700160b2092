import { RETRIEVAL_MIN_SCORE } from '../../contract/knowledge-retrieval.ts';
import { articleAtHand } from '../../search/chunks-at-hand.ts';
import type { Edition } from '../../search/open-edition.ts';
import { datedReason } from './outdated.ts';
import type { RankedSource } from './rank-sources.ts';

/** What was found of the subject beside an old page; less may be there by chance. */
const SOME_RELEVANCE = 0.15;
/** What speaks for an old page speaks for the current one of its subject, nearly as much. */
const INHERITED = 0.9;
/** An old page is shown as a hint, and is no source. */
const SUPERSEDED = 0.65;

/**
 * Lets the current page on a subject come before an old one that has the customer's words: where a source says itself that it is old
 * (`datedReason`), and another one that was found too shares the ticket's intent with it. Of an unknown intent any that both have.
 *
 * @param ranked The best first.
 * @param options.text What was asked.
 */
export const preferCurrent = (
  edition: Edition,
  ranked: readonly RankedSource[],
  { text, intents }: { text: string; intents: readonly string[] },
): RankedSource[] => {
  const isDated = ({ article, chunks }: RankedSource): boolean =>
    datedReason(edition, { article, chunks, text }) !== undefined;
  const intentsOf = ({ article }: RankedSource): string[] => {
    const own = articleAtHand(edition, article).intents;
    return intents.length === 0 ? [...own] : own.filter((each) => intents.includes(each));
  };
  const relevances = new Map(ranked.map(({ article, relevance }) => [article, relevance]));
  let isChanged = false;
  for (const old of ranked) {
    if (old.isOfOtherProduct || old.relevance < RETRIEVAL_MIN_SCORE || !isDated(old)) continue;
    const shared = intentsOf(old);
    const current = ranked.find(
      (other) =>
        other !== old &&
        !other.isOfOtherProduct &&
        other.relevance >= SOME_RELEVANCE &&
        intentsOf(other).some((each) => shared.includes(each)) &&
        !isDated(other),
    );
    if (current === undefined) continue;
    isChanged = true;
    relevances.set(current.article, Math.max(relevances.get(current.article) ?? 0, INHERITED * old.relevance));
    relevances.set(old.article, SUPERSEDED * old.relevance);
  }
  if (!isChanged) return [...ranked];
  return ranked
    .map((source) => ({ ...source, relevance: relevances.get(source.article) ?? source.relevance }))
    .sort(
      (left, right) =>
        Number(left.isOfOtherProduct) - Number(right.isOfOtherProduct) || right.relevance - left.relevance,
    );
};
