import { type ChunkAtHand, chunkAtHand } from '../search/chunks-at-hand.ts';
import type { Edition } from '../search/open-edition.ts';
import type { Span } from '../text/split-sentences.ts';
import type { ArticleHit } from './choose-hits.ts';
import { sectionOf } from './compose-answer.ts';
import { hiddenIn, isNamedByPlant, overlaps } from './screen.ts';
import type { CitableArticle, CitableKnowledge } from './validate-navigator-response.ts';

/** A passage as a model is shown it. */
export interface ShownPassage {
  /** `p1`, `p2`, …: what the model cites it by. */
  id: string;
  hit: ArticleHit;
  chunk: ChunkAtHand;
  section: string;
  /** What of the chunk is shown, a part of it where it is long or parts of it are left out. */
  text: string;
  /** Where the shown parts stand in the chunk's text, in order. */
  parts: readonly Span[];
}

/** The fourth and fifth passage hold what the first three lack in one question of twenty; a sixth adds next to nothing. */
const PASSAGES = 6;
/** Of each, in UTF-16 units: one and a half times what a chunk aims at. */
const CHARACTERS = 2400;

/**
 * The best passages, best first, each bounded; those of which nothing may be shown are left out. Where few were found, what
 * stands beside the best of them follows: it may say in other words what was asked.
 */
export const showPassages = (edition: Edition, hits: readonly ArticleHit[]): ShownPassage[] =>
  [...hits, ...besideHits(edition, hits)]
    .map((hit) => ({ hit, chunk: chunkAtHand(edition, hit.chunk) }))
    .map(({ hit, chunk }) => ({ hit, chunk, parts: shownParts(chunk) }))
    .filter(({ parts }) => parts.length > 0)
    .slice(0, PASSAGES)
    .map(({ hit, chunk, parts }, at) => ({
      id: `p${at + 1}`,
      hit,
      chunk,
      section: sectionOf(chunk, hit.source),
      text: parts.map(({ start, end }) => chunk.text.slice(start, end)).join('\n\n'),
      parts,
    }));

/** Other chunks of the best article, the nearest first. They share no word with the question, hence score nothing. */
const besideHits = (edition: Edition, hits: readonly ArticleHit[]): ArticleHit[] => {
  const [best] = hits;
  if (best === undefined || hits.length >= PASSAGES) return [];
  const { firstChunk, endChunk } = best.source;
  const from = Math.max(firstChunk, best.chunk - PASSAGES);
  const to = Math.min(endChunk, best.chunk + PASSAGES + 1);
  return Array.from({ length: to - from }, (_, at) => from + at)
    .filter((chunk) => !hits.some((hit) => hit.chunk === chunk) && !isNamedByPlant(chunkAtHand(edition, chunk)))
    .sort((one, other) => Math.abs(one - best.chunk) - Math.abs(other - best.chunk))
    .map((chunk) => ({ ...best, chunk, matched: [], lexical: 0, score: 0, coverage: 0 }));
};

/** What is left between the hidden parts, as far as the bound allows. */
const shownParts = (chunk: ChunkAtHand): Span[] => {
  const parts: Span[] = [];
  let start = 0;
  for (const hidden of [...hiddenIn(chunk), { start: chunk.text.length, end: chunk.text.length }]) {
    if (hidden.start > start) parts.push({ start, end: hidden.start });
    start = Math.max(start, hidden.end);
  }
  let room = CHARACTERS;
  return parts.flatMap((part) => {
    const end = Math.min(part.end, part.start + room);
    room -= Math.max(0, end - part.start);
    return chunk.text.slice(part.start, end).trim() === '' ? [] : [{ start: part.start, end }];
  });
};

/**
 * Where a quote stands in a passage, word by word: white space may differ, nothing else.
 *
 * @returns A span of the chunk's text; undefined where the shown parts do not have it, or it is too short to tell.
 */
export const placeOfQuote = ({ chunk, parts }: ShownPassage, quote: string): Span | undefined => {
  const words = quote.trim().slice(0, MAX_QUOTE).split(/\s+/);
  if (words.join('').length < MIN_QUOTE) return undefined;
  for (const part of parts) {
    const text = chunk.text.slice(part.start, part.end);
    const place = placeOfWords(text, words);
    if (place !== undefined) return { start: part.start + place.start, end: part.start + place.end };
  }
  return undefined;
};

const MAX_QUOTE = 2000;
const MIN_QUOTE = 8;

const placeOfWords = (text: string, [first = '', ...rest]: readonly string[]): Span | undefined => {
  for (let start = text.indexOf(first); start >= 0; start = text.indexOf(first, start + 1)) {
    let end = start + first.length;
    const isHere = rest.every((word) => {
      const at = end + (/^\s+/.exec(text.slice(end, end + 200))?.[0].length ?? 0);
      if (at === end || !text.startsWith(word, at)) return false;
      end = at + word.length;
      return true;
    });
    if (isHere) return { start, end };
  }
  return undefined;
};

/** The shown passages as the knowledge that an answer is checked against: what was not shown, nobody may cite. */
export const knowledgeOf = (passages: readonly ShownPassage[], edition: string): CitableKnowledge => {
  const articles = new Map<string, CitableArticle>();
  for (const id of new Set(passages.map(({ hit }) => hit.source.id))) {
    const own = passages.filter(({ hit }) => hit.source.id === id);
    const [
      {
        hit: { source },
      } = own[0] as ShownPassage,
    ] = own; // Each id comes from a passage.
    articles.set(id, {
      id,
      title: source.title,
      url: source.url,
      text: own.map(({ text }) => text).join('\n\n'),
      headings: [...new Set(own.flatMap(({ chunk }) => chunk.headingPath))],
      slice: (start, end) => sliceOf(own, { start, end }),
    });
  }
  return { article: (file) => articles.get(file), edition };
};

const sliceOf = (passages: readonly ShownPassage[], { start, end }: Span): string => {
  const holder = passages.find(({ chunk }) => start >= chunk.start && end <= chunk.end);
  if (holder === undefined) return '';
  const span = { start: start - holder.chunk.start, end: end - holder.chunk.start };
  return overlaps(hiddenIn(holder.chunk), span) ? '' : holder.chunk.text.slice(span.start, span.end);
};
