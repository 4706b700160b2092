import { escapeText } from '../runtime/escape-html.ts';
import { oncePer } from '../runtime/once-per.ts';
import { type ChunkAtHand, chunkAtHand } from '../search/chunks-at-hand.ts';
import type { Edition } from '../search/open-edition.ts';
import type { ArticleHit } from './choose-hits.ts';
import { oneLine, type PlacedQuote, sectionOf } from './compose-answer.ts';

const MAX_TOPICS = 5;

/** Headings that many articles share; they name no topic by themselves. */
const COMMON_HEADINGS = new Set(
  'summary symptoms symptom cause causes resolution solution workaround status more information introduction overview references notes note example examples steps see also details background prerequisites requirements'.split(
    ' ',
  ),
);

/**
 * What else the evidence speaks of: the headings, or titles, of passages that fit and were not quoted. No two say the
 * same, and none repeats a cited section.
 */
export const relatedTopics = (
  edition: Edition,
  hits: readonly ArticleHit[],
  quotes: readonly PlacedQuote[],
): string[] => {
  const topics = new Map<string, string>();
  const taken = new Set(quotes.flatMap(({ chunk }) => subjectOf(chunk).keys));
  for (const hit of hits) {
    const { topic, key: own } = subjectOf(chunkAtHand(edition, hit.chunk));
    if (topic !== '' && !taken.has(own) && !topics.has(own)) topics.set(own, topic);
    if (topics.size === MAX_TOPICS) break;
  }
  return [...topics.values()].map((topic) => escapeText(topic, 200));
};

/** What a chunk is offered as, and what quoting it makes superfluous. */
const subjectOf = oncePer((chunk: ChunkAtHand) => {
  const section = sectionOf(chunk, chunk.source);
  const topic = oneLine(isTelling(section) ? section : chunk.source.title, 200);
  return { topic, key: key(topic), keys: [key(section), key(chunk.source.title)] };
});

const isTelling = (heading: string): boolean =>
  !/^\p{L}*\s?\d*$/u.test(heading) &&
  !heading
    .toLowerCase()
    .match(/[a-z]+/g)
    ?.every((word) => COMMON_HEADINGS.has(word));

const key = (topic: string) =>
  topic
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
