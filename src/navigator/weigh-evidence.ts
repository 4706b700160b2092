import { readingOf } from '../grounding/read-passage.ts';
import { oncePer } from '../runtime/once-per.ts';
import { type ChunkAtHand, chunkAtHand } from '../search/chunks-at-hand.ts';
import type { Edition } from '../search/open-edition.ts';
import type { ArticleHit, ChosenHits } from './choose-hits.ts';
import { type Comparison, comparableText, sourceComparer } from './compare-sources.ts';
import { citationOf, type PlacedQuote } from './compose-answer.ts';

/** Other articles this close to the best are asked whether they say the same. */
const COMPARED_FROM = 0.6;
const COMPARED_HITS = 2;

/** What other articles say about what is quoted, with their citations; those that say nothing about it are left out. */
export const compareWithOthers = (
  edition: Edition,
  quotes: readonly PlacedQuote[],
  { hits }: ChosenHits,
): { comparison: Comparison; citation: string }[] => {
  const [first] = quotes;
  const top = hits[0]?.score ?? 0;
  if (!first) return [];
  const compare = sourceComparer(
    comparableOf(first.chunk),
    quotes.filter(({ chunk }) => chunk.index === first.chunk.index),
  );
  return hits
    .filter(
      ({ source, score }) =>
        source.id !== first.article.id && score >= COMPARED_FROM * top && !isSiblingOf(source, first),
    )
    .slice(0, COMPARED_HITS)
    .map((hit) => {
      const chunk = chunkAtHand(edition, hit.chunk);
      return { comparison: compare(comparableOf(chunk)), chunk };
    })
    .filter(({ comparison }) => comparison.verdict !== 'silent')
    .map(({ comparison, chunk }) => ({ comparison, citation: citationOf({ chunk, article: chunk.source }) }));
};

const comparableOf = oncePer((chunk: ChunkAtHand) => comparableText(chunk.text, readingOf(chunk).units));

/** About another device only: what differs there is no conflict. */
const isSiblingOf = ({ devices }: ArticleHit['source'], { article }: PlacedQuote): boolean =>
  devices.length > 0 && article.devices.length > 0 && !devices.some((device) => article.devices.includes(device));
