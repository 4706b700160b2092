import type { Article } from './article.ts';
import type { Chunk } from './chunk.ts';

/** An article with the chunks it was cut into, in order: what an edition is built from. */
export interface EditionEntry {
  article: Article;
  chunks: Chunk[];
}

/** What an edition says about itself. */
export interface EditionIdentity {
  id: string;
  workspace: string;
  /** ISO 8601. */
  createdAt: string;
}
