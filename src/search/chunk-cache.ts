import { oncePer } from '../runtime/once-per.ts';
import type { Edition, EditionArticle, EditionChunk } from './open-edition.ts';

/** A decoded chunk with its article. Shared between callers: do not modify. */
export interface CachedChunk extends Readonly<EditionChunk> {
  readonly source: EditionArticle;
}

/** Maximum number of cached chunks, and of cached articles, per edition. */
const MAX_CACHED = 500;

/** A decoded chunk, from an LRU cache of 500. */
export const cachedChunk = (edition: Edition, index: number): CachedChunk =>
  recent(shelvesOf(edition).chunks, index, () => {
    const chunk = edition.chunk(index);
    return { ...chunk, source: cachedArticle(edition, chunk.article) };
  });

/** A decoded article, from an LRU cache of 500. */
export const cachedArticle = (edition: Edition, index: number): EditionArticle =>
  recent(shelvesOf(edition).articles, index, () => edition.article(index));

const shelvesOf = oncePer((_: Edition) => ({
  chunks: new Map<number, CachedChunk>(),
  articles: new Map<number, EditionArticle>(),
}));

/** Reads or creates a cache entry; the least recently used one is evicted. */
const recent = <Value>(cache: Map<number, Value>, key: number, make: () => Value): Value => {
  const known = cache.get(key);
  if (known !== undefined) {
    // Reordering costs more than it gains while the cache is not full.
    if (cache.size < MAX_CACHED) return known;
    cache.delete(key);
    cache.set(key, known);
    return known;
  }
  const value = make();
  if (cache.size >= MAX_CACHED) {
    const [oldest] = cache.keys();
    if (oldest !== undefined) cache.delete(oldest);
  }
  cache.set(key, value);
  return value;
};
