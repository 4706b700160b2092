import { readingOf } from '../grounding/read-passage.ts';
import { oncePer } from '../runtime/once-per.ts';
import { type ChunkAtHand, chunkAtHand } from '../search/chunks-at-hand.ts';
import type { Edition } from '../search/open-edition.ts';
import type { ArticleHit, ChosenHits } from './choose-hits.ts';
import { type Comparison, comparableText, sourceComparer } from './compare-sources.ts';
import { citationOf, oneLine, type PlacedQuote } from './compose-answer.ts';
import { HEDGE } from './hedge.ts';
import { type Cue, cueText, questionCues } from './question-cues.ts';

/** Below this an answer says first that it is no direct one (seed 004, pattern 3). */
const HEDGED_BELOW = 0.3;
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
  const further = quotes.slice(1).filter(({ quote }) => quote.continues);
  const compare = sourceComparer(
    comparableOf(first.chunk),
    [first, ...further].map(({ quote }) => quote),
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

/** What speaks against the quotes as an answer to this question. */
export const cuesOf = ({
  question,
  quotes,
  chosen,
}: {
  question: string;
  quotes: readonly PlacedQuote[];
  chosen: ChosenHits;
}): Cue[] => {
  const cues = questionCues(
    question,
    quotes.map(({ chunk }) => cueTextOf(chunk)),
  );
  const [best] = quotes;
  if (chosen.isOtherDevice && best) {
    cues.push({
      reason: `the source is about ${best.article.devices.join(', ')}, not about ${chosen.named.join(', ')}`,
      factor: 0.5,
    });
  } else if (chosen.named.length === 0 && best && siblingsOf(best, chosen).length > 0) {
    cues.push({ reason: 'the question names no device, and other devices have articles of their own', factor: 0.85 });
  }
  return cues;
};

const cueTextOf = oncePer(({ source, headingPath, text }: ChunkAtHand) =>
  cueText([source.title, ...headingPath, text, ...source.devices].join('\n')),
);

/** Articles that fit about as well and speak for other devices. */
const siblingsOf = (best: PlacedQuote, { hits }: ChosenHits): ArticleHit[] => {
  const own = hits.find(({ source }) => source.id === best.article.id)?.score ?? 0;
  return hits.filter(({ source, score }) => score >= 0.8 * own && isSiblingOf(source, best));
};

/** What stands around an answer: that it is no direct one, or for which devices it holds. */
export const framing = ({
  probability,
  quotes,
  chosen,
}: {
  probability: number;
  quotes: readonly PlacedQuote[];
  chosen: ChosenHits;
}): { prefix?: string; namesDevices?: boolean } => {
  const [best] = quotes;
  if (chosen.isOtherDevice) {
    return {
      prefix: `I don't have information about this for ${oneLine(chosen.named.join(' or '))}.`,
      namesDevices: true,
    };
  }
  const namesDevices = best !== undefined && chosen.named.length === 0 && siblingsOf(best, chosen).length > 0;
  if (probability >= HEDGED_BELOW) return { namesDevices };
  return { prefix: HEDGE, namesDevices };
};
