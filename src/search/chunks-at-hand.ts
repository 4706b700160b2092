import { oncePer } from '../runtime/once-per.ts';
import type { Edition, EditionArticle, EditionChunk } from './open-edition.ts';

/** A decoded chunk with its article. Shared between callers: do not modify. */
export interface ChunkAtHand extends Readonly<EditionChunk> {
  readonly source: EditionArticle;
}

/** Maximum number of cached chunks, and of cached articles, per edition. */
const MAX_AT_HAND = 500;

/** A decoded chunk, from an LRU cache of 500. */
export const chunkAtHand = (edition: Edition, index: number): ChunkAtHand =>
  recent(shelvesOf(edition).chunks, index, () => {
    const chunk = edition.chunk(index);
    return { ...chunk, source: articleAtHand(edition, chunk.article) };
  });

/** A decoded article, from an LRU cache of 500. */
export const articleAtHand = (edition: Edition, index: number): EditionArticle =>
  recent(shelvesOf(edition).articles, index, () => edition.article(index));

const shelvesOf = oncePer((_: Edition) => ({
  chunks: new Map<number, ChunkAtHand>(),
  articles: new Map<number, EditionArticle>(),
}));

/** Reads or creates a cache entry; the least recently used one is evicted. */
const recent = <Value>(shelf: Map<number, Value>, key: number, make: () => Value): Value => {
  const known = shelf.get(key);
  if (known !== undefined) {
    // Reordering costs more than it gains while the cache is not full.
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
