import { oncePer } from '../runtime/once-per.ts';
import type { Edition, EditionArticle, EditionChunk } from './open-edition.ts';

/** A decoded chunk with its article. Shared by all who ask: not to be changed. */
export interface ChunkAtHand extends Readonly<EditionChunk> {
  readonly source: EditionArticle;
}

/** Chunks of one edition kept decoded, and articles as many. */
const MAX_AT_HAND = 500;

/** A chunk, decoded at most once while it stays among the latest 500 asked for. */
export const chunkAtHand = (edition: Edition, index: number): ChunkAtHand =>
  recent(shelvesOf(edition).chunks, index, () => {
    const chunk = edition.chunk(index);
    return { ...chunk, source: articleAtHand(edition, chunk.article) };
  });

/** An article, likewise. */
export const articleAtHand = (edition: Edition, index: number): EditionArticle =>
  recent(shelvesOf(edition).articles, index, () => edition.article(index));

const shelvesOf = oncePer((_: Edition) => ({
  chunks: new Map<number, ChunkAtHand>(),
  articles: new Map<number, EditionArticle>(),
}));

/** Takes from a map, or makes; what was not asked for the longest goes first. */
const recent = <Value>(shelf: Map<number, Value>, key: number, make: () => Value): Value => {
  const known = shelf.get(key);
  if (known !== undefined) {
    // Moving to the end costs more than it brings while there is room.
    if (shelf.size < MAX_AT_HAND) return known;
    shelf.delete(key);
    shelf.set(key, known);
    return known;
  }
  const value = make();
  if (shelf.size >= MAX_AT_HAND) {
    const [oldest] = shelf.keys();
    if (oldest !== undefined) shelf.delete(oldest);
  }
  shelf.set(key, value);
  return value;
};
