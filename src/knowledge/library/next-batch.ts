import { EmbeddingFailed } from '../../ai/embeddings/base.ts';
import { embeddingTextOf } from '../../search/vector-id.ts';
import type { VectorRecord } from '../../storage/vector-index.ts';
import type { ArticleStore } from './article-store.ts';
import type { VectorStore } from './vector-store.ts';

/** A text that wants its vector. */
export interface Wanted {
  vector: string;
  /** Of one article that has it. */
  article: string;
  text: string;
}

/** What one step embeds, some 100,000 tokens of English: a provider cuts it into as many requests as its service wants. */
export const BATCH = { texts: 256, characters: 400_000 };

/** The texts of the next wanted vectors, each once; bounded in number and length but for the first. */
export const nextBatch = (
  { vectors, articles }: { vectors: VectorStore; articles: ArticleStore },
  maxTexts: number,
): Wanted[] => {
  const batch = new Map<string, Wanted>();
  let characters = 0;
  let entry: ReturnType<typeof articles.entry>;
  for (const { vector, article, position } of vectors.wanted(maxTexts)) {
    if (batch.has(vector)) continue;
    if (entry?.article.id !== article) entry = articles.entry(article);
    const chunk = entry?.chunks[position];
    if (!entry || !chunk) continue;
    const text = embeddingTextOf({ ...chunk, title: entry.article.title });
    characters += text.length;
    if (batch.size > 0 && characters > BATCH.characters) break;
    batch.set(vector, { vector, article, text });
  }
  return [...batch.values()];
};

/**
 * A vector without a direction, as of a text without words, is near to nothing: its text is done without one.
 *
 * @throws {EmbeddingFailed} When a vector is missing, or is not of the right form.
 */
export const usableVectors = (
  batch: readonly Wanted[],
  found: readonly number[][],
  dimensions: number,
): VectorRecord[] => {
  const isWhole = found.length === batch.length && found.every(({ length }) => length === dimensions);
  if (!isWhole || !found.every((vector) => vector.every(Number.isFinite)))
    throw new EmbeddingFailed('malformed', 'Cannot store the vectors: some are missing or not of the right form');
  return batch.flatMap(({ vector: id }, at) => {
    const vector = found[at] ?? [];
    return vector.some((value) => value !== 0) ? [{ id, vector }] : [];
  });
};
